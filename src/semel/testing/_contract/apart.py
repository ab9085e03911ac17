"""A statement reaches what it names: not the row beside it, and nobody else's organization."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from semel.ports import EngineTx, Row, Value
from semel.testing._contract.base import Contract, ask, equal
from semel.testing._contract.rows import NULLABLE, ORG, OTHER, PARAMS, THEIRS
from semel.testing._contract.world import call, everything, others, plan

TARGETS = ("p_1", "p_2", "p_3", "p_4", "p_5", "p_6", "p_8")
TWINS = ("p_11", "p_12", "p_13", "p_14", "p_15", "p_16", "p_18")
CALLS = ("call 1", "call 2")
NAMES = ("org", "plan", "position", "id", "key")


def twins(tx: EngineTx) -> None:
    """Beside each plan of :func:`everything` another one just like it, and beside each row too."""
    everything(tx)
    plan(tx, "p_11", steps=3)
    others(tx, "p_1")
    for id, position, of in (
        ("a1", 1, "p_11"),
        ("a2", 1, "p_1"),
        ("a1", 3, "p_1"),
        ("a2", 1, "p_11"),
    ):
        call(tx, "attempts.open", id=id, position=position, plan=of)
    for letter, of in (("u", "p_1"), ("v", "p_11"), ("w", "p_11")):
        call(tx, "confirmations.insert", id=f"c-{letter}", token_hash=letter * 64, plan=of)
    for seq in (1, 2):
        call(tx, "events.append", plan="p_11", seq=seq)
    call(tx, "events.append", plan="p_16", kind="rejected")
    call(tx, "confirmations.insert", id="c-x", token_hash="x" * 64, plan="p_16")
    call(tx, "confirmations.take", id="c-x", plan="p_16")
    call(tx, "keys.insert", key="1" * 64, plan="p_11")
    call(tx, "effects.insert", plan="p_11")
    call(tx, "calls.insert", key="call 2", result="2")


def all_rows(tx: EngineTx) -> list[Row]:
    """Every row of the first organization, each time in the same order."""
    of_plan = [name for name in PARAMS if name.endswith(".of_plan")]
    ours = (*TARGETS, *TWINS)
    return [
        *call(tx, "plans.listed", limit=-1),
        *(row for name in of_plan for id in ours for row in call(tx, name, plan=id)),
        *(row for c in "tuvw" for row in call(tx, "confirmations.by_token", token_hash=c * 64)),
        *({**row, "key": c * 64} for c in "01" for row in call(tx, "keys.find", key=c * 64)),
        *({**row, "key": key} for key in CALLS for row in call(tx, "calls.find", key=key)),
    ]


def targets(name: str) -> Iterator[dict[str, Value]]:
    """Each plan that a statement may name, and nothing when it names none."""
    if "plan" not in PARAMS[name] or name == "keys.move":
        yield {}
        return
    for id in TARGETS:
        yield {"plan": id}
    if "position" in PARAMS[name]:
        yield {"plan": "p_2", "position": 2}  # the one that has started
        yield {"plan": "p_4", "position": 3}  # the one that was not reached


class Apart(Contract):
    """No statement reaches further than its parameters."""

    def test_a_statement_touches_only_what_it_names(self, tmp_path: Path) -> None:
        met: set[str] = set()

        def work(tx: EngineTx, name: str, target: dict[str, Value]) -> None:
            named = {**PARAMS[name], **target}
            if name in ("keys.move", "plans.children"):
                del named["plan"]  # where the key goes, and whose children they are
            with tx.savepoint() as part:
                rows = call(tx, name, **target)
                after = all_rows(tx)
                part.roll_back()
            equal(len(after), len(before))
            met.update([name] if rows else [])
            changed = [row for row, was in zip(after, before, strict=True) if row != was]
            for row in (*changed, *(row for row in rows if not changed)):
                for column in [column for column in NAMES if column in row and column in named]:
                    equal((name, column, row[column]), (name, column, named[column]))

        with self.opened(tmp_path) as store:
            store.transact(twins)
            # Whatever a statement does is taken back, so that each finds what was there.
            before = store.read(all_rows)
            for name in PARAMS.keys() - NULLABLE.keys():
                for target in targets(name):
                    store.transact(partial(work, name=name, target=target))
            # No statement leaves behind what this one looks for.
            equal(PARAMS.keys() - NULLABLE.keys() - met, {"plans.lost"})
            equal(store.read(ask("events.last")), [{"seq": 1, "digest": "1" * 64}])

    def test_another_organization_finds_nothing_and_changes_nothing(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.transact(twins)
            before = store.read(all_rows)
            for name in PARAMS.keys() - NULLABLE.keys():
                if "org" not in PARAMS[name]:
                    continue
                for target in targets(name):
                    found = store.transact(ask(name, **target, org=OTHER))
                    equal((name, found), (name, [{"held": 1}] if name in HOLDS else []))
            equal(store.read(all_rows), before)

    def test_two_organizations_may_use_the_same_words(self, tmp_path: Path) -> None:
        def theirs(tx: EngineTx) -> None:
            plan(tx, THEIRS, org=OTHER, conversation="main")
            for name in NULLABLE.keys() - {"plans.insert", "steps.insert"}:
                call(tx, name, org=OTHER, plan=THEIRS)

        with self.opened(tmp_path) as store:
            store.transact(everything)
            store.transact(theirs)
            for org, id in ((ORG, "p_1"), (OTHER, THEIRS)):
                equal(len(store.read(ask("calls.find", org=org))), 1)
                for name in ("plans.pending", "plans.of_message", "confirmations.by_token"):
                    equal([row["plan"] for row in store.read(ask(name, org=org))], [id])
                equal(store.read(ask("keys.find", org=org)), [{"plan": id}])
                made = store.read(ask("effects.of_plan", org=org, plan=id))
                equal([row["id"] for row in made], ["f1"])
            taken = store.transact(ask("confirmations.take", org=OTHER, plan=THEIRS))
            equal(taken, [{"id": "c1"}])
            equal(len(store.read(ask("confirmations.live"))), 1)

    def test_an_operator_finds_a_plan_by_its_number_alone(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(lambda tx: plan(tx, THEIRS, org=OTHER))
            everywhere = [{"org": OTHER, "plan": THEIRS}, {"org": ORG, "plan": "p_1"}]
            equal(store.read(ask("plans.everywhere")), everywhere)
            equal(store.read(ask("plans.everywhere", limit=1)), everywhere[:1])
            equal(store.read(ask("plans.whose", plan=THEIRS)), [{"org": OTHER}])
            equal(store.read(ask("plans.whose", plan="p_404")), [])


HOLDS = {"keys.hold"}  # What is held need not be there.
