"""Statements on plans that run: one row is the only owner, and every change is conditional."""

from collections.abc import Mapping
from pathlib import Path

from semel.ports import EngineTx, Row, Store, Value
from semel.testing._contract.base import Contract, ask, changed, equal
from semel.testing._contract.plans import found, ids
from semel.testing._contract.rows import (
    ENDED,
    LATER,
    NOW,
    OTHER,
    RUNNING,
    SOON,
    WAITING,
)
from semel.testing._contract.world import call, plan, seed


class Owners(Contract):
    """The right to run a plan: its epoch, in order, and never two at once."""

    def run_to(self, store: Store, position: int) -> list[Row]:
        """Begin a step of the seeded plan, whoever owns it by now."""
        epoch = found(store)["epoch"]
        return store.transact(ask("plans.start", position=position, epoch=epoch))

    def test_steps_start_in_order_after_the_one_before_is_done(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", steps=0))
            equal(self.run_to(store, 1), [])  # it still asks
            store.transact(ask("plans.press", resume_after=SOON))
            before = found(store)
            for early in (0, 2, 3, None):
                equal(store.transact(ask("plans.start", position=early)), [])
            equal(changed(before, found(store)), {})
            equal(self.run_to(store, 1), [{"at": 1}])
            equal(changed(before, found(store)), {"at": 1, "resume_after": LATER})
            equal(self.run_to(store, 1), [])
            equal(self.run_to(store, 2), [])  # waiting is not done
            store.transact(ask("steps.mark"))
            equal(self.run_to(store, 2), [])  # nor is started
            store.transact(ask("steps.doubt"))
            equal(self.run_to(store, 2), [])  # nor is in doubt
            store.transact(ask("steps.insert", plan="p_2", state="done", result="{}"))
            equal(self.run_to(store, 2), [])  # another plan's first step does not count
            store.transact(ask("steps.done"))
            equal(self.run_to(store, 3), [])
            equal(self.run_to(store, 2), [{"at": 2}])
            store.transact(ask("steps.not_done", position=2))
            equal(self.run_to(store, 3), [])  # nor is not done
            store.transact(lambda tx: plan(tx, "p_3", steps=0, **RUNNING, at=1))
            equal(store.transact(ask("plans.start", plan="p_3", position=2)), [])  # nor is none

    def test_a_stale_epoch_changes_nothing(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(ask("plans.press"))
            equal(store.transact(ask("plans.take_over")), [{"epoch": 2, "stall": 1}])
            before = found(store)
            for statement in EPOCHS:
                for stale in (0, 1, 3, None):
                    equal(store.transact(ask(statement, epoch=stale)), [])
                equal(store.transact(ask(statement, epoch=2, org=OTHER)), [])
            equal(found(store), before)
            equal(store.transact(ask("plans.own", epoch=2)), [before])

    def test_a_plan_is_taken_over_from_the_owner_that_was_seen(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2", **RUNNING)

        with self.opened(tmp_path) as store:
            store.transact(work)
            before = found(store, "p_2")
            took = store.transact(ask("plans.take_over", plan="p_2", owner="host-3"))
            equal(took, [{"epoch": 2, "stall": 1}])
            new = {"epoch": 2, "stall": 1, "owner": "host-3", "resume_after": LATER}
            equal(changed(before, found(store, "p_2")), new)
            equal(store.transact(ask("plans.take_over", plan="p_2")), [])
            equal(store.transact(ask("plans.take_over", epoch=0)), [])  # it asks, nobody owns it
            store.transact(ask("plans.start", plan="p_2", epoch=2))
            equal(found(store, "p_2")["stall"], 0)  # a step begun is progress

    def test_stopping_ends_a_plan_and_frees_its_owner(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.transact(ask("plans.stop", epoch=0)), [])  # it asks
            store.transact(ask("plans.press"))
            before = found(store)
            stopped = {"plan": "p_1", "kind": "plan", "parent": None}
            equal(store.transact(ask("plans.stop", reason="failed")), [stopped])
            ended = {"state": "ended", "reason": "failed", "ended_at": NOW}
            equal(changed(before, found(store)), {**ended, "owner": None, "resume_after": None})
            for statement in EPOCHS:
                equal(store.transact(ask(statement)), [])

    def test_a_plan_that_ends_in_doubt_says_when_to_look_again(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(ask("plans.press"))
            before = found(store)
            store.transact(ask("plans.stop", reason="in_doubt", look_after=LATER))
            ended = {"state": "ended", "reason": "in_doubt", "ended_at": NOW}
            free = {"owner": None, "resume_after": None}
            equal(changed(before, found(store)), {**ended, **free, "look_after": LATER})

    def test_a_step_is_sent_once_more_by_its_owner(self, tmp_path: Path) -> None:
        again = ask("plans.resend")
        wrong: tuple[Mapping[str, Value], ...] = (
            *({"epoch": 0}, {"epoch": 2}, {"epoch": None}),
            *({"position": 0}, {"position": 2}, {"position": 3}, {"position": None}),
            {"plan": "p_2"},
            {"org": OTHER},
        )
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", steps=0))
            equal(store.transact(ask("plans.resend", epoch=0)), [])  # it asks
            store.transact(ask("plans.press"))
            store.transact(ask("steps.insert", plan="p_2", state="started"))
            equal(store.transact(again), [])  # no step has begun
            store.transact(ask("plans.start", resume_after=SOON))
            equal(store.transact(again), [])  # nothing of it has left
            for position in (1, 3):
                store.transact(ask("steps.mark", position=position))
            before = found(store)
            for other in wrong:
                equal(store.transact(ask("plans.resend", **other)), [])
            equal(found(store), before)
            for _ in range(2):
                equal(store.transact(again), [{"at": 1}])
                equal(changed(before, found(store)), {"resume_after": LATER})
            for end in ("steps.doubt", "steps.done"):
                store.transact(ask(end))
                equal(store.transact(again), [])

    def test_what_has_ended_is_not_sent_once_more(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            plan(tx, "p_1", steps=0, **RUNNING, at=1)
            call(tx, "steps.insert", state="started")
            call(tx, "plans.stop", reason="failed")

        with self.opened(tmp_path) as store:
            store.transact(work)
            equal(store.transact(ask("plans.resend")), [])

    def test_a_plan_is_handed_on_at_once(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.transact(ask("plans.release", epoch=0)), [])  # it asks
            store.transact(ask("plans.press"))
            before = found(store)
            equal(store.transact(ask("plans.release")), [{"plan": "p_1"}])
            equal(changed(before, found(store)), {"resume_after": NOW})
            equal(store.transact(ask("plans.take_over")), [{"epoch": 2, "stall": 1}])
            equal(store.transact(ask("plans.release")), [])
            equal(found(store)["resume_after"], LATER)

    def test_a_running_plan_is_cancelled_once_and_begins_nothing_more(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.transact(ask("plans.cancel", epoch=0)), [])  # it asks
            store.transact(ask("plans.press"))
            self.run_to(store, 1)
            store.transact(ask("steps.mark"))
            before = found(store)
            equal(store.transact(ask("plans.cancel")), [{"at": 1}])
            equal(store.transact(ask("plans.cancel", now=LATER)), [])
            equal(changed(before, found(store)), {"cancelled_at": NOW})
            equal(store.transact(ask("plans.resend")), [])
            store.transact(ask("steps.done"))
            equal(self.run_to(store, 2), [])
            equal(store.transact(ask("plans.take_over")), [{"epoch": 2, "stall": 1}])
            equal(self.run_to(store, 2), [])  # nor by its next owner

    def test_running_plans_the_oldest_first(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2", **{**RUNNING, "resume_after": LATER})
            plan(tx, "p_6", **RUNNING)
            plan(tx, "p_3", **RUNNING)
            plan(tx, "p_4", **{**RUNNING, "resume_after": NOW}, org=OTHER)
            plan(tx, "p_5", **ENDED)
            plan(tx, "p_8", **WAITING, parent="p_2")
            plan(tx, "p_0", **RUNNING, org=OTHER)

        owned = ["p_4", "p_3", "p_6", "p_0", "p_2"]
        with self.opened(tmp_path) as store:
            store.transact(work)
            rows = store.read(ask("plans.running"))
            equal(ids(rows), owned)
            shown = {"epoch": 1, "owner": "host-1", "resume_after": NOW, "stall": 0}
            equal(rows[0], {"org": OTHER, "plan": "p_4", **shown})
            equal(ids(store.read(ask("plans.running", limit=1))), ["p_4"])
            equal(ids(store.read(ask("plans.running", now=None))), owned)
            # A later plan is nobody's until its day; who has begun it is somebody.
            due = ids(store.read(ask("plans.running", now=LATER)))
            equal(due, [*owned, "p_8"])
            store.transact(ask("plans.take_over", plan="p_8", epoch=0))
            equal(ids(store.read(ask("plans.running"))), due)


EPOCHS = (
    "plans.start",
    "plans.own",
    "plans.stop",
    "plans.take_over",
    "plans.release",
    "plans.cancel",
)
