"""A fence: what becomes of each kind of plan of an older copy, and what can be said of it then."""

import pytest
from dudas import (
    CARTA,
    COBRO,
    RESERVA,
    SETTLED,
    VUELO,
    Process,
    at_once,
    beside,
    crear,
    dies_at,
    does,
    firmar,
    opened,
    run,
    told,
)
from pedidos import ANA

from semel import DidNot, Happened, LookAgain, Report, SendAnyway
from semel.domain.doubt import EVERYBODY
from semel.errors import StorageError
from semel.facts import instant_text

FENCE = "the operator"


@pytest.fixture(autouse=True)
def _(monkeypatch):
    at_once(monkeypatch)


def doubts(report: Report) -> list[int]:
    return [step.position for step in report.view.steps if step.doubt is not None]


def test_a_question_about_something_outside_is_in_doubt_and_its_key_stays(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            nota = await banco.note(engine)
            ask = await banco.asked(engine, does(CARTA, nota))
            done = await engine.fence(FENCE)
            assert (done.generation, done.in_doubt, done.revoked) == (2, [ask.view.plan], 1)
            assert banco.plan() == ("ended", "in_doubt")
            again = await engine.agent.act(ANA, plan(does(CARTA, nota)), message="m-1")
            assert isinstance(again, Report)
            assert again.replayed
            assert again.for_model("en").status == "in_doubt"
            pressed = await engine.person(ANA).confirm(ask.token)
            assert told(pressed) == ("Refused", "revoked")
            assert banco.arrived(CARTA) == 0
            assert banco.events("rejected") == ["fenced", "fenced", "step_in_doubt", "ended"]

    run(main())


def test_a_question_about_local_steps_alone_expires(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            nota = await banco.note(engine)
            ask = await banco.asked(engine, firmar(nota))
            done = await engine.fence(FENCE)
            assert (done.expired, done.in_doubt) == ([ask.view.plan], [])
            assert banco.plan() == ("ended", "expired")
            again = await engine.agent.act(ANA, plan(firmar(nota)), message="m-1")
            assert again.for_model("en").status == "expired"

    run(main())


@pytest.mark.parametrize("point", ["commit:confirm:after", "commit:mark:after", "send:after"])
@pytest.mark.parametrize("action", [CARTA, COBRO, RESERVA, VUELO])
def test_a_plan_that_runs_ends_in_doubt_of_every_outside_step_that_is_left(tmp_path, point, action):
    async def main():
        async with opened(tmp_path, Process("uno")) as (banco, engine):
            nota = await banco.note(engine)
            steps = does(action, nota), firmar(nota), does(CARTA, nota)
            ask = await banco.asked(engine, *steps)
            await dies_at(engine, point, engine.person(ANA).confirm(ask.token))
            before = banco.arrived(action)
            async with beside(banco, Process("dos")) as other:
                await other.fence(FENCE)
                assert [state for state, _ in banco.steps()] == ["in_doubt", "not_done", "in_doubt"]
                banco.clock.move(seconds=SETTLED)
                await other.sweep()
                await other.settle()
                assert banco.arrived(action) == before
                report = await other.person(ANA).status(ask.view.plan)
                assert isinstance(report, Report)
                assert all(step.doubt.settled for step in report.view.steps if step.doubt)
                text = report.card("es").text()
                assert "se restauró una copia anterior" in text

    run(main())


def test_what_a_look_finds_is_done_and_what_it_does_not_find_stays_in_doubt(tmp_path):
    async def main():
        async with opened(tmp_path, Process("uno")) as (banco, engine):
            nota = await banco.note(engine)
            for number, action in enumerate((RESERVA, VUELO)):
                ask = await banco.asked(engine, does(action, nota), message=f"m-{number}")
                banco.afuera.goes[action] = "gone"
                work = engine.person(ANA).confirm(ask.token)
                await dies_at(engine, "send:before", work)
            async with beside(banco, Process("dos")) as other:
                await other.fence(FENCE)
                for _ in range(3):
                    banco.clock.move(seconds=SETTLED)
                    await other.sweep()
                assert {state for state, _ in banco.steps()} == {"in_doubt"}
                key = banco.keys()[0]
                banco.afuera.arrive(RESERVA, key, nota)
                banco.clock.move(seconds=SETTLED)
                await other.sweep()
                assert sorted(state for state, _ in banco.steps()) == ["done", "in_doubt"]

    run(main())


def test_a_person_answers_for_each_and_in_their_order(tmp_path):
    async def main():
        async with opened(tmp_path, Process("uno")) as (banco, engine):
            nota = await banco.note(engine)
            ask = await banco.asked(engine, does(COBRO, nota), does(CARTA, nota))
            await dies_at(engine, "commit:confirm:after", engine.person(ANA).confirm(ask.token))
            async with beside(banco, Process("dos")) as other:
                await other.fence(FENCE)
                person, number = other.person(ANA), ask.view.plan
                report = await person.status(number)
                assert isinstance(report, Report)
                assert doubts(report) == [1, 2]
                early = await person.did_not(number, 1)
                assert told(early) == ("Refused", "not_settled")
                late = await person.resolve(number, 2, SendAnyway("SEND AGAIN"))
                assert told(late) == ("Refused", "changed")
                banco.clock.move(seconds=SETTLED)
                await person.resolve(number, 2, Happened())
                await person.did_not(number, 1)
                assert banco.plan() == ("ended", "failed")
                report = await person.status(number)
                assert isinstance(report, Report)
                assert report.retry_token is None, "what was done comes after what was not"
                assert banco.arrived(COBRO) == banco.arrived(CARTA) == 0

    run(main())


def test_send_anyway_sends_once_more_and_its_proof_counts(tmp_path):
    async def main():
        async with opened(tmp_path, Process("uno")) as (banco, engine):
            nota = await banco.note(engine)
            ask = await banco.asked(engine, does(VUELO, nota), firmar(nota))
            await dies_at(engine, "commit:mark:after", engine.person(ANA).confirm(ask.token))
            async with beside(banco, Process("dos")) as other:
                await other.fence(FENCE)
                person, number = other.person(ANA), ask.view.plan
                banco.afuera.goes[VUELO] = "gone"
                again = await person.resolve(number, 1, SendAnyway("SEND AGAIN"))
                # It was not found, and that rules nothing out: it is not run anew by itself.
                assert again.for_model("en").status == "in_doubt"
                assert banco.calls()["send"] == 1
                banco.afuera.goes[VUELO] = "ok"
                await person.resolve(number, 1, SendAnyway("SEND AGAIN"))
                assert banco.steps()[0] == ("done", None)
                assert banco.arrived(VUELO) == 1

    run(main())


def test_what_had_failed_is_not_offered_again_and_what_fails_later_is(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            nota = await banco.note(engine)
            banco.afuera.goes[CARTA] = "refuse"
            old = await banco.pressed(engine, does(CARTA, nota))
            assert isinstance(old, Report)
            assert old.retry_token
            banco.clock.move(seconds=1)
            done = await engine.fence(FENCE)
            assert done.not_offered == [old.view.plan]
            pressed = await engine.person(ANA).retry(old.retry_token)
            assert told(pressed) == ("Refused", "revoked")
            shown = await engine.person(ANA).status(old.view.plan)
            assert isinstance(shown, Report)
            assert shown.retry_token is None
            banco.clock.move(seconds=1)
            new = await banco.pressed(engine, does(CARTA, nota), message="m-2")
            assert isinstance(new, Report)
            assert new.retry_token
            banco.afuera.goes[CARTA] = "ok"
            again = await engine.person(ANA).retry(new.retry_token)
            assert again.for_model("en").status == "done"
            assert banco.arrived(CARTA) == 1

    run(main())


def test_local_steps_go_on_and_a_day_that_has_not_come_is_waited_for(tmp_path):
    async def main():
        async with opened(tmp_path, Process("uno")) as (banco, engine):
            nota = await banco.note(engine)
            later = await banco.asked(engine, ("nota.avisar", {"nota": nota, "dias": 2}))
            await engine.person(ANA).confirm(later.token)
            ask = await banco.asked(engine, crear("Otra"), firmar(nota), message="m-2")
            await dies_at(engine, "commit:confirm:after", engine.person(ANA).confirm(ask.token))
            async with beside(banco, Process("dos", "uno")) as other:
                done = await other.fence(FENCE)
                assert done.going_on == [ask.view.plan]
                assert len(done.later) == 1
                assert done.in_doubt == []
                await other.sweep()
                await other.settle()
                report = await other.person(ANA).status(ask.view.plan)
                assert report.for_model("en").status == "done"
                banco.clock.move(days=3)
                banco.clock.move(hours=-10)
                await other.sweep()
                await other.settle()
                assert banco.arrived(CARTA) <= 1

    run(main())


def test_a_day_that_has_come_is_in_doubt(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            nota = await banco.note(engine)
            later = await banco.asked(engine, ("nota.avisar", {"nota": nota, "dias": 2}))
            await engine.person(ANA).confirm(later.token)
            banco.clock.move(days=2, hours=1)
            done = await engine.fence(FENCE)
            assert len(done.in_doubt) == 1
            await engine.sweep()
            await engine.settle()
            assert banco.arrived(CARTA) == 0

    run(main())


def test_a_fence_that_was_stopped_keeps_everything_closed_until_it_(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            nota = await banco.note(engine)
            asks = [
                await banco.asked(engine, does(CARTA, nota), message=f"m-{n}", who=who)
                for n, who in enumerate((ANA, other_place()))
            ]
            with (
                pytest.MonkeyPatch.context() as patch,
                pytest.raises(RuntimeError, match="stopped"),
            ):
                stops_after(patch, engine, 3)
                await engine.fence(FENCE)
            async with beside(banco) as other:
                assert "not through" in ((await other.doctor()).closed or "")
                refused = await other.agent.act(ANA, plan(does(CARTA, nota)), message="m-9")
                assert told(refused) == ("Refused", "sends_off")
                with pytest.raises(StorageError, match="not through"):
                    await other.moved()
                done = await other.fence(FENCE)
                assert done.generation == 2
                assert (await other.doctor()).closed is None
                assert banco.sql("SELECT count(*) FROM semel_attempts")[0][0] == len(asks)
                assert {state for state, _ in banco.steps()} == {"in_doubt"}

    run(main())


def test_a_second_fence_finds_nothing_more_to_do(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            nota = await banco.note(engine)
            ask = await banco.asked(engine, does(CARTA, nota))
            counted = await engine.fence(FENCE, dry=True)
            assert (counted.in_doubt, counted.revoked) == ([ask.view.plan], 1)
            assert banco.plan() == ("asking", None)
            await engine.fence(FENCE)
            events = banco.events()
            again = await engine.fence(FENCE)
            assert again.generation == 3
            assert (again.in_doubt, again.widened, again.revoked) == ([], [], 0)
            assert banco.events() == events
            said = banco.sql("SELECT host, said_by FROM semel_gone")
            assert said == [(EVERYBODY, FENCE)] * len(said)

    run(main())


def test_an_answer_of_before_the_fence_counts_no_more(tmp_path):
    async def main():
        async with opened(tmp_path, Process("uno")) as (banco, engine):
            nota = await banco.note(engine)
            banco.afuera.goes[CARTA] = "lost"
            first = await banco.pressed(engine, does(CARTA, nota))
            assert isinstance(first, Report)
            banco.clock.move(seconds=SETTLED)
            old = DidNot(first.view.epoch, settled=True)
            done = await engine.fence(FENCE)
            assert done.widened == [first.view.plan]
            answered = await engine.person(ANA).resolve(first.view.plan, 1, old)
            assert told(answered) == ("Refused", "revoked")
            looked = await engine.person(ANA).resolve(first.view.plan, 1, LookAgain())
            assert looked.for_model("en").status == "in_doubt"
            banco.clock.move(seconds=SETTLED)
            answered = await engine.person(ANA).did_not(first.view.plan, 1)
            assert isinstance(answered, Report)
            # It had ended before: the person may have answered and retried it in the lost time.
            assert answered.retry_token is None

    run(main())


def plan(*steps):
    return {"steps": [{"action": name, "input": given} for name, given in steps]}


def other_place():
    return type(ANA)(ANA.org, ANA.person, "c-2", ANA.locale)


def stops_after(monkeypatch, engine, count):
    """Let a process be stopped before its transaction of that number."""
    left = [count]
    transact = type(engine._core).transact

    async def counted(core, *what):
        left[0] -= 1
        if left[0] < 1:
            raise RuntimeError("stopped")
        return await transact(core, *what)

    monkeypatch.setattr(type(engine._core), "transact", counted)


def test_under_another_servers_clock_nothing_marked_before_is_sent_again_by_its_key(tmp_path):
    async def main():
        async with opened(tmp_path, Process("uno")) as (banco, engine):
            nota = await banco.note(engine)
            first = await banco.asked(engine, does(COBRO, nota))
            await dies_at(engine, "send:after", engine.person(ANA).confirm(first.token))
            banco.clock.move(seconds=1)
            banco.sql(
                "INSERT INTO semel_database (id, generation, timeline_since, fencing)"
                " VALUES (1, 1, ?, 0) ON CONFLICT (id) DO UPDATE SET timeline_since = ?",
                instant_text(banco.clock.now()), instant_text(banco.clock.now()),
            )  # fmt: skip
            async with beside(banco, Process("dos", "uno")) as other:
                await other.sweep()
                await other.settle()
                assert banco.plan() == ("ended", "in_doubt")
                assert banco.calls()["send"] == 1
                # What is marked under the new clock is sent again as ever.
                banco.clock.move(seconds=1)
                banco.afuera.goes[COBRO] = ["lost", "ok"]
                done = await banco.pressed(other, does(COBRO, nota), message="m-2")
                assert done.for_model("en").status == "done"
                assert banco.calls()["send"] == 3

    run(main())
