"""Chance that is the same on every run: draws out of a hash, for more cases than hypothesis likes.

Hypothesis finds and shrinks; this only counts. Ten thousand cases take seconds.
"""

from collections.abc import Iterator, Sequence
from hashlib import shake_256
from struct import iter_unpack
from typing import TypeVar

T = TypeVar("T")

ALPHABET = [
    *"abcXYZ019 ",
    *"áéñçüÅ",
    *"\"\\/:;,|[]{}$'",
    "\0",
    "\n",
    "\x1f",
    "\u2028",
    "ﬁ",
    "€",
    "😀",
    "한",
    "ộ",
]


class Draw:
    """Draws that follow from *seed* alone."""

    def __init__(self, *seed: object) -> None:
        self._seed = repr(seed).encode()
        self._words: Iterator[tuple[int]] = iter(())
        self._round = 0

    def below(self, limit: int) -> int:
        """A number from 0 to *limit* - 1; the larger of them a little less often, beyond 2^50."""
        for (word,) in self._words:
            return word % limit
        self._round += 1
        data = shake_256(self._seed + self._round.to_bytes(8, "big")).digest(8192)
        self._words = iter_unpack(">Q", data)
        return self.below(limit)

    def flip(self) -> bool:
        """Heads or tails."""
        return self.below(2) == 1

    def pick(self, choices: Sequence[T]) -> T:
        """One of *choices*."""
        return choices[self.below(len(choices))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """*items* in another order, or by chance the same."""
        left, order = list(items), []
        while left:
            order.append(left.pop(self.below(len(left))))
        return order

    def text(self, most: int = 12, least: int = 0) -> str:
        """Text that separators, quotes, accents, NUL and emoji may stand in."""
        return "".join(self.pick(ALPHABET) for _ in range(least + self.below(most - least + 1)))
