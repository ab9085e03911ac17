"""Where a scenario is played: a folder, and processes that are started, signalled and heard."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from compare.judge import Phase, Told
from compare.world import World

READY_SECONDS: Final = 60.0
"""How long a process may take until its peer is set up; a machine that is busy takes longest."""

WAITED_SECONDS: Final = 1.0
"""A single call whose body is brief, and which took longer, has waited for something."""


class Broken(Exception):
    """The scenario could not be played: what it is about did not come about."""


class Caller:
    """A process of a peer's script, and what it has said so far."""

    def __init__(
        self, name: str, calls: int, process: "subprocess.Popen[bytes]", *, brief: bool
    ) -> None:
        self.name, self.calls = name, calls
        self._alone = brief and calls == 1
        self._process = process
        self._said: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._over = False
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            with suppress(ValueError), self._changed:
                self._said.append(json.loads(line))
                self._changed.notify_all()
        self._process.wait()
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def said(self, at: str) -> list[dict[str, Any]]:
        """What it has said so far about *at*."""
        with self._changed:
            return [line for line in self._said if line["at"] == at]

    def wait(self, *ats: str, seconds: float, times: int = 1) -> bool:
        """Wait until it has said one of these so often, or is gone; whether it has said so."""

        def enough() -> bool:
            return any(sum(line["at"] == at for line in self._said) >= times for at in ats)

        with self._changed:
            self._changed.wait_for(lambda: enough() or self._over, seconds)
            return enough()

    def wait_gone(self, seconds: float) -> bool:
        """Wait until the process is dead; whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: self._over, seconds)

    def tell(self, word: str) -> None:
        """Say ``go`` or ``end`` to it."""
        with suppress(OSError):
            os.write(self._process.stdin.fileno(), f"{word}\n".encode())  # type: ignore[union-attr] # Popen was given a pipe

    def stop(self) -> None:
        """Stop it where it is."""
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        os.kill(self._process.pid, signal.SIGCONT)

    def end(self) -> None:
        """Kill it, if it is still there, with all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def told(self) -> tuple[Told, ...]:
        """What each of its calls was told; one that has no answer yet is blocked, or dead."""
        answers = {line["call"]: line for line in self.said("told")}
        silent = "died" if self._over else "blocked"
        return tuple(
            self._told(answers[number]) if number in answers else Told(self.name, silent, silent)
            for number in range(self.calls)
        )

    def _told(self, line: dict[str, Any]) -> Told:
        result = line["kind"] == "result"
        return Told(
            self.name,
            line["kind"],
            "result" if result else line["word"],
            line.get("value"),
            done=result or line.get("done", False),
            denied=line.get("denied", False),
            there=line["there"],
            waited=self._alone and line["seconds"] > WAITED_SECONDS,
        )


@dataclass
class Stage:
    """A folder of one run of one scenario, for one peer used in one way.

    Args:
        command: what starts the peer's script.
        folder: an empty one; all that the callers share is in it.
        order: what is to be done once, and nobody else's.
        answer_seconds: how long a call may take before it is called blocked.
    """

    command: Sequence[str]
    environment: dict[str, str]
    folder: Path
    order: str
    lease: float
    answer_seconds: float
    callers: list[Caller] = field(default_factory=list)

    @property
    def world(self) -> World:
        """The world that the callers act on."""
        return World(self.folder / "ledger")

    def start(
        self, name: str, *, body: str = "brief", calls: int = 1, in_turn: bool = False
    ) -> Caller:
        """Start a process and wait until its peer is set up; it calls when it is told to go.

        Raises:
            Broken: the peer could not be set up.
        """
        words = ["--name", name, "--folder", str(self.folder), "--order", self.order]
        words += ["--lease", str(self.lease), "--body", body, "--calls", str(calls)]
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 - a script of our own
                [*self.command, *words, *(["--in-turn"] if in_turn else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.folder,
                env=self.environment,
                start_new_session=True,
            )
        caller = Caller(name, calls, process, brief=body == "brief")
        self.callers.append(caller)
        if not caller.wait("ready", seconds=READY_SECONDS):
            text = (self.folder / f"{name}.log").read_text("utf-8", "replace").strip()
            raise Broken(f"{name} was not ready: {text.splitlines()[-1:]}")
        return caller

    def go(self, *callers: Caller) -> None:
        """Let them call."""
        for caller in callers:
            caller.tell("go")

    def answers(self, *callers: Caller) -> None:
        """Wait until every call of theirs has its answer, or is called blocked."""
        limit = time.monotonic() + self.answer_seconds
        for caller in callers:
            left = max(0.0, limit - time.monotonic())
            caller.wait("told", seconds=left, times=caller.calls)

    def phase(self, label: str, *callers: Caller) -> Phase:
        """What the world and these callers know now."""
        told = tuple(one for caller in callers for one in caller.told())
        return Phase(label, tuple(self.world.effects()), told)


@contextmanager
def played(stage: Stage) -> Iterator[Stage]:
    """A stage whose processes are all dead afterwards."""
    try:
        yield stage
    finally:
        for caller in stage.callers:
            caller.end()
