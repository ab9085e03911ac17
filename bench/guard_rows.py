"""The rows of a guard: a Local tool behind ``@guard.once``, and its repeat.

Its callers are tasks of one loop that ask for the answer in words, as a model is given it: what the
signature, the key, the value and the sentence cost is part of the figure.
"""

from functools import partial
from typing import Any

import uvloop

import semel
from bench.load import Amount, Measured, tasks
from bench.rows import PAYLOAD, REPLAYED, Job, Ran, Unusable, durable
from bench.semel_rows import KEYS, ORG, SQL
from semel.errors import SemelError
from semel.guard import Guarded

LOADS = ("W1", "W1r")
"""A guard has no plans."""


def guard_row(url: str, warm: Job, job: Job) -> Ran:
    """A guard on one database."""
    if job.load not in LOADS:
        raise Unusable("A guard makes single calls: the loads of this row are W1 and W1r.")
    try:
        return uvloop.run(_run(url, warm, job))
    except SemelError as no:
        raise Unusable(str(no)) from no


async def _run(url: str, warm: Job, job: Job) -> Ran:
    found = Measured()
    with semel.Guard(url, org=ORG, sql=SQL) as guard:

        @guard.once(effect=semel.Local())
        def add(key: str, *, tx: Any) -> dict[str, str]:
            tx.run("effects.insert", key=key, payload=PAYLOAD)
            return {"key": key}

        for one in (warm, job):
            call = partial(_call, guard, add, one)
            if one.load == "W1r":
                await tasks(1, Amount(calls=REPLAYED), call)
            found = await tasks(one.callers, one.amount, call)
    async with semel.Engine(url, [], allow=lambda *_: False, sql=SQL, keys=KEYS) as engine:
        settings = await engine.write(lambda tx: dict(tx.one("effects.durability") or {}))
    return Ran(found, durable(settings))


async def _call(
    guard: semel.Guard, add: Guarded[object], job: Job, number: int, caller: int
) -> object:
    del caller
    with guard.turn(ORG):
        return await add.answer(job.key(number))
