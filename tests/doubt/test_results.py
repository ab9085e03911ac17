"""Whatever a handler answers: what it did happened once, is recorded, and the plan goes on."""

import asyncio
import gc
import json
import logging
import tracemalloc
from typing import Any

import pytest
from dudas import DUE, Banco, Process, beside, crear, told
from pedidos import ANA, BOTH, Nota, Row, Words
from rarezas import ANSWERS, HUNDRED, NO_ANSWERS, UNREAD

import counts
from semel import CONFIRM, Action, Ctx, Engine, Local, Made, Opaque, Outcome, Preview, Risk
from semel.facts import Text, instant_text

ALL = ANSWERS | UNREAD | NO_ANSWERS
WAYS = ("rara.dentro", "rara.fuera")
DID = {"es": "Hecho {n}", "en": "Done {n}"}
COPIES = 4
"""Hundreds of megabytes that may stand at once while one is looked at."""
DONE, AFTER = ("done", None), ("not_done", "not_reached")


class _Rara(Action):
    """It does its work, and answers what the test says."""

    will, did, Input = BOTH, DID, Words

    def __init__(self, banco: Banco, what: str) -> None:
        self.banco, self.answer = banco, ALL[what]
        # What proves nothing stops a rehearsal already: then only the run, the third, answers it.
        self.plain = 0 if what in ANSWERS else 2
        self.gave: Any = None

    def given(self, row: Row) -> Any:
        self.gave = self.answer(row)
        return self.gave

    def risk(self, i: Words, ctx: Ctx) -> Risk:
        return CONFIRM

    def preview(self, i: Words, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.text))


class Dentro(_Rara, name=WAYS[0], effect=Local(), makes=Nota, allow="notas"):
    """Write a note."""

    def run(self, i: Words, ctx: Ctx) -> Made:
        id = ctx.new_id()
        ctx.tx.run("notas.add", org=ctx.org, id=id, text=i.text, now=instant_text(ctx.now))
        row = Nota().find(ctx, id)
        self.plain -= 1
        return Made(row) if self.plain >= 0 else self.given(row)


class Fuera(_Rara, name=WAYS[1], effect=Opaque(deadline=20), makes=Nota, allow="notas"):
    """Send words."""

    async def run(self, i: Words, ctx: Ctx) -> Made:
        await self.banco.afuera.send(self.name, ctx.key, i.text)
        return self.given(Row(ctx.key, i.text, 0, 1, 0))


def bench(folder, what: str) -> Banco:
    banco = Banco(folder)
    banco.actions |= {one.name: one for one in (Dentro(banco, what), Fuera(banco, what))}
    return banco


def effects(banco: Banco, way: str) -> int:
    """How often it was done."""
    if way == WAYS[0]:
        return banco.sql("SELECT count(*) FROM notas WHERE text = 'Rara'")[0][0]
    return banco.arrived(way)


def spoken(outcome: Outcome) -> None:
    """It can be said to a model and shown to a person, in both languages."""
    for locale in ("es", "en"):
        model = outcome.for_model(locale)
        assert json.dumps(model.plain(), ensure_ascii=False).encode()
        assert outcome.card(locale).text().encode()


