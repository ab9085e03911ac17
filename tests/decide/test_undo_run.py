"""An undo is a plan of its own: last step first, with the rights of now, and only once (B58)."""

import asyncio

from agreement import agrees
from decide_bench import (
    DONE,
    act,
    crear,
    editar,
    elsewhere,
    firmar,
    guion,
    opened,
    running,
    states,
    told,
)
from pedidos import ANA

from semel.testing import interrupt_at, recorded

FORBIDDEN = ("Refused", "forbidden")
REVOKED = ("Refused", "revoked")


def of(bench, plan):
    """Which plan has taken this one back."""
    return bench.sql("SELECT undone_by FROM semel_plans WHERE plan = ?", plan)[0][0]


def test_it_runs_in_reverse_order_and_every_record_is_as_it_was(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine, "Antes")
            done = await act(
                engine, guion("uno"), editar(note, "Mitad"), guion("tres"), editar(note, "Final")
            )
            assert bench.notes() == ["Final", "tres", "uno"]
            undone = await engine.person(ANA).undo(done.undo_token)
            assert told(undone) == DONE
            assert [step.action for step in undone.view.steps] == [
                "nota.editar", "nota.guion", "nota.editar", "nota.guion",
            ]  # fmt: skip
            assert bench.guion.undone == ["tres", "uno"]
            assert bench.notes() == ["Antes"]
            assert of(bench, done.view.plan) == undone.view.plan
            assert (await engine.person(ANA).status(done.view.plan)).view.undone_by is not None
            await agrees(engine, done.view.plan, undone.view.plan)

    asyncio.run(main())


def test_b58_pressed_in_two_tabs_it_runs_once_and_both_hear_the_same(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, guion("uno"), guion("dos"))
            person = engine.person(ANA)
            first, second = await asyncio.gather(
                person.undo(done.undo_token), person.undo(done.undo_token)
            )
            assert told(first) == told(second) == DONE
            assert first.view == second.view
            assert {first.replayed, second.replayed} == {False, True}
            assert bench.guion.undone == ["dos", "uno"]
            third = await person.undo(done.undo_token)
            assert (third.view, third.replayed) == (first.view, True)
            assert bench.guion.undone == ["dos", "uno"]
            assert bench.sql("SELECT count(*) FROM semel_plans WHERE kind = 'undo'") == [(1,)]

    asyncio.run(main())


def test_b58_pressed_on_two_instances_it_runs_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, guion("uno"), guion("dos"))
            with elsewhere(bench) as other:
                heard = []

                def press() -> None:
                    heard.append(other.agent.status(ANA, done.view.plan))
                    heard.append(other.person(ANA).undo(done.undo_token))

                # The moment after the press: the plan is this instance's, and has not begun.
                with interrupt_at("commit:local:after", press, occurrence=2):
                    first = await engine.person(ANA).undo(done.undo_token)
            assert heard[1].view.plan == first.view.plan
            assert heard[1].replayed
            assert told(first) == DONE
            assert bench.guion.undone == ["dos", "uno"]

    asyncio.run(main())


def test_what_an_undo_wrote_cannot_be_taken_back_nor_retried(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear())
            undone = await engine.person(ANA).undo(done.undo_token)
            assert undone.undo_token is undone.retry_token is None
            for token in (done.undo_token, undone.undo_token or done.undo_token):
                await engine.person(ANA).undo(token)
                await engine.person(ANA).retry(token)
            assert bench.notes() == []
            assert told(await engine.person(ANA).says("deshacer")) == ("Refused", "nothing_pending")
            assert bench.sql("SELECT count(*) FROM semel_plans") == [(2,)]

    asyncio.run(main())


