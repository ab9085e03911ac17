"""Chance that follows from a seed alone, the same on every machine and Python."""

from collections.abc import Sequence
from hashlib import shake_128
from itertools import accumulate
from struct import iter_unpack
from typing import TypeVar

T = TypeVar("T")

BLOCK = 2048


class Chance:
    """Draws that follow from *seed*."""

    def __init__(self, *seed: object) -> None:
        self._seed = repr(seed).encode()
        self._block = 0
        self._words = iter_unpack(">Q", b"")

    def random(self) -> float:
        """At least 0 and less than 1."""
        for (word,) in self._words:
            return (word >> 11) * 2.0**-53
        self._block += 1
        data = shake_128(self._seed + b"/%d" % self._block).digest(BLOCK)
        self._words = iter_unpack(">Q", data)
        return self.random()

    def uniform(self, low: float, high: float) -> float:
        """Anywhere between the two."""
        return low + (high - low) * self.random()

    def randint(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self.random() * (high - low + 1))

    def choice(self, items: Sequence[T]) -> T:
        """One of *items*."""
        return items[int(self.random() * len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """One of *items*, each as often as its weight says."""
        ends = list(accumulate(weights))
        at = self.random() * ends[-1]
        return next(item for item, end in zip(items, ends, strict=True) if at < end)

    def rare(self, mean: float) -> float:
        """Seconds until something happens that happens every *mean* seconds or so.

        Without a logarithm, whose last digit is not the same in every C library.
        """
        return 2.0 * mean * self.random()
