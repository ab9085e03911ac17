"""Scenes 8 to 10: what is stopped, what is taken back, and what has changed since the yes."""

from pathlib import Path

from .asked import EVENTS, FIRST, INVOICES, PLAN, STEPS
from .ledger import World


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
