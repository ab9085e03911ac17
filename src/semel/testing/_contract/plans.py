"""Statements on plans: one row is the only owner, and every change of it is conditional."""

from pathlib import Path

from semel.ports import EngineTx, Row, Store, Value
from semel.testing._contract.base import Contract, ask, changed, equal
from semel.testing._contract.rows import (
    ASKING,
    EARLIER,
    ENDED,
    LATER,
    NOW,
    ORG,
    OTHER,
    PARAMS,
    RUNNING,
    SOON,
    plan,
    seed,
)

DOUBT = {**ENDED, "reason": "in_doubt"}


def found(store: Store, id: str = "p_1", org: str = ORG) -> Row:
    """A plan as it is."""
    return store.read(ask("plans.find", org=org, plan=id))[0]


def ids(rows: list[Row]) -> list[Value]:
    """The plans of *rows*."""
    return [row["plan"] for row in rows]


class Plans(Contract):
    """Each statement on plans does what its sentence says, and nothing to anybody else."""

    def test_a_plan_is_found_as_it_was_written(self, tmp_path: Path) -> None:
        given = dict(PARAMS["plans.insert"])
        given["created_at"] = given.pop("now")
        born = {"version": 1, "round": 1, "stall": 0, "cancelled_at": None}
        with self.seeded(tmp_path) as store:
            equal(found(store), {**given, **born})
            equal(store.read(ask("plans.find", plan="p_2")), [])
            equal(store.read(ask("plans.find", plan=None)), [])

    def test_the_pending_question_of_a_slot(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.read(ask("plans.pending")), [found(store)])
            for slot in ({"person": "luis"}, {"conversation": "x"}, {"org": OTHER}):
                equal(store.read(ask("plans.pending", **slot)), [])
            store.transact(ask("plans.dismiss"))
            equal(store.read(ask("plans.pending")), [])
            store.transact(lambda tx: plan(tx, "p_2", conversation="main"))
            equal(ids(store.read(ask("plans.pending"))), ["p_2"])

    def test_the_plans_of_a_message(self, tmp_path: Path) -> None:
        def more(tx: EngineTx) -> None:
            plan(tx, "p_3", conversation="main", **RUNNING)
            plan(tx, "p_2", conversation="main", **ENDED)
            plan(tx, "p_4", conversation="main", message="m2", **ENDED)
            plan(tx, "p_5", conversation="main", person="luis")

        with self.seeded(tmp_path) as store:
            store.transact(more)
            rows = store.read(ask("plans.of_message"))
            equal(ids(rows), ["p_1", "p_2", "p_3"])
            equal(rows[1], {"plan": "p_2", "state": "ended", "reason": "finished", "at": 0})

    def test_plans_are_listed_newest_first(self, tmp_path: Path) -> None:
        def more(tx: EngineTx) -> None:
            plan(tx, "p_3", person="luis")
            plan(tx, "p_2", **RUNNING)
            plan(tx, "p_4", org=OTHER)

        with self.seeded(tmp_path) as store:
            store.transact(more)
            equal(ids(store.read(ask("plans.listed"))), ["p_3", "p_2", "p_1"])
            equal(ids(store.read(ask("plans.listed", limit=2))), ["p_3", "p_2"])
            equal(ids(store.read(ask("plans.listed", person="ana"))), ["p_2", "p_1"])
            equal(store.read(ask("plans.listed"))[2], found(store))

    def test_a_question_is_put_again_as_its_next_version(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            before = found(store)
            equal(store.transact(ask("plans.requestion", version=2)), [])
            equal(store.transact(ask("plans.requestion")), [{"version": 2}])
            again = dict(PARAMS["plans.requestion"])
            del again["org"], again["plan"]
            equal(changed(before, found(store)), {**again, "version": 2})
            equal(store.transact(ask("plans.requestion")), [])
            store.transact(ask("plans.press", version=2))
            equal(store.transact(ask("plans.requestion", version=2)), [])

    def test_a_question_is_pressed_once(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            before = found(store)
            equal(store.transact(ask("plans.press", version=2)), [])
            equal(store.transact(ask("plans.press", org=OTHER)), [])
            equal(store.transact(ask("plans.press")), [{"epoch": 1}])
            taken = {"state": "running", "epoch": 1, "owner": "host-2", "resume_after": LATER}
            equal(changed(before, found(store)), taken)
            equal(store.transact(ask("plans.press")), [])
            equal(changed(before, found(store)), taken)

    def test_an_ended_question_is_not_pressed(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(ask("plans.dismiss"))
            equal(store.transact(ask("plans.press")), [])
            equal(found(store)["state"], "ended")

    def test_dismissing_ends_a_question_only(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, "p_2", **RUNNING))
            store.transact(lambda tx: plan(tx, "p_3"))
            before = found(store)
            equal(store.transact(ask("plans.dismiss")), [{"plan": "p_1"}])
            ended = {"state": "ended", "reason": "cancelled", "ended_at": NOW}
            equal(changed(before, found(store)), {**ended, "cancelled_at": NOW})
            for other in ("p_1", "p_2"):
                equal(store.transact(ask("plans.dismiss", plan=other)), [])
            store.transact(ask("plans.dismiss", plan="p_3", reason="expired"))
            late = found(store, "p_3")
            equal((late["reason"], late["cancelled_at"]), ("expired", None))

    def test_questions_whose_time_has_passed(self, tmp_path: Path) -> None:
        def more(tx: EngineTx) -> None:
            plan(tx, "p_2", **{**ASKING, "expires_at": LATER})
            plan(tx, "p_3", **{**ASKING, "expires_at": NOW})
            plan(tx, "p_4", org=OTHER)
            plan(tx, "p_5", **RUNNING, expires_at=EARLIER)
            plan(tx, "p_0")

        with self.seeded(tmp_path) as store:
            store.transact(more)
            rows = store.read(ask("plans.unanswered"))
            equal(rows[0], {"org": ORG, "plan": "p_3"})
            equal(ids(rows), ["p_3", "p_0", "p_1", "p_4"])
            equal(ids(store.read(ask("plans.unanswered", limit=2))), ["p_3", "p_0"])
            equal(store.read(ask("plans.unanswered", now=EARLIER)), [])


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

    def test_a_stale_epoch_changes_nothing(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(ask("plans.press"))
            equal(store.transact(ask("plans.take_over")), [{"epoch": 2, "stall": 1}])
            before = found(store)
            for statement in ("plans.start", "plans.own", "plans.stop", "plans.take_over"):
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
            equal(store.transact(ask("plans.stop", reason="failed")), [{"plan": "p_1"}])
            ended = {"state": "ended", "reason": "failed", "ended_at": NOW}
            equal(changed(before, found(store)), {**ended, "owner": None, "resume_after": None})
            for statement in ("plans.stop", "plans.own", "plans.start", "plans.take_over"):
                equal(store.transact(ask(statement)), [])

    def test_a_late_proof_corrects_a_doubt_and_voids_its_epoch(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2", **DOUBT)
            plan(tx, "p_3", **ENDED)
            plan(tx, "p_4", **RUNNING)

        with self.opened(tmp_path) as store:
            store.transact(work)
            before = found(store, "p_2")
            equal(store.transact(ask("plans.prove", plan="p_2")), [{"plan": "p_2"}])
            equal(changed(before, found(store, "p_2")), {"reason": "finished", "epoch": 1})
            for other in ("p_1", "p_2", "p_3", "p_4"):
                equal(store.transact(ask("plans.prove", plan=other, reason="failed")), [])

    def test_running_plans_the_oldest_first(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            seed(tx)
            plan(tx, "p_2", **{**RUNNING, "resume_after": LATER})
            plan(tx, "p_6", **RUNNING)
            plan(tx, "p_3", **RUNNING)
            plan(tx, "p_4", **{**RUNNING, "resume_after": NOW}, org=OTHER)
            plan(tx, "p_5", **ENDED)

        with self.opened(tmp_path) as store:
            store.transact(work)
            rows = store.read(ask("plans.running"))
            equal(ids(rows), ["p_4", "p_3", "p_6", "p_2"])
            shown = {"epoch": 1, "owner": "host-1", "resume_after": NOW, "stall": 0}
            equal(rows[0], {"org": OTHER, "plan": "p_4", **shown})
            equal(ids(store.read(ask("plans.running", limit=1))), ["p_4"])
