"""Guarded calls in Redis, for owners who have only that; ``docs/guard.md`` says its limits.

One text a call, changed under WATCH: read, decided, and written if nobody wrote meanwhile. The
client's own retries are off: a command whose answer was lost may have been carried out, and here
only a change that knows itself is made again.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, WatchError
from redis.retry import Retry

from semel.domain.canonical import compact, kept
from semel.domain.finding import Finding, Level, closed
from semel.errors import Bug, Busy, CatalogError, CommitUnknown, Unreachable
from semel.facts import read_instant
from semel.guard.call import Call, CallState
from semel.guard.calls import Calls, Change, Work
from semel.guard.kit import log
from semel.guard.redis_settings import UNSEEN, findings
from semel.guard.seen import S, seen_of
from semel.guard.spelling import read_sends, sends_text
from semel.ports import Clock, Pending

T = TypeVar("T")

THREADS = 8
"""Commands that are under way at once; each waits for the server, not for the processor."""

TRIES = 50
"""How often a change is made that others keep getting in the way of."""

KEPT_KEYS = 8
"""Of one intent, the latest messages that it was asked for in."""

TIMEOUT_SECONDS = 5.0
"""What the server may take for one command."""

MARGIN = timedelta(minutes=5)
"""How long a call is kept after its window: clocks differ."""


class RedisCalls(Calls):
    """Keeps the calls of one organization in Redis.

    Args:
        url: ``redis://host:port/db``.
        org: the organization.
        clock: where time comes from.
        unsafe: it may be used where it can forget what it has answered.

    Raises:
        Unreachable: the server does not answer.
    """

    def __init__(self, url: str, org: str, clock: Clock, *, unsafe: bool = False) -> None:
        # Its types say bytes or text; with decode_responses it is text.
        self._client: Any = redis.Redis.from_url(
            url,
            decode_responses=True,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=TIMEOUT_SECONDS,
            socket_connect_timeout=TIMEOUT_SECONDS,
        )
        # One slot of a cluster: what is written together has to be on one of its servers.
        self._place = f"semel:{{{org}}}"
        self._clock = clock
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="semel-redis")
        findings = self._examined()
        for one in findings:
            if one.level is not Level.OK:
                log.warning("%s", one.says)
        self.closed = closed(findings, unsafe=unsafe)

    def look(self, kind: type[S], key: str) -> Pending[S | None]:
        """What a repeat needs of the call of a key: its text is read whole."""
        return self._ask(lambda: _of(kind, _call(self._get(self._name("call", key)))))

    def find(self, key: str) -> Pending[Call | None]:
        """The call of a key."""
        return self._ask(lambda: _call(self._get(self._name("call", key))))

    def of_id(self, id: str) -> Pending[Call | None]:
        """The call that a job's id stands for."""

        def work() -> Call | None:
            key = self._get(self._name("id", id))
            return None if key is None else _call(self._get(self._name("call", key)))

        return self._ask(work)

    def open(self, many: int) -> Pending[list[Call]]:
        """Calls of which nothing is proven, the oldest first."""

        def work() -> list[Call]:
            names = [self._name("call", key) for key in self._client.smembers(self._name("open"))]
            texts = self._client.mget(names) if names else []
            found = [call for text in texts if (call := _call(text)) is not None]
            return sorted(found, key=lambda call: (call.created_at, call.key))[:many]

        return self._ask(work)

    def change(self, key: str, change: Change[T], /) -> Pending[T]:
        """Read a record, decide and write it unless somebody else did meanwhile."""
        return self._ask(lambda: self._changed(key, change))

    def transact(self, key: str, work: Work[T], /) -> Pending[T]:
        """Redis has no transaction that an application's own writes could be part of.

        Raises:
            CatalogError: always.
        """
        del key, work
        raise CatalogError(
            "A Local() tool needs a database that holds its writes and its record in one"
            " transaction: SQLite or PostgreSQL. Nothing was done."
        )

    def transacted(self, key: str, work: Work[T], /) -> T:
        """Nothing either."""
        return self.transact(key, work).result()

    def _changed(self, key: str, change: Change[T]) -> T:
        name = self._name("call", key)
        for _ in range(TRIES):
            with self._client.pipeline() as pipe:
                pipe.watch(name)
                found = _call(pipe.get(name))
                after, value = change(found)
                if after is None:
                    return value
                pipe.multi()
                self._write(pipe, found, after)
                with suppress(WatchError):
                    _executed(pipe)
                    return value
        raise Busy

    def _write(self, pipe: Any, found: Call | None, after: Call) -> None:
        name, alias = self._name("call", after.key), self._name("id", after.id)
        intent = self._name("intent", after.intent)
        pipe.set(name, _text(after))
        pipe.set(alias, after.key)
        if found is not None and found.id != after.id:
            pipe.delete(self._name("id", found.id))
        if found is None or found.id != after.id:
            pipe.lpush(intent, after.key)
            pipe.ltrim(intent, 0, KEPT_KEYS - 1)
        if after.open:
            pipe.sadd(self._name("open"), after.key)
            return
        pipe.srem(self._name("open"), after.key)
        # What ended is forgotten by the server itself, a while after its window has passed by our
        # clock: that decides, and theirs may be another.
        left = read_instant(after.keep_until or after.created_at) - self._clock.now() + MARGIN
        for one in (name, alias, intent):
            pipe.pexpire(one, max(left, MARGIN))

    def said_before(self, key: str, intent: str, before: str) -> Pending[Call | None]:
        """The latest call of the same intent for another message."""

        def work() -> Call | None:
            keys = self._client.lrange(self._name("intent", intent), 0, KEPT_KEYS - 1)
            for other in keys:
                found = _call(self._get(self._name("call", other)))
                if found is None or found.message is None or other == key:
                    continue
                if found.created_at <= before:
                    return found
            return None

        return self._ask(work)

    def count(self, day: str, counted: Mapping[tuple[str, str, str], int]) -> Pending[None]:
        """Add to the counts of a day."""

        def work() -> None:
            with self._client.pipeline() as pipe:
                pipe.sadd(self._name("days"), day)
                for place, calls in counted.items():
                    pipe.hincrby(self._name("repeats", day), compact(list(place)), calls)
                pipe.execute()

        return self._ask(work)

    def counts(self, since: str) -> Pending[list[tuple[str, str, str, int]]]:
        """What was counted since a day: tool, source, mode and calls."""

        def work() -> list[tuple[str, str, str, int]]:
            found: dict[tuple[str, str, str], int] = {}
            for day in self._client.smembers(self._name("days")):
                if day >= since:
                    for place, calls in self._client.hgetall(self._name("repeats", day)).items():
                        tool, source, mode = kept(place)
                        found[tool, source, mode] = found.get((tool, source, mode), 0) + int(calls)
            return [(*place, calls) for place, calls in sorted(found.items())]

        return self._ask(work)

    def examine(self) -> Pending[list[Finding]]:
        """Look at how the server is set."""
        return self._ask(self._examined)

    def close(self) -> None:
        """Finish what is queued and let go of the server."""
        self._threads.shutdown()
        self._client.close()

    def _examined(self) -> list[Finding]:
        with _translated():
            self._client.ping()
        try:
            # One pattern a time: before Redis 7 it takes no more.
            settings = self._client.config_get("maxmemory*") | self._client.config_get("append*")
        except RedisError:
            return [UNSEEN]
        return list(findings(settings))

    def _name(self, *parts: str) -> str:
        return ":".join((self._place, *parts))

    def _get(self, name: str) -> str | None:
        found: str | None = self._client.get(name)
        return found

    def _ask(self, work: Callable[[], T]) -> Pending[T]:
        return self._threads.submit(_known, work)


