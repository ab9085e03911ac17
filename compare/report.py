"""What was found, kept as JSON and written as the table of docs/compare.md."""

import json
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from compare.registry import ROOT, Peer, Row
from compare.scenarios import SCENARIOS

KEPT: Final = ROOT / "docs" / "compare.json"
PAGE: Final = ROOT / "docs" / "compare.md"
BEGIN: Final = "<!-- begun by make compare; do not edit below -->"
END: Final = "<!-- ended by make compare -->"


class NoPlace(Exception):
    """The page has not the two marks, each once and in their order."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What is in a cell, and what is wrong with the peer in it."""

    text: str
    duplicate: bool
    lie: bool
    blocked: bool


@dataclass(slots=True)
class Found:
    """A row: when and on what it was found, and its cells."""

    version: str
    store: str
    python: str
    date: str
    sha256: str
    repeats: int
    missing: str = ""
    cells: dict[str, Cell] = field(default_factory=dict)

    @classmethod
    def begun(cls, peer: Peer, row: Row, store: str, repeats: int) -> Self:
        """A row without cells, of today."""
        today = time.strftime("%Y-%m-%d", time.gmtime())
        python = platform.python_version()
        return cls(peer.version, store, python, today, peer.sha256(row), repeats)

    @classmethod
    def missing_row(cls, peer: Peer, row: Row, why: str) -> Self:
        """A row of a peer that could not be run."""
        made = cls.begun(peer, row, peer.store_of(row), 0)
        made.missing = why
        return made


def read(path: Path = KEPT) -> dict[str, Found]:
    """What is kept, by row; nothing when there is no file."""
    if not path.exists():
        return {}
    rows: dict[str, dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return {
        key: Found(**{**row, "cells": {name: Cell(**one) for name, one in row["cells"].items()}})
        for key, row in rows.items()
    }


def write(found: Mapping[str, Found], path: Path = KEPT) -> None:
    """Keep it."""
    rows = {key: asdict(one) for key, one in found.items()}
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def table(peers: Sequence[Peer], found: Mapping[str, Found]) -> Iterator[str]:
    """The lines of the page between its marks."""
    run = [found[key] for peer in peers for key in map(peer.key, peer.rows) if key in found]
    yield summary(run)
    yield ""
    yield f"| Peer | {' | '.join(one.title for one in SCENARIOS.values())} |"
    yield f"|---{'|---' * len(SCENARIOS)}|"
    for peer in peers:
        for row in peer.rows:
            yield _cells(peer, row, found.get(peer.key(row)))
    yield ""
    yield "| Peer | Used as | On | Python | Runs | Date | SHA-256 of its scripts |"
    yield "|---|---|---|---|---:|---|---|"
    for peer in peers:
        for row in peer.rows:
            if peer.key(row) in found:
                yield _used(peer, row, found[peer.key(row)])


def summary(run: Sequence[Found]) -> str:
    """How many rows did what, in a sentence."""
    whole = [one for one in run if one.cells]
    does = [
        sum(any(getattr(cell, what) for cell in one.cells.values()) for one in whole)
        for what in ("duplicate", "lie", "blocked")
    ]
    return (
        f"{len(whole)} ways of using these peers were run: {does[0]} repeat the effect in some"
        f" column, {does[1]} tell a lie, and {does[2]} leave a caller without an answer."
    )


def _name(peer: Peer, row: Row, version: str) -> str:
    return f"{peer.name} {version}{'' if row.variant == 'plain' else f', {row.variant}'}"


def _cells(peer: Peer, row: Row, found: Found | None) -> str:
    name = _name(peer, row, found.version if found else peer.version)
    if found is None:
        name += f" ({peer.waits or 'not run yet'})"
    elif found.missing:
        name += f": {found.missing}"
    cells = found.cells if found else {}
    texts = [cells[key].text if key in cells else "" for key in SCENARIOS]
    return f"| {' | '.join([name, *map(_escaped, texts)])} |"


def _used(peer: Peer, row: Row, found: Found) -> str:
    digest = f"`{found.sha256}`"
    cells = [_name(peer, row, found.version), row.how, found.store, found.python]
    return f"| {' | '.join([*cells, str(found.repeats or ''), found.date, digest])} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def pasted(page: str, lines: Sequence[str]) -> str:
    """The page with these lines between its marks.

    Raises:
        NoPlace: it has not each mark once, in their order.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in before or END in after:
        raise NoPlace("docs/compare.md needs its two marks, each once, in their order.")
    return "\n".join([f"{before}{begin}", "", *lines, "", f"{end}{after}"])
