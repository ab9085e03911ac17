"""What stands in the place of a guarded function, for code and for models."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from semel.domain.canonical import NotCanonical
from semel.domain.report import Next, Status
from semel.errors import InDoubt, NotDone, SemelError
from semel.guard import drive, local, turn
from semel.guard.answer import Answer, CallRunning, NoSession, answer, refusal
from semel.guard.arguments import KEY, TX, Bound, call_key
from semel.guard.call import CallState
from semel.guard.done import Made
from semel.guard.kit import Ended, Kit, Tool, log
from semel.guard.observe import GUARDED, source
from semel.guard.observed import watched
from semel.guard.procedure import once
from semel.guard.seen import Glance, S, Seen
from semel.guard.turn import Turn
from semel.guard.way import Asked
from semel.words import guarded as words


@dataclass(slots=True)
class Job:
    """What is known of a call from outside it."""

    id: str = ""
    known: "Future[None]" = field(default_factory=Future)
    """Done as soon as there is an id to ask by."""

    def told(self, id: str) -> None:
        """The id under which it is kept."""
        self.id = id
        if not self.known.done():
            self.known.set_result(None)


@dataclass(frozen=True, slots=True)
class Face:
    """A guarded function: its tool, where it is kept and how a turn is known."""

    tool: Tool
    kit: Callable[[], Kit]
    zone: str
    here: Callable[[Callable[..., str | None] | None, Bound], Turn | None]
    session: Callable[..., str | None] | None
    going: "set[asyncio.Task[Any]]"

    def asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        """One call, with its key.

        Raises:
            NoSession: nobody says which conversation it is of.
            NotDone: an argument has no single spelling.
        """
        try:
            bound = self.tool.arguments.bind(args, kwargs)
        except NotCanonical as no:
            raise NotDone(str(no)) from no
        whose = turn.current() or self.here(self.session, bound)
        if whose is None:
            raise NoSession
        key = call_key(whose.session, whose.message, self.tool.name, bound.meaning)
        return Asked(key, self.tool.name, whose, bound)

    def blocking(self, asked: Asked, kind: type[S]) -> Ended | Made | S:
        """Make a plain function's call in this thread, or as a job in one of its own.

        Args:
            asked: the call.
            kind: what a repeat needs.
        """
        kit = self.kit()
        seen = None
        # A Local call that queues anyway finds a repeat by itself.
        if not (self.tool.is_local and kit.calls.crowded):
            seen = kit.calls.look(kind, asked.key).result()
        if seen is not None and kit.still_answers(seen):
            return self._repeated(kit, asked, seen)
        if self.tool.is_local:
            return local.blocking(kit, self.tool, asked)
        if self.tool.timeout is None:
            return drive.blocking(once(kit, self.tool, asked, _nobody, new=seen is None))
        job = Job()
        way = once(kit, self.tool, asked, job.told, new=seen is None)
        ends: Future[Ended] = Future()
        context = contextvars.copy_context()

        def work() -> None:
            try:
                ends.set_result(context.run(drive.blocking, way))
            except BaseException as no:  # noqa: BLE001 - whoever asked hears of it, whatever it is
                ends.set_exception(no)

        threading.Thread(target=work, name=f"semel-{self.tool.name}", daemon=True).start()
        wait([ends], self.tool.timeout)
        # Who is told that it runs needs something to ask by, which is a look at the record away.
        either: list[Future[Any]] = [ends, job.known]
        wait(either, return_when=FIRST_COMPLETED)
        if ends.done():
            return ends.result()
        raise self._running(asked, job)

    async def looping(self, asked: Asked, kind: type[S]) -> Ended | Made | S:
        """Make a coroutine function's call as a task of its own: its asker may go at any time."""
        kit = self.kit()
        seen = None
        if not (self.tool.is_local and kit.calls.crowded):
            seen = await drive.waited(kit.calls.look(kind, asked.key))
        if seen is not None and kit.still_answers(seen):
            return self._repeated(kit, asked, seen)
        if self.tool.is_local:
            # Its transaction ends by itself, and needs no task: whoever asked may go at any time.
            return await local.looping(kit, self.tool, asked)
        job = Job()
        way = once(kit, self.tool, asked, job.told, new=seen is None)
        task = asyncio.get_running_loop().create_task(drive.looping(way))
        self.going.add(task)
        task.add_done_callback(self._gone)
        await asyncio.wait({task}, timeout=self.tool.timeout)
        if task.done():
            return task.result()
        either: set[asyncio.Future[Any]] = {task, asyncio.wrap_future(job.known)}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise self._running(asked, job)

    def _repeated(self, kit: Kit, asked: Asked, seen: S) -> S:
        kit.counter.add(self.tool.name, source(seen, asked.turn), GUARDED)
        return seen

    def _gone(self, task: "asyncio.Task[Ended]") -> None:
        self.going.discard(task)
        if not task.cancelled() and task.exception() is not None:
            # Its asker may have gone, and nobody else would hear of it.
            log.debug("A guarded call ended with an error.", exc_info=task.exception())

    def _running(self, asked: Asked, job: Job) -> CallRunning:
        language = words.language(asked.turn.locale)
        own = self.tool.words.get("will") or self.tool.words.get("did") or {}
        will = words.named(language, self.tool.name, own, asked.bound.shown)
        says = words.say(
            language, "running", will=will, status=words.STATUS_TOOL[language], job=job.id
        )
        return CallRunning(job.id, says)

    def value(self, ended: Ended | Made | Seen, asked: Asked) -> Any:
        """The plain value of what a call came to, or its exception."""
        if isinstance(ended, Made):
            return ended.value
        if isinstance(ended, Seen):
            return self.tool.values.read(ended.result or "")
        if ended.error is not None and not isinstance(ended.error, Exception):
            # It was told to end, and says so to whoever told it.
            raise ended.error
        state = ended.call.state
        if state is CallState.DONE:
            return ended.value if ended.fresh else self.tool.values.read(ended.call.result or "")
        said = answer(self.tool, ended, asked.turn.locale, self.zone)
        if state is CallState.STARTED:
            raise CallRunning(ended.call.id, said.says)
        if state is CallState.IN_DOUBT:
            raise InDoubt(said.says) from ended.error
        error = ended.error
        if error is not None and isinstance(error, (NotDone, *self.tool.not_done)):
            raise error
        raise NotDone(ended.call.why or said.says) from error