async def asked_after(engine: Engine, banco: Banco, plan: str) -> None:
    """Whoever asks what happened is answered."""
    person = engine.person(ANA)
    for outcome in (await engine.agent.status(ANA, plan), await person.status(plan)):
        spoken(outcome)
    for face in (person, engine.operator):
        detail = await face.show(plan)
        assert detail is not None
        assert [view.plan for view in await face.plans()] == [plan]
        for kind, id in banco.sql("SELECT kind, id FROM semel_effects ORDER BY position DESC")[:3]:
            trace = await face.trace(kind, id)
            assert trace is not None
            assert trace.view == detail.view


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", ALL)
def test_r17_any_answer_is_one_effect_that_is_recorded_and_the_plan_goes_on(
    tmp_path, caplog, what, way
):
    caplog.set_level(logging.CRITICAL, "semel")
    banco = bench(tmp_path, what)

    async def main():
        async with beside(banco, Process("one")) as engine:
            ask = await banco.asked(engine, (way, {"text": "Rara"}), crear("Después"))
            report = await engine.person(ANA).confirm(ask.token)
            plan = report.view.plan
            spoken(report)
            if report.view.steps[0].state == "done" and plainly_one(banco.actions[way]):
                # What is plain in it is kept, whatever stands beside it.
                assert report.view.steps[0].made["n"] == Text("1")
            judge(banco, what, way, told(report))
            await asked_after(engine, banco, plan)
        async with beside(banco, Process("two", "one")) as other:
            before = banco.steps(), banco.attempts(), banco.events()
            banco.clock.move(seconds=DUE)
            await other.sweep()
            again = await other.person(ANA).confirm(ask.token)
            assert (again.replayed, again.view) == (True, report.view)
            assert (banco.steps(), banco.attempts(), banco.events()) == before
            judge(banco, what, way, told(again))

    asyncio.run(main())
    counts.ran("R17", 1)


def plainly_one(action: Any) -> bool:
    """Whether the answer held the fact n = "1", with all of it being what it seems."""
    facts = action.gave.facts if type(action.gave) is Made else None
    fact = facts.get("n") if type(facts) is dict else None
    return type(fact) is Text and type(fact.text) is str and fact.text == "1"


def judge(banco: Banco, what: str, way: str, said: tuple[str, str | None]) -> None:
    """What is said is what is there."""
    rolled_back = way == WAYS[0] and what not in ANSWERS
    doubt = way == WAYS[1] and what in NO_ANSWERS
    assert effects(banco, way) == (0 if rolled_back else 1)
    later = banco.sql("SELECT count(*) FROM notas WHERE text = 'Después'")[0][0]
    if rolled_back:
        assert said == ("Report", "failed")
        assert banco.steps() == [("not_done", "failed"), AFTER]
    elif doubt:
        assert said == ("Report", "in_doubt")
        assert banco.steps() == [("in_doubt", None), AFTER]
    else:
        assert said == ("Report", "finished")
        assert banco.steps() == [DONE, DONE]
        ((result,),) = banco.sql("SELECT result FROM semel_steps WHERE position = 1")
        assert len(result.encode()) <= 256 * 1024
        stored = json.loads(result)
        assert set(stored) == {"id", "facts", "rows", "undo"}
    assert later == (not rolled_back and not doubt)
    if way == WAYS[1]:
        assert banco.attempts() == ["unknown" if doubt else "made"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", [name for name in ALL if name.startswith("100 MB")])
def test_r17_a_hundred_megabytes_pass_through_and_leave_nothing(tmp_path, what, way):
    banco = bench(tmp_path, what)

    async def main():
        async with beside(banco) as engine:
            ask = await banco.asked(engine, (way, {"text": "Rara"}))
            gc.collect()
            tracemalloc.start()
            try:
                report = await engine.person(ANA).confirm(ask.token)
                rara: Any = banco.actions[way]
                rara.gave = None
                gc.collect()
                after, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert told(report) == ("Report", "finished")
            # The answer itself, its text as JSON, and the bytes of that: no more at once.
            assert peak < COPIES * HUNDRED, peak
            assert after < 5_000_000, after
            await asked_after(engine, banco, report.view.plan)
        files = sum(path.stat().st_size for path in tmp_path.glob("pedidos.db*"))
        assert files < 5_000_000, files

    asyncio.run(main())


@pytest.mark.no_store
def test_r17_forty_kinds_and_more_are_answered_in_both_ways():
    assert len(ALL) == len(ANSWERS) + len(UNREAD) + len(NO_ANSWERS)
    assert len(ALL) * len(WAYS) >= 40 * 2
    assert len(ALL) * len(WAYS) * 2 >= counts.of("R17")
