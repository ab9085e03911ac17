"""What a command prints of the past: lists of plans, one plan whole, and a record's history."""

from collections import Counter
from collections.abc import Sequence

from rich.table import Column, Table

from semel.cli.screen import console, write
from semel.domain.action import Row
from semel.domain.report import PlanView
from semel.facts import JSON
from semel.runtime.history import Detail
from semel.runtime.trace import Trace
from semel.words import speaker
from semel.words.neutral import neutral
from semel.words.voice import Voice


def listed(views: Sequence[PlanView], locale: str, *, json: bool) -> None:
    """Plans, newest first."""
    if json:
        write(
            [
                {
                    "plan": v.plan,
                    "state": str(v.state),
                    "reason": str(v.reason) if v.reason else None,
                }
                for v in views
            ]
        )
        return
    if not views:
        console().print("No plans yet." if locale == "en" else "Todavía no hay planes.")
        return
    table = Table(Column("plan", overflow="fold", min_width=38), "state", "reason", "steps")
    for v in views:
        states = Counter(str(step.state) for step in v.steps)
        steps = ", ".join(f"{count} {state}" for state, count in states.items())
        table.add_row(v.plan, str(v.state), str(v.reason or ""), steps)
    console().print(table)


def shown(detail: Detail | None, locale: str, *, json: bool) -> int:
    """One plan whole; the exit status."""
    if detail is None:
        said = "There is no such plan." if locale == "en" else "No existe ese plan."
        if json:
            write({"plan": None, "state": None, "reason": None, "steps": [], "events": []})
        else:
            console().print(said)
        return 1
    if json:
        write(detail_json(detail))
        return 0
    out = console()
    reason = detail.view.reason or ""
    out.print(f"{detail.view.plan}  {detail.view.state}  {reason}")
    steps = Table("step", "action", "effect", "state", "reason", "attempt", "sends")
    for step in _steps(detail):
        steps.add_row(*("" if value is None else str(value) for value in step.values()))
    out.print(steps)
    events = Table("at", "what happened", "step")
    for event in detail.events:
        events.add_row(str(event["at"]), str(event["kind"]), str(event["position"] or ""))
    out.print(events)
    return 0


def detail_json(detail: Detail) -> dict[str, JSON]:
    """A plan with the fixed keys."""
    events: list[JSON] = [{"at": str(e["at"]), "kind": str(e["kind"])} for e in detail.events]
    view = detail.view
    return {
        "plan": view.plan,
        "state": str(view.state),
        "reason": None if view.reason is None else str(view.reason),
        "steps": [*_steps(detail)],
        "events": events,
    }


def _steps(detail: Detail) -> list[dict[str, JSON]]:
    attempts = [str(row["position"]) for row in detail.attempts]
    return [
        {
            "position": int(str(row["position"])),
            "action": str(row["action"]),
            "effect": str(row["effect"]),
            "state": str(row["state"]),
            "reason": None if row["reason"] is None else str(row["reason"]),
            "attempt": int(str(row["round"])),
            "sends": attempts.count(str(row["position"])),
        }
        for row in detail.steps
    ]


NO_RECORD = {
    "es": "No hay ningún plan que haya hecho o tocado eso.",
    "en": "No plan has made or touched that.",
}


def traced(found: Trace | None, locale: str, *, json: bool) -> int:
    """From a record back to its sentence; the exit status."""
    if found is None:
        if json:
            write({"plan": None, "sentence": None})
        else:
            console().print(NO_RECORD["es" if locale == "es" else "en"])
        return 1
    if json:
        write(trace_json(found, locale))
        return 0
    told = trace_json(found, locale)
    out = console()
    said = neutral(found.sentence or "", limit=500)
    out.print(f"{found.person}: {said}" if said else found.person)
    out.print(found.view.plan)
    for line in _preview(found, locale):
        out.print(f"  {line}")
    confirmation = told["confirmation"]
    if isinstance(confirmation, dict):
        out.print(f"asked {confirmation['asked_at']}, yes {confirmation['used_at']}")
    sends = Table("step", "attempt", "opened", "outcome", "by")
    for row in found.attempts:
        sends.add_row(*(_cell(row, name) for name in ATTEMPT))
    out.print(sends)
    events = Table("at", "what happened", "step")
    for event in found.events:
        events.add_row(*(_cell(event, name) for name in ("at", "kind", "position")))
    out.print(events)
    if found.further:
        out.print("touched later by " + ", ".join(found.further))
    return 0


ATTEMPT = ("position", "round", "opened_at", "outcome", "sent_by")
"""What is shown of a send in a table."""


def _cell(row: Row, name: str) -> str:
    value = row[name]
    return "" if value is None else str(value)


def _preview(found: Trace, locale: str) -> list[str]:
    """The sentences that were shown, with their figures."""
    voice = Voice.of(locale, speaker.zone)
    return [f"{step.position}. {voice.will(step)}" for step in found.view.steps]


def trace_json(found: Trace, locale: str) -> dict[str, JSON]:
    """A record's history with the fixed keys."""
    return found.plain(_preview(found, locale))
