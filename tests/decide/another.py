"""A process of its own on the file of a bench: what it did is one line of JSON on its output.

``python another.py FOLDER NOW VERB …``: ``cancel PLAN``, ``sweep [POINT]``, ``confirm TOKEN POINT``, or ``drain TOKEN``, which says
yes and runs the plan until SIGTERM comes, and then drains.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "doubt"), str(HERE.parent)]

from decide_bench import NOW, Bench, running, states, told  # noqa: E402 - found by the line above
from pedidos import ANA  # noqa: E402 - as above

from semel import Engine  # noqa: E402 - as above
from semel.testing import MovableClock, crash_at  # noqa: E402 - as above


def bench(folder: str, now: str) -> Bench:
    return Bench(Path(folder), MovableClock(datetime.fromisoformat(now)))


async def cancel(engine: Engine, plan: str) -> object:
    outcome = await engine.person(ANA).cancel(plan)
    return {"told": told(outcome), "states": states(outcome)}


async def confirm(engine: Engine, token: str, point: str) -> object:
    """Say yes and run until SIGKILL comes at a point."""
    with crash_at(point):
        return {"told": told(await engine.person(ANA).confirm(token))}


async def sweep(engine: Engine, point: str | None = None) -> object:
    """Sweep; die by SIGKILL where a point is named."""
    with crash_at(point) if point else nullcontext():
        return {"resumed": (await engine.sweep()).resumed}


async def drain(engine: Engine, world: Bench, token: str, ends: str = "ends") -> object:
    """Begin a plan whose second step hangs, and drain when SIGTERM comes; then it *ends*, or not."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    world.afuera.goes = {"carta.enviar": "hang"}
    yes = asyncio.create_task(engine.person(ANA).confirm(token))
    await world.afuera.hanging.wait()
    print("hangs", flush=True)
    await stopped.wait()
    draining = asyncio.create_task(engine.drain())
    await asyncio.sleep(0)
    refused = await engine.agent.act(ANA, {"steps": []}, message="m-9")
    if ends == "ends":
        world.afuera.released.set()
    await draining
    return {"told": told(await yes), "new": told(refused)}


async def main(folder: str, now: str, verb: str, *given: str) -> None:
    world = bench(folder, now)
    async with running(world) as engine:
        match verb:
            case "cancel":
                found = await cancel(engine, *given)
            case "confirm":
                found = await confirm(engine, *given)
            case "sweep":
                found = await sweep(engine, *given)
            case "drain":
                found = await drain(engine, world, *given)
            case _:
                raise SystemExit(f"{verb}?")
    print(json.dumps(found), flush=True)


def started(folder: Path, verb: str, *given: str, now: datetime = NOW) -> subprocess.Popen[str]:
    """Start such a process."""
    arguments = [sys.executable, __file__, str(folder), now.isoformat(), verb, *given]
    return subprocess.Popen(
        arguments, stdout=subprocess.PIPE, text=True, env={**os.environ}, cwd=folder
    )


def killed(folder: Path, verb: str, *given: str, now: datetime = NOW) -> None:
    """Run such a process until SIGKILL ends it."""
    process = started(folder, verb, *given, now=now)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL


def called(folder: Path, verb: str, *given: str, now: datetime = NOW) -> dict[str, object]:
    """Run such a process to its end; what it said."""
    process = started(folder, verb, *given, now=now)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    answer: dict[str, object] = json.loads(said.splitlines()[-1])
    return answer


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
