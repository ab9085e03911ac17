"""What a command does when it is told to end."""

import asyncio
import contextlib
import signal
from collections.abc import Callable


def on_terminate(told: Callable[[], object]) -> None:
    """Call *told* at each SIGTERM, where a process may listen for it."""
    # Only a process's first thread may, and not on every system.
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # no signals here
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told)
