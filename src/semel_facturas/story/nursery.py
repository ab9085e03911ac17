"""Processes that begin at once: one that has imported what the others need forks itself for each.

Importing semel and an application takes half a second of a core, and the story is a hundred
processes. Each of them is one all the same: it has a number, an environment and pipes of its own,
ends as any program does, and can be killed with -9.
"""

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from semel_facturas.story import forks

PROGRAM = f"from {forks.__name__} import main; main()"


class Child:
    """A process of a nursery, as :class:`subprocess.Popen` would give it; its pipes carry bytes."""

    def __init__(self, stdin: int, stdout: int, stderr: int | None, end: int) -> None:
        self.stdin: IO[bytes] = os.fdopen(stdin, "wb")
        self.stdout: IO[bytes] = os.fdopen(stdout, "rb")
        self.stderr: IO[bytes] | None = None if stderr is None else os.fdopen(stderr, "rb")
        self.returncode: int | None = None
        self._end = os.fdopen(end, "rb")
        self._ended = threading.Lock()
        self.pid = int(self._end.readline())

    def poll(self) -> int | None:
        """Its status, or None while it runs."""
        with self._ended:
            if self.returncode is None and not _silent(self._end):
                self.returncode = int(self._end.readline())
                self._end.close()
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; its status, negative when a signal ended it.

        Raises:
            TimeoutExpired: that took longer than so many seconds.
        """
        with self._ended:
            if self.returncode is None:
                if not select.select([self._end], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired("a process of a nursery", timeout or 0.0)
                self.returncode = int(self._end.readline())
                self._end.close()
            return self.returncode

    def communicate(self, text: bytes = b"", timeout: float | None = None) -> tuple[bytes, bytes]:
        """Give it all of its input, and wait for its end; what it printed.

        Raises:
            TimeoutExpired: that took longer than so many seconds.
        """
        said: dict[IO[bytes], bytes] = {}
        files = [self.stdout] if self.stderr is None else [self.stdout, self.stderr]
        readers = [
            threading.Thread(target=lambda file: said.update({file: file.read()}), args=(file,))
            for file in files
        ]
        for reader in readers:
            reader.daemon = True
            reader.start()
        # It may not want to hear that much.
        with suppress(BrokenPipeError):
            self.stdin.write(text)
            self.stdin.close()
        until = None if timeout is None else time.monotonic() + timeout
        for reader in readers:
            reader.join(None if until is None else max(0.0, until - time.monotonic()))
            if reader.is_alive():
                raise subprocess.TimeoutExpired("a process of a nursery", timeout or 0.0)
        self.wait()
        self._close()
        return said[self.stdout], said[self.stderr] if self.stderr is not None else b""

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, no: BaseException | None, at: TracebackType | None
    ) -> None:
        self._close()
        self.wait()

    def _close(self) -> None:
        for file in (self.stdin, self.stdout, self.stderr):
            # What was meant for it, and it did not read, is lost with it.
            with suppress(BrokenPipeError):
                if file is not None:
                    file.close()


def _silent(pipe: IO[bytes]) -> bool:
    """Whether there is nothing to read yet."""
    return not select.select([pipe], [], [], 0)[0]


class Nursery:
    """Starts processes by forking one that has imported some modules.

    Args:
        modules: what each would import; none that is started itself.
    """

    def __init__(self, *modules: str) -> None:
        self._line, its = socket.socketpair()
        self._turn = threading.Lock()
        with its:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(its.fileno()), *modules],
                stdin=subprocess.DEVNULL,
                pass_fds=[its.fileno()],
            )

    def start(
        self,
        module: str,
        *arguments: str | bytes,
        env: Mapping[str, str] = os.environ,
        cwd: Path | str | None = None,
        errors: int = subprocess.PIPE,
    ) -> Child:
        """Start a module as ``python -m`` would.

        Args:
            module: its name.
            arguments: its command line.
            env: the whole of its environment.
            cwd: where it runs; without it, here.
            errors: where its error stream goes: here (``PIPE``), to its output (``STDOUT``), or to
                the file of a number; 2 is where ours goes.
        """
        stderr: int | None
        its_in, stdin = os.pipe()
        stdout, its_out = os.pipe()
        if errors == subprocess.PIPE:
            stderr, its_errors = os.pipe()
        else:
            stderr, its_errors = None, os.dup(its_out if errors == subprocess.STDOUT else errors)
        end, its_end = os.pipe()
        task = {
            "module": module,
            "arguments": [os.fsdecode(one) for one in arguments],
            "env": dict(env),
            "cwd": str(cwd or Path.cwd()),
        }
        body = json.dumps(task).encode()
        theirs = [its_in, its_out, its_errors, its_end]
        try:
            with self._turn:
                head = len(body).to_bytes(forks.LENGTH)
                socket.send_fds(self._line, [head], theirs)
                self._line.sendall(body)
        finally:
            for file in theirs:
                os.close(file)
        return Child(stdin, stdout, stderr, end)

    def close(self) -> None:
        """Start no more; what was started goes on."""
        self._line.close()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, no: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()
