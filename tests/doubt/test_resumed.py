"""A plan that stopped half-way, resumed by other processes: a position decides what is left."""

import asyncio
import json
import signal
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from dudas import CARTA, Banco, Step, crear, does, firmar, no_power_cut, opened, told
from pedidos import ANA

from semel import Engine, Report
from semel.testing import crash_at, recorded
from semel.testing.crash import fork

DONE = ("Report", "finished")
FAILED = ("Report", "failed")
REMIND: Step = ("nota.avisar", {"nota": "$1", "dias": 5})
PLAN = (crear(), firmar("$1"), does(CARTA, "$1"), REMIND)


def in_a_process(folder, work: Callable[[Banco, Engine], Coroutine[Any, Any, Any]]) -> int:
    """Do *work* in a process of its own, with its own engine; how it ended."""

    async def main():
        banco = Banco(folder)
        banco.afuera.goes[CARTA] = (folder / "goes").read_text()
        engine = banco.engine()
        no_power_cut(engine)
        await engine.start(sweeps=False)
        try:
            await work(banco, engine)
        finally:
            await engine.stop()

    return fork(lambda: asyncio.run(main()))


@pytest.mark.parametrize(
    ("point", "occurrence"),
    [
        # The second step's result is stored, and the plan has not gone on; or all but the commit is.
        ("commit:local:after", 2),
        ("commit:local:before", 2),
        ("statement:steps.done:after", 2),
        ("app:notas.sign:after", 2),
        ("prepare:before", 1),
        ("commit:not_made:after", 1),
    ],
)
def test_b04_a_third_process_does_what_is_left_and_calls_nothing_that_is_done(
    tmp_path, point, occurrence
):
    (tmp_path / "goes").write_text("refuse")

    async def first(banco, engine):
        ask = await banco.asked(engine, *PLAN)
        (tmp_path / "plan").write_text(ask.view.plan)
        with crash_at(point, occurrence):
            await engine.person(ANA).confirm(ask.token)

    async def second(banco, engine):
        # The first one is known to be dead, so nobody waits for its time.
        assert (await engine.sweep()).running == 0
        report = await engine.person(ANA).status((tmp_path / "plan").read_text())
        assert isinstance(report, Report)
        (tmp_path / "token").write_text(report.retry_token or "")

    async def third(banco, engine):
        with recorded() as passed:
            report = await engine.person(ANA).retry((tmp_path / "token").read_text())
        (tmp_path / "third").write_text(json.dumps([told(report), passed]))

    assert in_a_process(tmp_path, first) == -signal.SIGKILL
    assert in_a_process(tmp_path, second) == 0
    banco = Banco(tmp_path)
    assert banco.steps()[:4] == [
        ("done", None), ("done", None), ("not_done", "refused"), ("not_done", "not_reached")
    ]  # fmt: skip
    before = banco.sql("SELECT id, text, signed FROM notas")
    done = banco.sql("SELECT result, ended_at FROM semel_steps WHERE position < 3 ORDER BY 2")
    (tmp_path / "goes").write_text("ok")
    assert in_a_process(tmp_path, third) == 0
    answer, passed = json.loads((tmp_path / "third").read_text())
    assert tuple(answer) == DONE
    assert "app:notas.add:before" not in passed
    assert "app:notas.sign:before" not in passed
    assert banco.sql("SELECT id, text, signed FROM notas") == before == [(before[0][0], "Nueva", 1)]
    assert banco.sql("SELECT count(*) FROM semel_plans WHERE kind = 'later'") == [(1,)]
    assert banco.arrived(CARTA) == 1
    ended = banco.sql(
        "SELECT result, ended_at FROM semel_steps WHERE position < 3 AND state = 'done' ORDER BY 2"
    )
    assert ended == done


