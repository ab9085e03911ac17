"""The guard: one decorator that makes a tool happen once for an intent."""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar, cast

from semel.domain.effect import Effect
from semel.errors import CatalogError
from semel.guard import declare, drive, jobs, turn
from semel.guard.answer import Answer, NoSession, answer
from semel.guard.arguments import Bound
from semel.guard.call import Call
from semel.guard.face import Face, wrapped
from semel.guard.kit import Ended, Kit, Tool, log
from semel.guard.observe import Counter
from semel.guard.place import kept_in
from semel.guard.turn import Turn
from semel.guard.way import Way
from semel.machine import SystemClock, SystemEntropy, ThisProcess
from semel.ports import Clock, Entropy, Host, Pending

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

WINDOW_SECONDS = 24 * 3600.0
"""How long the end of a call answers for its intent. A conversation is over in a day, so a repeat
within it is one; after it the same request is more likely a new one."""

WAIT_SECONDS = 20.0
"""How long whoever repeats a call that is being made waits for its end: shorter than the 30 s after
which most HTTP clients give up on their own."""


class Guarded(Protocol[R_co]):
    """A guarded function: called as before, and asked for an answer in words."""

    def __call__(self, *args: Any, **kwargs: Any) -> R_co:
        """Make the call once; the value, also of a repeat.

        Raises:
            NotDone: nothing happened, for certain.
            InDoubt: it may have happened, and nothing proves it.
            CallRunning: it is being made, here or elsewhere.
            StorageError: the guard's database cannot be used; nothing was sent.
        """

    def answer(self, *args: Any, **kwargs: Any) -> Awaitable[Answer]:
        """The same call, with its answer for a model; it raises only for a ``StorageError``."""


