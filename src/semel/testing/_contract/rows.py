"""Good parameters for every named statement, and the small world that they fit.

A statement that gains a parameter gains it here, in one line, and so in every test.
"""

from collections.abc import Mapping

from semel.ports import EngineTx, Row, Value

ORG, OTHER = "taller", "vecino"
PLAN, THEIRS = "p_1", "p_7"
EARLIER = "2026-10-19T07:00:00.000000Z"
NOW = "2026-10-19T08:00:00.000000Z"
SOON = "2026-10-19T08:10:00.000000Z"
LATER = "2026-10-19T09:00:00.000000Z"

_PLAN: Mapping[str, Value] = {"org": ORG, "plan": PLAN}
_SLOT: Mapping[str, Value] = {"org": ORG, "person": "ana", "conversation": "main"}
_STEP: Mapping[str, Value] = {**_PLAN, "position": 1}
_OWNED: Mapping[str, Value] = {**_PLAN, "epoch": 1}
_TAKEN: Mapping[str, Value] = {"owner": "host-2", "resume_after": LATER}

ASKING: Mapping[str, Value] = {"state": "asking", "expires_at": SOON}
RUNNING: Mapping[str, Value] = {
    "state": "running",
    "epoch": 1,
    "owner": "host-1",
    "resume_after": SOON,
}
ENDED: Mapping[str, Value] = {"state": "ended", "reason": "finished", "ended_at": NOW}

PARAMS: Mapping[str, Mapping[str, Value]] = {
    "plans.insert": {
        **_PLAN,
        **_SLOT,
        "message": "m1",
        "sentence": "Haz una factura a María",
        "locale": "es",
        "reason": None,
        "risk": 1,
        "why": None,
        "epoch": 0,
        "at": 0,
        "owner": None,
        "resume_after": None,
        "digest": "d" * 64,
        "seal": "seal",
        "kid": "k1",
        "now": NOW,
        "ended_at": None,
        **ASKING,
    },
    "plans.find": _PLAN,
    "plans.pending": _SLOT,
    "plans.of_message": {**_SLOT, "message": "m1"},
    "plans.listed": {"org": ORG, "person": None, "limit": 10},
    "plans.everywhere": {"limit": 10},
    "plans.whose": {"plan": PLAN},
    "plans.requestion": {
        **_PLAN,
        "version": 1,
        "digest": "e" * 64,
        "seal": "new seal",
        "kid": "k2",
        "expires_at": LATER,
        "risk": 2,
    },
    "plans.press": {**_PLAN, **_TAKEN, "version": 1},
    "plans.start": {**_OWNED, "position": 1, "resume_after": LATER},
    "plans.own": _OWNED,
    "plans.stop": {**_OWNED, "reason": "finished", "now": NOW},
    "plans.prove": {**_PLAN, "reason": "finished"},
    "plans.dismiss": {**_PLAN, "reason": "cancelled", "now": NOW},
    "plans.running": {"limit": 10},
    "plans.take_over": {**_OWNED, **_TAKEN},
    "plans.unanswered": {"now": SOON, "limit": 10},
    "steps.insert": {
        **_STEP,
        "action": "factura.enviar",
        "action_version": 1,
        "effect": "opaque",
        "input": "{}",
        "preview": "{}",
        "facts_digest": "f" * 64,
        "risk": 1,
        "state": "waiting",
        "result": None,
        "started_at": None,
        "ended_at": None,
    },
    "steps.of_plan": _PLAN,
    "steps.reshow": {
        **_STEP,
        "preview": '{"new":1}',
        "facts_digest": "a" * 64,
        "risk": 2,
        "action_version": 2,
    },
    "steps.mark": {**_STEP, "now": NOW},
    "steps.done": {**_STEP, "result": "{}", "now": NOW},
    "steps.not_done": {**_STEP, "reason": "failed", "detail": "550", "now": NOW},
    "steps.doubt": {**_STEP, "detail": "no answer", "now": NOW},
    "steps.not_reached": {**_PLAN, "reason": "not_reached", "now": NOW},
    "attempts.open": {
        **_STEP,
        "id": "a1",
        "round": 1,
        "epoch": 1,
        "sent_by": "host-1",
        "now": NOW,
        "deadline_at": SOON,
        "request_digest": "r",
        "outcome": None,
        "returned_at": None,
    },
    "attempts.close": {
        **_STEP,
        "id": "a1",
        "outcome": "made",
        "detail": "250",
        "returned_at": SOON,
    },
    "attempts.of_step": _STEP,
    "attempts.of_plan": _PLAN,
    "attempts.others_open": {**_STEP, "id": "a1"},
    "confirmations.insert": {
        **_PLAN,
        **_SLOT,
        "id": "c1",
        "token_hash": "t" * 64,
        "nonce": bytes(range(24)),
        "kid": "k1",
        "question": "confirm",
        "version": 1,
        "digest": "d" * 64,
        "expires_at": SOON,
        "mac": "mac",
        "now": NOW,
    },
    "confirmations.by_token": {"org": ORG, "token_hash": "t" * 64},
    "confirmations.live": _PLAN,
    "confirmations.take": {
        **_SLOT,
        "id": "c1",
        "question": "confirm",
        "version": 1,
        "now": NOW,
    },
    "confirmations.revoke": {**_PLAN, "now": NOW},
    "keys.insert": {**_PLAN, "key": "0" * 64, "layer": "act", "now": NOW},
    "keys.find": {"org": ORG, "key": "0" * 64},
    "keys.move": {"org": ORG, "key": "0" * 64, "plan": "p_2", "old": PLAN},
    "events.last": _PLAN,
    "events.append": {
        **_PLAN,
        "seq": 1,
        "at": NOW,
        "kind": "proposed",
        "position": None,
        "body": None,
        "body_digest": "b",
        "digest": "1" * 64,
    },
    "events.of_plan": _PLAN,
    "effects.insert": {
        **_STEP,
        "kind": "factura",
        "id": "f1",
        "version": "1",
        "label": "2026-0001",
    },
    "effects.of_plan": _PLAN,
}

