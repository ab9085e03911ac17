"""An undo never writes over what somebody has changed since, and says what is back and what is not."""

import asyncio

import pytest
from agreement import agrees
from decide_bench import DONE, act, apuntar, crear, editar, opened, states, tirar, told
from pedidos import ANA

from semel import SAFE
from semel.testing import interrupt_at

FAILED, STALE = ("Report", "failed"), ("Report", "stale")
REVOKED = ("Refused", "revoked")


def note_of(bench, text):
    return bench.sql("SELECT id FROM notas WHERE text = ?", text)[0][0]


def child_of(bench):
    return bench.sql("SELECT plan FROM semel_plans WHERE kind = 'later'")[0][0]


def test_a_record_that_somebody_changed_is_left_as_it_is_and_that_is_said(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear("uno"), crear("dos"))
            bench.edit(note_of(bench, "dos"), "de otra")
            undone = await engine.person(ANA).undo(done.undo_token)
            assert told(undone) == STALE
            assert states(undone) == ["not_done stale", "not_done not_reached"]
            assert bench.notes() == ["de otra", "uno"]
            text = undone.card("es").text()
            assert "«dos»: ha cambiado desde entonces, y se deja como está" in text
            await agrees(engine, done.view.plan, undone.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize("changed", [1, 2, 3])
def test_changed_while_it_runs_the_steps_before_are_back_and_the_rest_is_not(tmp_path, changed):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear("uno"), crear("dos"), crear("tres"))
            text = {1: "tres", 2: "dos", 3: "uno"}[changed]
            moment = "commit:undo:after" if changed == 1 else "commit:local:after"
            with interrupt_at(
                moment, lambda: bench.edit(note_of(bench, text), "otra"), max(1, changed - 1)
            ):
                undone = await engine.person(ANA).undo(done.undo_token)
            assert told(undone) == STALE
            assert states(undone) == [
                *["done"] * (changed - 1), "not_done stale",
                *["not_done not_reached"] * (3 - changed),
            ]  # fmt: skip
            said = undone.card("es").text()
            parts = ["Deshecho:"] * (changed > 1) + ["No se pudo deshacer:"]
            parts += ["No se deshizo por eso:"] * (changed < 3)
            assert [line for line in said.splitlines() if line.endswith(("o:", "r:"))] == parts
            left = ["uno", "dos", "tres"][: 4 - changed]
            assert bench.notes() == sorted(["otra" if one == text else one for one in left])
            await agrees(engine, done.view.plan, undone.view.plan)

    asyncio.run(main())


def test_what_came_back_by_a_change_of_versions_is_still_changed_since(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine, "Antes")
            done = await act(engine, editar(note, "Después"))
            bench.edit(note, "Tercero")
            bench.edit(note, "Después")  # the same words, and somebody else's
            undone = await engine.person(ANA).undo(done.undo_token)
            assert told(undone) == STALE
            assert bench.notes() == ["Después"]

    asyncio.run(main())


def test_a_record_that_the_plan_touched_twice_goes_back_through_both_versions(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, crear("uno"), editar("$1", "dos"), editar("$1", "tres"))
            assert bench.notes() == ["tres"]
            assert told(await engine.person(ANA).undo(done.undo_token)) == DONE
            rows = bench.sql("SELECT text, version, gone FROM notas")
            assert rows == [("uno", 6, 1)]

    asyncio.run(main())


def test_a_record_that_was_thrown_away_is_found_where_it_is_archived(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine, "Antes")
            done = await act(engine, crear("uno"), tirar(note))
            assert bench.notes() == ["uno"]
            assert told(await engine.person(ANA).undo(done.undo_token)) == DONE
            assert bench.notes() == ["Antes"]

    asyncio.run(main())


@pytest.mark.parametrize("somebody", ["restores it", "takes it out of the archive"])
def test_what_was_done_to_an_archived_record_since_is_not_written_over(tmp_path, somebody):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine, "Antes")
            done = await act(engine, tirar(note))
            if somebody == "restores it":
                bench.sql("UPDATE notas SET gone = 0, version = version + 1")
            else:
                bench.sql("DELETE FROM notas")
            before = bench.sql("SELECT * FROM notas")
            undone = await engine.person(ANA).undo(done.undo_token)
            assert told(undone) == STALE
            assert states(undone) == ["not_done stale"]
            assert bench.sql("SELECT * FROM notas") == before

    asyncio.run(main())


def test_it_ends_the_letters_that_wait_in_the_press_own_commit(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            done = await act(engine, apuntar("uno"), apuntar("dos", dias=6))
            seen = []
            with interrupt_at("commit:undo:after", lambda: seen.extend(bench.sql(
                "SELECT state, reason FROM semel_plans WHERE kind = 'later'"
            ))):  # fmt: skip
                assert told(await engine.person(ANA).undo(done.undo_token)) == DONE
            assert seen == [("ended", "cancelled")] * 2
            bench.move(days=7)
            assert (await engine.sweep()).resumed == ()
            assert bench.afuera.lines() == bench.notes() == []
            plans = [p for (p,) in bench.sql("SELECT plan FROM semel_plans")]
            await agrees(engine, *plans)

    asyncio.run(main())


@pytest.mark.parametrize("goes", ["ok", "refuse", "lost"])
def test_a_letter_that_has_begun_stops_the_undo_whatever_became_of_it(tmp_path, goes):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            bench.afuera.goes = {"carta.enviar": goes}
            done = await act(engine, apuntar("uno", dias=0), apuntar("dos"))
            token = done.undo_token
            await engine.settle()
            before = bench.notes()
            shown = await engine.person(ANA).status(done.view.plan)
            assert shown.undo_token is None
            if token is not None:
                assert told(await engine.person(ANA).undo(token)) == REVOKED
            assert bench.notes() == before
            # The other letter is not taken back by a press that took nothing back.
            assert bench.sql(
                "SELECT state FROM semel_plans WHERE kind = 'later' ORDER BY not_before"
            ) == [("ended",), ("running",)]  # fmt: skip

    asyncio.run(main())


def test_a_letter_whose_send_is_on_its_way_stops_an_undo_that_was_offered_before(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.asks("carta.enviar", SAFE)
            bench.afuera.goes = {"carta.enviar": "hang"}
            done = await act(engine, apuntar("uno"))
            bench.move(days=5)
            sweep = asyncio.create_task(engine.sweep())
            # The hour is long over; here the clock is put back for the press alone.
            await bench.afuera.hanging.wait()
            bench.move(days=-5)
            assert told(await engine.person(ANA).undo(done.undo_token)) == REVOKED
            bench.afuera.released.set()
            await sweep
            assert bench.notes() == ["uno"]
            assert bench.afuera.arrived().total() == 1
            await agrees(engine, done.view.plan, child_of(bench))

    asyncio.run(main())
