"""A Local step: its effect and its record are one commit, whatever its handler tries."""

import asyncio
from decimal import Decimal

import pytest
from app import ANA, EVA, insert
from notas_bench import act, armed, crear, firmar, guion, opened, told, until

import stores
from semel import Made, NotDone
from semel.domain.consent import Question
from semel.errors import (
    Bug,
    CatalogError,
    Conflict,
    InDoubt,
    SchemaNewer,
    SemelError,
    StorageError,
    TimeLimit,
    Unreachable,
)
from semel.runtime import run
from semel.runtime.confirm import take
from semel.runtime.press import press
from semel.runtime.wait import launch
from semel.testing import recorded
from store_held import held


class Hostile(BaseException):
    """It cannot even be printed."""

    def __str__(self):
        raise RuntimeError("not even that")

    __repr__ = __str__


KINDS = [
    ValueError("a"), TypeError("b"), KeyError("c"), IndexError(), AttributeError("d"),
    ZeroDivisionError(), OverflowError(), ArithmeticError(), RecursionError(), MemoryError(),
    AssertionError(), NotImplementedError(), StopIteration(1), StopAsyncIteration(), EOFError(),
    LookupError(), OSError(28, "full"), TimeoutError(), ConnectionResetError(), FileNotFoundError(),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), ExceptionGroup("g", [ValueError()]),
    BaseExceptionGroup("g", [KeyboardInterrupt()]), GeneratorExit(), KeyboardInterrupt(),
    SystemExit(1), asyncio.CancelledError(), InDoubt("x"), Bug("x"), CatalogError("x"),
    Conflict("x"), TimeLimit("x"), SemelError("x"), Hostile(),
]  # fmt: skip


@pytest.mark.parametrize("error", KINDS, ids=lambda error: type(error).__name__)
def test_whatever_a_handler_raises_nothing_is_written_and_the_plan_has_failed(tmp_path, error):
    async def main():
        async with opened(tmp_path) as (bench, engine):

            def fails_at_last(call, i, ctx):
                insert(ctx, "a medias", Decimal(1))
                if call == 3:
                    raise error
                return Made()

            bench.guion.run_is = fails_at_last
            ask = await bench.asked(engine, crear("antes"), guion(), crear("después"))
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "failed")
            assert bench.notes() == ["antes"]
            assert bench.steps() == [
                ("done", None), ("not_done", "failed"), ("not_done", "not_reached")
            ]  # fmt: skip
            assert bench.events(ask.view.plan)[-3:] == ["step_done", "step_not_done", "ended"]
            # Its words are for the log: no error text is ever a result.
            assert bench.sql("SELECT detail FROM semel_steps WHERE position = 2") == [(None,)]
            again = await act(engine, crear("antes"), guion(), crear("después"))
            assert again.replayed
            # What is left is rehearsed for the offer of a retry; the effect is not there once more.
            assert bench.notes() == ["antes"]

    asyncio.run(main())


def test_a_no_of_the_action_is_kept_in_the_persons_language_and_cut_to_a_sentence(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):

            def no(call, i, ctx):
                if call == 3:
                    raise NotDone({"es": "No. " * 1000, "en": "No."})
                return Made()

            bench.guion.run_is = no
            ask = await bench.asked(engine, guion())
            report = await engine.person(ANA).confirm(ask.token)
            assert bench.steps() == [("not_done", "refused")]
            assert report.view.steps[0].detail == ("No. " * 1000)[:500]

    asyncio.run(main())


def test_a_plan_goes_on_when_its_database_is_back(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "AWAY_SECONDS", (0, 0, 0))

    async def main():
        async with opened(tmp_path) as (bench, engine):

            def away_for_a_while(call, i, ctx):
                if 3 <= call <= 5:
                    raise Unreachable
                return Made(insert(ctx, "una", Decimal(1)))

            bench.guion.run_is = away_for_a_while
            ask = await bench.asked(engine, guion())
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "finished")
            assert bench.notes() == ["una"]

    asyncio.run(main())


def test_a_plan_whose_database_stays_away_is_left_to_a_sweep(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "AWAY_SECONDS", (0,))

    async def main():
        async with opened(tmp_path) as (bench, engine):

            def away_for_long(call, i, ctx):
                if 3 <= call <= 4:
                    raise Unreachable
                return Made(insert(ctx, "una", Decimal(1)))

            bench.guion.run_is = away_for_long
            ask = await bench.asked(engine, guion())
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Running", None)
            assert bench.notes() == []
            bench.move(minutes=1)
            assert (await engine.sweep()).resumed == (ask.view.plan,)
            assert bench.notes() == ["una"]

    asyncio.run(main())


@pytest.mark.parametrize("error", [SchemaNewer(), StorageError("x")])
def test_a_database_that_fails_in_a_step_leaves_the_plan_to_be_resumed(tmp_path, error):
    async def main():
        async with opened(tmp_path) as (bench, engine):

            def fails_once(call, i, ctx):
                if call == 3:
                    raise error
                return Made(insert(ctx, "una", Decimal(1)))

            bench.guion.run_is = fails_once
            ask = await bench.asked(engine, guion())
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Running", None)
            assert bench.notes() == []
            bench.move(minutes=1)
            assert (await engine.sweep()).resumed == (ask.view.plan,)
            assert bench.notes() == ["una"]
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "finished")

    asyncio.run(main())


