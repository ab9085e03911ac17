"""Who may answer for a step in doubt: its person, who decides for others, and nobody else."""

import asyncio

import pytest
from dudas import CARTA, SETTLED, crear, does, opened, told
from pedidos import ANA, LUIS

from semel import DidNot, Happened, LookAgain, SendAnyway, Who

EVA = Who("o-1", "eva", "c-1", "es")
ANSWERS = [
    Happened(),
    Happened("x"),
    DidNot(1, settled=True),
    LookAgain(),
    SendAnyway("SEND AGAIN"),
]


async def doubtful(banco, engine):
    """A letter in doubt, and a step after it; its plan's number."""
    banco.afuera.goes[CARTA] = "lost"
    ask = await banco.asked(engine, does(CARTA, await banco.note(engine)), crear())
    assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "in_doubt")
    return ask.view.plan


def test_who_decides_may_answer_for_the_person_and_is_named(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine)
            report = await engine.person(LUIS).resolve(plan, 1, Happened("r-1"))
            assert told(report) == ("Report", "failed")
            assert report.view.steps[0].resolved_by == "luis"
            # What is left stays the person's to do.
            assert report.retry_token is None
            assert (await engine.person(ANA).status(plan)).retry_token

    asyncio.run(main())


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
@pytest.mark.parametrize("stranger", [EVA, Who("o-2", "ana", "c-1", "es")], ids=["eva", "o-2"])
def test_to_anybody_else_the_plan_does_not_exist_and_the_answer_is_byte_for_byte_that(
    tmp_path, answer, stranger
):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine)
            banco.clock.move(seconds=SETTLED)
            rows = banco.sql("SELECT * FROM semel_plans"), banco.sql("SELECT * FROM semel_events")
            person = engine.person(stranger)
            answers = [
                await person.resolve(plan, 1, answer),
                await person.resolve(plan, 99, answer),
                await person.resolve("p_nobody", 1, answer),
                await person.resolve("ñ", 1, answer),
                await person.did_not(plan, 1),
                await person.status(plan),
            ]
            said = {
                (repr(one), one.card("es").text(), repr(one.for_model("es"))) for one in answers
            }
            assert len(said) == 1
            assert told(answers[0]) == ("Refused", "not_found")
            assert rows == (
                banco.sql("SELECT * FROM semel_plans"), banco.sql("SELECT * FROM semel_events")
            )  # fmt: skip
            assert banco.calls()["send"] == 1

    asyncio.run(main())


@pytest.mark.parametrize("position", [0, -1, 2, 3, 99])
def test_a_step_that_is_not_in_doubt_is_not_answered_for(tmp_path, position):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine)
            before = banco.sql("SELECT * FROM semel_events")
            for answer in ANSWERS:
                found = await engine.person(ANA).resolve(plan, position, answer)
                assert told(found) == ("Refused", "not_in_doubt")
            assert told(await engine.person(ANA).did_not(plan, position)) == (
                "Refused", "not_in_doubt"
            )  # fmt: skip
            assert banco.sql("SELECT * FROM semel_events") == before

    asyncio.run(main())
