"""Guarded calls in SQLite or PostgreSQL, through the engine's own stores."""

from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter
from typing import Any, Generic, TypeVar, cast

from semel.domain.finding import Finding
from semel.errors import Bug
from semel.guard.call import Call, CallState
from semel.guard.calls import Calls, Change, Work
from semel.guard.done import renewed
from semel.guard.seen import Glance, S, Seen
from semel.guard.spelling import read_sends, sends_text
from semel.ports import EngineTx, Pending, Row, Store, Value

T = TypeVar("T")

STATE, SENDS = Call._fields.index("state"), Call._fields.index("sends")
read_call = itemgetter(*Call._fields)

STATES = {str(state): state for state in CallState}

LOST_RACES = 3
"""How often a record may appear and go again while one is being made."""


class Reading(Generic[T]):
    """The future of what is read out of a row that may still come, by whoever waited for it.

    A future of its own costs as much as reading the row does.
    """

    __slots__ = ("_read", "_row")

    def __init__(self, row: Pending[Row | None], read: Callable[[Row], T]) -> None:
        self._row = row
        self._read = read

    def done(self) -> bool:
        """Whether the row is there."""
        return self._row.done()

    def exception(self) -> BaseException | None:
        """Why there is no row to be had."""
        return self._row.exception()

    def result(self, timeout: float | None = None) -> T | None:
        """What was read; None where there is no row."""
        row = self._row.result(timeout)
        return None if row is None else self._read(row)

    def add_done_callback(self, told: Callable[["Reading[T]"], object]) -> None:
        """Tell when the row has come."""
        self._row.add_done_callback(lambda _: told(self))


class RelationalCalls(Calls):
    """Keeps the calls of one organization in a store.

    Args:
        store: with the guard's statements.
        org: the organization.
        alone: whoever writes is alone, so nothing has to be held.
    """

    def __init__(self, store: Store, org: str, *, alone: bool) -> None:
        self._store = store
        self._alone = alone
        self._org = org

    @property
    def closed(self) -> str | None:  # type: ignore[override]  # it is the store's, and read only
        """Why nothing may be sent outside from this database."""
        return self._store.closed

    @property
    def crowded(self) -> bool:  # type: ignore[override]  # it is the store's, and read only
        """Whether transactions queue in this process."""
        return self._store.crowded

    def look(self, kind: type[S], key: str) -> Pending[S | None]:
        """What a repeat needs of the call of a key, in one statement."""
        statement, read = LOOKS[kind]
        return Reading(self._store.submit_one(statement, org=self._org, key=key), read)

    def find(self, key: str) -> Pending[Call | None]:
        """The call of a key, in one statement."""
        asked = self._store.submit_one("guarded.find", org=self._org, key=key)
        return Reading(asked, _call)

    def of_id(self, id: str) -> Pending[Call | None]:
        """The call that a job's id stands for."""
        asked = self._store.submit_one("guarded.of_id", org=self._org, id=id)
        return Reading(asked, _call)

    def open(self, many: int) -> Pending[list[Call]]:
        """Calls of which nothing is proven, the oldest first."""
        return self._store.submit_read(
            lambda tx: [_call(row) for row in tx.all("guarded.open", org=self._org, many=many)],
            own=True,
        )

    def change(self, key: str, change: Change[T], /) -> Pending[T]:
        """Read a record, decide and write, in one transaction."""
        return self._store.submit(lambda tx: self._changed(tx, key, change), own=True)

    def transact(self, key: str, work: Work[T], /) -> Pending[T]:
        """Make a Local call: its own statements and its record, in one transaction."""
        return self._store.submit(partial(self._made, key, work))

    def transacted(self, key: str, work: Work[T], /) -> T:
        """The same for who waits: where nobody else does, it is run in the caller's own thread."""
        return self._store.transact(partial(self._made, key, work))

    def _made(self, key: str, work: Work[T], tx: EngineTx) -> T:
        if not self._alone:
            # Whoever makes the same call waits here, and then reads what it came to.
            tx.send("keys.hold", org=self._org, key=key)
        row = tx.one("guarded.is_there", org=self._org, key=key)
        if row is not None:
            row = tx.one("guarded.lock", org=self._org, key=key)
        found = None if row is None else _call(row)
        done, value = work(found, tx.app)
        if done is not None and found is not None:
            tx.send("guarded.change", **_changing(self._org, renewed(found, done)))
        elif done is not None:
            tx.send("guarded.done", org=self._org, **done)
        return value

    def _changed(self, tx: EngineTx, key: str, change: Change[T]) -> T:
        for _ in range(LOST_RACES):
            row = tx.one("guarded.lock", org=self._org, key=key)
            after, value = change(_maybe(row))
            if after is None:
                return value
            if row is not None:
                tx.run("guarded.change", **_changing(self._org, after))
                return value
            if tx.one("guarded.insert", **_params(self._org, after)):
                return value
        raise Bug("The record of a call came and went.")

    def said_before(self, key: str, intent: str, before: str) -> Pending[Call | None]:
        """The latest call of the same intent for another message."""
        asked = self._store.submit_one(
            "guarded.said_before", org=self._org, key=key, intent=intent, before=before
        )
        return Reading(asked, _call)

    def count(self, day: str, counted: Mapping[tuple[str, str, str], int]) -> Pending[None]:
        """Add to the counts of a day."""

        def work(tx: EngineTx) -> None:
            # In one order everywhere, so that two that count do not wait for each other in a ring.
            for (tool, source, mode), calls in sorted(counted.items()):
                tx.send(
                    "repeats.add",
                    org=self._org, day=day, tool=tool, source=source, mode=mode, calls=calls,
                )  # fmt: skip

        return self._store.submit(work, own=True)

    def counts(self, since: str) -> Pending[list[tuple[str, str, str, int]]]:
        """What was counted since a day: tool, source, mode and calls."""

        def work(tx: EngineTx) -> list[tuple[str, str, str, int]]:
            return [
                (str(row["tool"]), str(row["source"]), str(row["mode"]), int(str(row["calls"])))
                for row in tx.all("repeats.since", org=self._org, day=since)
            ]

        return self._store.submit_read(work, own=True)

    def examine(self) -> Pending[list[Finding]]:
        """Look at how the database is set."""
        return self._store.submit_examination()

    def close(self) -> None:
        """Finish what is queued and let go of the database."""
        self._store.close()


def _call(row: Row) -> Call:
    values = list(read_call(row))
    values[STATE], values[SENDS] = STATES[values[STATE]], read_sends(values[SENDS])
    return Call._make(values)


def _reader(kind: type[S]) -> Callable[[Row], S]:
    """What reads as much of a record as a repeat needs."""
    # A row has no type for each of its columns, so neither has what is made of it.
    make, values = cast("Callable[..., S]", tuple.__new__), itemgetter(*kind._fields)
    return lambda row: make(kind, values(row))


LOOKS: Mapping[Any, tuple[str, Callable[[Row], Any]]] = {
    Seen: ("guarded.seen", _reader(Seen)),
    Glance: ("guarded.glance", _reader(Glance)),
}
"""How one looks for what a repeat needs."""


def _maybe(row: Row | None) -> Call | None:
    return None if row is None else _call(row)


def _params(org: str, call: Call) -> dict[str, Value]:
    plain = call._asdict()
    plain["org"], plain["state"] = org, str(call.state)
    plain["sends"] = sends_text(call.sends)
    return cast("dict[str, Value]", plain)


def _changing(org: str, call: Call) -> dict[str, Value]:
    fixed = {"tool", "intent", "session"}
    return {name: value for name, value in _params(org, call).items() if name not in fixed}
