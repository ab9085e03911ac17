"""A plan that runs without having asked, seen by another program while it does."""

import asyncio

from decide_bench import carta, crear, opened
from pedidos import ANA

from semel import SAFE, Outcome, Report
from semel.channels.cards import sheet
from semel.words.voice import Voice


def test_a_safe_plan_shows_what_it_does_and_can_be_stopped(tmp_path):
    async def main() -> tuple[Outcome, Outcome]:
        async with opened(tmp_path) as (bench, engine):
            letter = next(one for one in bench.actions if one.name == "carta.enviar")
            letter.asks = SAFE
            bench.afuera.goes["carta.enviar"] = "hang"
            bench.afuera.then["carta.enviar"] = "ok"
            steps = [
                {"action": action, "input": given} for action, given in (crear(), carta(), carta())
            ]
            acting = asyncio.create_task(engine.agent.act(ANA, {"steps": steps}, message="m-1"))
            await bench.afuera.hanging.wait()
            (view,) = await engine.person(ANA).plans(1)
            running = await engine.person(ANA).status(view.plan)
            bench.afuera.released.set()
            return running, await acting

    running, ended = asyncio.run(main())
    shown = sheet(running, Voice.of("es", "Europe/Madrid"))
    assert (shown.state, shown.kicker) == ("running_safe", "Haciendo")
    assert shown.announce.startswith("Haciendo: ")
    assert [step.mark for step in shown.steps] == ["done", "now", "todo"]
    assert [button.do for button in shown.buttons] == ["cancel"]
    assert isinstance(ended, Report)
    assert sheet(ended, Voice.of("es", "Europe/Madrid")).state == "done"
