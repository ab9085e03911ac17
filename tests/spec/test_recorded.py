"""What engines really record is what the models' table allows: plans played, raced, killed, sent late."""

import asyncio
from pathlib import Path

import dudas
import pytest
from decide_bench import (
    act,
    avisar,
    carta,
    cobro,
    crear,
    elsewhere,
    guion,
    opened,
)
from dudas import CARTA, COBRO, RESERVA, SETTLED, VUELO, at_once, does, until
from histories import in_books
from lives import ALL, ANSWERS, CREAR, FIRMAR, Pedidos
from pedidos import ANA, open_pedidos

import stores
from semel import DidNot, Happened, LookAgain, NotDone, SendAnyway
from semel.runtime import resolve
from semel.testing import interrupt_at
from semel.testing.crash import Verdict, kill_at, undisturbed
from semel_facturas.story.clock import StoryClock

pytestmark = pytest.mark.only_on(
    "sqlite", "the histories are the same; the kill matrix holds both stores' against the table"
)


def kinds(path: Path) -> set[str]:
    return {kind for (kind,) in stores.rows(path, "SELECT DISTINCT kind FROM semel_events")}


def test_what_people_decide_is_allowed_by_the_table(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            person = engine.person(ANA)
            # Safe and Local, taken back; the undo fails half way and goes on.
            done = await act(engine, guion("uno"), guion("dos"))
            usual, ill = bench.guion.undo_is, ["uno"]

            def undo(data, ctx):
                if data["paso"] in ill:
                    raise NotDone({"es": "Todavía no.", "en": "Not yet."})
                return usual(data, ctx)

            bench.guion.undo_is = undo
            half = await person.undo(done.undo_token)
            ill.clear()
            await person.retry((await person.status(half.view.plan)).retry_token)
            # A newer question, a no, a question that expires.
            for message in ("m-2", "m-3"):
                ask = await bench.asked(engine, crear(), carta(), message=message)
            await person.cancel(ask.view.plan)
            await bench.asked(engine, crear("tarde"), carta(), message="m-4")
            bench.move(minutes=11)
            await engine.sweep()
            # Stopped while its first send is on its way.
            bench.afuera.goes = {"carta.enviar": "hang"}
            ask = await bench.asked(engine, crear("alto"), carta(), cobro(), message="m-5")
            run = asyncio.create_task(person.confirm(ask.token))
            await bench.afuera.hanging.wait()
            await person.cancel(ask.view.plan)
            bench.afuera.released.set()
            await run
            bench.afuera.goes = {}
            # For later, and taken back; the same again, and its day comes.
            note = await bench.note(engine, "Luego")
            for message in ("m-6", "m-7"):
                ask = await bench.asked(engine, avisar(note), message=message)
                await person.confirm(ask.token)
                if message == "m-6":
                    (later,) = bench.sql("SELECT plan FROM semel_plans WHERE kind = 'later'")
                    await person.cancel(later[0])
            bench.move(days=6)
            await engine.sweep()
            await engine.settle()
            # A refused step, and the retry of the rest.
            bench.afuera.goes = {"cobro.hacer": "refuse"}
            ask = await bench.asked(engine, crear("otra"), cobro(), message="m-8")
            failed = await person.confirm(ask.token)
            bench.afuera.goes = {}
            await person.retry(failed.retry_token)

    asyncio.run(main())
    path = tmp_path / "pedidos.db"
    assert in_books(path) == []
    assert kinds(path) >= {
        "proposed", "asked", "confirmed", "step_done", "step_started", "ended", "superseded",
        "cancelled", "expired", "cancel_pressed", "undo_pressed", "undoing", "retried",
        "planned", "taken_back", "step_not_done",
    }  # fmt: skip


def test_doubts_and_what_is_said_of_them_are_allowed_by_the_table(tmp_path, monkeypatch):
    at_once(monkeypatch)

    async def main():
        async with dudas.opened(tmp_path) as (banco, engine):
            person = engine.person(ANA)
            note = await banco.note(engine)
            number = iter(range(1, 99))

            async def doubtful(action, goes):
                banco.afuera.goes = {action: goes, f"{action}?": "dark"}
                steps = does(action, note), dudas.crear()
                outcome = await banco.pressed(engine, *steps, message=f"m-{next(number)}")
                banco.afuera.goes = {}
                return outcome.view.plan

            await person.resolve(await doubtful(CARTA, "lost"), 1, Happened(None))
            await person.resolve(await doubtful(CARTA, "gone"), 1, SendAnyway("ENVIAR OTRA VEZ"))
            for action in (RESERVA, VUELO):
                await person.resolve(await doubtful(action, "lost"), 1, LookAgain())
            await person.resolve(await doubtful(VUELO, "gone"), 1, LookAgain())
            await doubtful(COBRO, ["lost", "ok"])
            gone = await doubtful(CARTA, "gone")
            banco.clock.move(seconds=SETTLED)
            await engine.sweep()
            ((epoch,),) = banco.sql("SELECT epoch FROM semel_plans WHERE plan = ?", gone)
            answered = await person.resolve(gone, 1, DidNot(epoch, settled=True))
            await person.retry(answered.retry_token)

    asyncio.run(main())
    path = tmp_path / "pedidos.db"
    assert in_books(path) == []
    assert kinds(path) >= {
        "step_in_doubt", "answered", "proved_late", "possible_duplicate", "step_resent", "settled",
        "retried", "step_not_done",
    }  # fmt: skip


def test_a_late_proof_and_a_contradiction_are_allowed_by_the_table(tmp_path, monkeypatch):
    at_once(monkeypatch)
    paths = [tmp_path / name for name in ("proved", "contradicted")]

    async def main(folder, denies):
        async with dudas.opened(folder, dudas.Process("one")) as (banco, engine):
            banco.impatient()
            banco.afuera.goes |= {CARTA: "hang", f"{CARTA}?": "dark"}
            steps = does(CARTA, await banco.note(engine)), dudas.crear()
            plan = (await banco.pressed(engine, *steps)).view.plan
            if denies:
                banco.clock.move(seconds=SETTLED)
                async with dudas.beside(banco, dudas.Process("two", "one")) as other:
                    ((epoch,),) = banco.sql("SELECT epoch FROM semel_plans")
                    await other.person(ANA).resolve(plan, 1, DidNot(epoch, settled=True))
            await banco.release(engine)

    for folder in paths:
        folder.mkdir()
        dudas.run(main(folder, folder.name == "contradicted"))
    assert [in_books(folder / "pedidos.db") for folder in paths] == [[], []]
    assert "proved_late" in kinds(paths[0] / "pedidos.db")
    assert "contradicted" in kinds(paths[1] / "pedidos.db")


@pytest.mark.parametrize("point", ["commit:mark:after", "commit:local:after", "send:after"])
def test_a_take_over_in_mid_run_is_allowed_by_the_table(tmp_path, point):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), cobro(), carta())

            def take():
                bench.move(minutes=3)
                with elsewhere(bench) as other:
                    other.sweep()

            with interrupt_at(point, take):
                await engine.person(ANA).confirm(ask.token)
            await until(lambda: not engine._core.running and not engine._core.background)

    asyncio.run(main())
    path = tmp_path / "pedidos.db"
    assert "taken_over" in kinds(path)
    assert in_books(path) == []


