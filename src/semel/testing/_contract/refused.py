"""Rows that cannot be: each must be refused with ``Conflict`` by the store itself."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from semel.errors import Conflict
from semel.ports import EngineTx, Value
from semel.testing._contract.base import Contract, ask, equal, raises
from semel.testing._contract.rows import (
    ENDED,
    LATER,
    NOW,
    NULLABLE,
    OTHER,
    PARAMS,
    RUNNING,
    THEIRS,
    WAITING,
)
from semel.testing._contract.world import call, everything, plan

Bad: TypeAlias = tuple[str, Mapping[str, Value]]

# Every good row of an INSERT is a new one in the world of `everything`, so that nothing but the
# change can be what is refused.
NEW: Mapping[str, Mapping[str, Value]] = {
    "plans.insert": {"plan": "p_9", "conversation": "free"},
    "steps.insert": {"plan": "p_2", "position": 9},
    "attempts.open": {"id": "a9"},
    "calls.insert": {"key": "call 9"},
    "confirmations.insert": {"id": "c9", "token_hash": "9" * 64},
    "keys.insert": {"key": "9" * 64},
    "events.append": {"seq": 9},
    "effects.insert": {"id": "f9"},
    "gone.insert": {"host": "host-9"},
}

IMPOSSIBLE: tuple[Bad, ...] = (
    # A word about a host is about one, and somebody's.
    ("gone.insert", {"host": ""}),
    ("gone.insert", {"said_by": ""}),
    # An id is a plan's, nobody is nameless, and a question belongs to a message.
    ("plans.insert", {"org": ""}),
    ("plans.insert", {"plan": "p_"}),
    ("plans.insert", {"plan": "9"}),
    ("plans.insert", {"plan": "P_9"}),
    ("plans.insert", {"kind": "guess", "parent": "p_1"}),
    ("plans.insert", {"person": ""}),
    ("plans.insert", {"conversation": ""}),
    ("plans.insert", {"message": ""}),
    # States, reasons and numbers are of a closed set.
    ("plans.insert", {"state": "waiting"}),
    ("plans.insert", {**ENDED, "reason": "because"}),
    ("plans.insert", {"risk": -1}),
    ("plans.insert", {"risk": 3}),
    ("plans.insert", {"epoch": -1}),
    ("plans.insert", {**RUNNING, "at": -1}),
    ("plans.insert", {"digest": "d" * 63}),
    ("plans.insert", {"digest": "d" * 65}),
    # Ended means a reason and a time, and only ended does.
    ("plans.insert", {**ENDED, "reason": None}),
    ("plans.insert", {**ENDED, "ended_at": None}),
    ("plans.insert", {"reason": "finished"}),
    ("plans.insert", {"ended_at": NOW}),
    # Running means a time for somebody else, and only running does.
    ("plans.insert", {**RUNNING, "resume_after": None}),
    ("plans.insert", {"resume_after": LATER}),
    ("plans.insert", {**ENDED, "resume_after": LATER}),
    # What has begun is somebody's; only a later plan may wait without an owner.
    ("plans.insert", {"owner": "host-1"}),
    ("plans.insert", {**ENDED, "owner": "host-1"}),
    ("plans.insert", {**RUNNING, "owner": None}),
    ("plans.insert", {**RUNNING, "owner": None, "kind": "undo", "parent": "p_1"}),
    ("plans.insert", {**WAITING, "parent": "p_1", "at": 1}),
    # Only what a person asks for comes of itself, and only what comes later has a date.
    ("plans.insert", {"parent": "p_1"}),
    ("plans.insert", {"kind": "undo"}),
    ("plans.insert", {**WAITING}),
    ("plans.insert", {"not_before": LATER}),
    ("plans.insert", {"kind": "undo", "parent": "p_1", "not_before": LATER}),
    ("plans.insert", {**WAITING, "parent": "p_1", "not_before": None}),
    ("plans.insert", {**WAITING, "parent": "p_404"}),
    ("plans.insert", {**WAITING, "parent": THEIRS}),
    # A question expires, and its plan has not begun.
    ("plans.insert", {"expires_at": None}),
    ("plans.insert", {"at": 1}),
    # One plan per number, one pending question per slot.
    ("plans.insert", {"plan": "p_1"}),
    ("plans.insert", {"plan": "p_1", "org": OTHER}),
    ("plans.insert", {"conversation": "main"}),
    # What changes a plan is held to the same rules.
    ("plans.requestion", {"digest": "e"}),
    ("plans.requestion", {"expires_at": None}),
    ("plans.requestion", {"seal": None}),
    ("plans.requestion", {"kid": None}),
    ("plans.requestion", {"risk": 3}),
    ("plans.press", {"owner": None}),
    ("plans.press", {"resume_after": None}),
    ("plans.start", {"plan": "p_2", "resume_after": None}),
    ("plans.take_over", {"plan": "p_2", "owner": None}),
    ("plans.take_over", {"plan": "p_2", "resume_after": None}),
    ("plans.stop", {"plan": "p_2", "reason": None}),
    ("plans.stop", {"plan": "p_2", "reason": "because"}),
    ("plans.stop", {"plan": "p_2", "now": None}),
    ("plans.resend", {"plan": "p_8", "resume_after": None}),
    ("plans.release", {"plan": "p_2", "now": None}),
    ("plans.start", {"plan": "p_5", "epoch": 0}),
    # Only a doubt is looked after.
    ("plans.stop", {"plan": "p_2", "look_after": LATER}),
    ("plans.stop", {"plan": "p_2", "look_after": LATER, "reason": "failed"}),
    # What goes on is held to the rules of what runs, and what is taken back does not go on.
    ("plans.offer", {"plan": "p_4", "digest": "e"}),
    ("plans.offer", {"plan": "p_4", "seal": None}),
    ("plans.offer", {"plan": "p_4", "kid": None}),
    ("plans.retry", {"plan": "p_4", "owner": None}),
    ("plans.retry", {"plan": "p_4", "resume_after": None}),
    ("plans.retry", {"plan": "p_4", "at": -1}),
    ("plans.retry", {"plan": "p_4", "at": None}),
    ("plans.send_again", {"plan": "p_3", "owner": None}),
    ("plans.send_again", {"plan": "p_3", "resume_after": None}),
    ("plans.end_waiting", {"plan": "p_5", "now": None}),
    ("plans.prove", {"plan": "p_3", "reason": None}),
    ("plans.prove", {"plan": "p_3", "reason": "because"}),
    ("plans.dismiss", {"reason": None}),
    ("plans.dismiss", {"reason": "because"}),
    ("plans.dismiss", {"now": None}),
    # Steps.
    ("steps.insert", {"position": 0}),
    ("steps.insert", {"position": 11}),
    ("steps.insert", {"position": 1}),
    ("steps.insert", {"plan": "p_404"}),
    ("steps.insert", {"org": OTHER}),
    ("steps.insert", {"effect": "guessed"}),
    ("steps.insert", {"facts_digest": "f" * 63}),
    ("steps.insert", {"risk": -1}),
    ("steps.insert", {"risk": 3}),
    ("steps.insert", {"state": "asking"}),
    ("steps.insert", {"state": "not_done"}),
    ("steps.insert", {"state": "done"}),
    ("steps.insert", {"effect": "local", "state": "started"}),
    ("steps.insert", {"effect": "local", "state": "in_doubt"}),
    ("steps.mark", {"position": 2}),
    ("steps.done", {"result": None}),
    ("steps.not_done", {"reason": None}),
    ("steps.not_done", {"reason": "because"}),
    ("steps.not_reached", {"reason": None}),
    ("steps.not_reached", {"reason": "because"}),
    ("steps.reshow", {"preview": None}),
    ("steps.reshow", {"facts_digest": "a"}),
    ("steps.reshow", {"risk": 3}),
    ("steps.reshow", {"action_version": None}),
    ("steps.reset", {"plan": "p_4", "round": 0}),
    ("steps.reset", {"plan": "p_4", "round": None}),
    # What a person said is of a closed set, and somebody said it.
    ("steps.answered", {"resolution": "perhaps"}),
    ("steps.answered", {"resolution": None}),
    ("steps.answered", {"resolved_by": None}),
    ("steps.remark", {"plan": "p_3", "resolution": "perhaps"}),
    ("steps.remark", {"plan": "p_3", "resolution": None}),
    ("steps.remark", {"plan": "p_3", "resolved_by": None}),
    # What hangs on a plan or a step.
    ("attempts.open", {"id": "a1"}),
    ("attempts.open", {"position": 9}),
    ("attempts.open", {"org": OTHER}),
    ("attempts.open", {"outcome": "lost"}),
    ("attempts.open", {"outcome": "failed"}),
    ("attempts.close", {"outcome": "lost"}),
    ("confirmations.insert", {"id": "c1"}),
    ("confirmations.insert", {"token_hash": "t" * 64}),
    ("confirmations.insert", {"token_hash": "9" * 63}),
    ("confirmations.insert", {"nonce": bytes(23)}),
    ("confirmations.insert", {"question": "whether"}),
    ("confirmations.insert", {"digest": "d" * 63}),
    ("confirmations.insert", {"plan": "p_404"}),
    ("confirmations.insert", {"org": OTHER}),
    ("keys.insert", {"key": "9" * 63}),
    ("keys.move", {"plan": None}),
    ("events.append", {"seq": 0}),
    ("events.append", {"seq": 1}),
    ("events.append", {"digest": "1" * 63}),
    ("events.append", {"plan": "p_404"}),
    ("events.append", {"org": OTHER}),
    ("effects.insert", {"id": "f1"}),
    ("effects.insert", {"position": 9}),
    ("effects.insert", {"org": OTHER}),
    # A call has a name, a value, and is there once.
    ("calls.insert", {"org": ""}),
    ("calls.insert", {"key": ""}),
    ("calls.insert", {"key": "k" * 513}),
    ("calls.insert", {"key": "call 1"}),
    ("calls.insert", {"result": ""}),
)


def holes() -> Iterator[Bad]:
    """Every INSERT with one parameter NULL that may not be."""
    for statement, nullable in NULLABLE.items():
        for name in PARAMS[statement].keys() - nullable:
            yield statement, {name: None}


def world(tx: EngineTx) -> None:
    """Everything, a plan of another organization, and a doubt that is taken back already."""
    everything(tx)
    plan(tx, THEIRS, org=OTHER)


class Refused(Contract):
    """The tables refuse what cannot be, whoever wrote it."""

    def test_each_row_that_the_bad_ones_are_made_from_is_good(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.transact(world)
            for statement, new in NEW.items():
                equal(store.transact(_runs(statement, new)), 1)

    def test_impossible_rows_are_refused(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.transact(world)
            kept = [bad for bad in IMPOSSIBLE if not store.transact(_refuses(*bad))]
            equal(kept, [])

    def test_what_must_be_known_cannot_be_null(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as store:
            store.transact(world)
            kept = [bad for bad in holes() if not store.transact(_refuses(*bad))]
            equal(kept, [])

    def test_a_key_may_come_before_its_plan_but_not_without_it(self, tmp_path: Path) -> None:
        def key(tx: EngineTx) -> None:
            call(tx, "keys.insert", plan="p_5", key="5" * 64)

        def key_then_plan(tx: EngineTx) -> None:
            key(tx)
            plan(tx, "p_5")

        with self.seeded(tmp_path) as store:
            with raises(Conflict):
                store.transact(key)
            equal(store.read(ask("keys.find", key="5" * 64)), [])
            store.transact(key_then_plan)
            equal(store.read(ask("keys.find", key="5" * 64)), [{"plan": "p_5"}])

    def test_a_key_cannot_move_to_a_plan_that_is_not_there(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(ask("keys.insert"))
            with raises(Conflict):
                store.transact(ask("keys.move", plan="p_404"))
            equal(store.read(ask("keys.find")), [{"plan": "p_1"}])
            with raises(Conflict):
                store.transact(ask("keys.insert", org=OTHER))
            equal(store.read(ask("keys.find", org=OTHER)), [])

    def test_a_key_whose_plan_was_taken_back_is_refused(self, tmp_path: Path) -> None:
        def work(tx: EngineTx) -> None:
            call(tx, "keys.insert", plan="p_5")
            with tx.savepoint() as part:
                plan(tx, "p_5")
                part.roll_back()

        with self.seeded(tmp_path) as store:
            with raises(Conflict):
                store.transact(work)
            equal(store.read(ask("keys.find")), [])


def _runs(statement: str, new: Mapping[str, Value]) -> Callable[[EngineTx], int]:
    return lambda tx: tx.run(statement, **{**PARAMS[statement], **new})


def _refuses(statement: str, changes: Mapping[str, Value]) -> Callable[[EngineTx], bool]:
    """Whether a row is refused; it is taken back when it is not."""

    def work(tx: EngineTx) -> bool:
        try:
            with tx.savepoint() as part:
                call(tx, statement, **{**NEW.get(statement, {}), **changes})
                part.roll_back()
        except Conflict:
            return True
        return False

    return work
