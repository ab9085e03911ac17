"""Rights are those of now: taken away at any point of a run, no later step runs (S8)."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import (
    DONE,
    Bench,
    act,
    apuntar,
    carta,
    crear,
    firmar,
    opened,
    states,
    told,
)
from memory_pedidos import NOTAS, engine_of, store_of
from pedidos import ANA, allow
from test_cancel_running import FOUR, MOMENTS

from semel import SAFE
from semel.catalog import Catalog
from semel.testing import interrupt_at, recorded

FORBIDDEN = ("Refused", "forbidden")
RIGHTS = ("notas", "firmas", "cartas")


class Guarded:
    """An engine in memory whose rights can be taken away inside a transaction too."""

    def __init__(self, bench: Bench, catalog: Catalog) -> None:
        self.gone = False
        self.store = store_of(bench.clock)
        self.afuera = bench.afuera
        self.afuera.path.unlink(missing_ok=True)
        self.engine = engine_of(
            self.store, bench.actions, bench.clock, catalog=catalog, may=self.may
        )

    def may(self, ctx, permission, records):
        return not self.gone and allow(ctx, permission, records)

    def take_away(self) -> None:
        self.gone = True

    def ran(self) -> list[int]:
        """How often each of the four steps has happened."""
        notes = self.store._tables[NOTAS].all()
        arrived = [self.afuera.arrived(name).total() for name in ("carta.enviar", "cobro.hacer")]
        return [len(notes), arrived[0], sum(row["signed"] for row in notes), arrived[1]]

    async def asked(self):
        ask = await act(self.engine, *FOUR)
        assert ask.token
        return ask


@pytest.mark.no_store
def test_taken_away_at_every_named_point_of_a_run_no_later_step_runs(tmp_path):
    async def main():
        bench = Bench(tmp_path)
        catalog = Catalog(bench.actions)
        world = Guarded(bench, catalog)
        ask = await world.asked()
        with recorded() as names:
            assert told(await world.engine.person(ANA).confirm(ask.token)) == DONE
        ends = ("commit:local:after", "commit:made:after")
        tried = 0
        for index, name in enumerate(names):
            world = Guarded(bench, catalog)
            ask = await world.asked()
            passed = names[: index + 1]
            with interrupt_at(name, world.take_away, passed.count(name)):
                outcome = await world.engine.person(ANA).confirm(ask.token)
            finished, ran = sum(end in ends for end in passed), world.ran()
            done = sum(ran)
            assert ran == [1] * done + [0] * (4 - done), (name, ran)
            # What has ended stands; the one in which it came may end; no later one begins.
            assert finished <= done <= min(finished + 1, 4), (name, index)
            if told(outcome) == FORBIDDEN:
                assert done == 0
                stands = await world.engine.agent.status(ANA, ask.view.plan)
                assert told(stands) == ("Ask", None)
            elif done < 4:
                assert told(outcome) == ("Report", "failed")
                assert states(outcome)[done] == "not_done forbidden"
            await agrees(world.engine, ask.view.plan)
            tried += 1
        assert tried == len(names) >= 150
        print(f"rights: {tried} points")

    asyncio.run(main())


@pytest.mark.parametrize(("point", "occurrence", "done", "on_its_way"), MOMENTS)
def test_taken_away_in_the_database_between_two_transactions(
    tmp_path, point, occurrence, done, on_its_way
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *FOUR)
            with interrupt_at(point, lambda: [bench.deny(one) for one in RIGHTS], occurrence):
                report = await engine.person(ANA).confirm(ask.token)
            ends = done + int(on_its_way)
            forbidden = ["not_done forbidden", "not_done not_reached", "not_done not_reached"]
            rest = [*forbidden, "not_done not_reached"][: 4 - ends]
            assert states(report) == ["done"] * ends + rest
            assert bench.afuera.arrived().total() == (ends >= 2) + (ends >= 4)
            # What may not be done is not offered; once it may again, it is.
            assert report.retry_token is None
            for right in RIGHTS:
                bench.allow_again(right)
            shown = await engine.person(ANA).status(ask.view.plan)
            assert (shown.retry_token is not None) is (ends < 4)

    asyncio.run(main())


@pytest.mark.parametrize("right", RIGHTS)
def test_taken_away_between_the_card_and_the_yes_nothing_runs_and_the_question_stands(
    tmp_path, right
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *FOUR)
            bench.deny(right)
            assert told(await engine.person(ANA).confirm(ask.token)) == FORBIDDEN
            assert told(await engine.person(ANA).says("sí")) == FORBIDDEN
            assert bench.plans() == [("asking", None)]
            assert bench.notes() == bench.afuera.lines() == []
            bench.allow_again(right)
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "finished")

    asyncio.run(main())


def test_taken_away_before_a_retry_the_offer_is_not_there_and_the_old_button_runs_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {"carta.enviar": "refuse"}
            ask = await bench.asked(engine, crear(), carta(), firmar())
            report = await engine.person(ANA).confirm(ask.token)
            bench.afuera.goes = {}
            bench.deny("cartas")
            late = await engine.person(ANA).retry(report.retry_token)
            assert told(late) == ("Report", "failed")
            assert states(late)[1] == "not_done forbidden"
            assert bench.afuera.sent() == 1
            assert bench.signed() == 0

    asyncio.run(main())


def test_a_letter_for_later_goes_out_with_the_rights_of_its_day(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            await act(engine, apuntar())
            bench.deny("cartas")
            bench.move(days=5)
            await engine.sweep()
            assert bench.afuera.calls == []
            [child] = [p for (p,) in bench.sql("SELECT plan FROM semel_plans WHERE kind = 'later'")]
            report = await engine.person(ANA).status(child)
            assert states(report) == ["not_done forbidden"]
            await agrees(engine, child)

    asyncio.run(main())
