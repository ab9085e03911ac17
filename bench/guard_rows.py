"""The rows of a guard: a Local tool behind ``@guard.once``, and its repeat.

Its callers are threads: a Local tool is a plain function. What its signature, its key and its words
cost is part of the figure.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import semel
from bench.load import Amount, Measured, threads
from bench.rows import PAYLOAD, REPLAYED, Job, Ran, Unusable, durable
from bench.semel_rows import KEYS, ORG, SQL
from semel.errors import SemelError

LOADS = ("W1", "W1r")
"""A guard has no plans."""


def guard_row(url: str, warm: Job, job: Job) -> Ran:
    """A guard on one database."""
    if job.load not in LOADS:
        raise Unusable("A guard makes single calls: the loads of this row are W1 and W1r.")
    try:
        return _run(url, warm, job)
    except SemelError as no:
        raise Unusable(str(no)) from no


def _run(url: str, warm: Job, job: Job) -> Ran:
    found = Measured()
    with semel.Guard(url, org=ORG, sql=SQL) as guard:

        @guard.once(effect=semel.Local())
        def add(key: str, *, tx: Any) -> dict[str, str]:
            tx.run("effects.insert", key=key, payload=PAYLOAD)
            return {"key": key}

        for one in (warm, job):
            if one.load == "W1r":
                threads(1, Amount(calls=REPLAYED), partial(_call, guard, add, one))
            found = threads(one.callers, one.amount, partial(_call, guard, add, one))
    with semel.Engine(url, [], allow=lambda *_: False, sql=SQL, keys=KEYS).sync as engine:
        settings = engine.write(lambda tx: dict(tx.one("effects.durability") or {}))
    return Ran(found, durable(settings))


def _call(
    guard: semel.Guard, add: Callable[..., object], job: Job, number: int, caller: int
) -> object:
    with guard.turn(f"{ORG}-{caller}" if job.load == "W1" else ORG):
        return add(job.key(number))
