"""What other instances announce, handed to those of this one who wait for it."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Bell:
    """Rings when a word is heard; it belongs to one loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._rang = asyncio.Event()

    def ring(self) -> None:
        """Ring, from any thread; a loop that has ended has nobody waiting."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._rang.set)

    async def wait(self, seconds: float) -> None:
        """Wait until it rings, at most so long; then it may ring again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._rang.wait()
        self._rang.clear()


class Heard:
    """Who waits for which word."""

    def __init__(self) -> None:
        self._bells: dict[str, set[Bell]] = {}
        self._changing = threading.Lock()

    def __call__(self, word: str) -> None:
        """A word was announced; from any thread."""
        with self._changing:
            bells = [*self._bells.get(word, ())]
        for bell in bells:
            bell.ring()

    @contextmanager
    def waiting(self, word: str, bell: Bell | None = None) -> Iterator[Bell]:
        """A bell that rings for *word* while the block lasts, heard before a look or after.

        Args:
            word: what is waited for.
            bell: one that already rings for something else; by default a new one.
        """
        bell = bell or Bell()
        with self._changing:
            self._bells.setdefault(word, set()).add(bell)
        try:
            yield bell
        finally:
            with self._changing:
                self._bells[word].discard(bell)
                if not self._bells[word]:
                    del self._bells[word]
