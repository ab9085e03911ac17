"""Sweep: what nobody finishes is resumed, given up after three owners, or expires."""

import asyncio
from decimal import Decimal

import pytest
from app import ANA, EVA, insert
from notas_bench import act, crear, enviar, firmar, guion, opened, told

from semel import Made
from semel.ports import Host
from semel.runtime.sweep import Swept
from semel.testing import interrupt_at

DONE = ("Report", "finished")
QUIET = Swept()


class Crash(BaseException):
    """The process ends here, as far as this plan is concerned."""


def crash():
    raise Crash


class Neighbour(Host):
    """Another process of this machine, which knows who is dead."""

    identity = "neighbour"
    dead: tuple[str, ...] = ()

    def is_dead(self, identity: str) -> bool:
        return identity in self.dead


async def crashed(bench, engine, ask, point, occurrence=1, who=ANA):
    """The yes was pressed and its process died at *point*."""
    with interrupt_at(point, crash, occurrence):
        try:
            outcome = await engine.person(who).confirm(ask.token)
        except Crash:
            return
    assert told(outcome) == ("Running", None)


@pytest.mark.parametrize(
    ("point", "occurrence"),
    [
        ("commit:confirm:after", 1),
        ("commit:local:before", 1),
        ("commit:local:after", 1),
        ("statement:steps.done:after", 1),
        ("commit:local:after", 2),
        ("prepare:before", 1),
        ("prepare:after", 1),
        ("commit:mark:before", 1),
        ("statement:steps.mark:after", 1),
    ],
)
def test_a_plan_that_crashed_before_its_send_is_resumed_when_it_is_due(tmp_path, point, occurrence):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("a", urgente=True), firmar("$1"), enviar("$2"))
            await crashed(bench, engine, ask, point, occurrence)
            assert bench.plans() == [("running", None)]
            # Its time has not come: it may be running somewhere.
            assert await engine.sweep() == Swept(running=1)
            bench.move(seconds=61)
            assert await engine.sweep() == Swept(resumed=(ask.view.plan,))
            assert bench.plans() == [("ended", "finished")]
            assert bench.notes() == ["a"]
            assert bench.sql("SELECT folio, version FROM notas") == [(1, 2)]
            assert len(bench.mundo.letters) == 1
            assert "taken_over" in bench.events(ask.view.plan)
            assert await engine.sweep() == QUIET
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE

    asyncio.run(main())


def test_a_plan_that_crashed_after_its_mark_is_in_doubt_and_never_sent(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, enviar(await bench.note(engine)), crear("b"))
            await crashed(bench, engine, ask, "commit:mark:after")
            assert await engine.sweep() == Swept(running=1)
            bench.move(seconds=61)
            assert await engine.sweep() == Swept(resumed=(ask.view.plan,))
            assert bench.plans() == [("ended", "in_doubt")]
            assert bench.steps() == [("in_doubt", None), ("not_done", "not_reached")]
            assert bench.mundo.letters == []

    asyncio.run(main())


def test_a_letter_whose_proof_was_lost_is_in_doubt_and_sent_no_more(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, enviar(await bench.note(engine)), crear("b"))
            await crashed(bench, engine, ask, "commit:made:before")
            assert len(bench.mundo.letters) == 1
            for _ in range(3):
                bench.move(minutes=2)
                await engine.sweep()
            assert bench.plans() == [("ended", "in_doubt")]
            assert bench.mundo.sends == len(bench.mundo.letters) == 1

    asyncio.run(main())


