"""The digest of a plan as it is stored, and the seal that an edit of it breaks."""

import pytest

from semel.domain.action import Risk
from semel.domain.consent import plan_digest, plan_intact, seal_plan
from semel.domain.keyring import Keyring, Purpose
from semel.domain.plan import (
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

OLD, NEW = ("k1", b"1" * 32), ("k2", b"2" * 32)
RING = Keyring((NEW, OLD))
ANA = Who("o-1", "ana", "c-1", "es")
HASH = "a" * 64

STEP = StepRow(
    1, "nota.crear", 1, "local", '{"a":1}', "{}", HASH, Risk.SAFE, StepState.WAITING,
    None, None, None,
)  # fmt: skip
STEP_EDITS = {
    "position": 2, "action": "nota.otra", "action_version": 2, "effect": "opaque",
    "input": '{"a": 1}', "preview": "{ }", "facts_digest": "b" * 64, "risk": Risk.CONFIRM,
    "later": "[]", "similar": "[]",
}  # fmt: skip
LIVE = {
    "state": StepState.DONE, "reason": StepReason.STALE, "detail": "x", "result": "{}",
    "changed": "[]", "round": 2, "resolution": Resolution.DID_NOT, "resolved_by": "ana",
}  # fmt: skip


def test_the_plans_digest_covers_each_step_byte_for_byte_and_not_what_becomes_of_it():
    digests = {plan_digest("o-1", "p_1", [STEP._replace(**{k: v})]) for k, v in STEP_EDITS.items()}
    digests |= {plan_digest("o-2", "p_1", [STEP]), plan_digest("o-1", "p_2", [STEP])}
    digests |= {plan_digest("o-1", "p_1", [STEP, STEP]), plan_digest("o-1", "p_1", [])}
    whole = plan_digest("o-1", "p_1", [STEP])
    assert len(digests) == len(STEP_EDITS) + 4
    assert whole not in digests
    for field, value in LIVE.items():
        assert plan_digest("o-1", "p_1", [STEP._replace(**{field: value})]) == whole
    assert set(StepRow._fields) == {*STEP_EDITS, *LIVE}


def test_the_order_of_steps_is_part_of_the_digest():
    other = STEP._replace(position=2, action="nota.otra")
    swapped = [STEP._replace(position=2), other._replace(position=1)]
    assert plan_digest("o-1", "p_1", [STEP, other]) != plan_digest("o-1", "p_1", swapped)


def test_what_a_step_plans_for_later_and_looks_like_is_covered_byte_for_byte():
    """Nothing, an empty text and each other text are all different, and neither is the other."""
    texts = [None, "", "[]", "[ ]", "null", '[{"not_before":"2026-11-13T08:00:00.000000Z"}]']
    digests = {
        plan_digest("o-1", "p_1", [STEP._replace(later=later, similar=similar)])
        for later in texts
        for similar in texts
    }
    assert len(digests) == len(texts) ** 2


PLAN = PlanRow(
    org="o-1", plan="p_1", person="ana", conversation="c-1", message="m-1", locale="es",
    state=PlanState.ASKING, reason=None, risk=Risk.SAFE, version=1, epoch=1, at=0, round=1,
    stall=0, owner=None, digest="", seal="", kid="k1", created_at="", expires_at=None, why=None,
    kind=PlanKind.PLAN, parent=None, undone_by=None, cancelled_at=None, ended_at=None,
    not_before=None, not_after=None, unless=None, sentence=None, resume_after=None,
)  # fmt: skip
PLAN_EDITS = {
    "org": "o-2", "plan": "p_2", "person": "luis", "conversation": "c-2", "kid": "k2",
    "seal": "0" * 64, "kind": PlanKind.UNDO, "parent": "p_0", "not_before": "x", "not_after": "x",
    "unless": "pagada",
}  # fmt: skip
PLAN_LIVE = {
    "state": PlanState.ENDED, "reason": PlanReason.FINISHED, "version": 2, "epoch": 9, "at": 1,
    "round": 2, "stall": 2, "owner": "host-1", "undone_by": "p_9", "cancelled_at": "x",
    "ended_at": "x", "expires_at": "x", "resume_after": "x", "why": "x",
}  # fmt: skip


def seal(keys=RING, kid="k1", who=ANA, plan="p_1", steps=(), org="o-1"):
    return seal_plan(keys, kid, who, plan, plan_digest(org, plan, steps or [STEP]))


SEALED = PLAN._replace(seal=seal())


def test_a_seal_holds_for_the_plan_it_was_made_for_under_a_key_that_is_there():
    assert plan_intact(RING, SEALED, [STEP])
    assert plan_intact(Keyring((OLD,)), SEALED, [STEP])
    assert not plan_intact(Keyring((NEW,)), SEALED, [STEP])
    assert not plan_intact(Keyring((("k1", b"9" * 32),)), SEALED, [STEP])
    assert seal(Keyring((NEW,))) is None
    assert plan_intact(RING, PLAN._replace(kid="k2", seal=seal(kid="k2")), [STEP])


@pytest.mark.parametrize("field", PLAN_EDITS)
def test_whose_plan_it_is_and_where_cannot_be_edited(field):
    assert not plan_intact(RING, SEALED._replace(**{field: PLAN_EDITS[field]}), [STEP])


@pytest.mark.parametrize("field", PLAN_LIVE)
def test_what_becomes_of_a_plan_does_not_break_its_seal(field):
    assert plan_intact(RING, SEALED._replace(**{field: PLAN_LIVE[field]}), [STEP])
    assert field not in PLAN_EDITS


@pytest.mark.parametrize("field", STEP_EDITS)
def test_an_edit_of_a_stored_step_breaks_the_seal(field):
    assert not plan_intact(RING, SEALED, [STEP._replace(**{field: STEP_EDITS[field]})])


def test_a_step_that_is_added_taken_out_or_moved_breaks_the_seal():
    second = STEP._replace(position=2, action="nota.otra")
    two = PLAN._replace(seal=seal(steps=[STEP, second]))
    assert plan_intact(RING, two, [STEP, second])
    for steps in ([], [STEP], [second], [second, STEP], [STEP, second, second]):
        assert not plan_intact(RING, two, steps)


@pytest.mark.parametrize("forged", ["", "0" * 64, seal()[:-1], seal().upper(), seal() + "x", "ñ"])
def test_a_forged_seal_does_not_hold(forged):
    assert not plan_intact(RING, SEALED._replace(seal=forged), [STEP])


def test_a_seal_covers_each_part_apart_and_is_nobody_elses():
    """No text moves from one part to the next, and the seal of one plan is that of no other."""
    seals = {
        seal(),
        seal(kid="k2"),
        seal(plan="p_2"),
        seal(steps=[STEP._replace(risk=Risk.TYPED)]),
        *(
            seal_plan(RING, "k1", who, "p_1", HASH)
            for who in (
                Who("o-1", "ana", "c-1"), Who("o-2", "ana", "c-1"), Who("o-1", "luis", "c-1"),
                Who("o-1", "ana", "c-2"), Who("o-1", "anac", "-1"), Who("o-1a", "na", "c-1"),
                Who("ana", "o-1", "c-1"), Who("o-1", "c-1", "ana"),
            )
        ),
    }  # fmt: skip
    assert len(seals) == 12
    # In which language it is told changes nothing.
    assert seal(who=Who("o-1", "ana", "c-1", "en")) == seal()


def test_a_seal_is_made_with_the_key_for_plans():
    message = b'["o-1","ana","c-1","p_1","' + HASH.encode() + b'","plan",null,null,null,null]'
    made = seal_plan(RING, "k1", ANA, "p_1", HASH)
    assert made == RING.mac("k1", Purpose.PLAN, message).hex()
    assert made != RING.mac("k1", Purpose.CONFIRMATION, message).hex()
