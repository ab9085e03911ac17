"""Statements that look over many plans of one organization at once."""

from pathlib import Path

from semel.ports import EngineTx, Row, Store, Value
from semel.testing._contract.base import Contract, ask, equal
from semel.testing._contract.plans import ids
from semel.testing._contract.rows import EARLIER, NOW, ORG, OTHER
from semel.testing._contract.world import call, everything, plan

OPEN = ["p_8", "p_5", "p_3", "p_2", "p_1"]
"""In the world of everything: an undo that runs, one that waits, a doubt, a run, a question."""


def used(tx: EngineTx, id: str, plan: str) -> None:
    """A question about a plan that was answered."""
    call(tx, "confirmations.insert", id=id, plan=plan, token_hash=id[-1] * 64, now=EARLIER)
    call(tx, "confirmations.take", id=id, plan=plan)


class Figures(Contract):
    """A page of plans is one organization's, and ends where it is said to end."""

    def test_what_is_open_whoever_asked_for_it(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.transact(everything)
            store.transact(lambda tx: plan(tx, "p_9", org=OTHER))
            equal(ids(store.read(ask("figures.unended"))), OPEN)
            equal(ids(store.read(ask("figures.unended", limit=2))), OPEN[:2])
            equal(store.read(ask("figures.unended"))[4], found(store, "p_1"))
            equal(ids(store.read(ask("figures.unended", org=OTHER))), ["p_9"])
            store.transact(ask("plans.dismiss"))
            store.transact(ask("plans.prove", plan="p_3"))
            equal(ids(store.read(ask("figures.unended"))), ["p_8", "p_5", "p_2"])

    def test_plans_come_in_pages_newest_first(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.transact(everything)
            store.transact(lambda tx: plan(tx, "p_7", person="luis"))
            store.transact(lambda tx: plan(tx, "p_9", org=OTHER))
            equal(ids(store.read(ask("figures.plans", limit=3))), ["p_8", "p_7", "p_6"])
            equal(ids(store.read(ask("figures.plans", before="p_3"))), ["p_2", "p_1"])
            equal(ids(store.read(ask("figures.plans", person="luis"))), ["p_7"])
            equal(store.read(ask("figures.plans", person="eva")), [])
            equal(store.read(ask("figures.plans", before="p_1")), [])
            equal(store.read(ask("figures.plans", before="p_2"))[0], found(store, "p_1"))

    def test_what_belongs_to_a_page(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.transact(everything)
            store.transact(lambda tx: plan(tx, "p_9", org=OTHER))
            steps = store.read(ask("figures.steps", since="p_2", before="p_4"))
            equal([(row["plan"], row["position"]) for row in steps], [
                ("p_2", 1), ("p_2", 2), ("p_3", 1),
            ])  # fmt: skip
            names = ["plan", "position", "action", "risk", "state", "preview", "similar"]
            equal(list(steps[0]), names)
            effect = {"plan": "p_1", "position": 1, "kind": "factura", "id": "f1"}
            equal(store.read(ask("figures.effects")), [{**effect, "label": "2026-0001"}])
            for name in ("figures.steps", "figures.effects"):
                equal(store.read(ask(name, before="p_1")), [])
                equal([row["plan"] for row in store.read(ask(name, since="p_9"))], [])

    def test_the_questions_that_were_answered(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.transact(everything)
            equal(store.read(ask("figures.yeses")), [])
            store.transact(lambda tx: used(tx, "c2", "p_6"))
            answered: dict[str, Value] = {"plan": "p_6", "id": "c2", "question": "confirm"}
            answered |= {"person": "ana", "created_at": EARLIER, "used_at": NOW}
            equal(store.read(ask("figures.yeses")), [answered])
            for page in ({"since": "p_7"}, {"before": "p_6"}, {"org": OTHER}):
                equal(store.read(ask("figures.yeses", **page)), [])

    def test_what_came_and_was_not_to_have_an_effect(self, tmp_path: Path) -> None:
        def more(tx: EngineTx) -> None:
            for seq, kind in enumerate(("rejected", "confirmed", "taken_over"), start=1):
                call(tx, "events.append", plan="p_6", seq=seq, kind=kind)

        with self.opened(tmp_path) as store:
            store.transact(everything)
            store.transact(more)
            told: list[Row] = [
                {"plan": "p_6", "seq": 1, "at": NOW, "kind": "rejected"},
                {"plan": "p_6", "seq": 3, "at": NOW, "kind": "taken_over"},
            ]
            equal(store.read(ask("figures.repeats")), told)
            for page in ({"since": "p_7"}, {"before": "p_6"}, {"org": OTHER}):
                equal(store.read(ask("figures.repeats", **page)), [])


def found(store: Store, id: str) -> Row:
    """A plan as it is."""
    return store.read(ask("plans.find", org=ORG, plan=id))[0]
