"""Cancel of a running plan from another engine: at every moment its answer is exact, and stays so."""

import asyncio
import threading

import pytest
from agreement import agrees
from decide_bench import (
    DONE,
    armed,
    carta,
    cobro,
    crear,
    elsewhere,
    firmar,
    fuera,
    opened,
    states,
    told,
)
from pedidos import ANA, LUIS

from semel import Report, Running
from semel.testing import interrupt_at, recorded

FOUR = crear(), carta(), firmar(), cobro()
"""A Local step, an outside one, a Local one, an outside one."""

WAITS, DONE_, GONE = "waiting", "done", "not_done cancelled"

# The moment, which time it is passed; then how many steps are done by then, and whether one is on
# its way, which is then allowed to end.
MOMENTS = [
    ("commit:confirm:after", 1, 0, False),
    ("commit:local:after", 1, 1, False),
    ("prepare:before", 1, 1, False),
    ("prepare:after", 1, 1, False),
    ("commit:mark:after", 1, 1, True),
    ("send:before", 1, 1, True),
    ("send:after", 1, 1, True),
    ("commit:made:after", 1, 2, False),
    ("commit:local:after", 2, 3, False),
    ("prepare:before", 2, 3, False),
    ("prepare:after", 2, 3, False),
    ("commit:mark:after", 2, 3, True),
    ("send:before", 2, 3, True),
    ("send:after", 2, 3, True),
    ("commit:made:after", 2, 4, False),
]


async def cancelled_at(bench, engine, other, point, occurrence=1, steps=FOUR):
    """Say yes, and cancel from elsewhere when *point* is passed; both answers."""
    ask = await bench.asked(engine, *steps)
    found = []

    def press() -> None:
        found.append(other.person(ANA).cancel(ask.view.plan))

    with interrupt_at(point, press, occurrence):
        report = await engine.person(ANA).confirm(ask.token)
    return found[0], report


def test_the_moments_are_all_there_are_outside_a_transaction(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *FOUR)
            with recorded() as names:
                assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            outside = [n for n in names if n.startswith(("prepare:", "send:"))]
            outside += [n for n in names if n.startswith("commit:") and n.endswith(":after")]
            assert len(outside) == len(MOMENTS) == 15
            assert sorted(outside) == sorted(point for point, *_ in MOMENTS)

    asyncio.run(main())


@pytest.mark.parametrize(("point", "occurrence", "done", "on_its_way"), MOMENTS)
def test_the_answer_says_what_is_done_what_still_ends_and_what_will_not_run(
    tmp_path, point, occurrence, done, on_its_way
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            with elsewhere(bench) as other:
                answer, report = await cancelled_at(bench, engine, other, point, occurrence)
            ends = done + int(on_its_way)
            if on_its_way:
                assert isinstance(answer, Running)
                assert answer.view.cancelled
                left = [WAITS] * (3 - done)
                assert states(answer) == [DONE_] * done + ["started"] + left
            else:
                assert isinstance(answer, Report)
                assert states(answer) == [DONE_] * done + [GONE] * (4 - done)
            # What was said will happen has happened, and what was said will not, has not.
            assert states(report) == [DONE_] * ends + [GONE] * (4 - ends)
            assert told(report) == (DONE if ends == 4 else ("Report", "cancelled"))
            assert len(bench.notes()) == min(ends, 1)
            assert bench.afuera.arrived("carta.enviar").total() == int(ends >= 2)
            assert bench.signed() == int(ends >= 3)
            assert bench.afuera.arrived("cobro.hacer").total() == int(ends >= 4)
            await agrees(engine, report.view.plan)

    asyncio.run(main())


EFFECTS = ["carta.enviar", "cobro.hacer", "reserva.hacer", "vuelo.reservar"]


@pytest.mark.parametrize("action", EFFECTS)
def test_while_a_send_hangs_the_cancel_answers_at_once_and_the_send_still_counts(tmp_path, action):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {action: "hang"}
            ask = await bench.asked(engine, crear(), fuera(action), firmar(), carta())
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.afuera.hanging.wait()
            with elsewhere(bench) as other:
                answer = other.person(ANA).cancel(ask.view.plan)
                again = other.person(LUIS).cancel(ask.view.plan)
            for running in (answer, again, await engine.agent.status(ANA, ask.view.plan)):
                assert isinstance(running, Running)
                assert running.view.cancelled
                assert states(running) == [DONE_, "started", WAITS, WAITS]
            assert bench.events(ask.view.plan).count("cancel_pressed") == 1
            bench.afuera.released.set()
            report = await yes
            assert told(report) == ("Report", "cancelled")
            assert states(report) == [DONE_, DONE_, GONE, GONE]
            assert bench.afuera.arrived(action).total() == 1
            assert bench.signed() == 0
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("step", "occurrence", "steps"),
    [
        (2, 2, (crear(), firmar(), carta(), cobro())),
        (3, 2, FOUR),
        (1, 1, FOUR),
    ],
)
def test_pressed_inside_a_local_transaction_it_waits_and_reads_the_truth(
    tmp_path, step, occurrence, steps
):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *steps)
            found, passed = [], []
            with elsewhere(bench) as other:
                press = threading.Thread(
                    target=lambda: found.append(other.person(ANA).cancel(ask.view.plan))
                )

                def hook(name: str) -> None:
                    if threading.current_thread() is press or "local" not in name:
                        return
                    passed.append(name)
                    if passed.count(name) != occurrence:
                        return
                    if name == "commit:local:before":
                        press.start()
                        assert found == []
                    elif name == "commit:local:after":
                        press.join()

                with armed(hook):
                    report = await engine.person(ANA).confirm(ask.token)
            [answer] = found
            expected = [DONE_] * step + [GONE] * (4 - step)
            assert states(answer) == states(report) == expected
            assert told(answer) == told(report) == ("Report", "cancelled")
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


