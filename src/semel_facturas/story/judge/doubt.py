"""Scenes 4 to 7: what is missing, what looks alike, what is refused, and what nobody knows."""

from pathlib import Path

from .asked import EVENTS, FIRST, INVOICES, issued_once
from .ledger import World


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
        "one e-mail": world.recipients() == ["maria@carmona.example"],
        "steps 1 and 2 ran once, step 3 was refused and then sent": world.rows(runs, plan)
        == [(1, 1, "made"), (2, 1, "made"), (3, 1, "refused"), (3, 2, "made")],
    }


def scene_7(folder: Path) -> dict[str, bool]:
    """A kill between steps goes on by itself; one after the send is a doubt that a person ends."""
    between, after = World(folder / "between"), World(folder / "after")
    resumed = {f"between: {name}": held for name, held in issued_once(between).items()}
    plan = after.said("ask")[0]["plan"]
    told, answered = after.said("status")[0], after.said("resolve")[0]
    kinds = [kind for (kind,) in after.rows(EVENTS, plan)]
    later = after.said("confirm")
    return resumed | {
        "after: it is in doubt, in words": told["status"] == "in_doubt"
        and told["model"]["status"] == "in_doubt",
        "after: the model is told to wait for the person": told["next"] == "wait_person",
        "after: one e-mail, however often it was asked": after.recipients()
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
