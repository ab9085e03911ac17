"""Calling an action: its input bound to fresh records, its preview, risk and permission."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, Protocol, cast

from semel.domain.action import (
    CONFIRM,
    TYPED,
    Action,
    Ctx,
    Later,
    Made,
    Preview,
    Risk,
    Similar,
)
from semel.domain.canonical import compact
from semel.domain.consent import RefFact, facts_digest
from semel.domain.key import step_key
from semel.domain.plan import Who
from semel.domain.resolution import Pointer
from semel.errors import ActionError, Bug
from semel.facts import JSON, Count, Fact, plain_texts, read_facts, store_facts
from semel.inputs import Input, Ref, pointers
from semel.runtime.core import LOCAL_SECONDS, Core
from semel.runtime.result import Touched


class NotFound(ActionError):
    """A record that a step refers to is not there (for this organization)."""

    def __init__(self, pointer: Pointer) -> None:
        super().__init__(f"{pointer.kind} {pointer.text}")
        self.pointer = pointer


class ChangedSince(ActionError):
    """The world is no longer what was shown."""


class Forbidden(ActionError):
    """The person may not do this (any more)."""


class Missed(ActionError):
    """An earlier step has an open question, so what this one refers to was never made."""


class Given(NamedTuple):
    """A step's input, bound to records, with what each reference gave."""

    action: Action
    input: Input
    refs: tuple[RefFact, ...]
    records: tuple[object, ...]


class Seen(NamedTuple):
    """What a step's preview shows, and the digest of what is material in it."""

    preview: Preview
    stored: dict[str, JSON]
    """The preview's facts as they are stored."""
    facts: Mapping[str, Fact]
    """The same as reading them back gives them, in the order of the stored text."""
    digest: str
    risk: Risk
    similar: str | None = None
    """The records that it looks like, as stored; None when it looks like nothing."""


@dataclass(frozen=True, slots=True)
class Stand:
    """What an outside step will make or touch, as its preview shows it."""

    kind: str
    key: str
    row: object


@dataclass(slots=True)
class Place:
    """Where in a plan a step is called: what the plan has made so far."""

    org: str
    plan: str
    position: int
    made: Sequence[Touched]
    stands: Mapping[int, "Stand"]
    """Records that an outside step will make, by its position, while a plan is rehearsed."""


class Planner(Protocol):
    """What ``ctx.later`` and ``ctx.cancel_later`` are inside ``run`` of a Local step."""

    @property
    def later(self) -> Later:
        """Write a plan for later."""

    def cancel_later(self, kind: str, id: str, /) -> int:
        """Take back the plans that wait and are about this record."""


def _no_later(*_: object, **__: object) -> bool:
    raise Bug("ctx.later() is for run() of a Local step.")


def _no_cancel(*_: object) -> int:
    raise Bug("ctx.cancel_later() is for run() of a Local step.")


def context(
    core: Core, tx: Any, who: Who, plan: str, position: int, round_: int, now: datetime
) -> Ctx[Any]:
    """What a handler of this step is given."""
    return Ctx(
        tx=tx,
        org=who.org,
        person=who.person,
        conversation=who.conversation,
        locale=who.locale,
        now=now,
        key=step_key(who.org, plan, position, round_),
        deadline=LOCAL_SECONDS,
        new_id=lambda: core.new_id(now),
        later=_no_later,
        cancel_later=_no_cancel,
        check_age=lambda: None,
    )


def for_outside(ctx: Ctx[Any], deadline: float) -> Ctx[Any]:
    """The context that leaves the transaction with an outside step: no tx goes with it."""
    return replace(ctx, tx=None, deadline=deadline)


def bind(core: Core, action: Action, stored: str, ctx: Ctx[Any], place: Place) -> Given:
    """A fresh input of a step with every reference bound to its record.

    Raises:
        NotFound: a record is not there.
        Forbidden: one is not there, and this person may not do this to any.
        Missed: an earlier step did not make what this one refers to.
    """
    given = core.catalog.load(action.name, stored)
    refs: list[RefFact] = []
    records: list[object] = []
    for pointer, ref in pointers(given):
        try:
            fact, row = _look_up(pointer, ref, ctx, place)
        except NotFound:
            # Whoever may not do this at all is not told which records there are.
            permit(core, action, (), ctx)
            raise
        refs.append(fact)
        records.append(row)
    return Given(action, given, tuple(refs), tuple(records))


