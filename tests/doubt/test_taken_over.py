"""A started step of every class is taken over by another process: one effect, and the right state."""

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
    elsewhere,
    is_true,
    opened,
    until,
)
from pedidos import ANA, OUTSIDE

from semel.testing import interrupt_at, recorded

DONE = [("done", None), ("done", None)]
IN_DOUBT = [("in_doubt", None), ("not_done", "not_reached")]
ROUGH = {COBRO: ["lost", "ok"], VUELO: ["gone", "ok"], RESERVA: "lost", CARTA: "ok"}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


def rough(action):
    """How its sends go, so that every way to a proof is gone."""
    goes = ROUGH[action]
    return goes if isinstance(goes, str) else [*goes]


async def points_of(folder, action):
    """The points of a whole run at which another process could come in."""
    async with opened(folder) as (banco, engine):
        banco.afuera.goes[action] = rough(action)
        ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())
        with recorded() as passed:
            await engine.person(ANA).confirm(ask.token)
    seen, found = {}, []
    for name in passed[passed.index("commit:confirm:after") :]:
        seen[name] = seen.get(name, 0) + 1
        between = name.startswith("commit:") and name.endswith(":after")
        if between or name.startswith(("prepare:", "send:", "void:", "check:")):
            found.append((name, seen[name]))
    return found


@pytest.mark.parametrize("action", OUTSIDE)
def test_r6_a_living_owner_taken_for_dead_at_any_point_makes_no_second_effect(tmp_path, action):
    (tmp_path / "undisturbed").mkdir()
    points = asyncio.run(points_of(tmp_path / "undisturbed", action))
    assert len(points) >= 8
    ends = set()

    async def disturbed(folder, point, occurrence):
        async with opened(folder, Process("one")) as (banco, engine):
            banco.afuera.goes[action] = rough(action)
            ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())

            async def takes_over():
                async with beside(banco, Process("two", "one")) as two:
                    await two.sweep()

            with interrupt_at(point, lambda: elsewhere(takes_over()), occurrence):
                await engine.person(ANA).confirm(ask.token)
                await until(lambda: not engine._core.running and not engine._core.background)
            where = f"{point} #{occurrence}"
            is_true(banco, action, where)
            notes = banco.sql("SELECT count(*) FROM notas WHERE text = 'Nueva'")
            assert notes == [(banco.steps()[1] == ("done", None),)], where
            ends.add(banco.plan()[1])
            banco.clock.move(seconds=SETTLED)
            await engine.sweep()
            is_true(banco, action, where)

    for number, (point, occurrence) in enumerate(points):
        folder = tmp_path / str(number)
        folder.mkdir()
        asyncio.run(disturbed(folder, point, occurrence))
    assert "finished" in ends


MARKED = {"commit:mark:after", "commit:resend:after", "commit:closed:after", "send:before"}
"""Points after which a send leaves although the plan has another owner: its mark is on disk."""


@pytest.mark.parametrize("action", OUTSIDE)
def test_r6_an_owner_whose_plan_is_anothers_begins_nothing_more(tmp_path, action):
    (tmp_path / "undisturbed").mkdir()
    points = asyncio.run(points_of(tmp_path / "undisturbed", action))

    async def overtaken(folder, point, occurrence):
        async with opened(folder, Process("one")) as (banco, engine):
            banco.afuera.goes[action] = rough(action)
            ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())
            then = []

            def taken():
                banco.sql(
                    "UPDATE semel_plans SET epoch = epoch + 1, owner = 'two' WHERE state = 'running'"
                )
                then.extend([banco.calls()["send"], banco.steps()[1]])

            with interrupt_at(point, taken, occurrence):
                await engine.person(ANA).confirm(ask.token)
                await until(lambda: not engine._core.running and not engine._core.background)
            where = f"{point} #{occurrence}"
            assert banco.calls()["send"] == then[0] + (point in MARKED), where
            assert banco.steps()[1] == then[1], where
            banco.clock.move(seconds=DUE)
            async with beside(banco, Process("three", "one", "two")) as three:
                await three.sweep()
            is_true(banco, action, where)

    for number, (point, occurrence) in enumerate(points):
        folder = tmp_path / str(number)
        folder.mkdir()
        asyncio.run(overtaken(folder, point, occurrence))


@pytest.mark.parametrize("action", OUTSIDE)
@pytest.mark.parametrize("lands", [False, True])
def test_three_owners_that_die_end_it_in_doubt_which_is_looked_after_as_any(
    tmp_path, action, lands
):
    async def main():
        async with opened(tmp_path, Process("0")) as (banco, engine):
            ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())
            await dies_at(engine, "send:after" if lands else "send:before",
                          engine.person(ANA).confirm(ask.token))  # fmt: skip
            assert banco.steps()[0] == ("started", None)
            sends = banco.calls()["send"]
            for number in (1, 2):
                name = str(number)
                async with beside(banco, Process(name, *map(str, range(number)))) as owner:
                    await dies_at(owner, "commit:take_over:after", owner.sweep())
                assert banco.steps()[0] == ("started", None)
            async with beside(banco, Process("3", "0", "1", "2")) as third:
                swept = await third.sweep()
                assert swept.given_up == (ask.view.plan,)
                assert banco.steps() == IN_DOUBT
                assert banco.events().count("taken_over") == 3
                banco.clock.move(seconds=SETTLED)
                assert (await third.sweep()).looked_at == (ask.view.plan,)
            ends = {
                CARTA: ("in_doubt", None), COBRO: ("in_doubt", None),
                RESERVA: ("done", None) if lands else ("not_done", "failed"),
                VUELO: ("done", None) if lands else ("not_done", "failed"),
            }  # fmt: skip
            assert banco.steps()[0] == ends[action]
            assert ("settled" in banco.events()) == (action in {CARTA, COBRO})
            assert banco.calls()["send"] == sends
            assert banco.arrived(action) == lands

    asyncio.run(main())


@pytest.mark.parametrize(("action", "lands"), [(COBRO, False), (COBRO, True), (VUELO, False)])
def test_owners_that_die_over_every_send_send_three_times_and_no_more(tmp_path, action, lands):
    async def main():
        async with opened(tmp_path, Process("0")) as (banco, engine):
            ask = await banco.asked(engine, does(action, await banco.note(engine)), crear())
            point = "send:after" if lands else "send:before"
            await dies_at(engine, point, engine.person(ANA).confirm(ask.token))
            for number in (1, 2):
                name = str(number)
                async with beside(banco, Process(name, *map(str, range(number)))) as owner:
                    await dies_at(owner, "send:before", owner.sweep())
                assert len(banco.attempts()) == number + 1
            async with beside(banco, Process("3", "0", "1", "2")) as third:
                assert (await third.sweep()).given_up == (ask.view.plan,)
                assert banco.steps() == IN_DOUBT
                banco.clock.move(seconds=SETTLED)
                await third.sweep()
            is_true(banco, action, "after three owners")
            assert banco.steps()[0] == (
                ("in_doubt", None) if action == COBRO else ("not_done", "failed")
            )
            assert len(banco.attempts()) == 3
            assert banco.arrived(action) == lands

    asyncio.run(main())
