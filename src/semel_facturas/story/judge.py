# Longer than 300 lines: one program that a doubter reads whole; it imports nothing of this project.
"""The judge: another program, with an empty environment, that looks at the world by itself.

It reads the books with its own SQL, the mail folder with its own eyes, the answers that were
given, and what ``semel show`` says; it imports nothing of semel. It prints what it checked.
"""

import email
import email.policy
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class World:
    """One home: its books, its mail, its answers."""

    home: Path
    answers: list[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        text = (self.home / "answers.json").read_text(encoding="utf-8")
        self.answers = json.loads(text)

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Read the books, without semel."""
        books = sqlite3.connect(f"file:{self.home / 'books.db'}?mode=ro", uri=True)
        try:
            return books.execute(sql, values).fetchall()
        finally:
            books.close()

    def mails(self) -> list[EmailMessage]:
        """The messages that the sink accepted."""
        found = []
        for path in sorted((self.home / "mail").glob("*.eml")):
            message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            if isinstance(message, EmailMessage):
                found.append(message)
        return found

    def show(self, plan: str) -> dict[str, Any]:
        """What the terminal says about a plan."""
        command = [
            sys.executable,
            "-m",
            "semel.cli",
            "show",
            plan,
            "--json",
            "--home",
            str(self.home),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env={})
        value: dict[str, Any] = json.loads(done.stdout)
        return value

    def said(self, do: str) -> list[dict[str, Any]]:
        """The answers to one kind of task, in order."""
        return [a["answer"] for a in self.answers if a["task"]["do"] == do and "answer" in a]


INVOICES = (
    "SELECT number, base, vat, total, due_date, issue_date FROM invoices WHERE state = 'issued'"
)
FIRST = ("2026-0001", "500.00", "105.00", "605.00", "2026-11-18", "2026-10-19")


STEPS = "SELECT state, reason FROM semel_steps WHERE plan = ? ORDER BY position"
PLAN = "SELECT state, reason FROM semel_plans WHERE plan = ?"
EVENTS = "SELECT kind FROM semel_events WHERE plan = ? ORDER BY seq"


def _recipients(world: World) -> list[str]:
    """To whom the accepted messages went, as the mail server saw it."""
    return [str(mail["Delivered-To"]) for mail in world.mails()]


def _issued_once(world: World) -> dict[str, bool]:
    plan = world.said("ask")[0]["plan"]
    shown = world.show(plan)
    mails = world.mails()
    text = mails[0].get_content() if len(mails) == 1 else ""
    key = str(mails[0]["Message-ID"]).strip("<>") if mails else ""
    sent = [json.loads(r) for (r,) in world.rows(
        "SELECT result FROM semel_steps WHERE plan = ? AND position = 3", plan) if r]  # fmt: skip
    return {
        "one invoice, 2026-0001, 605.00, due 18/11/2026": world.rows(INVOICES) == [FIRST],
        "one e-mail, to maria@carmona.example": [str(m["To"].addresses[0].addr_spec) for m in mails]
        == ["maria@carmona.example"],
        "the e-mail has lines and totals": all(
            part in text for part in ("2026-0001", "500,00 €", "105,00 €", "605,00 €", "18/11/2026")
        ),
        "the step's result is that e-mail's Message-ID": [s["id"] for s in sent] == [key],
        "semel show: ended, finished, three steps done, one send": (
            shown["state"] == "ended"
            and shown["reason"] == "finished"
            and [s["state"] for s in shown["steps"]] == ["done"] * 3
            and shown["steps"][2]["sends"] == 1
        ),
        "asked once": world.rows("SELECT count(*) FROM semel_confirmations") == [(1,)],
    }


def scene_1(folder: Path) -> dict[str, bool]:
    """One invoice and one e-mail, calm and across a kill."""
    calm, killed = World(folder / "calm"), World(folder / "killed")
    card = calm.said("ask")[0]["says"]
    parts = ("500,00 €", "105,00 €", "605,00 €", "18/11/2026", "maria@carmona.example")
    checks = {f"calm: {name}": held for name, held in _issued_once(calm).items()}
    checks["calm: the card showed the figures before the yes"] = all(p in card for p in parts)
    checks["calm: the yes was answered with done"] = calm.said("say")[0]["status"] == "done"
    checks |= {f"killed: {name}": held for name, held in _issued_once(killed).items()}
    exits = [a["exit"] for a in killed.answers if "kill" in a["task"]]
    checks["killed: the process died by SIGKILL"] = exits == [-9]
    kinds = [kind for (kind,) in killed.rows("SELECT kind FROM semel_events ORDER BY seq")]
    checks["killed: the plan was taken over once"] = kinds.count("taken_over") == 1
    last = killed.said("confirm")[-1]
    checks["killed: the second press reads what the first one did"] = last["replayed"] is True
    return checks | _reminders(World(folder / "reminded"), World(folder / "paid"))


def _reminders(reminded: World, paid: World) -> dict[str, bool]:
    """One reminder at its time and not before; none when the invoice has been paid."""
    swept = [answer["resumed"] for answer in reminded.said("sweep")]
    mails = reminded.mails()
    text = mails[-1].get_content() if mails else ""
    card = reminded.said("ask")[0]["says"]
    waits = "SELECT state, reason, not_before FROM semel_plans WHERE kind = 'later'"
    nine = "2026-11-13T08:00:00.000000Z"
    return {
        "reminder: shown before the yes": "13/11/2026" in card,
        "reminder: not at 08:59, once at 09:00, and not again": [len(s) for s in swept]
        == [0, 1, 0],
        "reminder: the invoice's e-mail and one more": _recipients(reminded)
        == ["maria@carmona.example"] * 2,
        "reminder: it names the invoice and what is owed": "2026-0001" in text
        and "605,00 €" in text,
        "reminder: planned for 09:00 in Madrid": reminded.rows(waits)
        == [("ended", "finished", nine)],
        "paid: no reminder": _recipients(paid) == ["maria@carmona.example"],
        "paid: and that is on record": paid.rows(waits) == [("ended", "cancelled", nine)],
    }


def scene_2(folder: Path) -> dict[str, bool]:
    """One draft for eight calls."""
    world = World(folder / "loop")
    answers = world.said("act")
    fresh = [a for a in answers if not a["replayed"]]
    repeats = [a for a in answers if a["replayed"]]
    return {
        "eight answers": len(answers) == 8,
        "one draft": world.rows("SELECT count(*) FROM invoices") == [(1,)],
        "one plan": world.rows("SELECT count(*) FROM semel_plans") == [(1,)],
        "every answer names it": {a["plan"] for a in answers}
        == {p for (p,) in world.rows("SELECT plan FROM semel_plans")},
        "one answer says done": [a["status"] for a in fresh] == ["done"],
        "every later one says that it was already done": len(repeats) == 7
        and {a["status"] for a in repeats} == {"already_done"},
        "no e-mail": world.mails() == [],
    }


def scene_3(folder: Path) -> dict[str, bool]:
    """Ten presses, one run; strangers consume nothing and learn nothing."""
    world = World(folder / "press")
    asked, presses = world.said("ask")[0], world.said("confirm")
    strangers, ten = presses[:4], presses[4:]
    spoken = [json.dumps(answer, ensure_ascii=False) for answer in strangers]
    checks = _issued_once(world)
    kinds = [kind for (kind,) in world.rows("SELECT kind FROM semel_events ORDER BY seq")]
    return checks | {
        "four strangers, one answer, byte for byte": len(spoken) == 4 and len(set(spoken)) == 1,
        "they were refused": {a["status"] for a in strangers} == {"refused"},
        "and learnt no plan": {a["plan"] for a in strangers} == {None},
        "ten answers with the same plan": len(ten) == 10
        and {a["plan"] for a in ten} == {asked["plan"]},
        "ten times done, nine of them replayed": (
            {a["status"] for a in ten} <= {"done", "already_done"}
            and sorted(a["replayed"] for a in ten) == [False] + [True] * 9
        ),
        "confirmed once": kinds.count("confirmed") == 1,
    }


def scene_4(folder: Path) -> dict[str, bool]:
    """Every question at once, and nothing written."""
    world = World(folder / "missing")
    asked = world.said("ask")[0]
    fields = {
        "es": ("NIF", "dirección", "email", "días"),
        "en": ("tax id", "address", "e-mail", "days"),
    }
    return {
        "the plan is invalid and is kept nowhere": asked["status"] == "invalid"
        and asked["plan"] is None
        and world.rows("SELECT count(*) FROM semel_plans") == [(1,)],
        "it asks for tax id, address, e-mail and days at once": any(
            all(word in asked["says"] for word in words) for words in fields
        ),
        "it names whose they are": "Talleres Nuevos" in asked["says"],
        "no invoice, no number, no e-mail": world.rows("SELECT count(*) FROM invoices") == [(0,)]
        and world.rows("SELECT count(*) FROM invoice_series") == [(0,)]
        and world.mails() == [],
    }


def scene_5(folder: Path) -> dict[str, bool]:
    """A look-alike is shown and asked, and never blocks."""
    world = World(folder / "twice")
    first, second = world.said("ask")
    plans = world.rows("SELECT state, reason, why FROM semel_plans ORDER BY plan")
    return {
        "the first was done at once": first["status"] == "done",
        "the second asks": second["status"] == "needs_person",
        "it shows the one that is there": second["says"].count("605,00 €") >= 2,
        "the yes makes another": world.said("say")[0]["status"] == "done",
        "two drafts, no number": world.rows("SELECT state, number FROM invoices")
        == [("draft", None)] * 2,
        "the second asked because of the first": plans
        == [("ended", "finished", None), ("ended", "finished", "look_alike")],
    }


def scene_6(folder: Path) -> dict[str, bool]:
    """Partial, then only what was left; the number stays."""
    world = World(folder / "refused")
    partial, (retried, again) = world.said("confirm")[0], world.said("retry")
    plan = partial["plan"]
    runs = "SELECT position, round, outcome FROM semel_attempts WHERE plan = ? ORDER BY 1, 2"
    return {
        "partial, and why in plain words": partial["status"] == "partial"
        and "550" in partial["says"]
        and "2026-0001" in partial["says"],
        "a retry was offered": "retry_token" in partial,
        "the retry is done": retried["status"] == "done",
        "it is the same plan": retried["plan"] == plan,
        "pressed twice it ran once": again["replayed"] is True,
        "one invoice, with the number it had": world.rows(INVOICES) == [FIRST],
        "one e-mail": _recipients(world) == ["maria@carmona.example"],
        "steps 1 and 2 ran once, step 3 was refused and then sent": world.rows(runs, plan)
        == [(1, 1, "made"), (2, 1, "made"), (3, 1, "refused"), (3, 2, "made")],
    }


def scene_7(folder: Path) -> dict[str, bool]:
    """A kill between steps goes on by itself; one after the send is a doubt that a person ends."""
    between, after = World(folder / "between"), World(folder / "after")
    resumed = {f"between: {name}": held for name, held in _issued_once(between).items()}
    plan = after.said("ask")[0]["plan"]
    told, answered = after.said("status")[0], after.said("resolve")[0]
    kinds = [kind for (kind,) in after.rows(EVENTS, plan)]
    later = after.said("confirm")
    return resumed | {
        "after: it is in doubt, in words": told["status"] == "in_doubt"
        and told["model"]["status"] == "in_doubt",
        "after: the model is told to wait for the person": told["next"] == "wait_person",
        "after: one e-mail, however often it was asked": _recipients(after)
        == ["maria@carmona.example"],
        "after: one send": after.rows("SELECT count(*) FROM semel_attempts WHERE position = 3")
        == [(1,)],
        "after: ended by the person's word": answered["status"] == "done"
        and kinds.count("answered") == 1,
        "after: before it, every press read the doubt": later[0]["status"] == "in_doubt"
        and later[0]["replayed"],
        "after: and then what was answered": later[-1]["status"] == "already_done",
        "after: one invoice": after.rows(INVOICES) == [FIRST],
    }


def scene_8(folder: Path) -> dict[str, bool]:
    """What had begun ends, nothing more begins, and the answer is exact."""
    world = World(folder / "cancelled")
    plan = world.said("act")[0]["plan"]
    stop, stranger, late = world.said("cancel")
    ended = world.said("confirm")[-1]
    done, left = ("done", None), ("not_done", "cancelled")
    return {
        "the answer came while step 2 was on its way": stop["status"] == "running"
        and "2" in stop["says"],
        "a stranger's cancel does not exist": stranger["status"] == "refused"
        and stranger["plan"] is None,
        "cancelled, two of four done": world.rows(PLAN, plan) == [("ended", "cancelled")]
        and world.rows(STEPS, plan) == [done, done, left, left],
        "that is what was said": ended["status"] == "cancelled" and "2" in ended["says"],
        "cancelling again changes nothing": late["status"] == "cancelled",
        "one e-mail, one expense, no payment": len(world.mails()) == 1
        and world.rows("SELECT count(*) FROM expenses") == [(1,)]
        and world.rows("SELECT count(*) FROM payments") == [(0,)],
        "the model is told not to do the rest": ended["model"]["next"] == "nothing",
    }


def scene_9(folder: Path) -> dict[str, bool]:
    """Taken back once; nothing to take back after an issue."""
    world = World(folder / "undone")
    noted = world.said("ask")[0]
    first, second = world.said("undo")
    issued = world.said("confirm")[0]
    undoing = "SELECT state, reason FROM semel_plans WHERE kind = 'undo'"
    by = "SELECT undone_by IS NOT NULL FROM semel_plans WHERE plan = ?"
    return {
        "an undo was offered": "undo_token" in noted,
        "it was taken back": first["status"] == "done",
        "the second press changed nothing and says so": second["replayed"] is True
        and second["plan"] == first["plan"],
        "one plan took it back": world.rows(undoing) == [("ended", "finished")],
        "the first plan says so": world.rows(by, noted["plan"]) == [(1,)],
        "the expense is gone from the books, and kept": world.rows(
            "SELECT count(*), count(deleted_at) FROM expenses"
        )
        == [(1, 1)],
        "an issued invoice offers no undo": issued["status"] == "done"
        and "undo_token" not in issued,
        "and stays": world.rows(INVOICES) == [FIRST],
    }


def scene_10(folder: Path) -> dict[str, bool]:
    """Both addresses shown, nothing sent."""
    world = World(folder / "moved")
    plan = world.said("ask")[0]["plan"]
    stale = world.said("status")[0]
    return {
        "the yes was taken": "confirmed" in [kind for (kind,) in world.rows(EVENTS, plan)],
        "the address was changed": world.said("act")[0]["status"] == "done",
        "the plan is stale": world.rows(PLAN, plan) == [("ended", "stale")],
        "both addresses are shown": "maria@carmona.example" in stale["says"]
        and "maria@nueva.example" in stale["says"],
        "nothing was sent, nothing was issued, nothing was drafted": world.mails() == []
        and world.rows("SELECT count(*) FROM invoices") == [(0,)],
        "what is left is offered with the new figures": "retry_token" in stale,
    }


SCENES: dict[int, Callable[[Path], dict[str, bool]]] = {
    1: scene_1,
    2: scene_2,
    3: scene_3,
    4: scene_4,
    5: scene_5,
    6: scene_6,
    7: scene_7,
    8: scene_8,
    9: scene_9,
    10: scene_10,
}


def main() -> int:
    """Judge one scene; the checks as JSON, status 0 when all of them held."""
    number, folder = int(sys.argv[1]), Path(sys.argv[2])
    try:
        checks = SCENES[number](folder)
    except (OSError, sqlite3.Error, subprocess.CalledProcessError, LookupError, ValueError) as no:
        checks = {f"the world could be read ({type(no).__name__}: {no})": False}
    sys.stdout.write(json.dumps(checks, ensure_ascii=False) + "\n")
    return 0 if checks and all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