class Told(Pedidos):
    """A life whose judge asks the table too."""

    def judge(self, world: Path) -> Verdict:
        return Verdict(false=tuple(in_books(world / "pedidos.db")))


@pytest.fixture
def template(tmp_path):
    async def make():
        mundo = dudas.Afuera(tmp_path / "none.jsonl")
        async with open_pedidos(tmp_path / "template", mundo, clock=StoryClock()):
            pass

    (tmp_path / "template").mkdir()
    asyncio.run(make())
    return tmp_path / "template"


def test_a_sample_of_kills_is_allowed_by_the_table(template, tmp_path, monkeypatch):
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    killed = 0
    for number, scenario in enumerate([
        Told("all-ok", template, ALL),
        Told("lost", template, (CREAR, ALL[1], FIRMAR), {CARTA: ["lost"]}, ANSWERS),
        Told("late", template, (CREAR, ALL[2], FIRMAR), {COBRO: ["late"]}),
    ]):  # fmt: skip
        whole = undisturbed(scenario, _world(tmp_path, f"{number}"))
        assert whole.verdict == Verdict()
        commits = [point for point in whole.passed if point[0].startswith(("commit:", "send:"))]
        for point in commits[number :: max(len(commits) // 6, 1)]:
            found = kill_at(scenario, _world(tmp_path, f"{number}-{killed}"), point)
            assert found.verdict == Verdict(), point
            killed += 1
    assert killed >= 15


def _world(folder: Path, name: str) -> Path:
    world = folder / name
    world.mkdir()
    return world
