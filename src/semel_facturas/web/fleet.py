"""Several processes of the demo behind one database, as several machines would be."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from semel_facturas.web.instance import on_signals

READY = "ready "


@dataclass(slots=True)
class Fleet:
    """Starts the processes, says where each is, and ends with them.

    Args:
        command: what starts one of them, but for its port.
        environment: theirs.
        ready: called with each address, in order.
        say: called with a sentence when one of them has ended by itself.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    ready: Callable[[str], None]
    say: Callable[[str], None]
    _told: bool = False
    _processes: list[Process] = field(default_factory=list)

    async def run(self, ports: Sequence[int]) -> int:
        """Serve on each of *ports* until told to end; 0 when every process has ended well."""
        on_signals(self._end)
        try:
            for port in ports:
                if not self._told:
                    await self._start(port)
            ends = [
                asyncio.ensure_future(self._ended(number, process))
                for number, process in enumerate(self._processes, start=1)
            ]
            return max(await asyncio.gather(*ends), default=0)
        finally:
            self._end()

    async def _start(self, port: int) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *self.command,
            f"--port={port}",
            stdin=PIPE,
            stdout=PIPE,
            env=dict(self.environment),
            # A Ctrl-C in the terminal is for this process, which then tells each of them.
            start_new_session=True,
        )
        self._processes.append(process)
        line = (await process.stdout.readline()).decode() if process.stdout else ""
        if line.startswith(READY):
            self.ready(line.removeprefix(READY).strip())
        else:
            # Why not, it has said itself; the others are of no use to whoever wanted them all.
            self._end()

    async def _ended(self, number: int, process: Process) -> int:
        code = await process.wait()
        if not self._told:
            left = sum(one.returncode is None for one in self._processes)
            self.say(f"Instance {number} has ended (status {code}); {left} are left.")
        # A signal's number is negative.
        return code if code >= 0 else 1

    def _end(self) -> None:
        """Tell each process to end: what ties it to this one is cut."""
        self._told = True
        for process in self._processes:
            if process.stdin is not None:
                process.stdin.close()


def command(url: str, home: Path, lang: str | None) -> list[str]:
    """What starts one process of the demo, but for its port."""
    said = ["--lang", lang] if lang else []
    return ["-m", "semel.cli", "demo", "--tied", "--db", url, "--home", str(home), *said]
