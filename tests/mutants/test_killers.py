"""What no other test says by an assertion of its own: these kill mutants that others only trip over."""

import asyncio
from concurrent.futures import Future
from contextlib import suppress

import pytest
from app import ANA
from notas_bench import crear, enviar, opened

from semel.errors import CommitUnknown
from semel.runtime.chain import link
from semel.runtime.sweep import _take_over
from semel.testing import interrupt_at


class Crash(BaseException):
    """The process ends here, as far as this plan is concerned."""


def crash():
    raise Crash


class Back(Exception):
    """Takes a transaction back."""


class Losing:
    """A store whose next transaction is lost at its commit, while somebody else does something."""

    def __init__(self, inner, meanwhile):
        self.inner = inner
        self.meanwhile = [meanwhile]

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def submit(self, work, *, own=False):
        if not self.meanwhile:
            return self.inner.submit(work, own=own)

        def taken_back(tx):
            work(tx)
            raise Back

        try:
            self.inner.transact(taken_back)
        except Back:
            self.meanwhile.pop()()
        lost = Future()
        lost.set_exception(CommitUnknown())
        return lost


@pytest.mark.only_on("sqlite", "there a transaction can be taken apart from outside")
def test_a_take_over_whose_commit_was_lost_is_not_mine_because_the_epoch_is_the_same(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("a", urgente=True), enviar("$1"))
            plan = ask.view.plan
            with interrupt_at("commit:confirm:after", crash), suppress(Crash):
                await engine.person(ANA).confirm(ask.token)
            bench.move(seconds=61)
            other = bench.engine()
            row = {"org": "o-1", "plan": plan, "epoch": 1}

            def taken():
                other._core.store.transact(lambda tx: _take_over(other._core, tx, row, "another's"))

            engine._core.store = Losing(engine._core.store, taken)
            swept = await engine.sweep()
            other.close()
            assert swept.resumed == ()
            assert bench.sql("SELECT epoch, stall FROM semel_plans") == [(2, 1)]
            assert bench.mundo.letters == []

    asyncio.run(main())


def test_an_events_digest_covers_the_one_before_it():
    def of(before: str) -> str:
        return link(before, "o-1", "p_1", 2, "now", "asked", None, "body", None)

    assert of("a" * 64) != of("b" * 64)
