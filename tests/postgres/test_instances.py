"""Several instances on one database: who waits hears, and whoever asks is answered by any of them."""

import asyncio
import multiprocessing
import os
import socket
from pathlib import Path

import pytest
from afuera import Afuera
from pedidos import ANA, open_pedidos

import stores
from semel import Ask
from semel.runtime import wait

pytestmark = pytest.mark.only_on("postgres", "each of these is about more than one machine")

PROCESSES, CALLERS = 4, 32


def plan(*named):
    return {"steps": [{"action": name, "input": given} for name, given in named]}


def test_whoever_waits_elsewhere_hears_of_the_end(tmp_path, monkeypatch):
    # Only a word from the other instance ends these pauses before the test's patience does.
    monkeypatch.setattr(wait, "POLL_SECONDS", (0.0, 0.0, 3600.0))
    monkeypatch.setattr(wait, "ANNOUNCED_SECONDS", 0.0)

    async def main():
        afuera = Afuera(tmp_path / "outside")
        afuera.goes["carta.enviar"] = "hang"
        here = open_pedidos(tmp_path, afuera)
        there = open_pedidos(tmp_path, Afuera(tmp_path / "outside"))
        for engine in (here, there):
            await engine.start(sweeps=False)
        listening = asyncio.Event()
        loop = asyncio.get_running_loop()
        listen = there._core.store.listen

        def heard(words):
            answer = listen(words)
            loop.call_soon_threadsafe(listening.set)
            return answer

        there._core.store.listen = heard
        try:
            steps = plan(("nota.crear", {"text": "Una"}), ("carta.enviar", {"nota": "$1"}))
            ask = await here.agent.act(ANA, steps, message="m-1")
            assert isinstance(ask, Ask)
            press = asyncio.create_task(here.person(ANA).confirm(ask.token))
            await afuera.hanging.wait()
            again = asyncio.create_task(there.person(ANA).confirm(ask.token))
            await listening.wait()
            afuera.released.set()
            async with asyncio.timeout(15):
                outcome = await again
            assert outcome.for_model("en").status == "already_done"
            assert (await press).for_model("en").status == "done"
        finally:
            afuera.released.set()
            for engine in (here, there):
                await engine.stop()

    asyncio.run(main())


def child(home: str, gate: socket.socket) -> None:
    """One process: so many callers with the same message and the same key, all at once."""

    async def main() -> tuple[list[str], list[str]]:
        engine = open_pedidos(Path(home), Afuera(Path(home) / "outside"))
        await engine.start(sweeps=False)
        try:
            steps = plan(("nota.crear", {"text": "Una"}))
            gate.sendall(b"r")
            await asyncio.to_thread(gate.recv, 1)

            def work(tx):
                id = engine.new_id()
                tx.run("notas.add", org=ANA.org, id=id, text="Otra", now="2026-10-19")
                return id

            calls = [engine.agent.act(ANA, steps, message="m-1") for _ in range(CALLERS)]
            onces = [engine.once("k-1", work, org=ANA.org) for _ in range(CALLERS)]
            told = await asyncio.gather(*calls, *onces)
            return [one.view.plan for one in told[:CALLERS]], told[CALLERS:]
        finally:
            await engine.stop()

    plans, values = asyncio.run(main())
    gate.sendall("\n".join([*plans, *values]).encode() + b"\n\n")


def test_four_processes_of_thirty_two_callers_with_one_key_are_one_effect(tmp_path):
    stores.url(tmp_path / "pedidos.db", "pedidos")
    spawn = multiprocessing.get_context("spawn")
    lines, children = [], []
    for _ in range(PROCESSES):
        mine, theirs = socket.socketpair()
        process = spawn.Process(target=child, args=(os.fspath(tmp_path), theirs))
        process.start()
        theirs.close()
        mine.settimeout(60)
        lines.append(mine)
        children.append(process)
    for line in lines:
        assert line.recv(1) == b"r"
    for line in lines:
        line.sendall(b"g")
    answers = [answer for line in lines for answer in read(line)]
    for process in children:
        process.join(60)
        assert process.exitcode == 0
    for line in lines:
        line.close()
    plans = [answer for answer in answers if answer.startswith("p_")]
    values = [answer for answer in answers if not answer.startswith("p_")]
    assert (len(plans), len(values)) == (PROCESSES * CALLERS, PROCESSES * CALLERS)
    assert len({*plans}) == len({*values}) == 1
    books = tmp_path / "pedidos.db"
    assert sorted(stores.rows(books, "SELECT text FROM notas")) == [("Otra",), ("Una",)]
    assert stores.counts(books)["semel_plans"] == 1


def read(line: socket.socket) -> list[str]:
    """What a child has said, up to its empty line."""
    text = b""
    while not text.endswith(b"\n\n"):
        part = line.recv(65536)
        assert part, "It ended without an answer."
        text += part
    return text.decode().split()
