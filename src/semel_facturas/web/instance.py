"""One process of the demo: it serves until a signal, or the end of whoever started it."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from semel_facturas.web.serve import serve

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run(
    url: str, home: Path, port: int, ready: Callable[[str], None], *, lang: str | None, tied: bool
) -> int:
    """Serve until told to end; the exit status.

    Args:
        url: the database.
        home: folder of the key and of the mail.
        port: of the loopback interface; 0 for any that is free.
        ready: called with the address, once it can be reached.
        lang: what everybody reads who has not chosen; without it, each their own.
        tied: end, too, when standard input does: whoever started this process holds its other end.

    Raises:
        OSError: the port cannot be had.
    """
    asyncio.run(_run(url, home, port, ready, lang=lang, tied=tied))
    return 0


async def _run(
    url: str, home: Path, port: int, ready: Callable[[str], None], *, lang: str | None, tied: bool
) -> None:
    told = asyncio.Event()
    on_signals(told.set)
    if tied:
        _at_end_of_input(told.set)
    await serve(url, home, port, ready, told, lang=lang)


def on_signals(told: Callable[[], None]) -> None:
    """Call *told* at the first signal; the second one ends the process at once."""
    loop = asyncio.get_running_loop()

    def first() -> None:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        told()

    for number in SIGNALS:
        # Only a process's first thread may listen, and not on every system.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # no signals there
            loop.add_signal_handler(number, first)


def _at_end_of_input(told: Callable[[], None]) -> None:
    loop, end = asyncio.get_running_loop(), sys.stdin.fileno()

    def look() -> None:
        if not os.read(end, 1024):
            loop.remove_reader(end)
            told()

    loop.add_reader(end, look)
