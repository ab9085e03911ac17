"""Statements on plans that wait for their day: whose they are, what they are about, their end."""

from pathlib import Path

from semel.ports import EngineTx
from semel.testing._contract.base import Contract, ask, changed, equal
from semel.testing._contract.plans import found, ids
from semel.testing._contract.rows import (
    ENDED,
    LATER,
    NOW,
    ORG,
    OTHER,
    RUNNING,
    SOON,
    WAITING,
)
from semel.testing._contract.world import plan, seed


class Waiting(Contract):
    """A later plan is nobody's until its day, and can be taken back until somebody has begun it."""

    def test_the_later_plans_of_a_plan_in_the_order_they_will_come(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2", **ENDED)
            dates = (("p_3", LATER), ("p_5", SOON), ("p_4", SOON))
            for id, date in dates:
                plan(tx, id, parent="p_1", **{**WAITING, "not_before": date})
            plan(tx, "p_6", parent="p_2", **WAITING)
            plan(tx, "p_7", parent="p_1", kind="undo")
            plan(tx, "p_0", parent="p_1", **{**WAITING, **ENDED, "resume_after": None})

        with self.opened(tmp_path) as store:
            store.transact(work)
            rows = store.read(ask("plans.children"))
            equal(ids(rows), ["p_4", "p_5", "p_0", "p_3"])
            equal(rows[3], found(store, "p_3"))
            for other in ({"org": OTHER}, {"plan": None}, {"plan": "p_3"}):
                equal(store.read(ask("plans.children", **other)), [])

    def test_what_waits_about_a_record(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_3", parent="p_1", **{**WAITING, "owner": "host-1"})
            plan(tx, "p_2", parent="p_1", **WAITING)
            others = (
                {**WAITING, "subject_id": "f2"},
                {**WAITING, "subject_kind": "contacto"},
                {**WAITING, "subject_id": None},
                {**WAITING, "owner": "host-1", "at": 1},
                {**WAITING, **ENDED, "resume_after": None},
                {**WAITING, **RUNNING, "kind": "undo", "not_before": None},
            )
            for number, changes in enumerate(others, start=4):
                plan(tx, f"p_{number}", parent="p_1", **changes)

        with self.opened(tmp_path) as store:
            store.transact(work)
            waiting = [{"org": ORG, "plan": "p_2"}, {"org": ORG, "plan": "p_3"}]
            equal(store.read(ask("plans.waiting_about")), waiting)
            equal(ids(store.read(ask("plans.waiting_about", subject_id="f2"))), ["p_4"])
            for other in ({"org": OTHER}, {"subject_id": None}, {"subject_kind": None}):
                equal(store.read(ask("plans.waiting_about", **other)), [])

    def test_what_has_been_taken_and_not_begun_can_be_ended(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", parent="p_1", **WAITING))
            store.transact(ask("plans.take_over", plan="p_2", epoch=0))
            equal(store.transact(ask("plans.end_waiting", plan="p_2")), [{"plan": "p_2"}])
            ended = found(store, "p_2")
            equal((ended["reason"], ended["owner"], ended["epoch"]), ("cancelled", None, 2))
            # Its owner's right is worth nothing any more.
            equal(store.transact(ask("plans.start", plan="p_2", epoch=1)), [])

    def test_what_nobody_has_begun_can_be_ended(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", parent="p_1", **WAITING))
            before = found(store, "p_2")
            equal(store.transact(ask("plans.end_waiting", plan="p_2", org=OTHER)), [])
            equal(found(store, "p_2"), before)
            equal(store.transact(ask("plans.end_waiting", plan="p_2")), [{"plan": "p_2"}])
            ended = {"state": "ended", "reason": "cancelled", "ended_at": NOW}
            void = {"cancelled_at": NOW, "resume_after": None, "epoch": 1}
            equal(changed(before, found(store, "p_2")), {**ended, **void})
            equal(store.transact(ask("plans.end_waiting", plan="p_2", now=LATER)), [])
            # Whoever had seen it waiting comes too late.
            equal(store.transact(ask("plans.take_over", plan="p_2", epoch=0)), [])
            equal(changed(before, found(store, "p_2")), {**ended, **void})

    def test_what_is_no_later_plan_or_has_begun_is_left_alone(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2", **RUNNING)
            plan(tx, "p_3", kind="undo", parent="p_1", **RUNNING)
            plan(tx, "p_5", parent="p_1", **{**WAITING, "owner": "host-1", "at": 1})
            plan(tx, "p_6", parent="p_1", **{**WAITING, **ENDED, "resume_after": None})

        with self.opened(tmp_path) as store:
            store.transact(work)
            for id in ("p_1", "p_2", "p_3", "p_5", "p_6"):
                before = found(store, id)
                equal(store.transact(ask("plans.end_waiting", plan=id)), [])
                equal(found(store, id), before)

    def test_a_later_plan_begins_when_somebody_has_taken_it(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", parent="p_1", **WAITING))
            took = store.transact(ask("plans.take_over", plan="p_2", epoch=0))
            # Its day is no take-over: nobody has got nowhere with it yet.
            equal(took, [{"epoch": 1, "stall": 0}])
            equal(ids(store.read(ask("plans.waiting_about"))), ["p_2"])
            equal(store.transact(ask("plans.start", plan="p_2")), [{"at": 1}])
            equal(store.read(ask("plans.waiting_about")), [])
            equal(store.transact(ask("plans.end_waiting", plan="p_2")), [])
