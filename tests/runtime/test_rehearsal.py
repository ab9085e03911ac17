"""A rehearsal runs the real functions and leaves nothing; an Invalid plan keeps nothing."""

import argparse
import asyncio
from decimal import Decimal

import pytest
from app import ANA, insert
from notas_bench import act, crear, enviar, firmar, guion, opened, plan, told

import stores
from semel import Ask, Invalid, Made, Missing, NotDone, Preview, Refused
from semel.facts import Count, Money, Text

SEMEL = ("semel_",)


def test_a_rehearsal_leaves_nothing_of_the_application_behind(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.note(engine, "De antes")
            before, counts = bench.dump(*SEMEL), bench.counts()
            steps = [crear(f"Nota {n}", urgente=True) for n in range(8)]
            await bench.asked(engine, *steps, firmar("$1"), enviar("$9"))
            assert bench.crear.calls == 8
            # The diary's AUTOINCREMENT and the counter of folios stand where they stood, too.
            assert bench.dump(*SEMEL) == before
            grown = {name for name, n in bench.counts().items() if n != counts[name]}
            assert grown == {
                "semel_plans", "semel_steps", "semel_keys", "semel_confirmations", "semel_events"
            }  # fmt: skip
            assert bench.mundo.sends == 0

    asyncio.run(main())


def test_an_invalid_plan_leaves_the_file_as_it_was_byte_for_byte(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.note(engine)
            if stores.kind() == "sqlite":
                bench.sql("PRAGMA wal_checkpoint(TRUNCATE)")
            before = stores.whole(bench.path)
            for steps in (
                [crear("a"), crear("b", -1)],
                [crear("a"), firmar("$1"), firmar("$1")],
                [crear("a"), firmar("nobody")],
                [crear("a"), ("nota.completar", {})],
                [crear("a"), ("nota.otra", {})],
            ):
                assert isinstance(await act(engine, *steps), Invalid)
            bench.guion.run_is = lambda call, i, ctx: ctx.tx.run("notas.unknown")
            assert told(await act(engine, crear("a"), guion())) == ("Refused", "broken")
            assert stores.whole(bench.path) == before

    asyncio.run(main())


def test_a_later_step_sees_what_an_earlier_one_will_make(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("Cara", "1200"), firmar("$1"), enviar("$2"))
            shown = [step.facts for step in ask.view.steps]
            assert shown[1] == {
                "importe": Money(Decimal("1200.00")),
                "folio": Count(1, volatile=True),
                "aviso": Text("Importe alto"),
            }
            assert shown[2] == {"texto": Text("Cara"), "importe": Money(Decimal("1200.00"))}
            done = await engine.person(ANA).confirm(ask.token)
            assert [step.state for step in done.view.steps] == ["done"] * 3
            assert done.view.steps[1].made == {"folio": Count(1)}

    asyncio.run(main())


def test_a_step_may_refer_to_what_an_outside_step_will_touch(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, enviar(note), firmar("$1"))
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "finished")
            assert bench.sql("SELECT folio FROM notas") == [(1,)]

    asyncio.run(main())


def test_a_constraint_of_the_database_speaks_at_the_preview(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            before = bench.dump()
            bench.guion.run_is = lambda call, i, ctx: ctx.tx.run(
                "notas.insert", org=ctx.org, id=note, texto="otra vez", importe="1"
            )
            assert told(await act(engine, guion())) == ("Refused", "broken")
            assert bench.dump() == before

    asyncio.run(main())


def test_a_constraint_that_speaks_only_at_the_commit_is_refused_not_raised(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.guion.risk = lambda i, ctx: 0
            before = bench.dump()

            def guarantee(call, i, ctx):
                ctx.tx.run("notas.guarantee", org=ctx.org, nota="nobody")
                return Made()

            bench.guion.run_is = guarantee
            assert told(await act(engine, guion())) == ("Refused", "broken")
            assert bench.dump() == before
            # The same in a plan that asks: its rehearsals are taken back, so only the step fails.
            del bench.guion.risk
            ask = await bench.asked(engine, crear("a"), guion(), crear("b"))
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "failed")
            assert bench.notes() == ["a"]
            assert bench.steps(ask.view.plan) == [
                ("done", None), ("not_done", "failed"), ("not_done", "not_reached")
            ]  # fmt: skip

    asyncio.run(main())


def test_all_questions_of_all_steps_come_at_once_with_stand_ins(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            before = bench.dump()
            outcome = await act(
                engine,
                ("nota.completar", {}),
                ("nota.completar", {"texto": "Web"}),
                firmar("$1"),
                enviar("$2"),
                ("nota.completar", {"importe": "3"}),
            )
            assert isinstance(outcome, Invalid)
            assert outcome.problems == ()
            asked = [(missing.field, missing.of) for missing in outcome.questions]
            assert asked == [
                ("texto", ""), ("importe", ""), ("importe", "Web"), ("lema", "Nota sin lema"),
                ("texto", ""),
            ]  # fmt: skip
            assert bench.dump() == before
            # Nothing was kept, so the same words with the answers are a plan like any other.
            whole = {"texto": "Web", "importe": "3"}
            assert isinstance(await act(engine, ("nota.completar", whole)), Ask)

    asyncio.run(main())


def test_a_question_that_hides_what_a_later_step_needs_makes_no_problem_of_it(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.guion.preview_is = lambda i, ctx: Preview(missing=[Missing("nif", of="María")])

            def fails(call, i, ctx):
                raise KeyError("nif")

            bench.guion.run_is = fails
            outcome = await act(engine, guion(), firmar("$1"), ("nota.completar", {}))
            assert isinstance(outcome, Invalid)
            assert outcome.problems == ()
            assert [q.field for q in outcome.questions] == ["nif", "texto", "importe"]

    asyncio.run(main())


def test_no_of_an_action_is_said_in_the_persons_language(tmp_path):
    async def main():
        async with opened(tmp_path) as (_, engine):
            outcome = await act(engine, crear("a"), crear("b", -1))
            assert isinstance(outcome, Invalid)
            (problem,) = outcome.problems
            assert (problem.code, problem.where, problem.detail) == (
                "action_says_no", "steps[2]", "El importe es negativo."
            )  # fmt: skip

    asyncio.run(main())


def odd_previews():
    yield "nothing", lambda i, ctx: None
    yield "a dict", lambda i, ctx: {"paso": "uno"}
    yield "a plain string as fact", lambda i, ctx: Preview(paso="uno")
    yield "a number as text", lambda i, ctx: Preview(paso=Text(5))
    yield "text as a count", lambda i, ctx: Preview(cuantas=Count("3"))
    yield "an unknown risk", None
    yield "a number beyond every reader", lambda i, ctx: Preview(cuantas=Count(2**60))
    yield "half a character", lambda i, ctx: Preview(paso=Text("\ud83d"))


@pytest.mark.parametrize("what", dict(odd_previews()))
def test_a_preview_that_cannot_be_shown_is_refused_never_asked_about(tmp_path, what):
    preview = dict(odd_previews())[what]

    async def main():
        async with opened(tmp_path) as (bench, engine):
            before = bench.dump()
            if preview is None:
                bench.guion.risk = lambda i, ctx: 7
            else:
                bench.guion.preview_is = preview
            assert told(await act(engine, guion())) == ("Refused", "broken")
            assert bench.dump() == before

    asyncio.run(main())


class Odd(BaseException):
    """An exception that does not even want to be one."""


ERRORS = [
    ValueError("no"),
    KeyError("x"),
    ZeroDivisionError(),
    RecursionError(),
    MemoryError(),
    StopIteration(),
    StopAsyncIteration(),
    GeneratorExit(),
    KeyboardInterrupt(),
    SystemExit(3),
    asyncio.CancelledError(),
    Odd(),
    ExceptionGroup("g", [ValueError()]),
]


@pytest.mark.parametrize("phase", ["preview", "risk", "run"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_whatever_a_handler_raises_in_a_rehearsal_is_refused_and_logged(
    tmp_path, caplog, phase, error
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            before = bench.dump()

            def fails(*args):
                if phase == "run":
                    insert(args[-1], "a medias", Decimal(1))
                raise error

            if phase == "risk":
                bench.guion.risk = fails
            else:
                setattr(bench.guion, f"{phase}_is", fails)
            assert told(await act(engine, crear("a"), guion())) == ("Refused", "broken")
            assert bench.dump() == before
            assert any(record.exc_info for record in caplog.records)
            # The engine goes on.
            assert told(await act(engine, crear("b"))) == ("Report", "finished")

    asyncio.run(main())


def test_a_handler_that_reads_a_command_line_does_not_end_the_process(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.guion.run_is = lambda call, i, ctx: argparse.ArgumentParser().parse_args(["--x"])
            assert told(await act(engine, guion())) == ("Refused", "broken")

    asyncio.run(main())


def test_a_handler_that_takes_too_long_is_refused_and_written_nowhere(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            before = bench.dump()

            def slow(call, i, ctx):
                bench.move(seconds=5.1)
                return Made(insert(ctx, "lenta", Decimal(1)))

            bench.guion.run_is = slow
            outcome = await engine.agent.act(ANA, plan(guion()), message="m-1")
            assert isinstance(outcome, Refused)
            assert told(outcome) == ("Refused", "broken")
            assert bench.dump() == before

    asyncio.run(main())


def test_not_done_in_a_preview_is_a_problem_with_its_words(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):

            def no(i, ctx):
                raise NotDone({"es": "Hoy no.", "en": "Not today."})

            bench.guion.preview_is = no
            outcome = await act(engine, guion())
            assert isinstance(outcome, Invalid)
            assert [problem.detail for problem in outcome.problems] == ["Hoy no."]

    asyncio.run(main())
