"""Semel's tables: the same columns and constraints as every other store's."""

from semel.ports import Row
from semel.storage.memory.checks import (
    at_least,
    between,
    exactly,
    given,
    long,
    one_of,
    only,
    only_a_doubt_is_looked_after,
    plan_id,
    running_has_an_owner,
)
from semel.storage.memory.itself import DATABASE, GONE  # noqa: F401 - they are tables like these
from semel.storage.memory.shape import Index, Reference, Schema


def _running(row: Row) -> bool:
    return row["state"] == "running"


def _asking(row: Row) -> bool:
    return row["state"] == "asking"


def _waits_for_its_day(row: Row) -> bool:
    return row["kind"] == "later" and row["state"] == "running"


PLANS = Schema(
    "semel_plans",
    key=("org", "plan"),
    columns={
        "org": str,
        "plan": str,
        "kind": str,
        "parent": str | None,
        "undone_by": str | None,
        "person": str,
        "conversation": str,
        "message": str,
        "sentence": str | None,
        "locale": str,
        "state": str,
        "reason": str | None,
        "risk": int,
        "why": str | None,
        "version": int,
        "epoch": int,
        "at": int,
        "round": int,
        "stall": int,
        "owner": str | None,
        "resume_after": str | None,
        "cancelled_at": str | None,
        "digest": str,
        "seal": str,
        "kid": str,
        "created_at": str,
        "expires_at": str | None,
        "ended_at": str | None,
        "look_after": str | None,
        "not_before": str | None,
        "not_after": str | None,
        "unless": str | None,
        "subject_kind": str | None,
        "subject_id": str | None,
        "head": str | None,
    },
    checks={
        "org": given("org"),
        "plan": plan_id,
        "kind": one_of("kind", "plan undo later"),
        "person": given("person"),
        "conversation": given("conversation"),
        "message": given("message"),
        "state": one_of("state", "asking running ended"),
        "reason": one_of(
            "reason", "finished failed cancelled stale in_doubt expired superseded refused"
        ),
        "risk": between("risk", 0, 2),
        "version": at_least("version", 1),
        "epoch": at_least("epoch", 0),
        "at": at_least("at", 0),
        "round": at_least("round", 1),
        "stall": at_least("stall", 0),
        "digest": long("digest", 64),
        "ended_has_a_reason": exactly("state", "ended", "reason"),
        "ended_has_a_time": exactly("state", "ended", "ended_at"),
        "running_has_a_time": exactly("state", "running", "resume_after"),
        "begun_has_an_owner": only("state", "running", "owner"),
        "running_has_an_owner": running_has_an_owner,
        "only_a_plan_has_no_parent": lambda r: (r["kind"] == "plan") == (r["parent"] is None),
        "only_later_has_a_date": exactly("kind", "later", "not_before"),
        "only_an_ended_plan_is_undone": only("state", "ended", "undone_by"),
        "only_a_doubt_is_looked_after": only_a_doubt_is_looked_after,
        "asking_expires": lambda r: r["state"] != "asking" or r["expires_at"] is not None,
        "asking_has_not_begun": lambda r: r["state"] != "asking" or r["at"] == 0,
    },
    indexes={
        "one_pending": Index(("org", "person", "conversation"), _asking, unique=True),
        "plan_number": Index(("plan",), unique=True),
        "due": Index(where=_running),
        "unanswered": Index(where=_asking),
        "doubts": Index(where=lambda r: r["look_after"] is not None),
        "children": Index(("org", "parent"), lambda r: r["parent"] is not None),
        "waiting_about": Index(("org", "subject_kind", "subject_id"), _waits_for_its_day),
        "of_message": Index(("org", "person", "conversation", "message")),
        "of_slot": Index(("org", "person", "conversation")),
        "of_org": Index(("org",)),
    },
    references=(
        Reference(("org", "parent")),
        Reference(("org", "undone_by"), deferred=True),
    ),
)

OF_PLAN = Reference(("org", "plan"), PLANS)

