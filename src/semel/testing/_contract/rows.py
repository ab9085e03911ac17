"""Good parameters for every named statement; they fit the small world beside this file.

A statement that gains a parameter gains it here, in one line, and so in every test.
"""

from collections.abc import Mapping

from semel.ports import Value

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
_CALL: Mapping[str, Value] = {"org": ORG, "key": "call 1"}
_PAGE: Mapping[str, Value] = {"org": ORG, "since": PLAN, "before": "p_~"}
_TAKEN: Mapping[str, Value] = {"owner": "host-2", "resume_after": LATER}

ASKING: Mapping[str, Value] = {"state": "asking", "expires_at": SOON}
RUNNING: Mapping[str, Value] = {
    "state": "running",
    "epoch": 1,
    "owner": "host-1",
    "resume_after": SOON,
}
ENDED: Mapping[str, Value] = {"state": "ended", "epoch": 1, "reason": "finished", "ended_at": NOW}
DOUBT: Mapping[str, Value] = {**ENDED, "reason": "in_doubt"}
FAILED: Mapping[str, Value] = {**ENDED, "reason": "failed", "at": 2}
WAITING: Mapping[str, Value] = {
    "kind": "later",
    "state": "running",
    "resume_after": LATER,
    "not_before": LATER,
    "unless": "paid",
    "subject_kind": "factura",
    "subject_id": "f1",
}
"""A later plan whose day has not come; it needs a parent."""

PARAMS: Mapping[str, Mapping[str, Value]] = {
    "plans.insert": {
        **_PLAN,
        **_SLOT,
        "kind": "plan",
        "parent": None,
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
        "not_before": None,
        "not_after": None,
        "unless": None,
        "subject_kind": None,
        "subject_id": None,
        "head": None,
        **ASKING,
    },
    "plans.find": _PLAN,
    "plans.lock": _PLAN,
    "plans.pending": _SLOT,
    "plans.of_message": {**_SLOT, "message": "m1"},
    "plans.of_slot": {**_SLOT, "limit": 10},
    "plans.running_in": _SLOT,
    "plans.children": _PLAN,
    "plans.listed": {"org": ORG, "person": None, "limit": 10},
    "plans.everywhere": {"limit": 10},
    "plans.lost": {},
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
    "plans.resend": {**_OWNED, "position": 1, "resume_after": LATER},
    "plans.release": {**_OWNED, "now": NOW},
    "plans.own": _OWNED,
    "plans.stop": {**_OWNED, "reason": "finished", "now": NOW, "look_after": None},
    "plans.prove": {**_PLAN, "reason": "finished"},
    "plans.doubts": {"now": SOON, "limit": 10},
    "plans.look_again": {**_OWNED, "look_after": LATER},
    "plans.cancel": {**_OWNED, "now": NOW},
    "plans.offer": {
        **_OWNED,
        "version": 1,
        "digest": "e" * 64,
        "seal": "new seal",
        "kid": "k2",
    },
    "plans.retry": {**_OWNED, **_TAKEN, "version": 1, "at": 1},
    "plans.send_again": {**_OWNED, **_TAKEN},
    "plans.undo": {**_OWNED, "undone_by": "p_2"},
    "plans.not_undone": {**_PLAN, "undone_by": "p_8"},
    "plans.waiting_about": {"org": ORG, "subject_kind": "factura", "subject_id": "f1"},
    "plans.end_waiting": {**_PLAN, "now": NOW},
    "plans.dismiss": {**_PLAN, "reason": "cancelled", "now": NOW},
    "plans.running": {"now": SOON, "limit": 10},
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
        "later": None,
        "similar": None,
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
        "later": "[]",
        "similar": '{"key":"s"}',
        "changed": "[]",
    },
    "steps.reset": {**_PLAN, "round": 2},
    "steps.remark": {**_STEP, "resolution": "send_anyway", "resolved_by": "ana"},
    "steps.answered": {**_STEP, "resolution": "happened", "resolved_by": "ana"},
    "steps.unreferred": _STEP,
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
        "key": "send key",
        "sent_by": "host-1",
        "now": NOW,
        "deadline_at": SOON,
        "settles_at": LATER,
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
    "calls.find": _CALL,
    "keys.hold": _CALL,
    "calls.insert": {**_CALL, "result": '{"id":"f1"}', "now": NOW},
    "confirmations.insert": {
        **_PLAN,
        **_SLOT,
        "id": "c1",
        "token_hash": "t" * 64,
        "nonce": bytes(range(24)),
        "kid": "k1",
        "question": "confirm",
        "version": 1,
        "epoch": 0,
        "digest": "d" * 64,
        "expires_at": SOON,
        "mac": "mac",
        "now": NOW,
    },
    "confirmations.by_token": {"org": ORG, "token_hash": "t" * 64},
    "confirmations.live": {**_PLAN, "question": "confirm"},
    "confirmations.take": {
        "press": "press 1",
        **_PLAN,
        **_SLOT,
        "id": "c1",
        "question": "confirm",
        "version": 1,
        "epoch": 0,
        "now": NOW,
    },
    "confirmations.revoke": {**_PLAN, "now": NOW},
    "confirmations.of_plan": _PLAN,
    "keys.insert": {**_PLAN, "key": "0" * 64, "layer": "act"},
    "keys.find": {"org": ORG, "key": "0" * 64},
    "keys.of_plan": _PLAN,
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
        "told": None,
    },
    "events.head": {**_PLAN, "head": "k1:1:mac"},
    "events.of_plan": _PLAN,
    "effects.insert": {
        **_STEP,
        "kind": "factura",
        "id": "f1",
        "version": "1",
        "label": "2026-0001",
    },
    "effects.of_plan": _PLAN,
    "effects.of_record": {"org": ORG, "kind": "factura", "id": "f1"},
    "effects.orgs_of": {"kind": "factura", "id": "f1"},
    "plans.page": {"after": "", "limit": 10},
    "plans.fence": {**_OWNED, "at": 1, "next": 7, "now": NOW, "look_after": None},
    "steps.lose": {**_STEP, "now": NOW},
    "confirmations.page": {"after_org": "", "after_id": "", "limit": 10},
    "database.find": {},
    "database.fence": {"now": NOW},
    "database.fenced": {},
    "gone.insert": {"host": "host-1", "now": NOW, "said_by": "root"},
    "gone.latest": {},
    "figures.unended": {"org": ORG, "limit": 10},
    "figures.plans": {"org": ORG, "before": "p_~", "person": None, "limit": 10},
    **dict.fromkeys(("figures.steps", "figures.effects"), _PAGE),
    **dict.fromkeys(("figures.yeses", "figures.repeats"), _PAGE),
}

NULLABLE: Mapping[str, frozenset[str]] = {
    "plans.insert": frozenset(
        {
            *("parent", "sentence", "reason", "why", "owner", "resume_after"),
            *("expires_at", "ended_at", "not_before", "not_after", "unless"),
            *("subject_kind", "subject_id", "head"),
        }
    ),
    "steps.insert": frozenset({"result", "later", "similar", "started_at", "ended_at"}),
    "attempts.open": frozenset({"deadline_at", "settles_at", "outcome", "returned_at"}),
    "calls.insert": frozenset(),
    "confirmations.insert": frozenset(),
    "keys.insert": frozenset(),
    "events.append": frozenset({"position", "body", "told"}),
    "effects.insert": frozenset(),
    "gone.insert": frozenset(),
}
"""By statement that adds a row, the parameters that may be NULL."""
