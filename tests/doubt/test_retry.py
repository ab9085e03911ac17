"""Retry: the same plan again from its last done step, in a new round, with the figures of now."""

import asyncio

import pytest
from dudas import CARTA, COBRO, VUELO, Process, beside, crear, does, firmar, opened, told
from pedidos import ANA, OUTSIDE

from semel.domain.key import step_key
from semel.facts import Text
from semel.testing import interrupt_at, recorded

DONE = ("Report", "finished")
FAILED = ("Report", "failed")
REVOKED = ("Refused", "revoked")
RESULTS = "SELECT position, result, started_at, ended_at FROM semel_steps WHERE position < 3"


async def partial(banco, engine, action=CARTA):
    """A plan whose third step was refused: two are done and the fourth was not reached."""
    banco.afuera.goes[action] = "refuse"
    ask = await banco.asked(engine, crear(), firmar("$1"), does(action, "$1"), firmar("$1"))
    report = await engine.person(ANA).confirm(ask.token)
    assert told(report) == FAILED
    assert banco.steps() == [
        ("done", None), ("done", None), ("not_done", "refused"), ("not_done", "not_reached")
    ]  # fmt: skip
    banco.afuera.goes[action] = "ok"
    return report


@pytest.mark.parametrize("action", OUTSIDE)
def test_what_is_done_is_not_done_again_and_the_rest_is_the_same_plan_in_a_new_round(
    tmp_path, action
):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await partial(banco, engine, action)
            plan, before = report.view.plan, banco.sql(RESULTS)
            banco.clock.move(minutes=5)
            with recorded() as passed:
                again = await engine.person(ANA).retry(report.retry_token)
            assert told(again) == DONE
            assert again.view.plan == plan
            assert banco.sql("SELECT count(*) FROM semel_plans") == [(1,)]
            # Neither for real nor in a rehearsal: the note was written once and for all.
            assert "app:notas.add:before" not in passed
            assert banco.sql("SELECT text, signed FROM notas") == [("Nueva", 2)]
            assert banco.sql(RESULTS) == before
            assert banco.sql("SELECT round FROM semel_steps ORDER BY position") == [
                (1,), (1,), (2,), (2,)
            ]  # fmt: skip
            first, second = banco.keys()
            assert first != second
            if action != VUELO:
                assert second == step_key("o-1", plan, 3, 2)
            assert dict(banco.afuera.arrived(action)) == {second: 1}
            assert "retried" in banco.events()

    asyncio.run(main())