def test_pressed_inside_the_marks_transaction_the_step_is_on_its_way(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *FOUR)
            found = []
            with elsewhere(bench) as other:
                press = threading.Thread(
                    target=lambda: found.append(other.person(ANA).cancel(ask.view.plan))
                )

                def hook(name: str) -> None:
                    if name == "commit:mark:before" and press.ident is None:
                        press.start()
                    elif name == "commit:mark:after":
                        press.join()

                with armed(hook):
                    report = await engine.person(ANA).confirm(ask.token)
            assert isinstance(found[0], Running)
            assert states(found[0]) == [DONE_, "started", WAITS, WAITS]
            assert states(report) == [DONE_, DONE_, GONE, GONE]
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


@pytest.mark.parametrize("point", ["commit:confirm:after", "commit:mark:after", "send:after"])
def test_pressed_twice_and_again_after_the_end_it_counts_once(tmp_path, point):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            with elsewhere(bench) as other:
                first, report = await cancelled_at(bench, engine, other, point)
                number = report.view.plan
                events = bench.events(number)
                assert events.count("cancel_pressed") == 1
                before = bench.dump("semel_confirmations")
                for face in (other.person(ANA), other.person(LUIS)):
                    after = face.cancel(number)
                    assert (told(after), states(after)) == (told(report), states(report))
                assert bench.dump("semel_confirmations") == before
                assert first.view.plan == number

    asyncio.run(main())


def test_who_pressed_and_at_which_step_is_on_record(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *FOUR)
            with elsewhere(bench) as other:

                def press() -> None:
                    other.person(LUIS).cancel(ask.view.plan)

                with interrupt_at("send:before", press):
                    await engine.person(ANA).confirm(ask.token)
            found = bench.sql(
                "SELECT position, body FROM semel_events WHERE kind = 'cancel_pressed'"
            )
            assert found == [(2, '{"person":"luis"}')]

    asyncio.run(main())


@pytest.mark.parametrize("occurrence", [1, 2])
def test_a_plan_whose_row_says_cancelled_begins_nothing_whoever_wrote_it(tmp_path, occurrence):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, *FOUR)
            stop = "UPDATE semel_plans SET cancelled_at = '2026-10-19T08:00:00.000000Z'"
            # It was read as not cancelled a moment ago, and is about to be marked.
            with interrupt_at("prepare:after", lambda: bench.sql(stop), occurrence):
                await engine.person(ANA).confirm(ask.token)
            assert bench.afuera.sent() == occurrence - 1
            bench.move(minutes=2)
            await engine.sweep()
            report = await engine.agent.status(ANA, ask.view.plan)
            assert told(report) == ("Report", "cancelled")
            done = 1 if occurrence == 1 else 3
            assert states(report) == [DONE_] * done + [GONE] * (4 - done)
            assert bench.afuera.sent() == occurrence - 1
            await agrees(engine, ask.view.plan, edited=1)

    asyncio.run(main())