class Guard:
    """Makes tools happen once for an intent, and says what happened.

    Args:
        url: ``sqlite:///guard.db``, ``postgresql://…`` or ``redis://…``; the first call opens it.
        org: whose calls they are; organizations share nothing.
        session: tells the conversation where no turn does; without either a call is refused.
        sql: folder of named statements for Local tools, as the engine's.
        locale: the language of answers where the turn names none, ``es`` or ``en``.
        zone: whose clock is read in answers.
        clock: where time comes from; a test may lend its own.
        entropy: where chance comes from.
        host: who this process is.
    """

    def __init__(
        self,
        url: str,
        *,
        org: str = "main",
        session: Callable[[], str | None] | None = None,
        sql: Path | None = None,
        locale: str = "en",
        zone: str = "Europe/Madrid",
        clock: Clock | None = None,
        entropy: Entropy | None = None,
        host: Host | None = None,
    ) -> None:
        self._url, self._org, self._sql = url, org, sql
        self._session = session
        self._locale, self._zone = locale, zone
        self._lent_clock = clock
        self._clock = clock or SystemClock()
        self._entropy = entropy or SystemEntropy()
        self._host = host or ThisProcess()
        self._tools: dict[str, Tool] = {}
        self._opening = threading.Lock()
        self._opened: tuple[int, Kit] | None = None
        self._going: set[asyncio.Task[Any]] = set()

    def turn(
        self,
        session: str,
        message: str | None = None,
        request: str | None = None,
        locale: str | None = None,
    ) -> AbstractContextManager[Turn]:
        """Say whose calls the block makes.

        Args:
            session: the conversation.
            message: id of the person's message that the agent works on, where it is known; the same
                call for another message is another intent.
            request: id of the transport's request, where it is known.
            locale: the language that answers are in.

        Raises:
            NoSession: a part is given and blank, which strangers would share.
        """
        if not session.strip() or (message is not None and not message.strip()):
            raise NoSession("Nothing was done: the session or the message is blank.")
        id_ = self._entropy.bytes(8).hex()
        return turn.Entered(Turn(session, message, request, id_, locale or self._locale))

    def once(
        self,
        *,
        effect: Effect | None = None,
        name: str | None = None,
        session: Callable[..., str | None] | None = None,
        window: float = WINDOW_SECONDS,
        wait: float = WAIT_SECONDS,
        timeout: float | None = None,
        observe: bool = False,
        identity: Sequence[str] | Callable[..., Any] | None = None,
        check: Callable[[Sequence[str]], Any] | None = None,
        void: Callable[[Sequence[str]], Any] | None = None,
        ttl: float | None = None,
        not_done: Sequence[type[BaseException]] = (),
        did: Mapping[str, str] | None = None,
        already: Mapping[str, str] | None = None,
        will: Mapping[str, str] | None = None,
    ) -> "Callable[[Callable[..., R]], Guarded[R]]":
        """Guard a function, plain or async.

        Args:
            effect: where its effect happens; ``Opaque()`` unless ``ttl``, ``check`` or ``void`` say
                more. A ``Local()`` function takes the transaction as the keyword ``tx``, a
                ``Keyed()`` or ``Checked()`` one its key as ``idempotency_key``; neither is part of
                what identifies the intent.
            name: what models call it; the function's own name by default.
            session: tells the conversation from the call's arguments, where no turn does.
            window: seconds for which its end answers for the same intent.
            wait: seconds that a repeat waits for a call that is being made.
            timeout: seconds after which a call becomes a job: it goes on, and the caller is told
                that it runs, and by which id to ask.
            observe: block nothing, and only count how often an intent is asked for again.
            identity: the parameters that tell one intent from another, or a function of the
                arguments that returns what does; by default all of them.
            check: looks for what was sent under these keys: what it returned, or None when nothing
                of it is there.
            void: closes keys for good, so that nothing sent under them can arrive any more.
            ttl: seconds for which the other side remembers a key.
            not_done: the function's own exceptions that prove that nothing happened.
            did: what was done, by language, with ``{argument}`` and fields of the result.
            already: the same for a repeat.
            will: the same while it is not known whether it was.

        Raises:
            CatalogError: what is declared and what the function takes contradict each other.
        """

        def guard(function: "Callable[..., R]") -> "Guarded[R]":
            tool = declare.tool(
                function, effect=effect, name=name, window=window, wait=wait, timeout=timeout,
                observe=observe, identity=identity, check=check, void=void, ttl=ttl,
                not_done=tuple(not_done),
                words={"did": did or {}, "already": already or {}, "will": will or {}},
            )  # fmt: skip
            if tool.name in self._tools:
                raise CatalogError(f"Two guarded tools are called {tool.name}; give one a name=.")
            self._tools[tool.name] = tool
            face = Face(tool, self.kit, self._zone, self._turn, session, self._going)
            return cast("Guarded[R]", wrapped(face))

        return guard

    def _turn(self, session: Callable[..., str | None] | None, bound: Bound) -> Turn | None:
        """Whose call it is where no block says so: as a function of it says."""
        if session is not None:
            whose = session(*bound.args, **bound.kwargs)
        else:
            whose = self._session() if self._session is not None else None
        if whose is None or not whose.strip():
            return None
        return Turn(whose, None, None, self._entropy.bytes(8).hex(), self._locale)

    def check_status(self, job: str, locale: str | None = None) -> "Awaitable[Answer]":
        """How a job of this conversation stands; what is due is looked at first.

        Args:
            job: the id that was given for it.
            locale: the language of the answer.
        """
        here = turn.current()
        session = here.session if here is not None else self._session and self._session()
        way = jobs.status(self.kit(), self._tools, job, session)
        return self._told(way, locale or (here.locale if here is not None else self._locale))

    async def _told(self, way: "Way[tuple[Tool | None, Ended] | None]", locale: str) -> Answer:
        found = await drive.looping(way)
        if found is None:
            return jobs.unknown(locale)
        return answer(found[0], found[1], locale, self._zone)

    def status_tool(self, locale: str | None = None) -> Callable[[str], Awaitable[str]]:
        """The tool that a model asks how a job stands: ``consultar_estado`` / ``check_status``."""
        return jobs.tool(self.check_status, locale or self._locale)

    def unsettled(self, many: int = 100) -> list[Call]:
        """Calls of which nothing is proven, the oldest first: being made, or in doubt."""
        return self.kit().calls.open(many).result()

    def resolve(self, job: str, *, happened: bool, value: Any = None) -> Answer:
        """Write down what a person found out about a call in doubt.

        Args:
            job: its id.
            happened: whether it happened. "It did not" counts only once nothing can still arrive.
            value: what it would have returned, where somebody knows.

        Returns:
            How it stands then: unchanged when the answer did not count yet.
        """
        way = jobs.resolved(self.kit(), self._tools, job, happened=happened, value=value)
        found = drive.blocking(way)
        if found is None:
            return jobs.unknown(self._locale)
        return answer(found[0], found[1], self._locale, self._zone)

    def repeats(self, since: str = "0001-01-01") -> list[tuple[str, str, str, int]]:
        """How often tools were called since a day: tool, source, mode and calls."""
        kit = self.kit()
        kit.counter.settle()
        counted = kit.counter.flush()
        if counted is not None:
            counted.result()
        return kit.calls.counts(since).result()

    def kit(self) -> Kit:
        """The guard's parts; opened when they are first needed, and anew in a forked child."""
        opened = self._opened
        if opened is not None and opened[0] == os.getpid():
            return opened[1]
        with self._opening:
            if self._opened is None or self._opened[0] != os.getpid():
                self._opened = (os.getpid(), self._open())
            return self._opened[1]

    def _open(self) -> Kit:
        calls = kept_in(self._url, self._org, self._sql, self._lent_clock)

        def flush(counts: Mapping[tuple[str, str, str], int]) -> Pending[None]:
            added = calls.count(self._clock.now().date().isoformat(), counts)
            added.add_done_callback(_logged)
            return added

        return Kit(calls, self._clock, self._entropy, self._host, Counter(flush))

    def close(self) -> None:
        """Add up what was counted, finish what is queued and let go of the database."""
        with self._opening:
            opened, self._opened = self._opened, None
        if opened is not None and opened[0] == os.getpid():
            opened[1].counter.close()
            opened[1].calls.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _logged(counted: Pending[None]) -> None:
    if counted.exception() is not None:
        log.warning("Counts of calls could not be kept.", exc_info=counted.exception())