NULLABLE: Mapping[str, frozenset[str]] = {
    "plans.insert": frozenset(
        {"sentence", "reason", "why", "owner", "resume_after", "expires_at", "ended_at"}
    ),
    "steps.insert": frozenset({"result", "started_at", "ended_at"}),
    "attempts.open": frozenset({"deadline_at", "outcome", "returned_at"}),
    "confirmations.insert": frozenset(),
    "keys.insert": frozenset(),
    "events.append": frozenset({"position", "body"}),
    "effects.insert": frozenset(),
}
"""By statement that adds a row, the parameters that may be NULL."""


def call(tx: EngineTx, statement: str, **changes: Value) -> list[Row]:
    """Run a statement with its good parameters, save for *changes*; its rows."""
    return tx.all(statement, **{**PARAMS[statement], **changes})


def seed(tx: EngineTx) -> None:
    """One plan that asks, with three steps that wait: outside, Local, outside."""
    call(tx, "plans.insert")
    for position, effect in ((1, "opaque"), (2, "local"), (3, "opaque")):
        call(tx, "steps.insert", position=position, effect=effect)


def everything(tx: EngineTx) -> None:
    """A world in which each statement has a row to work on."""
    seed(tx)
    plan(tx, "p_2", **RUNNING)
    call(tx, "steps.insert", plan="p_2", position=2, state="started")
    plan(tx, "p_3", **{**ENDED, "reason": "in_doubt"})
    for statement in ("attempts.open", "confirmations.insert", "keys.insert"):
        call(tx, statement)
    call(tx, "events.append")
    call(tx, "effects.insert")


def plan(tx: EngineTx, id: str, *, steps: Value = 1, **changes: Value) -> None:
    """Another plan, with *steps* outside steps that wait."""
    call(tx, "plans.insert", **{"conversation": id, **changes, "plan": id})
    for position in range(1, int(str(steps)) + 1):
        call(tx, "steps.insert", org=changes.get("org", ORG), plan=id, position=position)
