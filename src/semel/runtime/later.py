"""Later: plans that a step writes for a time to come, in its own transaction.

They are shown on the parent's card and covered by its yes: in the rehearsal and again in the run
each is previewed, and what it shows is part of what must be equal. What a later plan is about is
checked once more when its time has come, with the person's rights of then.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from semel.catalog import Parsed
from semel.domain.action import SAFE, Action, Ctx, Missing, Risk
from semel.domain.canonical import compact
from semel.domain.consent import RefFact, facts_digest, later_digest, plan_digest, seal_plan
from semel.domain.effect import Local
from semel.domain.key import Layer, later_key
from semel.domain.plan import (
    PlanKind,
    PlanState,
    StepRow,
    StepState,
    Terms,
    Who,
)
from semel.domain.step import name_of
from semel.errors import Bug
from semel.facts import JSON, instant_text
from semel.inputs import pointers
from semel.ports import EngineTx
from semel.runtime import record
from semel.runtime.core import Core
from semel.runtime.due import end_waiting
from semel.runtime.invoke import Given, Place, Seen, bind, context, perform, permit, see
from semel.runtime.result import Touched


@dataclass(frozen=True, slots=True)
class _Wanted:
    parsed: Parsed
    key: str
    not_before: str
    not_after: str | None
    unless: str | None


@dataclass(frozen=True, slots=True)
class _Shown:
    wanted: _Wanted
    given: Given
    seen: Seen
    digest: str

    def plain(self) -> JSON:
        """As stored with the step that plans it."""
        return {
            "action": self.wanted.parsed.name,
            "not_before": self.wanted.not_before,
            "facts": self.seen.stored,
            "digest": self.digest,
        }

    @property
    def subject(self) -> tuple[str | None, str | None]:
        """Kind and id of the record that it is about: the first that its input names."""
        ref = next(iter(self.given.refs), None)
        return (ref.kind, next(iter(pointers(self.given.input)))[1].id) if ref else (None, None)


@dataclass(slots=True)
class Plans:
    """What one run of a Local step plans for later; handed to the handler as ``ctx.later``."""

    core: Core
    tx: EngineTx
    who: Who
    place: Place
    rehearsing: bool
    earlier: Sequence["Plans"] = ()
    """Those of the steps before, in a rehearsal: what they plan stands in no table yet."""
    _wanted: list[_Wanted] = field(default_factory=list)
    _shown: list[_Shown] = field(default_factory=list)
    _gone: set[str] = field(default_factory=set)

    def later(
        self,
        action: type[Action],
        input: Mapping[str, JSON],
        /,
        *,
        not_before: datetime,
        not_after: datetime | None = None,
        unless: str | None = None,
    ) -> bool:
        """See :class:`semel.domain.action.Later`."""
        parsed = self.core.catalog.parse(action.name, dict(input), action.name)
        if not isinstance(parsed, Parsed):
            raise Bug(f"{action.name} for later: {parsed[0].where} {parsed[0].code}.")
        if any(pointer.text.startswith("$") for pointer, _ in pointers(parsed.input)):
            raise Bug(f"{action.name} for later names records by their ids.")
        if unless is not None and not callable(getattr(parsed.action, unless, None)):
            raise Bug(f"{action.name} has no {unless}(i, ctx) for a condition.")
        at = instant_text(not_before)
        key = later_key(self.who.org, action.name, parsed.canonical, at)
        if key in {wanted.key for wanted in self._wanted} or self._planned(key):
            return False
        after = None if not_after is None else instant_text(not_after)
        self._wanted.append(_Wanted(parsed, key, at, after, unless))
        return True

    def _planned(self, key: str) -> bool:
        """Whether the same waits already, or has been done; what was taken back may come again."""
        if any(key in one.standing() for one in self.earlier):
            return True
        row = self.tx.one("keys.find", org=self.who.org, key=key)
        plan = row and self.tx.one("plans.find", org=self.who.org, plan=row["plan"])
        return plan is not None and (plan["state"] != "ended" or int(str(plan["at"])) > 0)

    def cancel_later(self, kind: str, id: str, /) -> int:
        """End the plans that wait and are about this record."""
        waiting = self.tx.all(
            "plans.waiting_about", org=self.who.org, subject_kind=kind, subject_id=id
        )
        ended = sum(end_waiting(self.tx, self.who.org, str(row["plan"])) for row in waiting)
        return ended + sum(one.give_up(kind, id) for one in self.earlier)

    def standing(self) -> set[str]:
        """The keys of what this step plans and no later step takes back."""
        return {shown.wanted.key for shown in self._shown} - self._gone

    def give_up(self, kind: str, id: str) -> int:
        """Plan nothing about this record after all, since a later step takes it back."""
        about = {shown.wanted.key for shown in self._shown if shown.subject == (kind, id)}
        gone = about & self.standing()
        self._gone |= gone
        return len(gone)

    def look(self, rows: Sequence[Touched]) -> tuple[list[Missing], Risk]:
        """Preview everything that was planned, now that the step's own records are known.

        Returns:
            What is missing for it, and its highest risk.
        """
        if not self._wanted:
            return [], SAFE
        place = Place(
            self.place.org, self.place.plan, self.place.position, [*self.place.made, *rows], {}
        )
        missing: list[Missing] = []
        for wanted in self._wanted:
            action = wanted.parsed.action
            # Its key is stable here: nothing is sent, and the digest must be the same each time.
            now = self.tx.now()
            ctx = context(self.core, self.tx.app, self.who, place.plan, place.position, 1, now)
            given = bind(self.core, action, wanted.parsed.stored, ctx, place)
            permit(self.core, action, given.records, ctx)
            seen = see(given, ctx, place)
            missing += seen.preview.missing
            if self.rehearsing and isinstance(action.effect, Local) and not missing:
                self._rehearse(given, ctx)
            self._shown.append(_Shown(wanted, given, seen, _digest(wanted, given, seen)))
        return missing, max((shown.seen.risk for shown in self._shown), default=SAFE)

    def _rehearse(self, given: Given, ctx: Ctx[Any]) -> None:
        with self.tx.savepoint() as world:
            perform(given, ctx, _Never())
            world.roll_back()

    def text(self) -> str | None:
        """What was planned, as stored with the step; None when nothing was."""
        return compact([shown.plain() for shown in self._shown]) if self._shown else None

    def keep(self, parent: str, message: str, locale: str) -> None:
        """Write the plans that wait for their time."""
        for shown in self._shown:
            if shown.wanted.key not in self._gone:
                self._keep(shown, parent, message, locale)
                self.core.wrote_later = True

    def _keep(self, shown: _Shown, parent: str, message: str, locale: str) -> None:
        wanted, who, core, now = shown.wanted, self.who, self.core, self.tx.now()
        plan, at = f"p_{core.new_id(now)}", instant_text(now)
        row = _step(shown, who, plan)
        digest, kid = plan_digest(who.org, plan, [row]), core.keys.newest
        terms = Terms(PlanKind.LATER, parent, wanted.not_before, wanted.not_after, wanted.unless)
        subject_kind, subject_id = shown.subject
        self.tx.run(
            "plans.insert",
            org=who.org, plan=plan, kind=str(PlanKind.LATER), parent=parent, person=who.person,
            conversation=who.conversation, message=message, sentence=None, locale=locale,
            state=str(PlanState.RUNNING), reason=None, risk=int(row.risk), why=None, epoch=0, at=0,
            owner=None, resume_after=wanted.not_before, digest=digest,
            seal=seal_plan(core.keys, kid, who, plan, digest, terms), kid=kid, now=at,
            expires_at=None, ended_at=None, not_before=wanted.not_before,
            not_after=wanted.not_after, unless=wanted.unless,
            subject_kind=subject_kind, subject_id=subject_id, head=None,
        )  # fmt: skip
        record.insert_step(self.tx, who.org, plan, row)
        self._own_key(wanted.key, plan)
        names: list[JSON] = [row.action]
        record.event(
            self.tx, who.org, plan, "planned", actions=names, parent=parent,
            position=self.place.position, not_before=wanted.not_before,
        )  # fmt: skip

    def _own_key(self, key: str, plan: str) -> None:
        org = self.who.org
        mine = self.tx.one("keys.insert", org=org, key=key, layer=str(Layer.LATER), plan=plan)
        if mine is None:
            # What was taken back before it began has left its key behind.
            old = self.tx.one("keys.find", org=org, key=key)
            self.tx.one("keys.move", org=org, key=key, plan=plan, old=old["plan"] if old else None)


class _Never:
    """What is planned for later plans nothing itself: nobody would have been shown it."""

    def later(
        self,
        action: type[Action],
        input: Mapping[str, JSON],
        /,
        *,
        not_before: datetime,
        not_after: datetime | None = None,
        unless: str | None = None,
    ) -> bool:
        del input, not_before, not_after, unless
        raise Bug(f"A step that is planned for later does not plan {action.name} itself.")

    def cancel_later(self, kind: str, id: str, /) -> int:
        raise Bug(f"A step that is planned for later takes nothing back ({kind} {id}).")


def _digest(wanted: _Wanted, given: Given, seen: Seen) -> str:
    """What must be equal between the card and the run; ids of the plan's own making are ``$n``."""
    stored = cast("dict[str, JSON]", json.loads(wanted.parsed.stored))
    refs = {ref.path for ref in given.refs}
    return later_digest(
        wanted.parsed.name,
        given.action.version,
        (wanted.not_before, wanted.not_after, wanted.unless),
        _without(stored, refs, ""),
        seen.stored,
        given.refs,
    )


