"""Plans and steps as they are read from a store, and outcomes that print no token."""

import pytest

from semel.domain.action import Risk
from semel.domain.plan import (
    PROPOSALS_MAX,
    STEPS_MAX,
    PlanKind,
    PlanReason,
    PlanRow,
    PlanState,
    Resolution,
    StepReason,
    StepRow,
    StepState,
    Who,
)
from semel.domain.report import Ask, PlanView, Report

# As a driver gives them: numbers, texts and nothing.
STEP = {
    "position": 2, "action": "nota.crear", "action_version": 3, "effect": "checked_void",
    "input": "{}", "preview": "{}", "facts_digest": "f", "risk": 1, "state": "in_doubt",
    "reason": None, "detail": None, "result": None, "later": None, "similar": None,
    "changed": None, "round": 4, "resolution": None, "resolved_by": None,
}  # fmt: skip
STEP_SAID = {
    "reason": "unknown_reference", "detail": "d", "result": "{}", "later": "[1]", "similar": "[2]",
    "changed": "[3]", "resolution": "send_anyway", "resolved_by": "ana",
}  # fmt: skip
PLAN = {
    "org": "o-1", "plan": "p_1", "person": "ana", "conversation": "c-1", "message": "m-1",
    "locale": "es", "state": "running", "reason": None, "risk": 2, "version": 1, "epoch": 5,
    "at": 0, "round": 6, "stall": 7, "owner": None, "digest": "d", "seal": "s", "kid": "k1",
    "created_at": "t", "expires_at": None, "why": None, "kind": "later", "parent": None,
    "undone_by": None, "cancelled_at": None, "ended_at": None, "not_before": None,
    "not_after": None, "unless": None, "sentence": None, "resume_after": None,
}  # fmt: skip
TEXTS = [name for name, value in PLAN.items() if value is None and name != "reason"]


def test_a_step_is_read_column_by_column():
    bare = StepRow.read(STEP)
    assert set(StepRow._fields) == set(STEP)
    assert {name: getattr(bare, name) for name in STEP} == STEP
    assert (bare.risk, bare.state) == (Risk.CONFIRM, StepState.IN_DOUBT)
    full = StepRow.read({**STEP, **STEP_SAID})
    assert {name: getattr(full, name) for name in STEP} == {**STEP, **STEP_SAID}
    assert full.reason is StepReason.UNKNOWN_REFERENCE
    assert full.resolution is Resolution.SEND_ANYWAY


def test_a_plan_is_read_column_by_column():
    bare = PlanRow.read(PLAN)
    assert set(PlanRow._fields) == set(PLAN)
    assert {name: getattr(bare, name) for name in PLAN} == PLAN
    assert (bare.state, bare.kind, bare.risk) == (PlanState.RUNNING, PlanKind.LATER, Risk.TYPED)
    said = {**PLAN, **{name: f"{name}!" for name in TEXTS}, "reason": "in_doubt"}
    full = PlanRow.read(said)
    assert {name: getattr(full, name) for name in PLAN} == said
    assert full.reason is PlanReason.IN_DOUBT


@pytest.mark.parametrize("column", ["state", "reason", "risk", "resolution", "round"])
def test_a_step_of_a_state_that_there_is_not_is_refused(column):
    with pytest.raises(ValueError):
        StepRow.read({**STEP, column: "almost"})


@pytest.mark.parametrize("column", ["state", "reason", "risk", "kind", "epoch", "at"])
def test_a_plan_of_a_state_that_there_is_not_is_refused(column):
    with pytest.raises(ValueError):
        PlanRow.read({**PLAN, column: "almost"})


@pytest.mark.parametrize("row", [STEP, PLAN])
def test_a_row_without_one_of_its_columns_is_refused(row):
    read = StepRow.read if row is STEP else PlanRow.read
    for column in row:
        with pytest.raises(KeyError):
            read({name: value for name, value in row.items() if name != column})


def test_a_plan_knows_whose_it_is():
    assert PlanRow.read(PLAN).who == Who("o-1", "ana", "c-1", "es")


def test_only_a_later_plan_that_nobody_has_begun_waits():
    plan = PlanRow.read(PLAN)
    assert plan.waits
    for kind in PlanKind:
        for state in PlanState:
            for at in (0, 1):
                other = plan._replace(kind=kind, state=state, at=at)
                assert other.waits is (other == plan)


def test_the_words_that_are_stored_are_these():
    assert [str(each) for each in PlanKind] == ["plan", "undo", "later"]
    assert [str(each) for each in Resolution] == ["happened", "did_not", "send_anyway"]
    assert (STEPS_MAX, PROPOSALS_MAX) == (10, 5)


def test_no_outcome_prints_the_tokens_that_it_carries():
    view = PlanView("p_1", PlanState.ENDED, PlanReason.FAILED, Risk.SAFE, ())
    tokens = {"retry_token": "smlc_retry", "undo_token": "smlc_undo"}
    report = Report(speaker=None, view=view, **tokens)
    ask = Ask(speaker=None, view=view, token="smlc_yes")
    for outcome in (report, ask):
        for text in (repr(outcome), str(outcome), f"{outcome}", f"{[outcome]}"):
            assert "smlc_" not in text
    # Two reports of one state are equal only when they offer the same.
    assert report == Report(speaker=None, view=view, **tokens)
    assert report != Report(speaker=None, view=view)