def test_a_plan_is_resumed_at_once_when_its_owner_is_known_to_be_dead(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            neighbour = Neighbour()
            async with bench.engine(host=neighbour) as other:
                ask = await bench.asked(engine, crear("a", urgente=True))
                await crashed(bench, engine, ask, "commit:confirm:after")
                assert await other.sweep() == Swept(running=1)
                neighbour.dead = (engine._core.host.identity,)
                assert await other.sweep() == Swept(resumed=(ask.view.plan,))
                assert bench.notes() == ["a"]

    asyncio.run(main())


def test_three_owners_that_get_nowhere_end_a_plan(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("a", urgente=True), crear("b", urgente=True))
            await crashed(bench, engine, ask, "commit:confirm:after")
            for _ in range(2):
                bench.move(minutes=1)
                with interrupt_at("commit:local:before", crash):
                    assert (await engine.sweep()).resumed == (ask.view.plan,)
            bench.move(minutes=1)
            assert await engine.sweep() == Swept(given_up=(ask.view.plan,))
            assert bench.plans() == [("ended", "failed")]
            assert bench.steps() == [("not_done", "crashed"), ("not_done", "not_reached")]
            assert bench.notes() == []
            assert await engine.sweep() == QUIET

    asyncio.run(main())


def test_a_step_that_is_done_starts_the_count_anew(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            steps = [crear(str(number), urgente=True) for number in range(6)]
            ask = await bench.asked(engine, *steps)
            await crashed(bench, engine, ask, "commit:confirm:after")
            for _ in range(5):
                # Five owners die, more than are allowed in a row, each after one more step.
                bench.move(minutes=1)
                with interrupt_at("commit:local:after", crash):
                    assert (await engine.sweep()).resumed == (ask.view.plan,)
            bench.move(minutes=1)
            await engine.sweep()
            assert bench.plans() == [("ended", "finished")]
            assert len(bench.notes()) == 6

    asyncio.run(main())


def test_a_started_letter_whose_third_owner_dies_is_in_doubt(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, enviar(await bench.note(engine)))
            await crashed(bench, engine, ask, "commit:mark:after")
            for _ in range(2):
                bench.move(minutes=2)
                with interrupt_at("commit:doubt:before", crash):
                    await engine.sweep()
                assert bench.steps() == [("started", None)]
            bench.move(minutes=2)
            assert (await engine.sweep()).given_up == (ask.view.plan,)
            assert bench.plans() == [("ended", "in_doubt")]
            assert bench.steps() == [("in_doubt", None)]
            assert bench.mundo.letters == []

    asyncio.run(main())


def test_questions_whose_time_has_passed_expire_and_the_others_stand(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            old = await bench.asked(engine, crear("a", urgente=True))
            bench.move(minutes=5)
            young = await bench.asked(engine, crear("b", urgente=True), who=EVA)
            bench.move(minutes=5)
            assert await engine.sweep() == Swept(expired=(old.view.plan,))
            assert await engine.sweep() == QUIET
            assert bench.events(old.view.plan) == ["proposed", "asked", "expired"]
            assert told(await engine.person(EVA).confirm(young.token)) == DONE

    asyncio.run(main())


def test_two_instances_that_sweep_at_once_resume_each_plan_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine), bench.engine() as other:
            plans = []
            for number in range(10):
                texto = f"Nota {number}"
                ask = await bench.asked(engine, crear(texto, urgente=True), message=texto)
                await crashed(bench, engine, ask, "commit:confirm:after")
                plans.append(ask.view.plan)
            bench.move(minutes=1)
            swept = await asyncio.gather(*(e.sweep() for e in (engine, other) * 3))
            resumed = [plan for each in swept for plan in each.resumed]
            assert sorted(resumed) == sorted(plans)
            assert len(bench.notes()) == 10

    asyncio.run(main())


def test_a_plan_that_runs_here_is_not_taken_over_however_long_it_takes(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.mundo.goes = "hang"
            ask = await bench.asked(engine, enviar(await bench.note(engine)))
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.mundo.hanging.wait()
            bench.move(hours=1)
            assert await engine.sweep() == Swept(running=1)
            bench.mundo.released.set()
            assert told(await yes) == DONE

    asyncio.run(main())


def test_a_crashed_plan_goes_on_only_with_rights_and_facts_as_of_now(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, crear("a", urgente=True), firmar(note))
            await crashed(bench, engine, ask, "commit:local:after")
            bench.sql("UPDATE notas SET importe = '6050', version = 9 WHERE id = ?", note)
            bench.move(minutes=1)
            await engine.sweep()
            assert bench.plans() == [("ended", "stale")]
            assert bench.steps() == [("done", None), ("not_done", "stale")]

    asyncio.run(main())


def test_a_safe_letter_whose_process_died_right_after_it_was_proposed_is_resumed(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.carta.asks = 0
            note = await bench.note(engine)
            with interrupt_at("commit:propose:after", crash), pytest.raises(Crash):
                await act(engine, enviar(note))
            assert bench.plans() == [("running", None)]
            bench.move(minutes=1)
            await engine.sweep()
            assert len(bench.mundo.letters) == 1
            assert told(await act(engine, enviar(note))) == DONE

    asyncio.run(main())


def test_a_handler_is_run_again_after_a_crash_only_when_nothing_of_it_was_kept(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.guion.run_is = lambda call, i, ctx: Made(
                insert(ctx, f"{i.paso} {call}", Decimal(1))
            )
            ask = await bench.asked(engine, guion("uno"), guion("dos"))
            await crashed(bench, engine, ask, "commit:local:before", 2)
            bench.move(minutes=1)
            await engine.sweep()
            # Four rehearsals, then "uno" for real, "dos" taken back by the crash, and "dos" again.
            assert bench.notes() == ["dos 7", "uno 5"]

    asyncio.run(main())
