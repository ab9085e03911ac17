"""Statements on steps and their attempts: what happened, and what may have."""

from pathlib import Path

from semel.ports import EngineTx, Row, Store, Value
from semel.testing._contract.base import Contract, ask, changed, equal
from semel.testing._contract.rows import (
    EARLIER,
    LATER,
    NOW,
    ORG,
    OTHER,
    PARAMS,
    SOON,
)
from semel.testing._contract.world import call, seed


def step(store: Store, position: int = 1, org: str = ORG) -> Row:
    """A step of the seeded plan as it is."""
    return store.read(ask("steps.of_plan", org=org))[position - 1]


def states(store: Store) -> list[Value]:
    """The states of the seeded plan's steps."""
    return [row["state"] for row in store.read(ask("steps.of_plan"))]


class Steps(Contract):
    """A step moves forward only, and only from where it may."""

    def test_steps_are_found_as_they_were_written_in_order(self, tmp_path: Path) -> None:
        ran = {"state": "done", "result": "{}", "started_at": NOW, "ended_at": SOON}
        given = {**PARAMS["steps.insert"], "position": 10, **ran}
        with self.seeded(tmp_path) as store:
            store.transact(ask("steps.insert", position=10, **ran))
            store.transact(ask("steps.insert", position=4))
            rows = store.read(ask("steps.of_plan"))
            equal([row["position"] for row in rows], [1, 2, 3, 4, 10])
            nothing = dict.fromkeys(("reason", "detail", "changed", "resolution", "resolved_by"))
            equal(rows[-1], {**given, **nothing, "round": 1})
            equal(store.read(ask("steps.of_plan", plan="p_2")), [])

    def test_a_preview_is_shown_anew_while_the_step_waits_or_is_not_done(
        self, tmp_path: Path
    ) -> None:
        new = dict(PARAMS["steps.reshow"])
        del new["org"], new["plan"], new["position"]
        with self.seeded(tmp_path) as store:
            before = step(store)
            equal(store.transact(ask("steps.reshow")), [{"position": 1}])
            equal(changed(before, step(store)), new)
            for state in ("mark", "doubt"):
                store.transact(ask(f"steps.{state}"))
                equal(store.transact(ask("steps.reshow", preview="{}")), [])
            store.transact(ask("steps.not_done", position=2))
            before = step(store, 2)
            equal(store.transact(ask("steps.reshow", position=2)), [{"position": 2}])
            equal(changed(before, step(store, 2)), new)

    def test_what_was_not_done_waits_again_in_a_new_round(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.transact(ask("steps.reset")), [])
            before = step(store)
            store.transact(ask("steps.mark"))
            store.transact(ask("steps.answered"))
            store.transact(ask("steps.not_done"))
            store.transact(ask("steps.reshow", preview="{}", later=None, similar="{}"))
            store.transact(ask("steps.done", position=2))
            done = step(store, 2)
            store.transact(ask("steps.not_reached"))
            equal(store.transact(ask("steps.reset", org=OTHER)), [])
            rows = store.transact(ask("steps.reset"))
            equal(sorted(str(row["position"]) for row in rows), ["1", "3"])
            # What was shown of it stays; of its end nothing does.
            shown = {"facts_digest": "a" * 64, "risk": 2, "action_version": 2, "similar": "{}"}
            equal(changed(before, step(store)), {**shown, "round": 2})
            equal(step(store, 2), done)
            equal(states(store), ["waiting", "done", "waiting"])
            equal(store.transact(ask("steps.reset", round=3)), [])

    def test_a_step_in_doubt_is_sent_once_more_because_somebody_says_so(
        self, tmp_path: Path
    ) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.transact(ask("steps.remark")), [])
            store.transact(ask("steps.mark"))
            equal(store.transact(ask("steps.remark")), [])
            store.transact(ask("steps.doubt", now=LATER))
            for state in ("mark", "doubt"):
                store.transact(ask(f"steps.{state}", position=3))
            before = step(store)
            equal(store.transact(ask("steps.remark", org=OTHER)), [])
            equal(store.transact(ask("steps.remark")), [{"position": 1}])
            said = {"resolution": "send_anyway", "resolved_by": "ana"}
            equal(changed(before, step(store)), {"state": "started", "ended_at": None, **said})
            equal(store.transact(ask("steps.remark", resolved_by="luis")), [])
            store.transact(ask("steps.done"))
            equal(store.transact(ask("steps.remark")), [])
            store.transact(ask("steps.not_done", position=2))
            equal(store.transact(ask("steps.remark", position=2)), [])
            equal(states(store), ["done", "not_done", "in_doubt"])

    def test_what_a_person_said_of_a_step_is_kept(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            for wrong in ({"org": OTHER}, {"position": 9}, {"position": None}, {"plan": "p_2"}):
                equal(store.transact(ask("steps.answered", **wrong)), [])
            for state in ("mark", "doubt", "not_done"):
                store.transact(ask(f"steps.{state}"))
                before = step(store)
                for word, by in (("happened", "ana"), ("did_not", "luis"), (None, None)):
                    said = {"resolution": word, "resolved_by": by}
                    equal(store.transact(ask("steps.answered", **said)), [{"position": 1}])
                    equal(step(store), {**before, **said})

    def test_what_cannot_be_done_for_want_of_a_reference_was_not_reached(
        self, tmp_path: Path
    ) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.transact(ask("steps.unreferred", position=3)), [])  # it waits
            store.transact(ask("steps.not_done"))
            store.transact(ask("steps.done", position=2))
            store.transact(ask("steps.not_reached"))
            before = step(store, 3)
            for other in (1, 2, 9, None):
                equal(store.transact(ask("steps.unreferred", position=other)), [])
            equal(store.transact(ask("steps.unreferred", position=3, org=OTHER)), [])
            equal(store.transact(ask("steps.unreferred", position=3)), [{"position": 3}])
            equal(changed(before, step(store, 3)), {"reason": "unknown_reference"})
            equal(store.transact(ask("steps.unreferred", position=3)), [])
            equal([row["reason"] for row in store.read(ask("steps.of_plan"))][:2], ["failed", None])

    def test_an_outside_step_is_marked_once(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            before = step(store)
            equal(store.transact(ask("steps.mark")), [{"position": 1}])
            equal(changed(before, step(store)), {"state": "started", "started_at": NOW})
            equal(store.transact(ask("steps.mark", now=LATER)), [])
            equal(store.transact(ask("steps.mark", position=9)), [])
            equal(step(store)["started_at"], NOW)

    def test_a_step_is_done_from_where_it_may_be(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            before = step(store, 2)
            equal(store.transact(ask("steps.done", position=2)), [{"position": 2}])
            done = {"state": "done", "result": "{}", "started_at": NOW, "ended_at": NOW}
            equal(changed(before, step(store, 2)), done)
            store.transact(ask("steps.mark", now=EARLIER))
            store.transact(ask("steps.doubt"))
            equal(store.transact(ask("steps.done", now=LATER)), [{"position": 1}])
            proven = {**done, "started_at": EARLIER, "ended_at": LATER}
            equal(changed(before, {**step(store), **_name(before)}), proven)
            for statement in ("done", "not_done", "doubt", "mark", "reshow"):
                equal(store.transact(ask(f"steps.{statement}")), [])
            store.transact(ask("steps.not_done", position=3))
            equal(store.transact(ask("steps.done", position=3)), [])
            equal(states(store), ["done", "done", "not_done"])

    def test_a_step_is_not_done_with_its_reason(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            before = step(store)
            store.transact(ask("steps.mark"))
            equal(store.transact(ask("steps.not_done", now=LATER)), [{"position": 1}])
            why = {"state": "not_done", "reason": "failed", "detail": "550"}
            times = {"started_at": NOW, "ended_at": LATER}
            equal(changed(before, step(store)), {**why, **times})
            equal(store.transact(ask("steps.not_done", reason="stale")), [])
            equal(store.transact(ask("steps.not_done", position=2)), [{"position": 2}])

    def test_only_a_started_step_comes_to_be_in_doubt(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            equal(store.transact(ask("steps.doubt")), [])
            store.transact(ask("steps.mark"))
            before = step(store)
            equal(store.transact(ask("steps.doubt", now=LATER)), [{"position": 1}])
            doubt = {"state": "in_doubt", "detail": "no answer", "ended_at": LATER}
            equal(changed(before, step(store)), doubt)
            equal(store.transact(ask("steps.doubt")), [])

    def test_what_was_not_reached_is_what_still_waits(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(ask("steps.mark"))
            before = step(store, 2)
            rows = store.transact(ask("steps.not_reached"))
            equal(sorted(str(row["position"]) for row in rows), ["2", "3"])
            ended = {"state": "not_done", "reason": "not_reached", "ended_at": NOW}
            equal(changed(before, step(store, 2)), ended)
            equal(states(store), ["started", "not_done", "not_done"])
            equal(store.transact(ask("steps.not_reached")), [])


def _name(row: Row) -> dict[str, Value]:
    """What tells one seeded step from another before anything happens to it."""
    return {column: row[column] for column in ("position", "effect")}


class Attempts(Contract):
    """One row per send; an open one means that its end is unknown."""

    def sent(self, store: Store, id: str = "a1") -> Row:
        """An attempt at the first step as it is."""
        return next(row for row in store.read(ask("attempts.of_step")) if row["id"] == id)

    def test_an_attempt_is_found_as_it_was_opened(self, tmp_path: Path) -> None:
        given = dict(PARAMS["attempts.open"])
        given["opened_at"] = given.pop("now")
        with self.seeded(tmp_path) as store:
            store.transact(ask("attempts.open"))
            equal(self.sent(store), {**given, "detail": None})

    def test_attempts_are_listed_by_step_time_and_id(self, tmp_path: Path) -> None:
        opened = (("a3", 1, NOW), ("a2", 1, NOW), ("a9", 1, EARLIER), ("a1", 3, EARLIER))

        def work(tx: EngineTx) -> None:
            seed(tx)
            for id, position, now in opened:
                call(tx, "attempts.open", id=id, position=position, now=now)

        with self.opened(tmp_path) as store:
            store.transact(work)
            equal([row["id"] for row in store.read(ask("attempts.of_step"))], ["a9", "a2", "a3"])
            everyone = store.read(ask("attempts.of_plan"))
            equal([row["id"] for row in everyone], ["a9", "a2", "a3", "a1"])

    def test_a_proof_closes_an_attempt_for_good(self, tmp_path: Path) -> None:
        with self.seeded(tmp_path) as store:
            store.transact(ask("attempts.open"))
            before = self.sent(store)
            unknown = ask("attempts.close", outcome="unknown", detail=None, returned_at=None)
            equal(store.transact(unknown), [{"id": "a1"}])
            equal(changed(before, self.sent(store)), {"outcome": "unknown"})
            equal(store.transact(ask("attempts.close")), [{"id": "a1"}])
            made = {"outcome": "made", "detail": "250", "returned_at": SOON}
            equal(changed(before, self.sent(store)), made)
            equal(store.transact(ask("attempts.close", id="a2")), [])

    def test_what_is_proven_stays_so(self, tmp_path: Path) -> None:
        proofs = ("made", "refused", "void", "absent")
        with self.seeded(tmp_path) as store:
            for id in proofs:
                store.transact(ask("attempts.open", id=id))
                equal(store.transact(ask("attempts.close", id=id, outcome=id)), [{"id": id}])
                for outcome in (*proofs, "unknown", None):
                    equal(store.transact(ask("attempts.close", id=id, outcome=outcome)), [])
                equal(self.sent(store, id)["outcome"], id)