def _look_up(
    pointer: Pointer, ref: Ref[Any], ctx: Ctx[Any], place: Place
) -> tuple[RefFact, object]:
    kind = cast("Any", ref.kind())
    id_ = pointer.text
    if pointer.position is not None:
        own = [row for row in place.made if row[0] == pointer.position and row[1] == pointer.kind]
        if not own:
            stand = place.stands.get(pointer.position)
            if stand is None:
                raise Missed(pointer.text)
            ref.bind(stand.key, stand.row)
            return RefFact(pointer.path, pointer.kind, pointer.text, None), stand.row
        id_ = own[0][2]
    # No record is called by a NUL, which not every database can even be asked for.
    row = None if "\0" in id_ else kind.find(ctx, id_)
    if row is None:
        raise NotFound(pointer)
    key, version = str(kind.key(row)), str(kind.version(row))
    ref.bind(key, row)
    touched = [
        r for r in place.made if r[1] == pointer.kind and r[2] == key and r[0] <= place.position
    ]
    standing = [
        position
        for position, stand in place.stands.items()
        if (stand.kind, stand.key) == (pointer.kind, key)
    ]
    if not touched and not standing:
        return RefFact(pointer.path, pointer.kind, key, version), row
    first = min([*(r[0] for r in touched), *standing])
    # A record of the plan's own making that somebody else has changed is shown with its version:
    # the digest then differs from the one that was shown, unless that was of this very version.
    others = bool(touched) and max(touched)[3] != version
    return RefFact(pointer.path, pointer.kind, f"${first}", version if others else None), row


def permit(core: Core, action: Action, records: Sequence[object], ctx: Ctx[Any]) -> None:
    """Ask whether this person may do this step to these records, now.

    Raises:
        Forbidden: they may not.
    """
    # Only True is a yes: an allow() that was written async answers a coroutine, which is no "no".
    if core.allow(ctx, action.allow, records) is not True:
        raise Forbidden(action.allow)


def see(given: Given, ctx: Ctx[Any], place: Place) -> Seen:
    """Preview a step, and take the digest of what it shows."""
    action: Any = given.action
    preview = action.preview(given.input, ctx)
    if not isinstance(preview, Preview):
        raise Bug(f"{action.name}: preview() returns a Preview.")
    facts, stored = preview.facts, plain_texts(preview.facts)
    if stored is None:
        stored = store_facts(preview.facts)
        facts = read_facts(stored)
        if facts != preview.facts:
            raise Bug(f"{action.name}: a fact of preview() does not hold what its type says.")
    risk = action.risk(given.input, ctx) if hasattr(action, "risk") else CONFIRM
    if risk == TYPED and not any(isinstance(f, Count) for f in preview.facts.values()):
        raise Bug(f"{action.name}: a step that asks for typed words shows how many, as a Count.")
    digest = facts_digest(place.org, place.plan, place.position, action.version, stored, given.refs)
    similar = None if preview.missing else look_alikes(given, ctx, place)
    if type(risk) is not Risk:
        risk = Risk(risk)
    return Seen(preview, stored, dict(sorted(facts.items())), digest, risk, similar)


def look_alikes(given: Given, ctx: Ctx[Any], place: Place) -> str | None:
    """The records that this step would make another of, as stored; None when there are none."""
    action = cast("Any", given.action)
    if not hasattr(action, "similar"):
        return None
    found = action.similar(given.input, ctx)
    if not isinstance(found, Similar) or not found.key.strip():
        raise Bug(f"{action.name}: similar() returns a Similar with a key.")
    kind = cast("Any", given.action.makes)()
    own = {(row[1], row[2]) for row in place.made}
    lines: list[JSON] = []
    for match in found.matches:
        key = str(kind.key(match.row))
        if (kind.name, key) not in own:
            lines.append([kind.name, key, str(kind.label(match.row)), store_facts(match.facts)])
    return compact(lines) if lines else None


def perform(given: Given, ctx: Ctx[Any], planner: Planner) -> Made:
    """Run a Local step's handler inside its transaction; from here on it may plan for later."""
    # In the context that is there: another one would be much of what a small step costs.
    object.__setattr__(ctx, "later", planner.later)
    object.__setattr__(ctx, "cancel_later", planner.cancel_later)
    action: Any = given.action
    made = action.run(given.input, ctx)
    if not isinstance(made, Made):
        raise Bug(f"{given.action.name}: run() returns Made.")
    return made
