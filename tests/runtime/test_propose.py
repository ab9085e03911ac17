"""Propose: the one pending slot, what runs at once, and what a repeated call cannot buy."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from app import ANA, LUIS, NOW
from notas_bench import Bench, act, crear, enviar, firmar, opened, plan, told

from semel import Ask, Invalid, Who
from semel.domain.report import Because
from semel.facts import instant_text
from semel.testing import recorded

RISKY = crear("Logo", urgente=True)


def test_one_question_stands_for_each_person_and_conversation(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            whos = [ANA, LUIS, Who("o-1", "ana", "c-2"), Who("o-2", "ana", "c-1")]
            asks = [await bench.asked(engine, RISKY, who=who) for who in whos]
            assert bench.plans() == [("asking", None)] * 4
            for who, ask in zip(whos, asks, strict=True):
                assert told(await engine.person(who).confirm(ask.token)) == ("Report", "finished")
            assert bench.notes() == ["Logo"] * 4

    asyncio.run(main())


def test_a_question_that_has_begun_is_not_superseded(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            bench.mundo.goes = "hang"
            ask = await bench.asked(engine, enviar(note))
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.mundo.hanging.wait()
            newer = await bench.asked(engine, RISKY, message="m-2")
            bench.mundo.released.set()
            assert told(await yes) == ("Report", "finished")
            assert told(await engine.person(ANA).confirm(newer.token)) == ("Report", "finished")

    asyncio.run(main())


def test_an_invalid_or_refused_plan_leaves_the_older_question_standing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            before = bench.dump()
            assert isinstance(await act(engine, firmar("nobody"), message="m-2"), Invalid)
            assert isinstance(await act(engine, crear(importe=-1), message="m-3"), Invalid)
            assert bench.dump() == before
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "finished")

    asyncio.run(main())


def test_a_further_plan_of_one_message_asks_even_when_it_is_safe(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            assert told(await act(engine, crear("Logo"))) == ("Report", "finished")
            further = await act(engine, crear("El logo"))
            assert isinstance(further, Ask)
            assert further.view.because == (Because.FURTHER_PLAN,)
            assert bench.notes() == ["Logo"]
            assert told(await act(engine, crear("El logo"), message="m-2")) == (
                "Report",
                "finished",
            )
            assert told(await engine.person(ANA).confirm(further.token)) == ("Report", "finished")

    asyncio.run(main())


def test_a_further_plan_asks_while_the_first_is_still_running_outside(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            bench.mundo.goes = "hang"
            bench.carta.asks = 0
            running = asyncio.create_task(act(engine, enviar(note)))
            await bench.mundo.hanging.wait()
            assert isinstance(await act(engine, crear("Otra")), Ask)
            bench.mundo.released.set()
            assert told(await running) == ("Report", "finished")
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


def test_a_plan_that_did_not_run_is_no_reason_to_ask(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await bench.asked(engine, RISKY)
            assert told(await act(engine, crear("Segura"))) == ("Report", "finished")
            # The safe plan ran at once beside the question, which still stands.
            assert bench.plans() == [("asking", None), ("ended", "finished")]

    asyncio.run(main())


def test_a_safe_local_plan_is_one_commit_all_or_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            with recorded() as passed:
                done = await act(engine, crear("a"), crear("b"), crear("c"))
            assert told(done) == ("Report", "finished")
            assert [name for name in passed if name.startswith("commit:")] == [
                "commit:propose:before",
                "commit:propose:after",
            ]
            assert [step.state for step in done.view.steps] == ["done"] * 3
            assert bench.crear.calls == 3
            before = bench.dump()
            refused = await act(engine, crear("d"), crear("e", -1), message="m-2")
            assert isinstance(refused, Invalid)
            assert bench.dump() == before
            assert bench.notes() == ["a", "b", "c"]
            assert bench.counts()["semel_effects"] == 3

    asyncio.run(main())


def test_a_safe_plan_with_an_outside_step_runs_at_once_and_marks_before_it_sends(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.carta.asks = 0
            with recorded() as passed:
                done = await act(engine, crear("a"), enviar("$1"))
            assert told(done) == ("Report", "finished")
            order = [name for name in passed if name.startswith(("commit:", "send:"))]
            assert order == [
                "commit:propose:before", "commit:propose:after",
                "commit:local:before", "commit:local:after",
                "commit:mark:before", "commit:mark:after",
                "send:before", "send:after",
                "commit:made:before", "commit:made:after",
            ]  # fmt: skip
            (letter,) = bench.mundo.letters
            assert letter.split(" ", 1)[1] == "a 500"
            assert bench.events(done.view.plan) == [
                "proposed", "step_done", "step_started", "step_done", "ended"
            ]  # fmt: skip

    asyncio.run(main())


def test_b02_the_same_words_in_a_second_message_are_a_second_intention(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            first = await act(engine, crear("Logo", "605.00"), message="m-1")
            bench.move(minutes=30)
            second = await act(engine, crear("Logo", "605.00"), message="m-2")
            assert not second.replayed
            assert first.view.steps[0].state == second.view.steps[0].state == "done"
            assert bench.notes() == ["Logo", "Logo"]
            assert (await act(engine, crear("Logo", "605.00"), message="m-2")).replayed

    asyncio.run(main())


def test_what_a_plan_made_leads_back_to_the_sentence(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            words = "haz una nota «Logo»"
            await engine.agent.act(ANA, plan(crear()), message="m-1", sentence=words)
            found = bench.sql(
                "SELECT p.sentence, p.person, p.message, p.created_at, e.kind, e.version, e.label"
                " FROM semel_effects AS e JOIN semel_plans AS p USING (org, plan)"
            )
            assert found == [(words, "ana", "m-1", instant_text(NOW), "nota", "1", "Logo")]

    asyncio.run(main())


def test_a_channel_that_names_nobody_is_refused_before_anything_is_kept(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            before = bench.dump()
            for who in (Who("", "ana", "c"), Who("o-1", " ", "c"), Who("o-1", "ana", "\t")):
                assert isinstance(await act(engine, crear(), who=who), Invalid)
            for message in ("", "  ", "\n"):
                assert isinstance(await act(engine, crear(), message=message), Invalid)
            assert bench.dump() == before

    asyncio.run(main())


def test_half_a_character_in_a_sentence_is_replaced_and_nothing_is_raised(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await engine.agent.act(
                ANA, plan(crear()), message="m", sentence="a\ud83d" * 9_000
            )
            assert told(done) == ("Report", "finished")
            ((sentence,),) = bench.sql("SELECT sentence FROM semel_plans")
            assert sentence == "a?" * 5_000

    asyncio.run(main())


def test_ids_longer_than_any_channel_has_are_refused(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            before = bench.dump()
            assert isinstance(await act(engine, crear(), message="m" * 501), Invalid)
            assert isinstance(await act(engine, crear(), who=Who("o-1", "a" * 501, "c")), Invalid)
            assert isinstance(await act(engine, crear(), message="m\ud83d"), Invalid)
            assert bench.dump() == before

    asyncio.run(main())


def test_b01_six_safe_calls_one_after_another_make_one_note(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            outcomes = [await act(engine, crear()) for _ in range(6)]
            assert [outcome.replayed for outcome in outcomes] == [False] + [True] * 5
            assert len({outcome.view.plan for outcome in outcomes}) == 1
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


@pytest.mark.parametrize("risky", [False, True])
def test_b01_six_calls_at_once_on_two_instances_make_one_plan(tmp_path, risky):
    bench = Bench(tmp_path)
    together = threading.Barrier(6)
    with bench.engine().sync as one, bench.engine().sync as two, ThreadPoolExecutor(6) as threads:

        def call(face):
            together.wait()
            return face.agent.act(ANA, plan(crear(urgente=risky)), message="m-1")

        outcomes = list(threads.map(call, (one, two) * 3))
        assert sorted(outcome.replayed for outcome in outcomes) == [False] + [True] * 5
        assert len({outcome.view.plan for outcome in outcomes}) == 1
        if risky:
            assert len({outcome.token for outcome in outcomes}) == 1
            assert bench.notes() == []
            assert told(one.person(ANA).confirm(outcomes[0].token)) == ("Report", "finished")
    assert bench.notes() == ["Logo"]


@pytest.mark.parametrize("where", ["plan", "step", "input"])
def test_b01_a_key_that_the_model_makes_up_buys_no_second_run(tmp_path, where):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await act(engine, crear())
            before = bench.dump()
            for number in range(6):
                made = plan(crear())
                target = {"plan": made, "step": made["steps"][0]}.get(where)
                (made["steps"][0]["input"] if target is None else target)["clave"] = f"k{number}"
                outcome = await engine.agent.act(ANA, made, message="m-1")
                assert isinstance(outcome, Invalid)
                assert [problem.code for problem in outcome.problems] == ["unknown_field"]
            assert bench.dump() == before

    asyncio.run(main())


def test_b01_a_risky_plan_that_only_reaches_the_preview_is_one_card(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            asks = [await act(engine, enviar(note)) for _ in range(6)]
            assert len({(ask.view.plan, ask.token) for ask in asks}) == 1
            assert bench.counts()["semel_plans"] == bench.counts()["semel_confirmations"] == 1
            assert told(await engine.person(ANA).confirm(asks[5].token)) == ("Report", "finished")
            assert len(bench.mundo.letters) == 1

    asyncio.run(main())
