"""The rows of semel: ``engine.once``, and a safe plan through ``engine.agent.act``."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvloop

import semel
from bench.load import Amount, Measured, tasks
from bench.rows import PAYLOAD, REPLAYED, STEPS, Job, Ran, Unusable, durable
from semel import (
    SAFE,
    Action,
    Ctx,
    Input,
    Keyring,
    Line,
    Local,
    Made,
    Preview,
    Report,
    Risk,
    Tx,
    Who,
)
from semel.errors import SemelError
from semel.facts import Text

SQL = Path(__file__).parent / "sql"
KEYS = Keyring((("bench", b"b" * 32),))
ORG = "bench"


class Words(Input):
    """What a step is given."""

    key: Line


class Effect(Action, name="effect.add", effect=Local(), allow="effects.add"):
    """Write one effect."""

    will = did = {"es": "Efecto {key}", "en": "Effect {key}"}  # noqa: RUF012 - a declaration
    Input = Words

    def risk(self, i: Words, ctx: Ctx) -> Risk:
        """Nobody is asked."""
        del i, ctx
        return SAFE

    def preview(self, i: Words, ctx: Ctx) -> Preview:
        """Its name."""
        del ctx
        return Preview(key=Text(i.key))

    def run(self, i: Words, ctx: Ctx) -> Made:
        """One INSERT, as the raw rows have it."""
        ctx.tx.run("effects.insert", key=i.key, payload=PAYLOAD)
        return Made(key=Text(i.key))


def semel_row(url: str, warm: Job, job: Job) -> Ran:
    """An engine on one database; its callers are tasks of one loop."""
    try:
        return uvloop.run(_run(url, warm, job))
    except SemelError as no:
        raise Unusable(str(no)) from no


async def _run(url: str, warm: Job, job: Job) -> Ran:
    async with opened(url) as engine:
        settings = durable(await engine.write(lambda tx: dict(tx.one("effects.durability") or {})))
        found = Measured()
        for one in (warm, job):
            if one.load == "W1r":
                await tasks(1, Amount(calls=REPLAYED), calls(engine, one))
            found = await tasks(one.callers, one.amount, calls(engine, one))
        return Ran(found, settings)


def opened(url: str) -> semel.Engine:
    """The engine of the rows."""
    return semel.Engine(url, [Effect()], allow=lambda *_: True, sql=SQL, keys=KEYS)


def calls(engine: semel.Engine, job: Job) -> Callable[[int, int], Awaitable[object]]:
    """One call of a load."""

    async def once(number: int, _: int) -> object:
        key = job.key(number)

        def fn(tx: Tx) -> dict[str, Any]:
            tx.run("effects.insert", key=key, payload=PAYLOAD)
            return {"key": key}

        return await engine.once(key, fn, org=ORG)

    async def plan(number: int, caller: int) -> object:
        key = job.key(number)
        who = Who(f"{ORG}-{caller}", "ana", job.label, "en")
        steps = [
            {"action": Effect.name, "input": {"key": f"{key}.{n}"}} for n in range(1, STEPS + 1)
        ]
        outcome = await engine.agent.act(who, {"steps": steps}, message=key)
        if not isinstance(outcome, Report):
            raise TypeError(f"A safe plan came to {outcome}.")
        return outcome

    return plan if job.load == "W2" else once