def test_a_retry_may_fail_and_be_retried_and_each_time_the_key_is_new(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await partial(banco, engine)
            tokens = [report.retry_token]
            for _ in range(4):
                banco.afuera.goes[CARTA] = "refuse"
                report = await engine.person(ANA).retry(tokens[-1])
                assert told(report) == FAILED
                tokens.append(report.retry_token)
            banco.afuera.goes[CARTA] = "ok"
            assert told(await engine.person(ANA).retry(tokens[-1])) == DONE
            assert len(set(tokens)) == 5
            assert len(set(banco.keys())) == len(banco.keys()) == 6
            assert banco.arrived(CARTA) == 1
            assert banco.attempts() == ["refused"] * 5 + ["made"]
            # Every used token shows what has become of the plan, and runs nothing.
            for token in tokens:
                answer = await engine.person(ANA).retry(token)
                assert (told(answer), answer.replayed) == (DONE, True)
            assert banco.calls()["send"] == 6

    asyncio.run(main())


def test_figures_that_changed_are_shown_beside_those_of_before_and_run_only_then(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            note = await banco.note(engine, "Vieja")
            banco.afuera.goes[CARTA] = "refuse"
            report = await banco.pressed(engine, does(CARTA, note), firmar(note))
            person, plan, old = engine.person(ANA), report.view.plan, report.retry_token
            banco.sql("UPDATE notas SET text = 'Otra', version = version + 1")
            shown = await person.status(plan)
            differences = [
                (d.position, d.name, d.shown, d.now) for s in shown.view.steps for d in s.changed
            ]
            assert differences == [
                (1, "text", Text("Vieja"), Text("Otra")), (2, "text", Text("Vieja"), Text("Otra"))
            ]  # fmt: skip
            text = shown.card("es").text()
            assert "Vieja" in text
            assert "Otra" in text
            assert banco.events()[-1] == "changed"
            assert shown.retry_token != old
            assert told(await person.retry(old)) == REVOKED
            banco.afuera.goes[CARTA] = "ok"
            assert told(await person.retry(shown.retry_token)) == DONE
            assert b" Otra " in banco.actions[CARTA].sent[-1][1]

    asyncio.run(main())


def test_a_press_on_older_figures_sends_nothing_and_shows_both(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            note = await banco.note(engine, "Vieja")
            banco.afuera.goes[CARTA] = ["refuse", "ok"]
            report = await banco.pressed(engine, does(CARTA, note), firmar(note))
            banco.sql("UPDATE notas SET text = 'Otra', version = version + 1")
            stale = await engine.person(ANA).retry(report.retry_token)
            assert told(stale) == ("Report", "stale")
            assert banco.calls()["send"] == 1
            assert [(d.shown, d.now) for d in stale.view.steps[0].changed] == [
                (Text("Vieja"), Text("Otra"))
            ]
            assert told(await engine.person(ANA).retry(stale.retry_token)) == DONE
            assert banco.arrived(CARTA) == 1

    asyncio.run(main())


def test_what_changes_between_the_press_and_the_send_is_seen_too(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            note = await banco.note(engine, "Vieja")
            banco.afuera.goes[CARTA] = ["refuse", "ok"]
            report = await banco.pressed(engine, does(CARTA, note))

            def edited():
                banco.sql("UPDATE notas SET text = 'Otra', version = version + 1")

            with interrupt_at("commit:retry:after", edited):
                stale = await engine.person(ANA).retry(report.retry_token)
            assert told(stale) == ("Report", "stale")
            assert banco.calls()["send"] == 1

    asyncio.run(main())


@pytest.mark.parametrize(("seconds", "good"), [(599.999999, True), (600, False), (86400, False)])
def test_an_offer_lives_ten_minutes_to_the_microsecond(tmp_path, seconds, good):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await partial(banco, engine)
            banco.clock.move(seconds=seconds)
            answer = await engine.person(ANA).retry(report.retry_token)
            assert told(answer) == (DONE if good else ("Refused", "offer_expired"))
            assert banco.arrived(CARTA) == good
            if not good:
                # Whoever looks again is offered it anew, with the figures of now.
                again = await engine.person(ANA).status(report.view.plan)
                assert again.retry_token != report.retry_token
                assert told(await engine.person(ANA).retry(again.retry_token)) == DONE

    asyncio.run(main())


@pytest.mark.parametrize("first", ["retry", "undo"])
def test_of_retry_and_undo_the_first_makes_the_other_worth_nothing(tmp_path, first):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[CARTA] = ["refuse", "refuse", "ok"]
            report = await banco.pressed(engine, crear(), does(CARTA, "$1"))
            person = engine.person(ANA)
            assert report.retry_token
            assert report.undo_token
            if first == "undo":
                assert told(await person.undo(report.undo_token)) == DONE
                assert told(await person.retry(report.retry_token)) == REVOKED
                assert (await person.status(report.view.plan)).retry_token is None
                assert banco.calls()["send"] == 1
                assert banco.sql("SELECT gone FROM notas") == [(1,)]
                return
            again = await person.retry(report.retry_token)
            assert told(again) == FAILED
            assert told(await person.undo(report.undo_token)) == REVOKED
            assert banco.sql("SELECT gone FROM notas") == [(0,)]
            assert again.undo_token
            assert again.undo_token != report.undo_token

    asyncio.run(main())


def test_a_retry_begins_at_the_last_done_step(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await partial(banco, engine)
            rows = []

            def looked():
                rows.append(banco.sql("SELECT state, at, round, stall FROM semel_plans"))

            with interrupt_at("commit:retry:after", looked):
                await engine.person(ANA).retry(report.retry_token)
            assert rows == [[("running", 2, 2, 0)]]

    asyncio.run(main())


def test_another_process_takes_a_retry_that_this_one_offered(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await partial(banco, engine, COBRO)
            async with beside(banco, Process("other")) as other:
                with recorded() as passed:
                    assert told(await other.person(ANA).retry(report.retry_token)) == DONE
            assert "app:notas.add:before" not in passed
            assert banco.arrived(COBRO) == 1

    asyncio.run(main())
