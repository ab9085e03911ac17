"""The chain of a plan's events, and the signature on its end.

Each event is chained to the one before by its digest, and tells what its transaction left in the
plan's rows. Where the chain ends is signed with the signing key on the plan's own row, once in a
transaction: whoever has the database and not the key changes none of it unseen.
"""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from semel.domain.canonical import compact, digest_of_lists, jcs_of_lists, sha256_text
from semel.domain.keyring import Keyring, Purpose
from semel.facts import JSON, instant_text
from semel.ports import Asked, EngineTx, Row, Savepoint, Tx, Value
from semel.runtime.written import APPEND, BIRTH, REVOKE, TOLD, Params, told

T = TypeVar("T")

FIRST = hashlib.sha256(b"semel.event.v1").hexdigest()
"""What a plan's first event is chained to."""

LOGGED = TOLD | {APPEND}

NOTED = "noted"
"""The event of what was written beside every other one: how a send ended that decided nothing."""


class Link(NamedTuple):
    """Where a plan's chain of events stands: how many there are, and the digest of the last."""

    seq: int
    digest: str


NEW = Link(0, FIRST)
"""The chain of a plan that has no event yet."""


def event(
    tx: EngineTx,
    org: str,
    plan: str,
    kind: str,
    position: int | None = None,
    *,
    after: Link | None = None,
    at: str | None = None,
    **body: JSON,
) -> Link:
    """Append an event to a plan's chain, under the plan's row lock that the caller holds.

    Args:
        tx: the transaction.
        org: the organization.
        plan: the plan's number.
        kind: what happened.
        position: the step that it is about.
        after: where the chain stands, when the caller knows; else it is read.
        at: when, as instant text, when the caller has looked; else it is now.
        body: what else is to be said.

    Returns:
        Where the chain stands now.
    """
    before = after or _last(tx, org, plan)
    at = at or instant_text(tx.now())
    text, body_digest = _said(body) if body else BARE
    seq = before.seq + 1
    rows = tx.told(org, plan) if isinstance(tx, Chained) else None
    end = link(before.digest, org, plan, seq, at, kind, position, body_digest, rows)
    tx.send(
        APPEND,
        org=org, plan=plan, seq=seq, at=at, kind=kind, position=position,
        body=text, body_digest=body_digest, digest=end, told=rows,
    )  # fmt: skip
    return Link(seq, end)


def _said(body: JSON) -> tuple[str, str]:
    """The body of an event as it is kept, and its digest."""
    text = compact(body)
    return text, sha256_text(text)


BARE = _said({})
"""The same of most events, of which nothing else is to be said."""


def link(
    before: str,
    org: str,
    plan: str,
    seq: int,
    at: str,
    kind: str,
    position: int | None,
    body_digest: str,
    rows: str | None,
) -> str:
    """The digest of an event: over the one before, and over everything that it says."""
    parts: list[str | int | None] = [before, org, plan, seq, at, kind, position, body_digest]
    # One that tells of no rows has no such part.
    parts += [] if rows is None else [sha256_text(rows)]
    return digest_of_lists("semel.event.v1", *parts)


def _last(tx: EngineTx, org: str, plan: str) -> Link:
    last = tx.one("events.last", org=org, plan=plan)
    return Link(int(str(last["seq"])), str(last["digest"])) if last else NEW


def signed(keys: Keyring, kid: str, org: str, plan: str, end: Link) -> str | None:
    """What stands on a plan's row of where its chain ends; None when the key is gone."""
    mac = keys.mac(kid, Purpose.CHAIN, jcs_of_lists([org, plan, end.seq, end.digest]))
    return f"{kid}:{end.seq}:{mac.hex()}" if mac else None


Entry: TypeAlias = tuple[tuple[Value, Value], str, Params, Sequence[Row]]
"""A statement that has written something of a plan, or an event of it: the organization and the
plan's number, its name, what it was given, and what it gave back."""


