"""Hostile names and words, made from the description in ``tests/data/hostile.json``."""

import json
from collections.abc import Iterator
from pathlib import Path

DESCRIPTION = Path(__file__).parents[1] / "data" / "hostile.json"
NAME = "María Carmona"
LONG = "10000"
"""What stands in a shape for as many bytes of its mark."""


def every() -> list[str]:
    """Each text once, in the order of the description; then those of two families together."""
    families = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["families"]
    alone = {name: list(_made(family)) for name, family in families.items()}
    texts = [text for made in alone.values() for text in made]
    short = [[text for text in made if len(text) < 100] for made in alone.values()]
    for number, one in enumerate(short):
        for two in short[number + 1 :]:
            texts += [f"{a} {b}" for a, b in zip(one, two, strict=False)]
    return list(dict.fromkeys(texts))


def _made(family: dict[str, list[str]]) -> Iterator[str]:
    for mark in family["marks"]:
        for shape in family["shapes"]:
            many = mark * (int(LONG) // len(mark.encode()))
            yield shape.replace("{n}", NAME).replace("{m}", mark).replace(LONG, many)


def spread(texts: list[str], count: int) -> list[str]:
    """As many of them as are wanted, from all over the list."""
    return [texts[number * len(texts) // count] for number in range(min(count, len(texts)))]
