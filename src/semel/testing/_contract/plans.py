"""Statements that find plans, put a question about one and take its answer."""

from collections.abc import Mapping
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
    WAITING,
)
from semel.testing._contract.world import call, plan


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
        given.update({"version": 1, "round": 1, "stall": 0})
        given.update(dict.fromkeys(("undone_by", "cancelled_at", "look_after")))
        later = {**WAITING, "expires_at": None, "not_after": SOON, "parent": "p_1"}
        with self.seeded(tmp_path) as store:
            equal(found(store), given)
            store.transact(ask("plans.insert", plan="p_5", **later))
            equal(changed(given, found(store, "p_5")), {**later, "plan": "p_5"})
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
            plan(tx, "p_6", conversation="main", kind="undo", parent="p_2", **RUNNING)
            plan(tx, "p_8", conversation="main", parent="p_2", **WAITING)

        with self.seeded(tmp_path) as store:
            store.transact(more)
            rows = store.read(ask("plans.of_message"))
            equal(ids(rows), ["p_1", "p_2", "p_3"])
            equal(rows[1], {"plan": "p_2", "state": "ended", "reason": "finished", "at": 0})

    def test_what_goes_on_in_a_conversation_newest_first(self, tmp_path: Path) -> None:
        def more(tx: EngineTx) -> None:
            plan(tx, "p_3", conversation="main", message="m2", **ENDED)
            plan(tx, "p_2", conversation="main", **RUNNING)
            plan(tx, "p_4", conversation="main", kind="undo", parent="p_3", **RUNNING)
            plan(tx, "p_5", conversation="main", parent="p_2", **WAITING)
            plan(tx, "p_6", conversation="main", person="luis")
            plan(tx, "p_8")

        with self.seeded(tmp_path) as store:
            store.transact(more)
            rows = store.read(ask("plans.of_slot"))
            equal(rows, [{"plan": "p_4"}, {"plan": "p_3"}, {"plan": "p_2"}, {"plan": "p_1"}])
            equal(ids(store.read(ask("plans.of_slot", limit=2))), ["p_4", "p_3"])
            for slot in ({"person": None}, {"conversation": "x"}, {"org": OTHER}):
                equal(store.read(ask("plans.of_slot", **slot)), [])

    def test_what_is_being_done_in_a_conversation(self, tmp_path: Path) -> None:
        others: tuple[tuple[str, Mapping[str, Value]], ...] = (
            ("undo", {**RUNNING, "conversation": "main", "kind": "undo", "parent": "p_2"}),
            ("later", {**WAITING, "conversation": "main", "parent": "p_2"}),
            ("over", {**ENDED, "conversation": "main"}),
            ("elsewhere", RUNNING),
            ("theirs", {**RUNNING, "conversation": "main", "person": "luis"}),
        )

        def more(tx: EngineTx) -> None:
            for id in ("p_2", "p_3"):
                plan(tx, id, conversation="main", **RUNNING)
            call(tx, "steps.insert", plan="p_2", position=2, action="b", state="done", result="{}")
            call(tx, "steps.insert", plan="p_2", position=3, action="a")
            for name, changes in others:
                plan(tx, f"p_{name}", steps=0, **changes)
                call(tx, "steps.insert", plan=f"p_{name}", action=name)

        with self.seeded(tmp_path) as store:
            equal(store.read(ask("plans.running_in")), [])  # it asks
            store.transact(more)
            actions = [{"action": name} for name in ("a", "b", "factura.enviar")]
            equal(store.read(ask("plans.running_in")), actions)
            for slot in ({"person": None}, {"conversation": "x"}, {"org": OTHER}):
                equal(store.read(ask("plans.running_in", **slot)), [])

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
            plan(tx, "p_0", org=OTHER)
            plan(tx, "p_5", **RUNNING, expires_at=EARLIER)
            plan(tx, "p_4")

        with self.seeded(tmp_path) as store:
            store.transact(more)
            rows = store.read(ask("plans.unanswered"))
            equal(rows[0], {"org": ORG, "plan": "p_3"})
            equal(ids(rows), ["p_3", "p_1", "p_4", "p_0"])
            equal(ids(store.read(ask("plans.unanswered", limit=2))), ["p_3", "p_1"])
            equal(store.read(ask("plans.unanswered", now=EARLIER)), [])
