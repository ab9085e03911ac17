"""Checked with void: every send has a key of its own, which is closed before the next one opens."""

import pytest
from dudas import (
    RESERVA,
    VUELO,
    Process,
    armed,
    at_once,
    beside,
    crear,
    does,
    elsewhere,
    opened,
    run,
    told,
)
from pedidos import ANA

from semel import LookAgain, SendAnyway
from semel.facts import Text
from semel.testing import interrupt_at

IN_DOUBT = [("in_doubt", None), ("not_done", "not_reached")]
DONE = ("Report", "finished")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


def closed(banco):
    return [line["key"] for line in banco.afuera.lines() if line["verb"] == "closed"]


async def dark(banco, engine, goes, action=VUELO):
    """A step in doubt, since its other side answers nothing; its plan's number."""
    banco.afuera.goes |= {action: goes, f"{action}?": "dark"}
    ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())
    assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "in_doubt")
    assert banco.steps() == IN_DOUBT
    return ask.view.plan


def test_every_send_has_its_own_key_and_all_but_the_last_are_closed(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[VUELO] = ["gone", "gone", "ok"]
            report = await banco.pressed(engine, does(VUELO, await banco.note(engine)))
            assert told(report) == DONE
            first, second, third = banco.keys()
            assert len({first, second, third}) == 3
            assert closed(banco) == [first, second]
            assert list(banco.afuera.arrived(VUELO)) == [third]
            assert [key for key, _ in banco.actions[VUELO].sent] == [first, second, third]

    run(main())


def test_a_key_is_closed_and_looked_for_before_the_next_send_is_even_written(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[VUELO] = ["gone", "ok"]
            ask = await banco.asked(engine, does(VUELO, await banco.note(engine)))
            seen = []

            def look(name):
                if name in {"void:before", "void:after", "check:after", "commit:closed:after"}:
                    seen.append((name, banco.attempts(), len(closed(banco))))

            with armed(look):
                await engine.person(ANA).confirm(ask.token)
            assert seen == [
                ("void:before", ["unknown"], 0),
                ("void:after", ["unknown"], 1),
                ("check:after", ["unknown"], 1),
                ("commit:closed:after", ["void", None], 1),
            ]
            assert [verb for verb, _ in banco.afuera.calls] == ["send", "close", "look", "send"]

    run(main())


@pytest.mark.parametrize("late", ["hang", "hang lost", "hang gone", "hang refuse"])
def test_what_comes_late_under_a_closed_key_changes_nothing(tmp_path, late):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.impatient()
            banco.afuera.goes[VUELO] = [late, "ok"]
            report = await banco.pressed(engine, does(VUELO, await banco.note(engine)), crear())
            assert told(report) == DONE
            events = banco.events()
            await banco.release(engine)
            assert banco.events() == events
            assert banco.attempts() == ["void", "made"]
            assert dict(banco.afuera.arrived(VUELO)) == {banco.keys()[1]: 1}

    run(main())


def test_what_lands_before_it_is_closed_is_found_and_nothing_else_is_sent(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[VUELO] = ["gone", "ok"]
            ask = await banco.asked(engine, does(VUELO, await banco.note(engine)), crear())
            # It was only slow: it lands after the sender gave up and before the key is closed.
            with interrupt_at("void:before", lambda: banco.afuera.arrive(VUELO, banco.keys()[0])):
                assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert banco.calls()["send"] == banco.arrived(VUELO) == 1

    run(main())


def test_nobody_answering_is_a_doubt_and_the_sweep_comes_back_after_a_minute(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await dark(banco, engine, "lost")
            seen = []
            for second in range(1, 200):
                banco.clock.move(seconds=1)
                if (await engine.sweep()).looked_at == (plan,):
                    seen.append(second)
            assert seen == [60, 120, 180]
            assert banco.steps() == IN_DOUBT
            banco.afuera.goes[f"{VUELO}?"] = ""
            banco.clock.move(seconds=60)
            await engine.sweep()
            assert banco.steps() == [("done", None), ("not_done", "not_reached")]
            assert banco.calls()["send"] == banco.arrived(VUELO) == 1

    run(main())


@pytest.mark.parametrize("who", ["person", "sweep"])
def test_a_doubt_that_is_closed_is_not_done_and_offered_again_however_soon(tmp_path, who):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await dark(banco, engine, "gone")
            banco.afuera.goes |= {VUELO: "ok", f"{VUELO}?": ""}
            if who == "person":
                await engine.person(ANA).resolve(plan, 1, LookAgain())
            else:
                banco.clock.move(seconds=60)
                await engine.sweep()
            assert banco.steps() == [("not_done", "failed"), ("not_done", "not_reached")]
            assert banco.attempts() == ["void"]
            # It ends the doubt; running it anew is a person's to say, with the figures of now.
            assert banco.calls()["send"] == 1
            report = await engine.person(ANA).status(plan)
            assert told(await engine.person(ANA).retry(report.retry_token)) == DONE
            assert len(set(banco.keys())) == 2
            assert banco.arrived(VUELO) == 1

    run(main())


def test_closing_without_an_answer_to_the_look_proves_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            action = banco.actions[VUELO]
            check = action.check

            async def no_answer(keys, ctx):
                raise ConnectionError("no answer")

            action.check = no_answer
            banco.afuera.goes[VUELO] = ["lost", "ok"]
            report = await banco.pressed(engine, does(VUELO, await banco.note(engine)), crear())
            assert told(report) == ("Report", "in_doubt")
            assert banco.steps() == IN_DOUBT
            assert closed(banco) == banco.keys()
            assert banco.calls()["send"] == 1
            action.check = check
            banco.clock.move(seconds=60)
            await engine.sweep()
            assert banco.steps()[0] == ("done", None)

    run(main())


@pytest.mark.parametrize("landed", [None, 0, 1, 2])
def test_every_open_key_is_closed_and_looked_for_not_only_the_last(tmp_path, landed):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await dark(banco, engine, "gone")
            for _ in range(2):
                # A person has it sent again although nobody has answered about the first.
                await engine.person(ANA).resolve(plan, 1, SendAnyway("ENVIAR OTRA VEZ"))
            keys = banco.keys()
            assert len(set(keys)) == 3
            assert banco.attempts() == ["unknown"] * 3
            if landed is not None:
                banco.afuera.arrive(VUELO, keys[landed])
            banco.afuera.goes[f"{VUELO}?"] = ""
            banco.clock.move(seconds=60)
            await engine.sweep()
            assert sorted(closed(banco)) == sorted(keys)
            assert banco.steps()[0] == (
                ("not_done", "failed") if landed is None else ("done", None)
            )
            assert banco.arrived(VUELO) == (landed is not None)
            assert banco.calls()["send"] == 3

    run(main())


@pytest.mark.parametrize("action", [VUELO, RESERVA])
def test_a_look_says_nothing_of_what_was_sent_after_it(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await dark(banco, engine, "gone", action)
            banco.clock.move(seconds=90)

            async def send_again():
                banco.afuera.goes |= {action: "lost", f"{action}?": "dark"}
                async with beside(banco, Process("other")) as other:
                    await other.person(ANA).resolve(plan, 1, SendAnyway("SEND AGAIN"))

            banco.afuera.goes[f"{action}?"] = ""
            with interrupt_at("check:after", lambda: elsewhere(send_again())):
                await engine.person(ANA).resolve(plan, 1, LookAgain())
            assert banco.steps() == IN_DOUBT
            assert banco.attempts() == ["unknown", "unknown"]
            assert banco.arrived(action) == 1
            banco.afuera.goes[f"{action}?"] = ""
            await engine.person(ANA).resolve(plan, 1, LookAgain())
            assert banco.steps()[0] == ("done", None)

    run(main())


@pytest.mark.parametrize("point", ["void:before", "check:after", "prepare:before", "prepare:after"])
def test_a_cancel_before_the_next_send_is_marked_is_obeyed(tmp_path, point):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[VUELO] = ["gone", "ok"]
            ask = await banco.asked(engine, does(VUELO, await banco.note(engine)), crear())

            async def cancel():
                async with beside(banco, Process("other")) as other:
                    await other.person(ANA).cancel(ask.view.plan)

            occurrence = 2 if point.startswith("prepare") else 1
            with interrupt_at(point, lambda: elsewhere(cancel()), occurrence):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "cancelled")
            assert banco.steps() == [("not_done", "cancelled")] * 2
            assert banco.attempts() == ["void"]
            assert closed(banco) == banco.keys()
            assert banco.calls()["send"] == 1
            assert banco.arrived(VUELO) == 0

    run(main())


def test_what_cannot_be_prepared_anew_is_closed_and_not_done(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[VUELO] = ["gone", "ok"]
            action = banco.actions[VUELO]
            run = action.run

            async def and_edited(i, ctx, prepared):
                banco.sql("UPDATE notas SET text = 'Otra', version = version + 1")
                return await run(i, ctx, prepared)

            action.run = and_edited
            report = await banco.pressed(engine, does(VUELO, await banco.note(engine)), crear())
            assert told(report) == ("Report", "failed")
            assert banco.steps() == [("not_done", "failed"), ("not_done", "not_reached")]
            assert banco.attempts() == ["void"]
            assert banco.calls()["send"] == 1
            # What is offered then shows what it is now, beside what it was.
            assert report.retry_token
            (changed,) = report.view.steps[0].changed
            assert (changed.shown, changed.now) == (Text("Vieja"), Text("Otra"))

    run(main())


def test_a_person_says_did_not_only_of_what_is_settled_here_too(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await dark(banco, engine, "gone")
            person = engine.person(ANA)
            assert told(await person.did_not(plan, 1)) == ("Refused", "not_settled")
            banco.clock.move(seconds=90)
            assert told(await person.did_not(plan, 1)) == ("Report", "failed")
            assert banco.attempts() == ["absent"]

    run(main())