def _without(value: JSON, paths: set[str], at: str) -> JSON:
    """An input with its references left out."""
    if at in paths:
        return None
    inner = f"{at}." if at else ""
    if isinstance(value, dict):
        return {name: _without(item, paths, f"{inner}{name}") for name, item in value.items()}
    if isinstance(value, list):
        return [_without(item, paths, f"{inner}{index}") for index, item in enumerate(value)]
    return value


def _step(shown: _Shown, who: Who, plan: str) -> StepRow:
    """The one step of a later plan, with the digest that must still hold when it begins."""
    action, seen = shown.given.action, shown.seen
    kinds = zip(shown.given.refs, shown.given.records, pointers(shown.given.input), strict=True)
    refs = [
        RefFact(ref.path, ref.kind, pointer[1].id, str(cast("Any", pointer[1].kind()).version(row)))
        for ref, row, pointer in kinds
    ]
    return StepRow(
        position=1,
        action=action.name,
        action_version=action.version,
        effect=name_of(action.effect),
        input=shown.wanted.parsed.stored,
        preview=compact(seen.stored),
        facts_digest=facts_digest(who.org, plan, 1, action.version, seen.stored, refs),
        risk=seen.risk,
        state=StepState.WAITING,
        reason=None,
        detail=None,
        result=None,
    )


def same(shown: str | None, now: str | None) -> bool:
    """Whether what is planned for later is what was shown; figures may only differ if volatile."""
    return _digests(shown) == _digests(now)


def _digests(text: str | None) -> list[str]:
    return [] if text is None else [str(one["digest"]) for one in json.loads(text)]