class Chained(EngineTx):
    """A transaction that keeps what its statements write, and signs where its chains end."""

    def __init__(self, tx: EngineTx, keys: Keyring) -> None:
        self._tx = tx
        self._keys = keys
        self._log: list[Entry] = []
        self._held: list[tuple[str, dict[str, Value]]] = []
        """What was sent since a plan was born, and waits for the plan's head."""

    @property
    def app(self) -> Tx:
        """The application's statements, in this same transaction."""
        if self._held:
            self.pass_on()
        return self._tx.app

    def now(self) -> datetime:
        """The database's clock, in UTC; a test may lend its own."""
        return self._tx.now()

    def one(self, statement: str, /, **params: Value) -> Row | None:
        """Run a statement and return its first row, or None when there is none."""
        if self._held:
            self.pass_on()
        row = self._tx.one(statement, **params)
        if row is not None and statement in LOGGED:
            self._note(statement, params, [row])
        return row

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        """Run a statement and return its rows."""
        if self._held:
            self.pass_on()
        rows = self._tx.all(statement, **params)
        if rows and statement in LOGGED:
            self._note(statement, params, rows)
        return rows

    def run(self, statement: str, /, **params: Value) -> int:
        """Run a statement and return how many rows it changed."""
        if statement == REVOKE:
            # Which ones they were is told by their ids.
            return len(self.all(statement, **params))
        if self._held:
            self.pass_on()
        count = self._tx.run(statement, **params)
        if count and statement in LOGGED:
            self._note(statement, params, ())
        return count

    def each(self, *asked: Asked) -> list[list[Row]]:
        """Run several statements, one after the other, and return the rows of each."""
        if self._held:
            self.pass_on()
        answers = self._tx.each(*asked)
        for (statement, params), rows in zip(asked, answers, strict=True):
            if rows and statement in LOGGED:
                self._note(statement, params, rows)
        return answers

    def send(self, statement: str, /, **params: Value) -> None:
        """Run a statement of which nobody asks anything."""
        if self._held or statement == BIRTH:
            self._held.append((statement, params))
        else:
            self._tx.send(statement, **params)
        if statement in LOGGED:
            self._log.append(((params["org"], params["plan"]), statement, params, ()))

    def pass_on(self) -> None:
        """Send what waits: something is asked, and must find it."""
        held, self._held = self._held, []
        for statement, params in held:
            self._tx.send(statement, **params)

    def savepoint(self) -> "_Part":
        """Open a savepoint. It is rolled back when its block raises or asks for it, else kept."""
        if self._held:
            self.pass_on()
        return _Part(self, self._tx.savepoint(), len(self._log))

    def forget(self, mark: int) -> None:
        """Keep nothing of what was written since: it has been taken back."""
        self._held.clear()
        del self._log[mark:]

    def told(self, org: str, plan: str) -> str | None:
        """What was written in a plan's rows since its last event, as an event tells it."""
        here, rows = (org, plan), list[Any]()
        for place, statement, params, given in reversed(self._log):
            if place == here:
                if statement == APPEND:
                    break
                # Only now: what is taken back, as after a rehearsal, is never put into words.
                rows += reversed(told(statement, params, given))
        return compact(rows[::-1]) if rows else None

    def sign(self, tx: EngineTx) -> None:
        """Sign where each plan's chain ends by now; what no event has told gets one.

        Args:
            tx: the transaction without what is around it.
        """
        for place in dict.fromkeys([entry[0] for entry in self._log]):
            org, plan = str(place[0]), str(place[1])
            if self.told(org, plan) is not None:
                event(self, org, plan, NOTED)
        last = {place: params for place, name, params, _ in self._log if name == APPEND}
        at_hand = {(row["org"], row["plan"]): row for name, row in self._held if name == BIRTH}
        heads: list[dict[str, Value]] = []
        for place, params in last.items():
            org, plan = str(place[0]), str(place[1])
            end = Link(int(str(params["seq"])), str(params["digest"]))
            head = signed(self._keys, self._keys.newest, org, plan, end)
            if place in at_hand:
                at_hand[place]["head"] = head
            else:
                heads.append({"org": org, "plan": plan, "head": head})
        self.pass_on()
        for written in heads:
            tx.send("events.head", **written)

    def _note(self, statement: str, params: Params, rows: Sequence[Row]) -> None:
        self._log.append(((params["org"], params["plan"]), statement, params, rows))


def chained(keys: Keyring, work: Callable[[EngineTx], T], tx: EngineTx, around: EngineTx) -> T:
    """Run *work* in a transaction, and sign where each plan's chain ends after it.

    Args:
        keys: the keyring.
        work: the transaction.
        tx: the transaction itself.
        around: the same with what is around it, for *work*.
    """
    kept = Chained(around, keys)
    value = work(kept)
    kept.sign(tx)
    return value


class _Part(Savepoint):
    """A part of a transaction that can be taken back on its own."""

    __slots__ = ("_inner", "_mark", "_opens", "_tx")

    def __init__(self, tx: Chained, opens: AbstractContextManager[Savepoint], mark: int) -> None:
        self._tx = tx
        self._opens = opens
        self._mark = mark

    def __enter__(self) -> Savepoint:
        self._inner = self._opens.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        kept = False
        try:
            self._opens.__exit__(kind, error, trace)
            kept = kind is None
        finally:
            if not kept:
                self._tx.forget(self._mark)

    def roll_back(self) -> None:
        """Take back what was written since the savepoint; the block goes on to its end."""
        self._inner.roll_back()
        self._tx.forget(self._mark)
