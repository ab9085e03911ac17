"""Who is offered a retry, when, and who may press: its person, with the rights of then."""

import asyncio

import pytest
from dudas import CARTA, crear, does, firmar, opened, told
from pedidos import ANA, LUIS

from semel import Who
from semel.testing import interrupt_at

DONE = ("Report", "finished")
FAILED = ("Report", "failed")


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


@pytest.mark.parametrize("when", ["before the offer", "before the press", "after the press"])
def test_who_may_not_any_more_does_nothing_by_a_retry(tmp_path, when):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await partial(banco, engine)
            person, plan, token = engine.person(ANA), report.view.plan, report.retry_token

            def denied():
                banco.sql("INSERT INTO negados VALUES ('o-1', 'ana', 'cartas')")

            if when == "after the press":
                with interrupt_at("commit:retry:after", denied):
                    again = await person.retry(token)
            else:
                denied()
                if when == "before the offer":
                    assert (await person.status(plan)).retry_token is None
                again = await person.retry(token)
            assert told(again) == FAILED
            assert banco.steps()[2:] == [("not_done", "forbidden"), ("not_done", "not_reached")]
            assert again.retry_token is None
            assert banco.calls()["send"] == 1
            assert banco.sql("SELECT signed FROM notas") == [(1,)]
            # The right comes back, and with it the offer.
            banco.sql("DELETE FROM negados")
            report = await person.status(plan)
            assert told(await person.retry(report.retry_token)) == DONE

    asyncio.run(main())


@pytest.mark.parametrize(
    "who", [LUIS, Who("o-1", "ana", "c-2", "es"), Who("o-2", "ana", "c-1", "es")], ids=repr
)
def test_only_its_person_in_its_conversation_is_offered_it_and_may_press(tmp_path, who):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await partial(banco, engine)
            seen = await engine.person(who).status(report.view.plan)
            assert getattr(seen, "retry_token", None) is None
            answers = [
                await engine.person(who).retry(token)
                for token in (report.retry_token, "smlc_nothing", "", "\0")
            ]
            assert len({(repr(one), one.card("es").text()) for one in answers}) == 1
            assert told(answers[0]) == ("Refused", "not_found")
            assert banco.calls()["send"] == 1
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE

    asyncio.run(main())


async def ended(banco, engine, how):
    """A plan that has ended so that there is nothing to retry; its number."""
    person, note = engine.person(ANA), await banco.note(engine)
    steps = crear(), does(CARTA, note), firmar(note)
    if how in {"finished", "in_doubt"}:
        banco.afuera.goes[CARTA] = "ok" if how == "finished" else "lost"
        return (await banco.pressed(engine, *steps)).view.plan
    if how == "undone":
        banco.afuera.goes[CARTA] = "refuse"
        report = await banco.pressed(engine, *steps)
        assert told(await person.undo(report.undo_token)) == DONE
        return report.view.plan
    ask = await banco.asked(engine, *steps)
    if how == "cancelled":
        await person.cancel(ask.view.plan)
    elif how == "expired":
        banco.clock.move(hours=1)
        await engine.sweep()
    elif how == "superseded":
        await banco.asked(engine, *steps[1:], message="m-2")
    else:
        banco.afuera.goes[CARTA] = "hang"
        yes = asyncio.create_task(person.confirm(ask.token))
        await banco.afuera.hanging.wait()
        await person.cancel(ask.view.plan)
        banco.afuera.released.set()
        await yes
    return ask.view.plan


@pytest.mark.parametrize(
    "how",
    ["finished", "in_doubt", "undone", "cancelled", "expired", "superseded", "cancelled half-way"],
)
def test_nothing_is_offered_where_nothing_is_left_or_nobody_wants_it(tmp_path, how):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await ended(banco, engine, how)
            for _ in range(2):
                report = await engine.person(ANA).status(plan)
                assert told(report)[0] == "Report"
                assert report.retry_token is None
            questions = banco.sql(
                "SELECT count(*) FROM semel_confirmations WHERE question = 'retry'"
            )
            assert questions == [(how == "undone",)]

    asyncio.run(main())


def test_a_model_is_told_of_no_token_and_cannot_press(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            report = await partial(banco, engine)
            assert report.retry_token not in repr(report.for_model("es").plain())
            assert report.retry_token not in repr(report)
            status = await engine.agent.status(ANA, report.view.plan)
            assert status.retry_token is status.undo_token is None
            assert not hasattr(engine.agent, "retry")

    asyncio.run(main())
