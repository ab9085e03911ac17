"""Cancel from another process: a screen and a worker that share nothing but the file."""

import asyncio

import pytest
from agreement import agrees
from another import called
from decide_bench import carta, cobro, crear, firmar, opened, states, told
from pedidos import ANA

from semel.testing import interrupt_at

MOMENTS = [
    ("commit:confirm:after", "Report", ["not_done cancelled"] * 4, 0),
    ("commit:local:after", "Report", ["done"] + ["not_done cancelled"] * 3, 1),
    ("send:before", "Running", ["done", "started", "waiting", "waiting"], 2),
    ("commit:made:after", "Report", ["done"] * 2 + ["not_done cancelled"] * 2, 2),
]


@pytest.mark.parametrize(("point", "kind", "found", "ends"), MOMENTS)
def test_another_process_cancels_and_is_told_the_truth(tmp_path, point, kind, found, ends):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear(), carta(), firmar(), cobro())
            answers = []
            with interrupt_at(
                point, lambda: answers.append(called(tmp_path, "cancel", ask.view.plan))
            ):
                report = await engine.person(ANA).confirm(ask.token)
            assert answers[0]["told"][0] == kind
            assert answers[0]["states"] == found
            assert told(report) == ("Report", "cancelled")
            assert states(report) == ["done"] * ends + ["not_done cancelled"] * (4 - ends)
            await agrees(engine, ask.view.plan)

    asyncio.run(main())


def test_while_a_send_hangs_another_process_cancels_what_comes_after_it(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.afuera.goes = {"carta.enviar": "hang"}
            ask = await bench.asked(engine, crear(), carta(), firmar(), cobro())
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.afuera.hanging.wait()
            answer = await asyncio.to_thread(called, tmp_path, "cancel", ask.view.plan)
            assert answer["told"] == ["Running", None]
            assert answer["states"] == ["done", "started", "waiting", "waiting"]
            bench.afuera.released.set()
            assert states(await yes) == ["done"] * 2 + ["not_done cancelled"] * 2
            assert bench.afuera.arrived().total() == 1
            await agrees(engine, ask.view.plan)

    asyncio.run(main())
