"""Whether a plan's row, its steps, its sends and its events tell one and the same story."""

import json
from collections.abc import Iterator
from typing import Any

from semel import Engine
from semel.domain.canonical import sha256_text
from semel.runtime.chain import FIRST, link
from semel.runtime.faces import Detail

OPEN = {"waiting", "started"}
NOT_RUN = {"expired", "superseded"}


async def agrees(engine: Engine, *plans: str, edited: int = 0) -> None:
    """Assert that each of these plans agrees with itself, and every plan with what was signed.

    Args:
        engine: whose plans they are.
        plans: their numbers.
        edited: how many rows somebody who went round the program has edited.
    """
    for plan in plans:
        detail = await engine.operator.show(plan)
        assert detail is not None, plan
        assert list(wrong(detail)) == [], (detail.plan, detail.steps, detail.events)
    found = (await engine.operator.audit()).edited
    assert len(found) == edited, found


def wrong(detail: Detail) -> Iterator[str]:
    """What contradicts what, a sentence each."""
    yield from _plan_and_steps(detail)
    yield from _chain(detail)
    yield from _steps_and_events(detail)
    yield from _sends(detail)


def _plan_and_steps(detail: Detail) -> Iterator[str]:
    plan, states = detail.plan, [str(step["state"]) for step in detail.steps]
    state, reason = plan["state"], plan["reason"]
    done = states.count("done")
    if (state == "ended") != (reason is not None) or (state == "ended") != bool(plan["ended_at"]):
        yield f"{state} with {reason}"
    if states[:done] != ["done"] * done:
        yield f"done out of order: {states}"
    match state:
        case "asking":
            if set(states) != {"waiting"}:
                yield f"asks with {states}"
        case "running":
            if set(states) & {"not_done", "in_doubt"}:
                yield f"runs with {states}"
        case "ended":
            if OPEN & set(states):
                yield f"ended with {states}"
            if (reason == "finished") != (done == len(states)):
                yield f"{reason} with {states}"
            if (reason == "in_doubt") != ("in_doubt" in states):
                yield f"{reason} with {states}"
            if reason == "cancelled" and plan["cancelled_at"] is None:
                yield "cancelled by nobody"
            if reason in NOT_RUN and done:
                yield f"{reason} with {states}"


def _chain(detail: Detail) -> Iterator[str]:
    before = FIRST
    for number, event in enumerate(detail.events, start=1):
        body = sha256_text(str(event["body"]))
        end = link(
            before, event["org"], event["plan"], number, event["at"], event["kind"],
            event["position"], body, event["told"],
        )  # fmt: skip
        if (event["seq"], event["body_digest"], event["digest"]) != (number, body, end):
            yield f"event {number} is not chained to the one before"
        before = str(event["digest"])


def _steps_and_events(detail: Detail) -> Iterator[str]:
    told = [(str(event["kind"]), event["position"]) for event in detail.events]
    for step in detail.steps:
        position, done = step["position"], step["state"] == "done"
        if told.count(("step_done", position)) != int(done):
            yield f"step {position} is {step['state']}, and was told done otherwise: {told}"
        if step["state"] == "in_doubt" and ("step_in_doubt", position) not in told:
            yield f"step {position} is in doubt, and nobody was told"
    ends = [event for event in detail.events if event["kind"] in {"ended", "proved_late"}]
    ran = ends and ends[-1]["kind"] == "ended" and detail.plan["state"] == "ended"
    if ran and _body(ends[-1])["reason"] != detail.plan["reason"]:
        yield f"told {_body(ends[-1])} and is {detail.plan['reason']}"


def _sends(detail: Detail) -> Iterator[str]:
    contradicted = any(event["kind"] == "contradicted" for event in detail.events)
    for step in detail.steps:
        sends = [row for row in detail.attempts if row["position"] == step["position"]]
        # Where the other side tells repeats apart, two sends may have brought the same proof.
        proofs = {row["key"] for row in sends if row["outcome"] == "made"}
        if len(proofs) > 1 or (proofs and step["state"] != "done" and not contradicted):
            yield f"step {step['position']} is {step['state']} with proofs of {proofs}"


def _body(event: Any) -> dict[str, Any]:
    return json.loads(str(event["body"]))
