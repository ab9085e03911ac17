"""What an engine recorded of a plan, held against the models' table of transitions.

``wrong`` plays a plan's events through ``spec/transitions.toml`` and says in sentences what the table
does not allow: a step that is done twice, a send after a cancel, a doubt whose plan goes on. What the
rows say at the end can be given too; then the history must lead to it.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import stores
from semel.domain.doubt import SENDS_MAX

TABLE = Path(__file__).parents[2] / "spec" / "transitions.toml"
RETRIED = {"failed", "stale", None}
"""Ends that a retry may follow; None where a late proof left it open which one it is."""
SAID = {"done": "done already", "not_done": "not done", "in_doubt": "in doubt"}
PLAN = {
    "none": "nothing was proposed",
    "asking": "it still asks",
    "running": "it is running",
    "ended": "it has ended",
}


@dataclass(frozen=True)
class Transition:
    """A row of the table.

    Args:
        name: its name, which the models use.
        does: the beginning of a sentence about it.
        event: the kind of event that records it, or None.
        plan: the states of the plan that it may begin in; none: any.
        plan_to: the plan's state after it, where it changes.
        step: the states of the step that it may begin in; none: it is about no step.
        step_to: the step's state after it, where it changes.
        needs: what else must hold, by the names of History's methods.
        then: what the same commit records next.
        after: what the same commit has recorded before.
        ends: why the plan has ended after it, where that is always the same.
        functions: what does it.
        statements: what writes it.
        why: why the models leave it out; None: they have it.
    """

    name: str
    does: str
    event: str | None
    plan: frozenset[str]
    plan_to: str | None
    step: frozenset[str]
    step_to: str | None
    needs: tuple[str, ...]
    then: str | None
    after: frozenset[str]
    ends: str | None
    functions: tuple[str, ...]
    statements: tuple[str, ...]
    why: str | None


def _states(text: str) -> tuple[frozenset[str], str | None]:
    before, _, to = text.partition("->")
    return frozenset(one.strip() for one in before.split("|") if one.strip()), to.strip() or None


def read(text: str) -> dict[str, Transition]:
    """The table; what the models leave out is in it, with its reason."""
    tables = tomllib.loads(text)
    aside = tables.pop("aside", {})
    rows = {**tables, **aside}
    found = {}
    for name, given in rows.items():
        row = dict(given)
        plan, plan_to = _states(row.pop("plan", ""))
        step, step_to = _states(row.pop("step", ""))
        found[name] = Transition(
            name=name, does=row.pop("does"), event=row.pop("event", None),
            plan=plan, plan_to=plan_to, step=step, step_to=step_to,
            needs=tuple(row.pop("needs", ())), then=row.pop("then", None),
            after=frozenset(row.pop("after", ())), ends=row.pop("ends", None),
            functions=tuple(row.pop("functions")), statements=tuple(row.pop("statements")),
            why=row.pop("why", None),
        )  # fmt: skip
        if row:
            raise ValueError(f"{name}: {', '.join(row)} is no part of a transition.")
    return found


TRANSITIONS = read(TABLE.read_text(encoding="utf-8"))


@dataclass
class Event:
    """One recorded event; its body may have been blanked, and then says nothing."""

    kind: str
    position: int | None
    body: dict[str, Any] | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Event":
        body = row["body"]
        return cls(row["kind"], row["position"], None if body is None else json.loads(body))


@dataclass
class History:
    """Where a plan is, as its events tell it."""

    effects: Mapping[int, str]
    """The effect of each step, where it is known."""
    plan: str = "none"
    reason: str | None = None
    later: bool = False
    cancelled: bool = False
    undone: bool = False
    epoch: int = 0
    round: int = 1
    steps: dict[int, str] = field(default_factory=dict)
    unnamed: str = "waiting"
    """The state of every step that no event has named yet."""
    sends: Counter[int] = field(default_factory=Counter)
    """Sends of each step in this round."""
    attempts: set[str] = field(default_factory=set)

    def state(self, step: int) -> str:
        return self.steps.get(step, self.unnamed)

    def lacking(
        self, one: Transition, event: Event, before: Event | None, after: Event | None
    ) -> Iterator[str]:
        """Why *one* cannot be what *event* records, each as the end of a sentence."""
        if self.plan not in one.plan:
            yield f"although {PLAN[self.plan]}"
        if one.step and event.position is None:
            yield "although no step is named"
        elif one.step and event.position is not None:
            state = self.state(event.position)
            if state not in one.step:
                yield f"although it is {SAID.get(state, state)}"
        if one.after and (before is None or before.kind not in one.after):
            yield f"and no {' or '.join(sorted(one.after))} leads to it"
        for need in one.needs:
            check: Callable[[Event], str | None] = getattr(self, f"_{need}")
            why = check(event)
            if why is not None:
                yield f"although {why}"
        if one.then is not None and (after is None or after.kind != one.then):
            yield f"and no {one.then} follows in the same commit"

    def take(self, one: Transition, event: Event) -> None:
        """Go where *one* leads."""
        step, body = event.position or 0, event.body or {}
        if one.step_to is not None:
            self.steps[step] = one.step_to
        if one.event in {"step_started", "step_resent"}:
            self.sends[step] += 1
            self.attempts.add(body.get("attempt", ""))
        match one.name:
            case "cancel":
                self.cancelled = True
            case "take_over":
                self.epoch = body.get("epoch", self.epoch)
            case "retry":
                self._again()
            case "undo" | "not_undone":
                self.undone = one.name == "undo"
            case "plan_later":
                self.later = True
            case "prove":
                self.reason = self._proved()
        if one.plan_to == "running":
            self.reason = None
        if one.plan_to == "ended":
            self.reason = one.ends or body.get("reason")
            left = "not_done"
            self.steps = {p: left if s == "waiting" else s for p, s in self.steps.items()}
            self.unnamed = left
        self.plan = one.plan_to or self.plan

    def _again(self) -> None:
        self.round += 1
        self.cancelled, self.unnamed = False, "waiting"
        self.steps = {p: "waiting" if s == "not_done" else s for p, s in self.steps.items()}
        self.sends.clear()

    def _proved(self) -> str | None:
        if self.cancelled and not self._all_done():
            return "cancelled"
        if not self.effects:
            return None
        return "finished" if self._all_done() else "failed"

    def _all_done(self) -> bool:
        known = {*self.steps, *self.effects}
        return bool(known) and all(self.state(step) == "done" for step in known)

    def _any(self, *states: str) -> bool:
        known = any(self.state(step) in states for step in {*self.steps, *self.effects})
        return known or (not self.effects and self.unnamed in states)

    # What a transition may need, each as why it is not so.

    def _before_done(self, event: Event) -> str | None:
        before = (event.position or 1) - 1
        undone = before > 0 and self.state(before) != "done"
        return f"step {before} is not done" if undone else None

    def _not_cancelled(self, event: Event) -> str | None:
        return "a person has stopped the plan" if self.cancelled else None

    def _local(self, event: Event) -> str | None:
        effect = self.effects.get(event.position or 0, "local")
        return None if effect == "local" else f"it is {effect} and was never sent"

    def _outside(self, event: Event) -> str | None:
        effect = self.effects.get(event.position or 0)
        return "it is Local" if effect == "local" else None

    def _sends(self, event: Event) -> str | None:
        step = event.position or 0
        effect = self.effects.get(step, "keyed")
        if effect not in {"keyed", "checked_void"}:
            return f"it is {effect}, which is sent once"
        times = self.sends[step]
        return f"it was sent {times} times" if times >= SENDS_MAX else None

    def _new_send(self, event: Event) -> str | None:
        attempt = (event.body or {}).get("attempt")
        return "this very send was marked before" if attempt in self.attempts else None

    def _newer_epoch(self, event: Event) -> str | None:
        epoch = (event.body or {}).get("epoch")
        old = epoch is not None and epoch <= self.epoch
        return f"its epoch {epoch} is no newer than {self.epoch}" if old else None

    def _another_round(self, event: Event) -> str | None:
        return None if self.round > 1 else "it was never sent"

    def _reason_fits(self, event: Event) -> str | None:
        reason = (event.body or {}).get("reason")
        fits = {
            "finished": self._all_done(),
            "in_doubt": self._any("in_doubt"),
            "failed": self._any("not_done"),
            "stale": self._any("not_done"),
            "expired": self._any("not_done"),
            "cancelled": self.cancelled or self._any("not_done"),
        }
        if reason not in fits:
            return None if reason in {None, "refused"} else f"{reason} is no end of a run"
        if reason != "in_doubt" and self._any("started", "in_doubt"):
            return f"a step may have happened and the end is said to be {reason}"
        return None if fits[reason] else f"no step of it fits the end {reason}"

    def _was_in_doubt(self, event: Event) -> str | None:
        return None if self.reason in {"in_doubt", None} else f"its end was {self.reason}"

    def _none_in_doubt(self, event: Event) -> str | None:
        return "a step is in doubt" if self._any("in_doubt") else None

    def _begun(self, event: Event) -> str | None:
        return None if event.position in self.steps else "it was never begun"

    def _may_be_retried(self, event: Event) -> str | None:
        return None if self.reason in RETRIED else f"its end was {self.reason}"

    def _not_undone(self, event: Event) -> str | None:
        return "it was taken back" if self.undone else None

    def _undone(self, event: Event) -> str | None:
        return None if self.undone else "nothing took it back"

    def _all_known(self, event: Event) -> str | None:
        open_ = self.reason == "in_doubt" or self._any("started", "in_doubt")
        return "a step of it may have happened" if open_ else None

    def _next_round(self, event: Event) -> str | None:
        given = (event.body or {}).get("round", self.round + 1)
        return None if given == self.round + 1 else f"round {given} is not the next one"

    def _for_later(self, event: Event) -> str | None:
        return None if self.later else "it was not planned for later"

    def _not_begun(self, event: Event) -> str | None:
        return "a step of it has begun" if self.steps else None

    def _says_no_why(self, event: Event) -> str | None:
        return "it says why a question is not asked" if "why" in (event.body or {}) else None

    def _says_why(self, event: Event) -> str | None:
        return None if "why" in (event.body or {"why": ""}) else "it does not say why"


def wrong(
    events: Sequence[Mapping[str, Any]],
    steps: Sequence[Mapping[str, Any]] = (),
    plan: Mapping[str, Any] | None = None,
) -> list[str]:
    """What the table does not allow of a plan's recorded events; empty when it allows all.

    Args:
        events: its events in order, each with ``kind``, ``position`` and ``body`` (JSON text, or
            None where it was blanked).
        steps: the rows of its steps, with ``position``, ``effect`` and ``state``: the history must
            lead to these states.
        plan: its row, with ``state`` and ``reason``: as *steps*.
    """
    history = History({row["position"]: row["effect"] for row in steps})
    read_ = [Event.of(row) for row in events]
    found = []
    for number, event in enumerate(read_):
        before = read_[number - 1] if number else None
        after = read_[number + 1] if number + 1 < len(read_) else None
        sentence = _played(history, event, before, after)
        if sentence is not None:
            found.append(sentence)
    return found + _other(history, steps, plan)


def in_books(where: Path) -> list[str]:
    """What the table does not allow of any plan in a database; each sentence names its plan."""
    found = []
    plans = stores.rows(where, "SELECT org, plan, state, reason FROM semel_plans ORDER BY plan")
    for org, plan, state, reason in plans:
        events, steps = (
            [dict(zip(columns.split(", "), row, strict=True)) for row in stores.rows(
                where,
                f"SELECT {columns} FROM {table} WHERE org = ? AND plan = ? ORDER BY 1",
                org, plan,
            )]
            for table, columns in (
                ("semel_events", "seq, kind, position, body"),
                ("semel_steps", "position, effect, state"),
            )
        )  # fmt: skip
        row = {"state": state, "reason": reason}
        found += [f"{plan}: {sentence}" for sentence in wrong(events, steps, row)]
    return found


def _played(
    history: History, event: Event, before: Event | None, after: Event | None
) -> str | None:
    """Play one event; the sentence about it, when no transition allows it."""
    ways = [one for one in TRANSITIONS.values() if one.event == event.kind]
    if not ways:
        return f"{event.kind} is no event of the table."
    lacking = {one.name: [*history.lacking(one, event, before, after)] for one in ways}
    best = min(ways, key=lambda one: len(lacking[one.name]))
    why = lacking[best.name]
    history.take(best, event)
    if not why:
        return None
    return f"{best.does.format(step=event.position)}, {why[0]}."


def _other(
    history: History, steps: Sequence[Mapping[str, Any]], plan: Mapping[str, Any] | None
) -> list[str]:
    """Where the rows say something else than the history leads to."""
    found = []
    for row in steps:
        state = history.state(row["position"])
        if row["state"] != state:
            found.append(f"Step {row['position']} is {row['state']}, and its history says {state}.")
    if plan is not None:
        if plan["state"] != history.plan:
            found.append(f"The plan is {plan['state']}, and its history says {history.plan}.")
        elif history.reason is not None and plan["reason"] != history.reason:
            found.append(f"The plan's end is {plan['reason']}, its history says {history.reason}.")
    return found