def test_b04_a_retry_whose_process_dies_is_resumed_from_where_it_was(tmp_path):
    (tmp_path / "goes").write_text("refuse")

    async def first(banco, engine):
        report = await banco.pressed(engine, *PLAN)
        (tmp_path / "token").write_text(report.retry_token)

    async def dies(banco, engine):
        with crash_at("commit:retry:after"):
            await engine.person(ANA).retry((tmp_path / "token").read_text())

    async def resumes(banco, engine):
        with recorded() as passed:
            assert len((await engine.sweep()).resumed) == 1
        assert "app:notas.add:before" not in passed
        assert "app:notas.sign:before" not in passed
        # The press was taken once: pressed again it shows what has come of it.
        again = await engine.person(ANA).retry((tmp_path / "token").read_text())
        assert (told(again), again.replayed) == (DONE, True)

    assert in_a_process(tmp_path, first) == 0
    (tmp_path / "goes").write_text("ok")
    assert in_a_process(tmp_path, dies) == -signal.SIGKILL
    assert in_a_process(tmp_path, resumes) == 0
    banco = Banco(tmp_path)
    assert banco.sql("SELECT text, signed FROM notas") == [("Nueva", 1)]
    assert banco.arrived(CARTA) == 1


def test_b04_every_question_is_asked_before_any_step_and_a_no_is_one_not_done_for_each(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            ask = await banco.asked(engine, crear(), does(CARTA, "$1"), firmar("$1"))
            assert banco.sql("SELECT count(*) FROM notas") == [(0,)]
            assert banco.sql("SELECT count(*) FROM semel_confirmations") == [(1,)]
            report = await engine.person(ANA).cancel(ask.view.plan)
            assert [(s.position, str(s.reason)) for s in report.view.steps] == [
                (1, "cancelled"), (2, "cancelled"), (3, "cancelled")
            ]  # fmt: skip
            assert banco.sql("SELECT count(*) FROM notas") == [(0,)]
            assert banco.calls()["send"] == 0

    asyncio.run(main())


def test_b25_a_passing_refusal_frees_the_step_and_the_retry_really_tries(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[CARTA] = ["refuse", "ok"]
            call = {"steps": [{"action": n, "input": i} for n, i in (crear(), does(CARTA, "$1"))]}
            ask = await engine.agent.act(ANA, call, message="m-1")
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == FAILED
            banco.clock.move(minutes=1)
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            assert banco.calls()["send"] == 2
            # The key that the other side may have a refusal stored under is used no more.
            assert len(set(banco.keys())) == 2
            # The claims stay with the plan: the model's repeat is a replay, and of what is now.
            again = await engine.agent.act(ANA, call, message="m-1")
            assert (told(again), again.replayed) == (DONE, True)
            assert again.for_model("en").status == "already_done"

    asyncio.run(main())


@pytest.mark.parametrize("where", ["first", "second"])
def test_b25_an_exception_before_any_effect_is_tried_again_and_its_text_is_nobodys_result(
    tmp_path, where
):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            action = banco.actions[CARTA]
            prepare = action.prepare

            async def breaks(i, ctx):
                raise RuntimeError("secret-host:5432 refused")

            note = await banco.note(engine)
            steps = (
                [does(CARTA, note), crear()] if where == "first" else [crear(), does(CARTA, note)]
            )
            action.prepare = breaks
            report = await banco.pressed(engine, *steps)
            assert told(report) == FAILED
            assert banco.calls()["send"] == 0
            assert banco.attempts() == []
            said = [report.card("es").text(), report.for_model("es").says, repr(report.view)]
            detail = await engine.person(ANA).show(report.view.plan)
            said += [repr(detail.steps), repr(detail.events), repr(detail.attempts)]
            assert not any("secret-host" in text for text in said)
            failed = report.view.steps[0 if where == "first" else 1]
            assert (failed.reason, failed.id, dict(failed.made)) == ("failed", None, {})
            action.prepare = prepare
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            assert banco.arrived(CARTA) == 1
            assert banco.sql("SELECT count(*) FROM notas WHERE text = 'Nueva'") == [(1,)]

    asyncio.run(main())


@pytest.mark.parametrize("where", ["first", "last"])
def test_b42_a_temporary_no_and_a_final_one_are_both_told_and_nothing_left(tmp_path, where):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[CARTA] = "refuse"
            note = await banco.note(engine)
            steps = [does(CARTA, note), crear()]
            report = await banco.pressed(engine, *(steps if where == "first" else steps[::-1]))
            step = next(one for one in report.view.steps if one.action == CARTA)
            assert (str(step.reason), step.detail) == ("refused", "No lo acepta (550).")
            # Code and words are in the audit, with the attempt that they were about.
            assert banco.sql("SELECT detail FROM semel_attempts WHERE outcome = 'refused'") == [
                ("No lo acepta (550).",)
            ]
            assert "550" in report.card("es").text()
            assert banco.arrived(CARTA) == 0

    asyncio.run(main())
