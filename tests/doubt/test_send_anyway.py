"""Send again anyway: a person's own word, typed, on record as a possible duplicate."""

import asyncio

import pytest
from dudas import (
    CARTA,
    COBRO,
    DUE,
    RESERVA,
    SETTLED,
    VUELO,
    Process,
    at_once,
    beside,
    crear,
    dies_at,
    does,
    opened,
    run,
    told,
)
from pedidos import ANA, LUIS, OUTSIDE

from semel import NotDone, SendAnyway
from semel.domain.key import step_key

IN_DOUBT = ("Report", "in_doubt")
WORDS = SendAnyway("ENVIAR OTRA VEZ")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


async def doubtful(banco, engine, action=CARTA, *rest, goes="lost"):
    """A step in doubt, and perhaps some after it; its plan's number."""
    banco.afuera.goes |= {action: goes, f"{action}?": "dark"}
    ask = await banco.asked(engine, does(action, await banco.note(engine)), *rest)
    assert told(await engine.person(ANA).confirm(ask.token)) == IN_DOUBT
    return ask.view.plan


@pytest.mark.parametrize(
    "words",
    ["", "sí", "yes", "enviar", "otra vez", "enviar otra", "send", "again", "no enviar otra vez",
     "enviar otra vez por favor", "send again?", "¿enviar otra vez?", "enviar otra vez otra vez",
     "ENVIAROTRAVEZ", "send  it again", "BORRAR", "enviar otra vez\0", "x" * 100_000],
)  # fmt: skip
def test_other_words_send_nothing_and_write_nothing(tmp_path, words):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine)
            before = banco.sql("SELECT * FROM semel_events"), banco.sql("SELECT * FROM semel_plans")
            answer = await engine.person(ANA).resolve(plan, 1, SendAnyway(words))
            assert told(answer) == ("Refused", "send_words")
            assert "ENVIAR OTRA VEZ" in answer.card("es").text()
            assert "SEND AGAIN" in answer.card("en").text()
            assert banco.calls()["send"] == 1
            assert before == (
                banco.sql("SELECT * FROM semel_events"), banco.sql("SELECT * FROM semel_plans")
            )  # fmt: skip

    run(main())


@pytest.mark.parametrize(
    "words",
    ["ENVIAR OTRA VEZ", "SEND AGAIN", "enviar otra vez", "Send again.", "  Enviar otra vez "],
)
@pytest.mark.parametrize("who", [ANA, LUIS], ids=["ana", "luis"])
def test_the_right_words_in_either_language_send_it_once_more_and_it_is_on_record(
    tmp_path, words, who
):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine)
            banco.afuera.goes[CARTA] = "ok"
            banco.clock.move(seconds=7)
            report = await engine.person(who).resolve(plan, 1, SendAnyway(words))
            assert told(report) == ("Report", "finished")
            assert banco.attempts() == ["unknown", "made"]
            assert banco.events()[-4:] == [
                "possible_duplicate",
                "step_resent",
                "step_done",
                "ended",
            ]
            detail = await engine.person(ANA).show(plan)
            (event,) = [row for row in detail.events if row["kind"] == "possible_duplicate"]
            assert event["at"] == "2026-10-19T08:00:07.000000Z"
            assert f'"person":"{who.person}"' in event["body"]
            step = report.view.steps[0]
            assert (step.resolution, step.resolved_by) == ("send_anyway", who.person)

    run(main())


@pytest.mark.parametrize("action", OUTSIDE)
def test_it_leaves_under_the_same_key_unless_every_send_has_its_own(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, action, goes="gone")
            sends = len(banco.keys())
            banco.afuera.goes[action] = "ok"
            await engine.person(ANA).resolve(plan, 1, WORDS)
            keys = banco.keys()
            assert len(keys) == sends + 1
            # An e-mail's Message-ID begins with the key, so a reader sees one message twice.
            assert (keys[-1] == keys[0] == step_key("o-1", plan, 1, 1)) == (action != VUELO)
            assert dict(banco.afuera.arrived(action)) == {keys[-1]: 1}

    run(main())


def test_while_the_other_side_remembers_it_is_the_same_request_and_later_a_fresh_one(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, COBRO)
            banco.clock.move(hours=1)
            await engine.person(ANA).resolve(plan, 1, WORDS)
            sent = banco.actions[COBRO].sent
            assert len(set(sent)) == 1
            banco.clock.move(days=2)
            await engine.person(ANA).resolve(plan, 1, WORDS)
            # The key is forgotten there: this is the person's risk, and is sent as of now.
            assert banco.calls()["send"] == len(sent) == 5
            assert b"2026-10-21T09:00" in sent[-1][1]
            assert sent[-1][0] == sent[0][0]

    run(main())


