"""Statements on plans that have ended: a doubt, and what can still be done about the rest."""

from pathlib import Path

from semel.errors import Conflict
from semel.ports import EngineTx, Store, Value
from semel.testing._contract.base import Contract, ask, changed, equal, raises
from semel.testing._contract.plans import found, ids
from semel.testing._contract.rows import (
    ASKING,
    DOUBT,
    EARLIER,
    ENDED,
    FAILED,
    LATER,
    NOW,
    ORG,
    OTHER,
    RUNNING,
    SOON,
)
from semel.testing._contract.world import call, plan, seed

WRONG: tuple[dict[str, Value], ...] = (
    {"epoch": 0},
    {"epoch": 2},
    {"epoch": None},
    {"plan": "p_404"},
    {"org": OTHER},
)
"""Nobody's plan in its epoch."""

REASONS = (
    *("finished", "failed", "cancelled", "stale", "in_doubt"),
    *("expired", "superseded", "refused"),
)


def refuses(store: Store, statement: str, *wrong: dict[str, Value]) -> None:
    """Fail unless the statement does nothing to the plan ``p_2`` with any of the changes."""
    before = found(store, "p_2")
    for changes in wrong:
        found_ = store.transact(ask(statement, **{"plan": "p_2", **changes}))
        equal((changes, found_), (changes, []))
    equal(found(store, "p_2"), before)


def in_every_state(tx: EngineTx) -> None:
    """Plans in epoch 1: one for each reason, called after it, and two that have not ended."""
    for reason in REASONS:
        plan(tx, f"p_{reason}", **{**ENDED, "reason": reason})
    plan(tx, "p_asking", **ASKING, epoch=1)
    plan(tx, "p_running", **RUNNING)


