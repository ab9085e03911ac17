"""What a peer's script is made of: a process that calls one tool, and says what it was told.

It runs in the peer's environment and knows the standard library only. On its standard input it
reads ``go`` and then ``end``, which ends the wait of a body that is held; on its standard output it
writes a JSON object on a line for each thing that happens: ready, entered, told.
"""

import argparse
import asyncio
import inspect
import itertools
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compare.world import World

BODIES = ("brief", "held", "dies_before", "dies_after", "times_out")
"""What a tool's body does beside its effect."""

BRIEF_SECONDS = 0.3
"""How long a brief body takes, which is real time: callers at once shall meet while it runs."""

WATCH_SECONDS = 0.01
"""How often an async body that is held looks whether it may end."""

RIVALS = ("at-once", "later", "rival")
"""Callers that find a call begun by another process, and start as a peer says that one should."""


class Said(Exception):
    """A peer's answer that is neither the tool's value nor an exception of the peer's own.

    Args:
        word: the peer's own word.
        done: whether it says that the effect has happened.
        denied: whether it says that no effect has happened.
    """

    def __init__(self, word: str, *, done: bool = False, denied: bool = False) -> None:
        super().__init__(word)
        self.word, self.done, self.denied = word, done, denied


@dataclass
class Setting:
    """What a script needs to set its peer up, and the effect of the tool that it protects."""

    name: str
    folder: Path
    order: str
    variant: str
    lease: float
    body: str
    url: str
    world: World
    say: Callable[..., None]
    ended: threading.Event = field(default_factory=threading.Event)
    numbers: "Iterator[int]" = field(default_factory=itertools.count)
    closers: "list[Callable[[], object]]" = field(default_factory=list)

    @property
    def recovers(self) -> bool:
        """Whether this process does what a peer asks for at a new start, after another's crash."""
        return self.name in RIVALS

    def path(self, name: str) -> Path:
        """A file that all callers share."""
        return self.folder / name

    def effect(self, key: str | None = None) -> str:
        """Let the effect happen, with what this body does before and after it."""
        number = self._enter()
        if self.body == "held":
            self.ended.wait()
        elif self.body == "brief":
            time.sleep(BRIEF_SECONDS)
        return self._happen(number, key)

    async def aeffect(self, key: str | None = None) -> str:
        """The same, for a peer whose tools are coroutines."""
        number = self._enter()
        if self.body == "held":
            while not self.ended.is_set():  # noqa: ASYNC110 - the event is another thread's
                await asyncio.sleep(WATCH_SECONDS)
        elif self.body == "brief":
            await asyncio.sleep(BRIEF_SECONDS)
        return self._happen(number, key)

    def _enter(self) -> int:
        number = next(self.numbers)
        self.say(at="entered")
        if self.body == "dies_before":
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    def _happen(self, number: int, key: str | None) -> str:
        value = self.world.send(f"{self.name}.{number}", key)
        if self.body == "dies_after":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.body == "times_out" and number == 0:
            raise TimeoutError
        return value


Call = Callable[[], Any]
Prepare = Callable[[Setting], "Call | Awaitable[Call]"]


def serve(prepare: Prepare, words: list[str] | None = None) -> None:
    """Run a script: set the peer up, wait for the word, call, say what was told, and be gone."""
    given = parser().parse_args(words)
    # The peer may print what it likes; what this process says is on a stream of its own.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lock = threading.Lock()

    def say(**what: object) -> None:
        with lock:
            out.write(json.dumps(what) + "\n")
            out.flush()

    setting = Setting(
        name=given.name,
        folder=given.folder,
        order=given.order,
        variant=given.variant,
        lease=given.lease,
        body=given.body,
        url=given.url,
        world=World(given.folder / "ledger"),
        say=say,
    )
    go = threading.Event()
    threading.Thread(target=_listen, args=(go, setting.ended), daemon=True).start()
    if inspect.iscoroutinefunction(prepare):
        asyncio.run(_call_tasks(prepare, setting, go, given))
    else:
        _call_threads(prepare, setting, go, given)
    for close in reversed(setting.closers):
        close()
    out.flush()
    # A peer's threads may outlive its last answer, and are of no interest any more.
    os._exit(0)


def parser() -> argparse.ArgumentParser:
    """The command line of every script."""
    told = argparse.ArgumentParser(description="Call one tool through one peer.")
    told.add_argument("--name", required=True, help="who calls")
    told.add_argument("--folder", type=Path, required=True, help="where callers share files")
    told.add_argument("--order", required=True, help="what is to be done once")
    told.add_argument("--variant", default="plain", help="how the peer is used")
    told.add_argument("--lease", type=float, default=2.0, help="seconds")
    told.add_argument("--body", choices=BODIES, default="brief", help="what the tool does")
    told.add_argument("--calls", type=int, default=1, help="how many")
    told.add_argument("--in-turn", action="store_true", help="one for each go, not all at once")
    told.add_argument("--url", default="", help="the server, for a peer that needs one")
    return told


def _listen(go: threading.Event, ended: threading.Event) -> None:
    for line in sys.stdin:
        {"go": go, "end": ended}[line.strip()].set()
    # Whoever started this process is gone, and nobody will hear what it says.
    os._exit(1)


def _call_threads(
    prepare: Prepare, setting: Setting, go: threading.Event, given: argparse.Namespace
) -> None:
    call: Any = prepare(setting)
    setting.say(at="ready")
    go.wait()

    def one(number: int) -> None:
        begun = time.monotonic()
        try:
            told = _value(call())
        except BaseException as no:  # noqa: BLE001 - whatever a caller is told is the answer
            told = _raised(no)
        _tell(setting, number, begun, told)

    if given.in_turn:
        for number in range(given.calls):
            go.wait()
            go.clear()
            one(number)
        return
    threads = [threading.Thread(target=one, args=(number,)) for number in range(given.calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def _call_tasks(
    prepare: Any,
    setting: Setting,
    go: threading.Event,
    given: argparse.Namespace,
) -> None:
    call = await prepare(setting)
    setting.say(at="ready")
    await asyncio.to_thread(go.wait)

    async def one(number: int) -> None:
        begun = time.monotonic()
        try:
            told = _value(await call())
        except BaseException as no:  # noqa: BLE001 - as above
            told = _raised(no)
        _tell(setting, number, begun, told)

    if given.in_turn:
        for number in range(given.calls):
            await asyncio.to_thread(go.wait)
            go.clear()
            await one(number)
        return
    await asyncio.gather(*(one(number) for number in range(given.calls)))


def _tell(setting: Setting, number: int, begun: float, told: dict[str, object]) -> None:
    """Say what a call was told, how long that took, and what there was of effects by then."""
    seconds, there = time.monotonic() - begun, len(setting.world.effects())
    setting.say(at="told", call=number, seconds=seconds, there=there, **told)


def _value(value: object) -> dict[str, object]:
    return {"kind": "result", "value": value if value is None else str(value)}


def _raised(no: BaseException) -> dict[str, object]:
    if isinstance(no, Said):
        return {"kind": "said", "word": no.word, "done": no.done, "denied": no.denied}
    return {"kind": "raised", "word": type(no).__name__, "message": str(no)[:300]}