def test_a_right_that_is_gone_refuses_the_press_and_the_offer_stands_for_when_it_is_back(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear())
            bench.deny("notas")
            assert told(await engine.person(ANA).undo(done.undo_token)) == FORBIDDEN
            assert of(bench, done.view.plan) is None
            assert bench.notes() == ["Logo"]
            bench.allow_again("notas")
            assert told(await engine.person(ANA).undo(done.undo_token)) == DONE

    asyncio.run(main())


def test_a_right_that_goes_in_the_middle_stops_what_is_left_of_it(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear("uno"), crear("dos"), crear("tres"))
            with interrupt_at("commit:local:after", lambda: bench.deny("notas")):
                undone = await engine.person(ANA).undo(done.undo_token)
            assert told(undone) == ("Report", "failed")
            assert states(undone) == ["done", "not_done forbidden", "not_done not_reached"]
            assert bench.notes() == ["dos", "uno"]
            assert of(bench, done.view.plan) == undone.view.plan
            await agrees(engine, undone.view.plan)

    asyncio.run(main())


def test_of_undo_and_retry_of_one_plan_the_first_press_makes_the_other_worthless(tmp_path):
    async def main():
        for first in ("undo", "retry"):
            folder = tmp_path / first
            folder.mkdir()
            async with opened(folder) as (bench, engine):
                bench.asks("carta.enviar", 0)
                bench.afuera.goes = {"carta.enviar": "refuse"}
                done = await act(engine, crear(), ("carta.enviar", {"nota": "$1"}))
                bench.afuera.goes = {}
                person = engine.person(ANA)
                press = {"undo": (person.undo, done.undo_token),
                         "retry": (person.retry, done.retry_token)}  # fmt: skip
                verb, token = press.pop(first)
                assert told(await verb(token)) == DONE
                [(verb, token)] = press.values()
                assert told(await verb(token)) == REVOKED
                assert bench.notes() == ([] if first == "undo" else ["Logo"])
                assert bench.afuera.arrived().total() == int(first == "retry")

    asyncio.run(main())


def test_of_a_cancelled_plan_only_what_ran_is_taken_back(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("uno"), crear("dos"), firmar("$2"))
            with (
                elsewhere(bench) as other,
                interrupt_at("commit:local:after", lambda: other.person(ANA).cancel(ask.view.plan)),
            ):
                report = await engine.person(ANA).confirm(ask.token)
            assert states(report) == ["done", *["not_done cancelled"] * 2]
            undone = await engine.person(ANA).undo(report.undo_token)
            assert told(undone) == DONE
            assert len(undone.view.steps) == 1
            assert bench.notes() == []
            assert bench.signed() == 0
            await agrees(engine, ask.view.plan, undone.view.plan)

    asyncio.run(main())


def test_an_undo_that_is_interrupted_anywhere_is_ended_by_another_instance_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            steps = guion("uno"), guion("dos")
            probe = await act(engine, *steps, message="probe")
            with recorded() as names:
                await engine.person(ANA).undo(probe.undo_token)
            moments = [(n, names[: i + 1].count(n)) for i, n in enumerate(names)
                       if n.startswith("commit:") and n.endswith(":after")]  # fmt: skip
            # The press, one commit for each step, and the offers of the answer.
            assert [name for name, _ in moments][:3] == ["commit:undo:after"] + [
                "commit:local:after"
            ] * 2
        for number, (point, occurrence) in enumerate(moments[:3]):
            folder = tmp_path / str(number)
            folder.mkdir()
            async with opened(folder) as (bench, engine):
                done = await act(engine, *steps)

                def stop(core=engine._core) -> None:
                    core.draining = True

                with interrupt_at(point, stop, occurrence):
                    await engine.person(ANA).undo(done.undo_token)
                async with running(bench) as other:
                    await other.sweep()
                    again = await other.person(ANA).undo(done.undo_token)
                    assert told(again) == DONE
                    assert bench.guion.undone == ["dos", "uno"]
                    assert bench.notes() == []
                    await agrees(other, done.view.plan, again.view.plan)

    asyncio.run(main())