class Doubts(Contract):
    """A doubt is looked after until a proof or a person ends it."""

    def test_a_late_proof_corrects_a_doubt_and_voids_its_epoch(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2", **DOUBT)
            call(tx, "plans.look_again", plan="p_2")
            plan(tx, "p_3", **ENDED)
            plan(tx, "p_4", **RUNNING)

        with self.opened(tmp_path) as store:
            store.transact(work)
            before = found(store, "p_2")
            equal(store.transact(ask("plans.prove", plan="p_2")), [{"plan": "p_2"}])
            proven = {"reason": "finished", "epoch": 2, "look_after": None}
            equal(changed(before, found(store, "p_2")), proven)
            for other in ("p_1", "p_2", "p_3", "p_4"):
                equal(store.transact(ask("plans.prove", plan=other, reason="failed")), [])

    def test_doubts_at_which_it_is_time_to_look_again(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            looks = (("p_5", EARLIER), ("p_3", NOW), ("p_2", NOW), ("p_4", LATER), ("p_6", None))
            for id, when in looks:
                plan(tx, id, **DOUBT)
                call(tx, "plans.look_again", plan=id, look_after=when)
            plan(tx, "p_1", org=OTHER, **DOUBT)
            call(tx, "plans.look_again", org=OTHER, look_after=NOW)

        with self.opened(tmp_path) as store:
            store.transact(work)
            rows = store.read(ask("plans.doubts"))
            equal(ids(rows), ["p_5", "p_2", "p_3", "p_1"])
            equal(rows[0], {"org": ORG, "plan": "p_5", "epoch": 1})
            equal(ids(store.read(ask("plans.doubts", limit=1))), ["p_5"])
            # The very instant is time enough.
            equal(ids(store.read(ask("plans.doubts", now=EARLIER))), ["p_5"])
            equal(store.read(ask("plans.doubts", now=None)), [])

    def test_when_to_look_at_a_doubt_next(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            in_every_state(tx)
            plan(tx, "p_2", **DOUBT)

        with self.opened(tmp_path) as store:
            store.transact(work)
            before = found(store, "p_2")
            refuses(store, "plans.look_again", *WRONG)
            equal(_takers(store, "plans.look_again"), ["p_in_doubt"])
            for when in (SOON, LATER):
                look = ask("plans.look_again", plan="p_2", look_after=when)
                equal(store.transact(look), [{"plan": "p_2"}])
                equal(changed(before, found(store, "p_2")), {"look_after": when})
            store.transact(ask("plans.look_again", plan="p_2", look_after=None))
            equal(found(store, "p_2"), before)

    def test_a_doubt_is_sent_again_because_a_person_says_so(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            in_every_state(tx)
            plan(tx, "p_2", **DOUBT, at=1)
            call(tx, "plans.look_again", plan="p_2")

        with self.opened(tmp_path) as store:
            store.transact(work)
            before = found(store, "p_2")
            refuses(store, "plans.send_again", *WRONG)
            equal(_takers(store, "plans.send_again"), ["p_in_doubt"])
            equal(store.transact(ask("plans.send_again", plan="p_2")), [{"epoch": 2}])
            runs = {"state": "running", "reason": None, "ended_at": None, "look_after": None}
            taken = {"epoch": 2, "owner": "host-2", "resume_after": LATER}
            equal(changed(before, found(store, "p_2")), {**runs, **taken})
            refuses(store, "plans.send_again", {}, {"epoch": 2})

    def test_what_counts_no_progress_is_forgotten_when_a_plan_runs_again(
        self, tmp_path: Path
    ) -> None:
        def work(tx: EngineTx) -> None:
            for id, reason in (("p_2", "in_doubt"), ("p_3", "failed")):
                plan(tx, id, **RUNNING)
                call(tx, "plans.take_over", plan=id)
                call(tx, "plans.stop", plan=id, epoch=2, reason=reason)

        with self.opened(tmp_path) as store:
            store.transact(work)
            for id, statement in (("p_2", "plans.send_again"), ("p_3", "plans.retry")):
                equal(found(store, id)["stall"], 1)
                equal(store.transact(ask(statement, plan=id, epoch=2)), [{"epoch": 3}])
                equal(found(store, id)["stall"], 0)


class Offers(Contract):
    """What can be done about an ended plan: each taking voids every other offer."""

    def test_what_is_left_is_shown_as_the_next_version(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            in_every_state(tx)
            plan(tx, "p_2", **FAILED)

        with self.opened(tmp_path) as store:
            store.transact(work)
            before = found(store, "p_2")
            refuses(store, "plans.offer", *WRONG, {"version": 2}, {"version": None})
            equal(_takers(store, "plans.offer"), [f"p_{reason}" for reason in REASONS])
            equal(store.transact(ask("plans.offer", plan="p_2")), [{"version": 2}])
            shown = {"version": 2, "digest": "e" * 64, "seal": "new seal", "kid": "k2"}
            equal(changed(before, found(store, "p_2")), shown)
            refuses(store, "plans.offer", {})
            refuses(store, "plans.retry", {})  # what it showed is not what is offered now
            equal(store.transact(ask("plans.retry", plan="p_2", version=2)), [{"epoch": 2}])

    def test_a_plan_goes_on_in_a_new_round(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            in_every_state(tx)
            plan(tx, "p_2", **RUNNING)
            call(tx, "plans.start", plan="p_2")
            call(tx, "steps.done", plan="p_2")
            call(tx, "plans.start", plan="p_2", position=2)
            call(tx, "plans.cancel", plan="p_2")
            call(tx, "plans.stop", plan="p_2", reason="failed")

        with self.opened(tmp_path) as store:
            store.transact(work)
            before = found(store, "p_2")
            refuses(store, "plans.retry", *WRONG, {"version": 2}, {"version": None})
            equal(_takers(store, "plans.retry"), ["p_failed", "p_stale"])
            equal(store.transact(ask("plans.retry", plan="p_2")), [{"epoch": 2}])
            runs = {"state": "running", "reason": None, "ended_at": None, "cancelled_at": None}
            taken = {"epoch": 2, "round": 2, "at": 1, "owner": "host-2", "resume_after": LATER}
            equal(changed(before, found(store, "p_2")), {**runs, **taken})
            refuses(store, "plans.retry", {}, {"epoch": 2})
            # From there it goes on as any other.
            equal(store.transact(ask("plans.start", plan="p_2", epoch=2, position=2)), [{"at": 2}])

    def test_a_plan_is_taken_back_once(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            in_every_state(tx)
            plan(tx, "p_2", **ENDED)
            plan(tx, "p_3", kind="undo", parent="p_2", **RUNNING)

        with self.opened(tmp_path) as store:
            store.transact(work)
            before = found(store, "p_2")
            refuses(store, "plans.undo", *WRONG)
            # What is in doubt is not taken back.
            known = [f"p_{reason}" for reason in REASONS if reason != "in_doubt"]
            equal(_takers(store, "plans.undo"), known)
            undo = ask("plans.undo", plan="p_2", undone_by="p_3")
            equal(store.transact(undo), [{"epoch": 2}])
            equal(changed(before, found(store, "p_2")), {"undone_by": "p_3", "epoch": 2})
            refuses(store, "plans.undo", {}, {"epoch": 2})

    def test_what_is_taken_back_is_not_retried(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", **FAILED))
            store.transact(ask("plans.undo", plan="p_2", undone_by="p_1"))
            refuses(store, "plans.retry", {}, {"epoch": 2})

    def test_what_is_retried_is_not_taken_back(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", **FAILED))
            store.transact(ask("plans.retry", plan="p_2"))
            refuses(store, "plans.undo", {}, {"epoch": 2})
            refuses(store, "plans.offer", {}, {"epoch": 2})
            store.transact(ask("plans.stop", plan="p_2", epoch=2, reason="failed"))
            refuses(store, "plans.undo", {})
            refuses(store, "plans.offer", {})
            equal(store.transact(ask("plans.undo", plan="p_2", epoch=2)), [{"epoch": 3}])

    def test_an_undo_that_changed_nothing_is_offered_again(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2", **ENDED)
            plan(tx, "p_8", kind="undo", parent="p_2", **RUNNING)

        with self.opened(tmp_path) as store:
            store.transact(work)
            refuses(store, "plans.not_undone", {}, {"undone_by": None})
            store.transact(ask("plans.undo", plan="p_2", undone_by="p_8"))
            before = found(store, "p_2")
            other: tuple[dict[str, Value], ...] = (
                {"undone_by": "p_1"}, {"undone_by": None}, {"org": OTHER}
            )  # fmt: skip
            refuses(store, "plans.not_undone", *other)
            equal(store.transact(ask("plans.not_undone", plan="p_2")), [{"plan": "p_2"}])
            equal(changed(before, found(store, "p_2")), {"undone_by": None})
            refuses(store, "plans.not_undone", {})
            refuses(store, "plans.undo", {})  # the offer that was taken is still worth nothing
            equal(store.transact(ask("plans.undo", plan="p_2", epoch=2)), [{"epoch": 3}])

    def test_an_undo_may_come_before_its_plan_but_not_without_it(self, tmp_path: Path) -> None:
        def undo(tx: EngineTx) -> None:
            call(tx, "plans.undo", plan="p_2", undone_by="p_8")

        def undo_then_plan(tx: EngineTx) -> None:
            undo(tx)
            plan(tx, "p_8", kind="undo", parent="p_2", **RUNNING)

        def plan_taken_back(tx: EngineTx) -> None:
            undo(tx)
            with tx.savepoint() as part:
                plan(tx, "p_8", kind="undo", parent="p_2", **RUNNING)
                part.roll_back()

        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", **ENDED))
            store.transact(lambda tx: plan(tx, "p_7", org=OTHER))
            before = found(store, "p_2")
            for bad in (undo, plan_taken_back, ask("plans.undo", plan="p_2", undone_by="p_7")):
                with raises(Conflict):
                    store.transact(bad)
                equal(found(store, "p_2"), before)
            store.transact(undo_then_plan)
            equal(found(store, "p_2")["undone_by"], "p_8")


def _takers(store: Store, statement: str) -> list[str]:
    """Which plans of :func:`in_every_state` a statement would change."""

    def work(tx: EngineTx) -> list[str]:
        takers = []
        for state in (*REASONS, "asking", "running"):
            with tx.savepoint() as part:
                changes: dict[str, Value] = {"plan": f"p_{state}"}
                if statement == "plans.undo":
                    changes["undone_by"] = "p_running"
                takers += [f"p_{state}"] if call(tx, statement, **changes) else []
                part.roll_back()
        return takers

    return store.transact(work)
