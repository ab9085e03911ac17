# Longer than 300 lines: the races of one key, one token and one counter share their contenders.
"""Races: many callers of one key or one token, in one process and across several; one effect."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from typing import Any

import facturas_bench
import pytest
from app import ANA
from contenders import Gate, contend, no_power_cut, threads
from facturas_bench import Facturas, emitir
from notas_bench import (
    Bench,
    act,
    armed,
    crear,
    enviar,
    firmar,
    opened,
    plan,
    told,
    until,
    waited_for,
)

import counts
import stores
from semel import Ctx, Local, Made, Outcome, Report, Running, Who
from semel.sync import Sync
from semel.testing import crash_at, interrupt_at
from semel_facturas.actions import actions
from semel_facturas.actions.factura import Emitir, UnaFactura
from semel_facturas.actions.kinds import Factura
from store_held import queued

SAFE = crear("Logo")
RISKY = crear("Logo", urgente=True)
DONE = ("Report", "finished")


def spoken(outcome: Outcome) -> tuple[Any, ...]:
    """An outcome as it leaves a process: what it is, of which plan, its token, if it is new."""
    return (
        told(outcome),
        getattr(outcome, "view", None),
        getattr(outcome, "token", None),
        outcome.replayed,
    )


def one_new(answers: list[tuple[Any, ...]], count: int) -> tuple[Any, ...]:
    """All answers are one and the same; exactly one of them is no replay."""
    assert len(answers) == count
    assert {answer[:3] for answer in map(hashable, answers)} == {hashable(answers[0])[:3]}
    assert [answer[3] for answer in answers].count(False) == 1
    return answers[0]


def hashable(answer: tuple[Any, ...]) -> tuple[Any, ...]:
    return (answer[0], repr(answer[1]), *answer[2:])


def forty(bench: Bench, work: Callable[[Sync], Outcome]) -> list[tuple[Any, ...]]:
    """Forty callers, let go at once: four processes of ten threads, through ``engine.sync``."""

    def process(_: int, gate: Gate) -> list[tuple[Any, ...]]:
        with bench.engine().sync as face:
            return [spoken(found) for found in threads(10, gate, lambda _: work(face))]

    return [answer for some in contend(4, process) for answer in some]


def prepared(tmp_path) -> Bench:
    """A bench whose tables are there, so that nobody has to make them in the race."""
    bench = Bench(tmp_path)
    with bench.engine().sync:
        pass
    return bench


def test_forty_equal_calls_of_a_safe_plan_are_one_effect_and_forty_equal_answers(tmp_path):
    bench = prepared(tmp_path)
    answers = forty(bench, lambda face: face.agent.act(ANA, plan(SAFE), message="m-1"))
    assert one_new(answers, 40)[0] == DONE
    assert bench.notes() == ["Logo"]
    assert bench.plans() == [("ended", "finished")]
    assert bench.counts()["semel_keys"] == bench.counts()["diario"] == 1


def test_forty_equal_calls_of_a_risky_plan_are_one_question_and_forty_yeses_one_run(tmp_path):
    bench = prepared(tmp_path)
    asks = forty(bench, lambda face: face.agent.act(ANA, plan(RISKY), message="m-1"))
    kind, view, token, _ = one_new(asks, 40)
    assert kind == ("Ask", None)
    assert bench.notes() == []
    assert bench.counts()["semel_confirmations"] == bench.counts()["semel_plans"] == 1
    answers = forty(bench, lambda face: face.person(ANA).confirm(token))
    kind, done, _, _ = one_new(answers, 40)
    assert (kind, done.plan) == (DONE, view.plan)
    assert bench.notes() == ["Logo"]
    assert bench.events(view.plan) == ["proposed", "asked", "confirmed", "step_done", "ended"]


def test_r12_fifty_concurrent_yeses_however_often_are_as_many_runs(tmp_path):
    rounds, number_of = 0, counts.of("R12") // 2

    async def main():
        nonlocal rounds
        async with opened(tmp_path) as (bench, engine):
            no_power_cut(engine)
            person = engine.person(ANA)
            for number in range(number_of):
                texto = f"Nota {number:04d}"
                ask = await bench.asked(engine, crear(texto, urgente=True), message=texto)
                answers = await asyncio.gather(*(person.confirm(ask.token) for _ in range(50)))
                kind, view, _, _ = one_new([spoken(answer) for answer in answers], 50)
                assert (kind, view.plan) == (DONE, ask.view.plan)
                # The rehearsals of the card and of the yes, and one run.
                assert bench.crear.calls == 3 * (number + 1)
                rounds += 1
            assert bench.notes() == [f"Nota {number:04d}" for number in range(number_of)]

    asyncio.run(main())
    counts.ran("R12", rounds)
    assert rounds >= number_of


def test_r12_fifty_yeses_in_four_processes_ten_times_are_ten_runs(tmp_path):
    bench = prepared(tmp_path)
    rounds = 0
    for number in range(10):
        texto = f"Nota {number}"
        with bench.engine().sync as face:
            steps = plan(crear(texto, urgente=True))
            token = face.agent.act(ANA, steps, message=texto).token

        def process(number: int, gate: Gate, token: str = token) -> list[tuple[Any, ...]]:
            async def main() -> list[tuple[Any, ...]]:
                async with bench.engine() as engine:
                    gate.wait()
                    presses = range(13 if number < 2 else 12)
                    person = engine.person(ANA)
                    answers = await asyncio.gather(*(person.confirm(token) for _ in presses))
                    return [spoken(answer) for answer in answers]

            return asyncio.run(main())

        answers = [answer for some in contend(4, process) for answer in some]
        assert one_new(answers, 50)[0] == DONE
        assert len(bench.notes()) == number + 1
        rounds += 1
    assert rounds == 10


class Tropieza(
    Emitir, name="factura.emitir", effect=Local(), makes=Factura, allow="facturas.emitir"
):
    """Issue, and fail after the number was taken where the test says so."""

    def __init__(self, bad: set[str]) -> None:
        self.bad = bad
        self.runs: list[str] = []

    def run(self, i: UnaFactura, ctx: Ctx) -> Made:
        made = super().run(i, ctx)
        self.runs.append(i.factura.id)
        # The first run in this process is the rehearsal at the yes.
        if i.factura.id in self.bad and self.runs.count(i.factura.id) == 2:
            raise RuntimeError("after the number was taken")
        return made


async def issues(facturas: Facturas, engine: Any, count: int) -> list[tuple[Who, str, str]]:
    """So many drafts and a question for each, in conversations of their own."""
    asked = []
    for number in range(count):
        who = Who("carmona-demo", "ana", f"c-{number}", "es")
        draft = await facturas.draft(engine, who, f"d-{number}")
        ask = await facturas.asked(engine, emitir(draft), who=who)
        asked.append((who, draft, ask.token))
    return asked


def made_ready(home, count: int) -> tuple[Facturas, list[tuple[Who, str, str]]]:
    async def main():
        async with facturas_bench.opened(home) as (facturas, engine):
            return facturas, await issues(facturas, engine, count)

    return asyncio.run(main())


def numbers(first: int, last: int) -> list[str]:
    return [f"2026-{number:04d}" for number in range(first, last + 1)]


def test_fifty_invoices_issued_at_once_are_numbered_one_to_fifty(tmp_path):
    async def main():
        async with facturas_bench.opened(tmp_path) as (facturas, engine):
            asked = await issues(facturas, engine, 50)
            yeses = (engine.person(who).confirm(token) for who, _, token in asked)
            assert {told(answer) for answer in await asyncio.gather(*yeses)} == {DONE}
            assert facturas.numbers() == numbers(1, 50)

    asyncio.run(main())


def confirm_all(
    facturas: Facturas, asked: list[tuple[Who, str, str]], bad: set[str], gate: Gate
) -> list[tuple[str, str | None]]:
    """Say yes to all of them at once, in this process."""

    async def main() -> list[tuple[str, str | None]]:
        post = facturas.post()
        async with facturas.built(
            [Tropieza(bad), *(a for a in actions(post) if a.name != Tropieza.name)]
        ) as engine:
            gate.wait()
            yeses = (engine.person(who).confirm(token) for who, _, token in asked)
            return [told(answer) for answer in await asyncio.gather(*yeses)]

    logging.getLogger("semel").setLevel(logging.CRITICAL)
    return asyncio.run(main())


def test_b45_fifty_in_four_processes_ten_of_them_failing_leave_no_gap(tmp_path):
    facturas, asked = made_ready(tmp_path, 50)
    bad = {draft for _, draft, _ in asked[::5]}

    def process(number: int, gate: Gate) -> list[tuple[str, str | None]]:
        return confirm_all(facturas, asked[number::4], bad, gate)

    answers = [answer for some in contend(4, process) for answer in some]
    assert sorted(answers) == [("Report", "failed")] * 10 + [DONE] * 40
    assert facturas.numbers() == numbers(1, 40)
    failed = facturas.sql(
        "SELECT reason, count(*) FROM semel_steps WHERE state = 'not_done' GROUP BY reason"
    )
    assert failed == [("failed", 10)]


def test_b45_twenty_with_one_that_fails_and_one_process_killed_leave_no_gap(tmp_path):
    facturas, asked = made_ready(tmp_path, 20)
    bad = asked[0][1]

    def process(number: int, gate: Gate) -> list[tuple[str, str | None]]:
        mine = asked[number::4]
        if number < 3:
            return confirm_all(facturas, mine, {bad}, gate)
        confirm_all(facturas, mine[:-1], {bad}, gate)

        async def dies() -> None:
            who, _, token = mine[-1]
            async with facturas.engine() as engine:
                with crash_at("commit:local:before"):
                    await engine.person(who).confirm(token)

        asyncio.run(dies())
        return []

    contend(4, process, killed={3})
    assert facturas.numbers() == numbers(1, 18)
    stuck = "SELECT count(*) FROM semel_plans WHERE state = 'running'"
    assert facturas.sql(stuck) == [(1,)]

    async def afterwards():
        async with facturas.engine() as engine:
            # Its owner is dead for certain, so nobody waits until the plan is due.
            await until(lambda: facturas.sql(stuck) == [(0,)])
            assert facturas.numbers() == numbers(1, 19)
            # The one whose handler failed issues only when it is asked for again.
            again = await facturas.asked(engine, emitir(bad), message="m-2")
            assert told(await engine.person(facturas_bench.ANA).confirm(again.token)) == DONE
            assert facturas.numbers() == numbers(1, 20)

    asyncio.run(afterwards())


def broken() -> None:
    raise ConnectionError("the connection went away")


def test_b05_an_error_right_after_the_commit_takes_nothing_back(tmp_path):
    async def main():
        async with facturas_bench.opened(tmp_path) as (facturas, engine):
            ask = await facturas.asked(engine, emitir(await facturas.draft(engine)))
            person = engine.person(facturas_bench.ANA)
            with interrupt_at("commit:local:after", broken):
                first = await person.confirm(ask.token)
            again = await person.confirm(ask.token)
            assert told(first) == told(again) == DONE
            assert again.view == first.view
            assert (first.replayed, again.replayed) == (False, True)
            assert facturas.numbers() == numbers(1, 1)
            # What is noted of the second press is that it was used, not that it is unknown.
            events = [kind for (kind,) in facturas.sql(
                "SELECT kind FROM semel_events WHERE plan = ? ORDER BY seq", ask.view.plan
            )]  # fmt: skip
            assert events == ["proposed", "asked", "confirmed", "step_done", "ended"]

    asyncio.run(main())


def test_b05_an_error_between_two_steps_is_resumed_and_never_repeats_the_first(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, firmar(note), enviar("$1"))
            person = engine.person(ANA)
            with interrupt_at("commit:local:after", broken):
                first = await person.confirm(ask.token)
            assert isinstance(first, Running)
            repeated = asyncio.create_task(person.confirm(ask.token))
            await waited_for(engine, 1)
            assert not repeated.done()
            assert (await engine.sweep()).resumed == ()  # its owner lives: it is not due
            bench.move(minutes=1)
            await engine.sweep()
            await until(lambda: bench.plans() == [("ended", "finished")])
            # The one that waited may have been told "running": its twenty seconds are over.
            for again in (await repeated, await person.confirm(ask.token)):
                assert again.replayed
                assert again.view.plan == ask.view.plan
            assert told(again) == DONE
            assert bench.sql("SELECT folio FROM notas") == [(1,)]
            assert len(bench.mundo.letters) == 1

    asyncio.run(main())


@pytest.mark.parametrize("ends", ["commits", "rolls back"])
def test_b30_of_ten_callers_on_one_key_one_becomes_its_owner(tmp_path, ends):
    holding, let_go = threading.Event(), threading.Event()

    def hold(name: str) -> None:
        if name == "commit:propose:before" and not let_go.is_set():
            holding.set()
            let_go.wait()
            if ends == "rolls back":
                broken()

    async def main():
        async with opened(tmp_path) as (bench, engine):
            with armed(hold):
                first = asyncio.create_task(act(engine, SAFE))
                await until(holding.is_set)
                others = [asyncio.create_task(act(engine, SAFE)) for _ in range(9)]
                # All nine wait behind the winner, whose row none of them can see.
                await until(lambda: queued(engine) + stores.blocked(bench.path) == 9)
                let_go.set()
                nine = [spoken(answer) for answer in await asyncio.gather(*others)]
                if ends == "commits":
                    answers = [spoken(await first), *nine]
                else:
                    with pytest.raises(ConnectionError):
                        await first
                    answers = nine
            assert one_new(answers, len(answers))[0] == DONE
            assert answers[0][3] is False
            assert bench.notes() == ["Logo"]
            assert bench.counts()["semel_keys"] == bench.counts()["semel_plans"] == 1

    asyncio.run(main())


@pytest.mark.parametrize("ends", ["commits", "rolls back"])
def test_b30_of_ten_processes_on_one_key_one_becomes_its_owner(tmp_path, ends):
    bench = prepared(tmp_path)
    held, holds = os.pipe()
    came, comes = os.pipe()

    def hold(name: str) -> None:
        if name == "commit:propose:before":
            os.write(holds, b"." * 9)
            for _ in range(9):
                os.read(came, 1)
            if ends == "rolls back":
                broken()

    def process(number: int, gate: Gate) -> tuple[Any, ...]:
        with bench.engine().sync as face:
            gate.wait()
            if number == 0:
                with armed(hold):
                    try:
                        return spoken(face.agent.act(ANA, plan(SAFE), message="m-1"))
                    except ConnectionError:
                        return ()
            os.read(held, 1)
            os.write(comes, b".")
            return spoken(face.agent.act(ANA, plan(SAFE), message="m-1"))

    answers = contend(10, process)
    for handle in (held, holds, came, comes):
        os.close(handle)
    if ends == "commits":
        assert answers[0][3] is False
    else:
        assert answers.pop(0) == ()
    assert one_new(answers, len(answers))[0] == DONE
    assert bench.notes() == ["Logo"]


def test_b32_twenty_processes_read_and_then_write_and_nobody_is_locked_out(tmp_path):
    bench = prepared(tmp_path)
    with bench.engine().sync as face:
        face.write(
            lambda tx: tx.run("notas.insert", org="o-1", id="n-1", texto="Cuenta", importe="0")
        )

    def one_more(tx: Any) -> int:
        row = tx.one("notas.find_to_change", org="o-1", id="n-1")
        return tx.run("notas.reprice", org="o-1", id="n-1", importe=str(int(row["importe"]) + 1))

    def process(_: int, gate: Gate) -> tuple[Any, ...]:
        with bench.engine().sync as face:
            gate.wait()
            for _ in range(5):
                assert face.write(one_more) == 1
            return spoken(face.agent.act(ANA, plan(SAFE), message="m-1"))

    answers = contend(20, process)
    # One owner, nineteen waiters, and not one of a hundred changes lost.
    assert one_new(answers, 20)[0] == DONE
    assert bench.sql("SELECT importe, version FROM notas WHERE id = 'n-1'") == [("100", 101)]
    assert bench.notes() == ["Cuenta", "Logo"]


def test_b40_of_two_instances_with_one_token_only_the_owner_calls_out(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine), bench.engine() as other:
            note = await bench.note(engine)
            bench.mundo.goes = "hang"
            ask = await bench.asked(engine, firmar(note), enviar("$1"))
            presses = [
                asyncio.create_task(each.person(ANA).confirm(ask.token)) for each in (engine, other)
            ]
            await bench.mundo.hanging.wait()
            await asyncio.wait(presses, timeout=0.05)
            assert not any(press.done() for press in presses)
            assert bench.mundo.sends == 1
            bench.mundo.released.set()
            answers = await asyncio.gather(*presses)
            assert one_new([spoken(answer) for answer in answers], 2)[0] == DONE
            bench.move(days=1)
            # A third the next day, from an instance that was not there then.
            async with bench.engine() as fresh:
                third = await fresh.person(ANA).confirm(ask.token)
            assert isinstance(third, Report)
            assert third.replayed
            assert third.view == answers[0].view
            assert len(bench.mundo.letters) == bench.mundo.sends == 1
            assert bench.sql("SELECT folio FROM notas") == [(1,)]
            assert bench.sql("SELECT ultimo FROM folios") == [(1,)]

    asyncio.run(main())