def _nobody(_: str) -> None:
    """Nobody asks for it by its id before it has ended."""


def wrapped(face: Face) -> Callable[..., Any]:
    """The function that stands in the guarded one's place: its signature without what we give."""
    tool = face.tool
    function = tool.function

    def plain(*args: Any, **kwargs: Any) -> Any:
        if tool.observe:
            with _watching(face, args, kwargs):
                return function(*args, **kwargs)
        asked = face.asked(args, kwargs)
        return face.value(face.blocking(asked, Seen), asked)

    async def awaited(*args: Any, **kwargs: Any) -> Any:
        if tool.observe:
            with _watching(face, args, kwargs):
                return await function(*args, **kwargs)
        asked = face.asked(args, kwargs)
        return face.value(await face.looping(asked, Seen), asked)

    async def answered(*args: Any, **kwargs: Any) -> Answer:
        """A call with its answer for a model: every end of it is an answer."""
        try:
            asked = face.asked(args, kwargs)
        except NoSession:
            locale = _locale()
            return refusal(words.say(locale, "no_session"), locale)
        except (NotDone, TypeError) as no:
            return refusal(words.reason(str(no)), _locale(), Status.INVALID)
        try:
            if tool.is_async or tool.is_local:
                # What is Local runs in a transaction's thread, whoever waits for it.
                ended = await face.looping(asked, Glance)
            else:
                ended = await asyncio.to_thread(face.blocking, asked, Glance)
        except CallRunning as still:
            return Answer(Status.RUNNING, str(still), None, Next.POLL, None, still.job)
        return answer(tool, ended, asked.turn.locale, face.zone)

    made: Any = wraps(function)(awaited if tool.is_async else plain)
    given = {TX, KEY}
    made.__annotations__ = {
        name: hint for name, hint in getattr(function, "__annotations__", {}).items()
        if name not in given
    }  # fmt: skip
    made.__signature__ = tool.arguments.signature
    made.answer = answered
    made.tool = tool
    stands: Callable[..., Any] = made
    return stands


@contextmanager
def _watching(face: Face, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[None]:
    """Watch a call, which nothing of the guard's own may stop."""
    try:
        watch = watched(face.kit(), face.tool, face.asked(args, kwargs))
    except (SemelError, TypeError) as no:
        log.warning("%s: a call could not be counted.", face.tool.name, exc_info=no)
        yield
        return
    try:
        yield
    finally:
        watch.over()


def _locale() -> str:
    """The language of a call that nobody knows more of."""
    whose = turn.current()
    return whose.locale if whose is not None else "en"