def _known(work: Callable[[], T]) -> T:
    try:
        return work()
    except redis.ConnectionError as no:
        # The server has come back since this line was last used: nothing is written before EXEC,
        # and that says by itself that its answer was lost.
        log.debug("Redis is asked once more on another line.", exc_info=no)
    except RedisError as no:
        raise _refused() from no
    with _translated():
        return work()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except RedisError as no:
        raise _refused() from no


def _refused() -> Unreachable:
    return Unreachable(
        "Redis cannot be reached or refused a command; nothing was written. Check that it runs,"
        " that the URL is right, and that it is not full."
    )


def _executed(pipe: Any) -> None:
    try:
        pipe.execute()
    except WatchError:
        raise
    except (redis.ConnectionError, redis.TimeoutError) as no:
        # The commands may have been carried out: whoever asked looks before asking again.
        raise CommitUnknown from no


def _text(call: Call) -> str:
    return compact({**call._asdict(), "state": str(call.state), "sends": sends_text(call.sends)})


def _of(kind: type[S], found: Call | None) -> S | None:
    return None if found is None else seen_of(kind, found)


def _call(text: str | None) -> Call | None:
    if text is None:
        return None
    plain: dict[str, Any] = kept(text)
    try:
        return Call(
            **{**plain, "state": CallState(plain["state"]), "sends": read_sends(plain["sends"])}
        )
    except (TypeError, ValueError, KeyError) as no:
        raise Bug("A record in Redis is no call of this version.") from no
