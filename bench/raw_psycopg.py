"""The raw row of PostgreSQL: psycopg, as an ordinary program uses it.

It does what code without semel would have to do for the same promise, in one transaction: claim the
key, do the effect, write the result. Each caller has a connection of its own, with prepared
statements; nothing is pooled, so nothing is lost on a pool. ``SEMEL_BENCH_RAW=threads`` has
threads and blocking connections in place of tasks of one loop.
"""

import json
import os
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import uvloop

from bench.load import Amount, Measured, tasks, threads
from bench.rows import PAYLOAD, REPLAYED, STEPS, Job, Ran, Unusable, durable

TABLES = """
CREATE TABLE IF NOT EXISTS effects (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key TEXT NOT NULL, payload TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS raw_calls (key TEXT PRIMARY KEY, result TEXT);
CREATE TABLE IF NOT EXISTS raw_plans (id TEXT PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS raw_steps (
    plan TEXT NOT NULL, position INTEGER NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (plan, position));
"""
SETTINGS = (
    "SELECT current_setting('fsync') AS fsync,"
    " current_setting('synchronous_commit') AS synchronous_commit,"
    " current_setting('full_page_writes') AS full_page_writes,"
    " current_setting('wal_sync_method') AS wal_sync_method,"
    " current_setting('server_version') AS server_version"
)
CLAIM = "INSERT INTO raw_calls (key) VALUES (%s) ON CONFLICT DO NOTHING RETURNING key"
EFFECT = "INSERT INTO effects (key, payload) VALUES (%s, %s)"
RESULT = "UPDATE raw_calls SET result = %s WHERE key = %s"
FIND = "SELECT result FROM raw_calls WHERE key = %s"
PLAN = "INSERT INTO raw_plans (id, state) VALUES (%s, 'running')"
STEP = "INSERT INTO raw_steps (plan, position, result) VALUES (%s, %s, %s)"
ENDED = "UPDATE raw_plans SET state = 'ended' WHERE id = %s"

Tasks = psycopg.AsyncConnection[tuple[Any, ...]]
Thread = psycopg.Connection[tuple[Any, ...]]


def raw_psycopg(url: str, warm: Job, job: Job) -> Ran:
    """Tasks of one loop, or threads."""
    try:
        with psycopg.connect(url, autocommit=True) as db:
            db.execute(TABLES)
            found = db.execute(SETTINGS)
            names = [column.name for column in found.description or ()]
            settings = durable(dict(zip(names, found.fetchone() or (), strict=True)))
        in_threads = os.environ.get("SEMEL_BENCH_RAW") == "threads"
        run = _threads if in_threads else lambda *all: uvloop.run(_tasks(*all))
        return Ran(run(url, warm, job), settings)
    except psycopg.OperationalError as no:
        # What the server or its absence says may go over several lines.
        raise Unusable(f"The database cannot be used: {' '.join(str(no).split())}.") from no


async def _tasks(url: str, warm: Job, job: Job) -> Measured:
    many = [await psycopg.AsyncConnection.connect(url, autocommit=True) for _ in range(job.callers)]
    for one in many:
        one.prepare_threshold = 2
    found = Measured()
    try:
        for part in (warm, job):
            if part.load == "W1r":
                await tasks(1, Amount(calls=REPLAYED), _task(many, part, "W1"))
            found = await tasks(part.callers, part.amount, _task(many, part, part.load))
    finally:
        for one in many:
            await one.close()
    return found


def _task(many: list[Tasks], job: Job, load: str) -> Callable[[int, int], Awaitable[object]]:
    async def call(number: int, caller: int) -> object:
        db, key = many[caller], job.key(number)
        async with db.transaction():
            if await (await db.execute(CLAIM, (key,))).fetchone() is not None:
                await db.execute(EFFECT, (key, PAYLOAD))
                result = {"key": key}
                await db.execute(RESULT, (json.dumps(result), key))
                return result
        return await replay(number, caller)

    async def replay(number: int, caller: int) -> object:
        row = await (await many[caller].execute(FIND, (job.key(number),))).fetchone()
        return json.loads(row[0]) if row else None

    async def plan(number: int, caller: int) -> None:
        db, id = many[caller], job.key(number)
        for position in range(1, STEPS + 1):
            async with db.transaction():
                if position == 1:
                    await db.execute(PLAN, (id,))
                key = f"{id}.{position}"
                await db.execute(EFFECT, (key, PAYLOAD))
                await db.execute(STEP, (id, position, json.dumps({"key": key})))
                if position == STEPS:
                    await db.execute(ENDED, (id,))

    return {"W1": call, "W1r": replay, "W2": plan}[load]


def _threads(url: str, warm: Job, job: Job) -> Measured:
    many = [psycopg.connect(url, autocommit=True) for _ in range(job.callers)]
    for one in many:
        one.prepare_threshold = 2
    found = Measured()
    try:
        for part in (warm, job):
            if part.load == "W1r":
                threads(1, Amount(calls=REPLAYED), _thread(many, part, "W1"))
            found = threads(part.callers, part.amount, _thread(many, part, part.load))
    finally:
        for one in many:
            one.close()
    return found


def _thread(many: list[Thread], job: Job, load: str) -> Callable[[int, int], object]:
    def call(number: int, caller: int) -> object:
        db, key = many[caller], job.key(number)
        with db.transaction():
            if db.execute(CLAIM, (key,)).fetchone() is not None:
                db.execute(EFFECT, (key, PAYLOAD))
                result = {"key": key}
                db.execute(RESULT, (json.dumps(result), key))
                return result
        return replay(number, caller)

    def replay(number: int, caller: int) -> object:
        row = many[caller].execute(FIND, (job.key(number),)).fetchone()
        return json.loads(row[0]) if row else None

    def plan(number: int, caller: int) -> None:
        db, id = many[caller], job.key(number)
        for position in range(1, STEPS + 1):
            with db.transaction():
                if position == 1:
                    db.execute(PLAN, (id,))
                key = f"{id}.{position}"
                db.execute(EFFECT, (key, PAYLOAD))
                db.execute(STEP, (id, position, json.dumps({"key": key})))
                if position == STEPS:
                    db.execute(ENDED, (id,))

    return {"W1": call, "W1r": replay, "W2": plan}[load]