def test_a_step_that_takes_too_long_is_rolled_back_and_failed(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):

            def slow_at_last(call, i, ctx):
                if call == 3:
                    bench.move(seconds=5.001)
                return Made(insert(ctx, "lenta", Decimal(1)))

            bench.guion.run_is = slow_at_last
            ask = await bench.asked(engine, guion())
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "failed")
            assert bench.notes() == []

    asyncio.run(main())


def spoils(call, i, ctx):
    if call >= 3:
        ctx.tx.run("notas.spoil", org=ctx.org, id=i.paso)
    return Made()


def breaks(call, i, ctx):
    insert(ctx, "rota", Decimal(1))
    if call >= 3:
        raise ValueError("no")
    return Made()


def breaks_at_the_commit(call, i, ctx):
    if call >= 3:
        ctx.tx.run("notas.guarantee", org=ctx.org, nota="nobody")
    return Made()


@pytest.mark.parametrize("bad", [spoils, breaks, breaks_at_the_commit])
def test_of_two_local_steps_in_one_commit_one_fails_and_the_others_effect_stays(tmp_path, bad):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine, "De antes")
            bench.guion.run_is = bad
            one = await bench.asked(engine, guion(note))
            two = await bench.asked(engine, crear("Otra", urgente=True), who=EVA)
            # Both have said yes, and neither has begun.
            core = engine._core
            yeses = [
                await press(core, who, ask.token, Question.CONFIRM, take)
                for who, ask in ((ANA, one), (EVA, two))
            ]
            taken = []
            with held(engine) as hold, armed(taken.append):
                runs = [asyncio.create_task(launch(core, yes.owner)) for yes in yeses]
                await until(lambda: hold.waiting == 2)
                hold.release()
                await asyncio.wait(runs)
            alone = stores.kind() == "postgres"  # each transaction has a connection of its own
            if bad is spoils and not alone:
                # It took the transaction away each time: three take-overs later it is given up.
                for _ in range(3):
                    bench.move(minutes=1)
                    swept = await engine.sweep()
                assert swept.given_up == (one.view.plan,)
            assert bench.steps(one.view.plan) == [
                ("not_done", "crashed" if bad is spoils and not alone else "failed")
            ]  # fmt: skip
            assert bench.notes() == ["De antes", "Otra"]
            assert bench.steps(two.view.plan) == [("done", None)]
            if bad is breaks and not alone:
                # They were of one commit: both had been worked on before either was told.
                second = [n for n, name in enumerate(taken) if name == "commit:local:before"][1]
                assert second < taken.index("commit:local:after")

    asyncio.run(main())


def test_a_record_changed_by_somebody_else_between_two_steps_makes_the_second_stale(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("a", urgente=True), firmar("$1"))

            def meddle(name):
                if name == "commit:local:after":
                    bench.sql("UPDATE notas SET version = version + 1")

            with armed(meddle):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "stale")
            assert bench.steps() == [("done", None), ("not_done", "stale")]
            assert bench.sql("SELECT folio FROM notas") == [(None,)]

    asyncio.run(main())


def test_b07_4_a_handler_that_changes_what_it_was_given_changes_only_its_copy(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            given = []

            def mutates(call, i, ctx):
                given.append(i.paso)
                object.__setattr__(i, "paso", "otra cosa")
                i.__dict__["paso"] = "otra cosa"
                return Made()

            bench.guion.run_is = mutates
            ask = await bench.asked(engine, guion("uno"), guion("dos"))
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "finished")
            assert given == ["uno", "dos"] * 3
            assert bench.sql("SELECT input FROM semel_steps ORDER BY position") == [
                ('{"paso":"uno"}',), ('{"paso":"dos"}',)
            ]  # fmt: skip

    asyncio.run(main())


def test_an_action_that_this_program_no_longer_has_is_not_run(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, guion())
            stopped = await bench.asked(engine, guion(), who=EVA)
            del engine._core.catalog._actions["nota.guion"]
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "stale")
            assert bench.guion.calls == 2
            # And so it is when the plan had begun before: here its yes is on disk already.
            engine._core.catalog._actions["nota.guion"] = bench.guion

            def forget(name):
                if name == "commit:confirm:after":
                    del engine._core.catalog._actions["nota.guion"]

            with armed(forget):
                report = await engine.person(EVA).confirm(stopped.token)
            assert told(report) == ("Report", "failed")
            assert bench.guion.calls == 3

    asyncio.run(main())


def test_every_commit_of_a_local_plan_is_one_of_the_named_ones(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("a", urgente=True), firmar("$1"))
            with recorded() as passed:
                await engine.person(ANA).confirm(ask.token)
            assert [name for name in passed if name.startswith("commit:")] == [
                "commit:confirm:before", "commit:confirm:after",
                "commit:local:before", "commit:local:after",
                "commit:local:before", "commit:local:after",
            ]  # fmt: skip

    asyncio.run(main())
