"""The rows of a guard: a Local tool behind ``@guard.once``, and its repeat.

``guard-*`` is called as code calls it, by a thread for each caller, and gives the plain value, as
``engine.once`` does. ``told-*`` is asked for the answer in words, as a model is given it, by tasks
of one loop: the sentence is part of the figure.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import uvloop

import semel
from bench.load import Amount, Measured, tasks, threads
from bench.rows import PAYLOAD, REPLAYED, Job, Ran, Unusable, durable
from bench.semel_rows import KEYS, ORG, SQL
from semel.errors import SemelError
from semel.guard import Guarded

LOADS = ("W1", "W1r")
"""A guard has no plans."""


def guard_row(url: str, warm: Job, job: Job) -> Ran:
    """A guard on one database, called by code."""
    _check(job)

    def measure(guard: semel.Guard, add: "Guarded[object]") -> Measured:
        def called(job: Job) -> Callable[[int, int], object]:
            def call(number: int, _: int) -> object:
                with guard.turn(ORG):
                    return add(job.key(number))

            return call

        found = Measured()
        for one in (warm, job):
            if one.load == "W1r":
                threads(1, Amount(calls=REPLAYED), called(one))
            found = threads(one.callers, one.amount, called(one))
        return found

    return _opened(url, measure)


def told_row(url: str, warm: Job, job: Job) -> Ran:
    """A guard on one database, whose answers are words."""
    _check(job)

    def measure(guard: semel.Guard, add: "Guarded[object]") -> Measured:
        def asked(job: Job) -> Callable[[int, int], Awaitable[object]]:
            async def call(number: int, _: int) -> object:
                with guard.turn(ORG):
                    return await add.answer(job.key(number))

            return call

        async def run() -> Measured:
            found = Measured()
            for one in (warm, job):
                if one.load == "W1r":
                    await tasks(1, Amount(calls=REPLAYED), asked(one))
                found = await tasks(one.callers, one.amount, asked(one))
            return found

        return uvloop.run(run())

    return _opened(url, measure)


def _check(job: Job) -> None:
    if job.load not in LOADS:
        raise Unusable("A guard makes single calls: the loads of this row are W1 and W1r.")


def _opened(url: str, measure: "Callable[[semel.Guard, Guarded[object]], Measured]") -> Ran:
    try:
        with semel.Guard(url, org=ORG, sql=SQL) as guard:

            @guard.once(effect=semel.Local())
            def add(key: str, *, tx: Any) -> dict[str, str]:
                tx.run("effects.insert", key=key, payload=PAYLOAD)
                return {"key": key}

            found = measure(guard, add)
        return Ran(found, durable(asyncio.run(_settings(url))))
    except SemelError as no:
        raise Unusable(str(no)) from no


async def _settings(url: str) -> dict[str, object]:
    """What the database's sessions are set to, as an engine's has them."""
    async with semel.Engine(url, [], allow=lambda *_: False, sql=SQL, keys=KEYS) as engine:
        return await engine.write(lambda tx: dict(tx.one("effects.durability") or {}))
