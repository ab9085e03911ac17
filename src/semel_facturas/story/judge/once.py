"""Scenes 1 to 3: once, whatever repeats, whoever presses."""

import json
from pathlib import Path

from .asked import issued_once
from .ledger import World


def scene_1(folder: Path) -> dict[str, bool]:
    """One invoice and one e-mail, calm and across a kill."""
    calm, killed = World(folder / "calm"), World(folder / "killed")
    card = calm.said("ask")[0]["says"]
    parts = ("500,00 €", "105,00 €", "605,00 €", "18/11/2026", "maria@carmona.example")
    checks = {f"calm: {name}": held for name, held in issued_once(calm).items()}
    checks["calm: the card showed the figures before the yes"] = all(p in card for p in parts)
    checks["calm: the yes was answered with done"] = calm.said("say")[0]["status"] == "done"
    checks |= {f"killed: {name}": held for name, held in issued_once(killed).items()}
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
        "reminder: the invoice's e-mail and one more": reminded.recipients()
        == ["maria@carmona.example"] * 2,
        "reminder: it names the invoice and what is owed": "2026-0001" in text
        and "605,00 €" in text,
        "reminder: planned for 09:00 in Madrid": reminded.rows(waits)
        == [("ended", "finished", nine)],
        "paid: no reminder": paid.recipients() == ["maria@carmona.example"],
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
    checks = issued_once(world)
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