@pytest.mark.parametrize(
    ("second", "state", "attempts"),
    [
        ("ok", "done", ["unknown", "made"]),
        ("lost", "in_doubt", ["unknown", "unknown"]),
        ("gone", "in_doubt", ["unknown", "unknown"]),
        # That the second is refused proves nothing about the first, which may have arrived.
        ("refuse", "in_doubt", ["unknown", "refused"]),
        ("hang", "in_doubt", ["unknown", None]),
    ],
)
@pytest.mark.parametrize("rest", [0, 1])
def test_whatever_comes_of_it_is_told_truly(tmp_path, second, state, attempts, rest):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, CARTA, *[crear()] * rest)
            if second == "hang":
                banco.impatient()
            banco.afuera.goes[CARTA] = second
            report = await engine.person(ANA).resolve(plan, 1, WORDS)
            done = "failed" if rest else "finished"
            assert told(report) == ("Report", done if state == "done" else state)
            assert banco.steps() == [(state, None)] + [("not_done", "not_reached")] * rest
            assert banco.attempts() == attempts
            # Whether it was twice is counted outside, and nothing is sent again by itself.
            arrived = banco.arrived(CARTA)
            assert arrived == 1 + (second in {"ok", "lost"})
            for _ in range(3):
                banco.clock.move(hours=9)
                await engine.sweep()
            assert banco.arrived(CARTA) == arrived
            assert (report.retry_token is not None) == bool(state == "done" and rest)

    run(main())


@pytest.mark.parametrize("point", ["commit:answer:after", "send:before", "send:after"])
@pytest.mark.parametrize("action", [CARTA, RESERVA])
def test_a_process_that_dies_over_it_leaves_a_doubt_again(tmp_path, point, action):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            plan = await doubtful(banco, engine, action, crear(), goes="gone")
            banco.afuera.goes[action] = "ok"

            async with beside(banco, Process("two")) as two:
                await dies_at(two, point, two.person(ANA).resolve(plan, 1, WORDS))
            assert banco.steps()[0] == ("started", None)
            async with beside(banco, Process("three", "two")) as three:
                await three.sweep()
                assert banco.steps() == [("in_doubt", None), ("not_done", "not_reached")]
                assert banco.plan() == ("ended", "in_doubt")
                arrived = banco.arrived(action)
                assert arrived == (point == "send:after")
                banco.clock.move(seconds=SETTLED)
                await three.sweep()
                assert banco.arrived(action) == arrived
                assert len(banco.attempts()) == 2
                assert banco.events().count("possible_duplicate") == 1

    run(main())


def test_a_started_word_is_not_started_twice_by_who_takes_over(tmp_path):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            plan = await doubtful(banco, engine)
            banco.afuera.goes[CARTA] = "hang"
            saying = asyncio.create_task(engine.person(ANA).resolve(plan, 1, WORDS))
            await banco.afuera.hanging.wait()
            async with beside(banco, Process("two")) as two:
                # It is on its way, and its owner has its time.
                assert (await two.sweep()).resumed == ()
                banco.clock.move(seconds=DUE)
                assert (await two.sweep()).resumed == (plan,)
            assert banco.plan() == ("ended", "in_doubt")
            banco.afuera.released.set()
            assert told(await saying) == ("Report", "finished")
            assert banco.calls()["send"] == 2

    run(main())


def test_ten_presses_at_once_send_it_once_more(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine)
            banco.afuera.goes[CARTA] = "ok"
            together = asyncio.Barrier(10)

            async def all_have_pressed(i, ctx):
                await together.wait()
                return b""

            banco.actions[CARTA].prepare = all_have_pressed
            answers = await asyncio.gather(
                *(engine.person(who).resolve(plan, 1, WORDS) for who in [ANA, LUIS] * 5)
            )
            # Who comes second may be told that it is on its way, and never that it is not.
            assert {told(one) for one in answers} <= {("Report", "finished"), ("Running", None)}
            assert banco.plan() == ("ended", "finished")
            assert banco.calls()["send"] == 2
            assert banco.events().count("possible_duplicate") == 1

    run(main())


async def broken(i, ctx):
    raise OSError("The template is gone.")


async def says_no(i, ctx):
    raise NotDone({"es": "No queda papel.", "en": "There is no paper left."})


@pytest.mark.parametrize("how", ["edited", "denied", "broken", "says no"])
def test_what_is_no_longer_as_it_was_shown_is_not_sent_again(tmp_path, how):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine)
            if how == "edited":
                banco.sql("UPDATE notas SET text = 'Otra', version = version + 1")
            elif how == "denied":
                banco.sql("INSERT INTO negados VALUES ('o-1', 'ana', 'cartas')")
            else:
                banco.actions[CARTA].prepare = broken if how == "broken" else says_no
            events = banco.sql("SELECT * FROM semel_events")
            answer = await engine.person(ANA).resolve(plan, 1, WORDS)
            assert told(answer) == ("Refused", "changed")
            assert ("No queda papel." in answer.card("es").text()) == (how == "says no")
            assert banco.sql("SELECT * FROM semel_events") == events
            assert banco.calls()["send"] == 1
            assert banco.plan() == ("ended", "in_doubt")

    run(main())


def test_the_sends_of_before_still_count_for_what_is_settled(tmp_path):
    async def main():
        async with opened(tmp_path, Process("one")) as (banco, engine):
            banco.impatient()
            plan = await doubtful(banco, engine, goes=["hang gone", "gone"])
            banco.clock.move(seconds=5)
            await engine.person(ANA).resolve(plan, 1, WORDS)
            banco.clock.move(seconds=10 * SETTLED)
            # The second came back long ago; the first has not, so it may still arrive.
            report = await engine.person(ANA).status(plan)
            assert (report.view.steps[0].doubt.settled, report.view.steps[0].doubt.sends) == (
                False,
                2,
            )
            await banco.release(engine)
            report = await engine.person(ANA).status(plan)
            assert report.view.steps[0].doubt.settled

    run(main())
