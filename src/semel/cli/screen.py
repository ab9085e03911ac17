"""What a command prints: cards and tables for people, fixed keys for programs.

Text from outside was neutralised where it was put into words; markup is off here all the same.
"""

import json as jsonlib
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from semel.domain.report import Ask, Outcome, Report, Running, Status
from semel.facts import JSON
from semel.runtime.sweep import Swept
from semel.words.neutral import neutral

GOOD = {Status.DONE, Status.ALREADY_DONE, Status.CANCELLED}
"""Nothing is open after these: a "no" was heard and obeyed."""

COLOUR = {
    Status.DONE: "green",
    Status.ALREADY_DONE: "green",
    Status.NEEDS_PERSON: "yellow",
    Status.IN_DOUBT: "red",
    Status.PARTIAL: "red",
}


def console() -> Console:
    """Where people read."""
    return Console(highlight=False, markup=False, emoji=False)


def write(value: JSON) -> None:
    """One JSON value on standard output."""
    print(jsonlib.dumps(value, ensure_ascii=False))


def outcome_json(outcome: Outcome, locale: str) -> dict[str, JSON]:
    """An outcome with the fixed keys."""
    told = outcome.for_model(locale)
    value: dict[str, JSON] = {
        "status": str(told.status),
        "says": outcome.card(locale).text(),
        "next": str(told.next),
        "plan": told.plan,
    }
    if isinstance(outcome, Ask) and outcome.token is not None:
        value["token"] = outcome.token
    if isinstance(outcome, Report):
        tokens = {"retry_token": outcome.retry_token, "undo_token": outcome.undo_token}
        value |= {name: token for name, token in tokens.items() if token is not None}
    value["replayed"] = outcome.replayed
    return value


def answered(answer: Outcome | str, locale: str, *, json: bool) -> int:
    """Show what came of a request; the exit status that it means."""
    if isinstance(answer, str):
        # The planner did not understand: nothing was proposed, so there is no plan to name.
        said = neutral(answer, limit=2_000)
        if json:
            write(
                {"status": "invalid", "says": said, "next": "ask_person", "plan": None,
                 "replayed": False}
            )  # fmt: skip
        else:
            console().print(said)
        return 1
    told = outcome_json(answer, locale)
    status = Status(str(told["status"]))
    if json:
        write(told)
        return 0 if status in GOOD else 1
    card = answer.card(locale)
    colour = COLOUR.get(status, "white")
    out = console()
    body = card.text().removeprefix(card.title).strip("\n")
    lines = [Text(card.title, style="bold"), *([Text(), Text(body)] if body else [])]
    out.print(Panel(Group(*lines), border_style=colour))
    for verb, token in (("confirm", "token"), ("retry", "retry_token"), ("undo", "undo_token")):
        if token in told:
            out.print(f"semel {verb} {told[token]} --as …", soft_wrap=True)
    for hint in _hints(answer, status):
        out.print(hint, soft_wrap=True)
    return 0 if status in GOOD else 1


def _hints(answer: Outcome, status: Status) -> list[str]:
    """What may be typed about a plan that is in doubt, runs, or waits: with its whole number."""
    view = answer.view if isinstance(answer, Report | Running) else None
    if view is None:
        return []
    if status is Status.RUNNING:
        return [f"semel cancel {view.plan} --as …"]
    doubts = [step.position for step in view.steps if step.doubt is not None]
    ways = "--happened [ID] | --did-not | --look"
    return [f"semel resolve {view.plan} {position} {ways} --as …" for position in doubts]


def stopped() -> None:
    """The process was asked to end: what is not through is handed on."""
    said = "Stopped. What had begun is recorded; `semel sweep` or the next start goes on with it."
    Console(stderr=True, highlight=False, markup=False, emoji=False).print(said)


def seeded(made: Any, *, json: bool) -> None:
    """The demo world that was made, or that it was there already."""
    contacts = [(c.org, c.id, c.name) for c in made.contacts]
    if json:
        write(
            {
                "organizations": list(made.organizations),
                "people": list(made.people),
                "contacts": [{"org": o, "id": i, "name": n} for o, i, n in contacts],
            }
        )
        return
    out = console()
    if not made.organizations:
        out.print("The demo world was already there.")
        return
    table = Table("organization", "people", "contacts")
    for org in made.organizations:
        people = ", ".join(p for p in made.people if p.endswith(f"@{org}"))
        table.add_row(org, people, ", ".join(n for o, _, n in contacts if o == org))
    out.print(table)


def migrated(steps: Sequence[str], *, json: bool) -> None:
    """The migrations that were applied."""
    if json:
        write({"applied": list(steps)})
    elif steps:
        console().print("\n".join(f"applied {step}" for step in steps))
    else:
        console().print("The database is up to date.")


def migrations(statements: Sequence[str], *, json: bool) -> None:
    """The SQL of the tables, as a text to be kept in a file, or statement by statement."""
    if json:
        write(list(statements))
    else:
        print("\n\n".join(statements))


def waiting(running: int) -> None:
    """Somebody else's plan is not due yet."""
    console().print(f"{running} running elsewhere; waiting until they end or are due …")


def swept(total: Swept, *, json: bool) -> None:
    """What a sweep did."""
    if json:
        told: dict[str, JSON] = {
            "resumed": list(total.resumed),
            "given_up": list(total.given_up),
            "expired": list(total.expired),
            "looked_at": list(total.looked_at),
            "running": total.running,
        }
        write(told | ({"held": total.held, "closed": total.closed} if total.closed else {}))
        return
    out = console()
    out.print(
        f"resumed {len(total.resumed)}, given up {len(total.given_up)}, "
        f"expired {len(total.expired)}, looked at {len(total.looked_at)} in doubt, "
        f"still running {total.running}"
    )
    if total.closed is not None:
        out.print(
            f"held back {total.held}. Nothing is sent outside: {total.closed}", soft_wrap=True
        )
    for plan in (*total.resumed, *total.given_up):
        out.print(f"  {plan}")
