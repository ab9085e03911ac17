"""A send of an earlier round that turns out to have arrived: the retried plan goes on after it."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import DONE, carta, crear, firmar, opened, states, told
from pedidos import ANA

from semel import Made
from semel.domain.plan import Owner
from semel.runtime import look
from semel.runtime.chain import chained
from semel.runtime.proof import Send, made
from semel.testing import interrupt_at


async def denied(bench, engine):
    """A plan whose letter got no answer, of which a person said that it did not arrive."""
    bench.afuera.goes = {"carta.enviar": "gone"}
    ask = await bench.asked(engine, crear(), carta(), firmar())
    await engine.person(ANA).confirm(ask.token)
    bench.afuera.goes = {}
    bench.move(minutes=3)
    await engine.sweep()
    return await engine.person(ANA).did_not(ask.view.plan, 2)


def comes_late(bench, engine, plan):
    """What that send brings back after all, written by the process that had sent it."""
    other = bench.engine()
    core = other._core

    def work(tx):
        stored = look.load(tx, "o-1", plan)
        attempt = look.attempts_of(tx, "o-1", plan, 2)[0]
        action = core.catalog.get("carta.enviar")
        made(
            tx,
            Send(Owner("o-1", plan, 1), action, stored.steps[1], False, attempt.id),
            Made(id="x"),
        )

    core.store.transact(lambda tx: chained(core.keys, work, tx, tx))
    core.store.close()


@pytest.mark.parametrize(
    ("point", "sent_again"),
    [("commit:retry:after", False), ("prepare:before", False), ("prepare:after", False),
     ("commit:mark:after", True), ("send:after", True), ("commit:made:after", True)],
)  # fmt: skip
def test_a_proof_that_comes_at_any_moment_of_the_retry_lets_the_plan_end(
    tmp_path, point, sent_again
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            report = await denied(bench, engine)
            number = report.view.plan
            before = bench.afuera.sent()
            with interrupt_at(point, lambda: comes_late(bench, engine, number)):
                done = await engine.person(ANA).retry(report.retry_token)
            assert told(done) == DONE
            assert states(done) == ["done"] * 3
            assert bench.afuera.sent() - before == int(sent_again)
            assert bench.signed() == 1
            assert "contradicted" in bench.events(number)
            await agrees(engine, number)

    asyncio.run(main())