STEPS = Schema(
    "semel_steps",
    key=("org", "plan", "position"),
    columns={
        "org": str,
        "plan": str,
        "position": int,
        "action": str,
        "action_version": int,
        "effect": str,
        "input": str,
        "preview": str,
        "facts_digest": str,
        "risk": int,
        "state": str,
        "reason": str | None,
        "detail": str | None,
        "result": str | None,
        "later": str | None,
        "similar": str | None,
        "changed": str | None,
        "round": int,
        "resolution": str | None,
        "resolved_by": str | None,
        "started_at": str | None,
        "ended_at": str | None,
    },
    checks={
        "position": between("position", 1, 10),
        "effect": one_of("effect", "local keyed checked checked_void opaque"),
        "facts_digest": long("facts_digest", 64),
        "risk": between("risk", 0, 2),
        "state": one_of("state", "waiting started done not_done in_doubt"),
        "reason": one_of(
            "reason",
            "refused failed stale cancelled forbidden not_reached crashed unknown_reference",
        ),
        "round": at_least("round", 1),
        "resolution": one_of("resolution", "happened did_not send_anyway"),
        "not_done_has_a_reason": exactly("state", "not_done", "reason"),
        "done_has_a_result": lambda r: r["state"] != "done" or r["result"] is not None,
        "an_answer_is_somebodys": lambda r: (r["resolution"] is None) == (r["resolved_by"] is None),
        "local_is_never_between": lambda r: (
            r["effect"] != "local" or r["state"] not in ("started", "in_doubt")
        ),
    },
    indexes={"of_plan": Index(("org", "plan"))},
    references=(OF_PLAN,),
)

OF_STEP = Reference(("org", "plan", "position"), STEPS)

ATTEMPTS = Schema(
    "semel_attempts",
    key=("org", "plan", "position", "id"),
    columns={
        "org": str,
        "plan": str,
        "position": int,
        "id": str,
        "round": int,
        "epoch": int,
        "key": str,
        "sent_by": str,
        "opened_at": str,
        "deadline_at": str | None,
        "settles_at": str | None,
        "request_digest": str,
        "outcome": str | None,
        "detail": str | None,
        "returned_at": str | None,
    },
    checks={"outcome": one_of("outcome", "made refused void absent unknown")},
    indexes={
        "of_step": Index(("org", "plan", "position")),
        "of_plan": Index(("org", "plan")),
    },
    references=(OF_STEP,),
)

CONFIRMATIONS = Schema(
    "semel_confirmations",
    key=("org", "id"),
    columns={
        "org": str,
        "id": str,
        "token_hash": str,
        "nonce": bytes,
        "kid": str,
        "question": str,
        "plan": str,
        "version": int,
        "epoch": int,
        "digest": str,
        "person": str,
        "conversation": str,
        "expires_at": str,
        "mac": str,
        "created_at": str,
        "used_at": str | None,
        "press": str | None,
        "revoked_at": str | None,
    },
    checks={
        "token_hash": long("token_hash", 64),
        "nonce": long("nonce", 24),
        "question": one_of("question", "confirm retry undo"),
        "digest": long("digest", 64),
        "used_or_revoked": lambda r: r["used_at"] is None or r["revoked_at"] is None,
    },
    indexes={
        "token": Index(("org", "token_hash"), unique=True),
        "of_plan": Index(("org", "plan")),
    },
    references=(OF_PLAN,),
)

KEYS = Schema(
    "semel_keys",
    key=("org", "key"),
    columns={"org": str, "key": str, "layer": str, "plan": str},
    checks={"key": long("key", 64)},
    indexes={"of_plan": Index(("org", "plan"))},
    references=(Reference(("org", "plan"), PLANS, deferred=True),),
)

EVENTS = Schema(
    "semel_events",
    key=("org", "plan", "seq"),
    columns={
        "org": str,
        "plan": str,
        "seq": int,
        "at": str,
        "kind": str,
        "position": int | None,
        "body": str | None,
        "body_digest": str,
        "digest": str,
        "told": str | None,
    },
    checks={"seq": at_least("seq", 1), "digest": long("digest", 64)},
    indexes={"of_plan": Index(("org", "plan"))},
    references=(OF_PLAN,),
)

EFFECTS = Schema(
    "semel_effects",
    key=("org", "kind", "id", "plan", "position"),
    columns={
        "org": str,
        "kind": str,
        "id": str,
        "plan": str,
        "position": int,
        "version": str,
        "label": str,
    },
    indexes={
        "of_plan": Index(("org", "plan")),
        "of_id": Index(("org", "kind", "id")),
        "labelled": Index(("org", "kind", "label")),
    },
    references=(OF_STEP,),
)

CALLS = Schema(
    "semel_calls",
    key=("org", "key"),
    columns={"org": str, "key": str, "result": str, "created_at": str},
    checks={
        "org": given("org"),
        "key": lambda r: 1 <= len(str(r["key"])) <= 512,
        "result": given("result"),
    },
)
