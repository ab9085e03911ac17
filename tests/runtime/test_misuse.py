"""What a handler may not do with its transaction: refused at the rehearsal, failed at the step."""

import asyncio
from decimal import Decimal

import pytest
from app import ANA, insert
from notas_bench import act, crear, guion, opened, told

from semel import Made


def misuses():
    def stashed(call, i, ctx, kept=[]):  # noqa: B006 - it is the stash
        kept.append(ctx.tx)
        return Made(dict(kept[0].one("notas.find", org="o-1", id="x") or {}))

    yield "another's transaction", stashed
    yield "the engine's statements", lambda c, i, ctx: ctx.tx.run("plans.dismiss", org="o-1")
    yield "raw SQL", lambda c, i, ctx: ctx.tx.all("DELETE FROM semel_plans")
    yield "a float", lambda c, i, ctx: ctx.tx.run("notas.delete", org="o-1", id=1.5)
    yield "a Decimal", lambda c, i, ctx: ctx.tx.run("notas.delete", org="o-1", id=Decimal(1))
    yield "half a character", lambda c, i, ctx: insert(ctx, "\ud83d", Decimal(1))
    yield "an integer of no column", lambda c, i, ctx: ctx.tx.run("notas.delete", org=2**70, id="")
    yield "commit", lambda c, i, ctx: ctx.tx.commit()
    yield "rollback", lambda c, i, ctx: ctx.tx.rollback()
    yield "a savepoint", lambda c, i, ctx: ctx.tx.savepoint()
    yield "the engine's view", lambda c, i, ctx: ctx.tx.app
    yield "a changed context", lambda c, i, ctx: setattr(ctx, "org", "o-2")
    yield "a changed input", lambda c, i, ctx: setattr(i, "paso", "dos")
    yield "not a Made", lambda c, i, ctx: {"id": 1}
    yield "a row of no kind", lambda c, i, ctx: Made(object())


@pytest.mark.parametrize("what", dict(misuses()))
def test_a_misused_transaction_is_refused_at_the_rehearsal_and_at_the_step(tmp_path, what):
    misuse = dict(misuses())[what]

    async def main():
        async with opened(tmp_path) as (bench, engine):
            before = bench.dump()
            bench.guion.run_is = lambda call, i, ctx: misuse(call, i, ctx) and misuse(call, i, ctx)
            assert told(await act(engine, guion())) == ("Refused", "broken")
            assert bench.dump() == before
            bench.guion.calls = 0
            bench.guion.run_is = lambda call, i, ctx: misuse(call, i, ctx) if call > 2 else Made()
            ask = await bench.asked(engine, crear("a"), guion())
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "failed")
            assert bench.notes() == ["a"]

    asyncio.run(main())


def test_a_transaction_cannot_wait_for_the_engine_it_runs_in(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            store = engine._core.store
            for inside in (
                lambda: store.transact(lambda tx: None),
                lambda: engine.sync.read(lambda tx: None),
            ):
                bench.guion.run_is = lambda call, i, ctx, inside=inside: inside()
                assert told(await act(engine, guion())) == ("Refused", "broken")

    asyncio.run(main())
