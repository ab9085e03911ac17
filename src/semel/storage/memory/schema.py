"""Semel's tables: the same columns and constraints as every other store's."""

from collections.abc import Callable
from typing import cast

from semel.ports import Row
from semel.storage.memory.shape import Index, Reference, Schema


def _one_of(column: str, words: str) -> Callable[[Row], bool]:
    known = frozenset(words.split())
    return lambda row: row[column] is None or row[column] in known


def _between(column: str, low: int, high: int) -> Callable[[Row], bool]:
    return lambda row: low <= cast("int", row[column]) <= high


def _at_least(column: str, low: int) -> Callable[[Row], bool]:
    return lambda row: cast("int", row[column]) >= low


def _long(column: str, length: int) -> Callable[[Row], bool]:
    return lambda row: len(cast("str | bytes", row[column])) == length


def _given(column: str) -> Callable[[Row], bool]:
    return lambda row: row[column] != ""


def _is(state: str) -> Callable[[Row], bool]:
    return lambda row: row["state"] == state


def _plan_id(row: Row) -> bool:
    plan = cast("str", row["plan"])
    return plan.startswith("p_") and len(plan) > len("p_")


def _running_has_an_owner(row: Row) -> bool:
    owned = row["resume_after"] is not None and row["owner"] is not None
    return (row["state"] == "running") == owned


PLANS = Schema(
    "semel_plans",
    key=("org", "plan"),
    columns={
        "org": str,
        "plan": str,
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
    },
    checks={
        "org": _given("org"),
        "plan": _plan_id,
        "person": _given("person"),
        "conversation": _given("conversation"),
        "message": _given("message"),
        "state": _one_of("state", "asking running ended"),
        "reason": _one_of(
            "reason", "finished failed cancelled stale in_doubt expired superseded refused"
        ),
        "risk": _between("risk", 0, 2),
        "version": _at_least("version", 1),
        "epoch": _at_least("epoch", 0),
        "at": _at_least("at", 0),
        "round": _at_least("round", 1),
        "stall": _at_least("stall", 0),
        "digest": _long("digest", 64),
        "ended_has_a_reason": lambda r: (r["state"] == "ended") == (r["reason"] is not None),
        "ended_has_a_time": lambda r: (r["state"] == "ended") == (r["ended_at"] is not None),
        "running_has_an_owner": _running_has_an_owner,
        "asking_expires": lambda r: r["state"] != "asking" or r["expires_at"] is not None,
        "asking_has_not_begun": lambda r: r["state"] != "asking" or r["at"] == 0,
    },
    indexes={
        "one_pending": Index(("org", "person", "conversation"), _is("asking"), unique=True),
        "due": Index(where=_is("running")),
        "unanswered": Index(where=_is("asking")),
        "of_message": Index(("org", "person", "conversation", "message")),
        "of_org": Index(("org",)),
        "number": Index(("plan",), unique=True),
    },
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
        "started_at": str | None,
        "ended_at": str | None,
    },
    checks={
        "position": _between("position", 1, 10),
        "effect": _one_of("effect", "local opaque"),
        "facts_digest": _long("facts_digest", 64),
        "risk": _between("risk", 0, 2),
        "state": _one_of("state", "waiting started done not_done in_doubt"),
        "reason": _one_of("reason", "refused failed stale cancelled forbidden not_reached crashed"),
        "not_done_has_a_reason": lambda r: (r["state"] == "not_done") == (r["reason"] is not None),
        "done_has_a_result": lambda r: r["state"] != "done" or r["result"] is not None,
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
        "sent_by": str,
        "opened_at": str,
        "deadline_at": str | None,
        "request_digest": str,
        "outcome": str | None,
        "detail": str | None,
        "returned_at": str | None,
    },
    checks={"outcome": _one_of("outcome", "made refused failed unknown")},
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
        "digest": str,
        "person": str,
        "conversation": str,
        "expires_at": str,
        "mac": str,
        "created_at": str,
        "used_at": str | None,
        "revoked_at": str | None,
    },
    checks={
        "token_hash": _long("token_hash", 64),
        "nonce": _long("nonce", 24),
        "question": _one_of("question", "confirm"),
        "digest": _long("digest", 64),
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
    columns={"org": str, "key": str, "layer": str, "plan": str, "created_at": str},
    checks={"key": _long("key", 64)},
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
    },
    checks={"seq": _at_least("seq", 1), "digest": _long("digest", 64)},
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
    },
    references=(OF_STEP,),
)
