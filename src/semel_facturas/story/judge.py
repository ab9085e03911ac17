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
    return checks


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


SCENES: dict[int, Callable[[Path], dict[str, bool]]] = {1: scene_1, 2: scene_2, 3: scene_3}


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
