"""A process that stands still while another one takes its plan over, and then goes on.

The holder is a child that SIGSTOP halts at a named point; the kernel tells when it stands. Then
this process does what it may, and the child goes on as if nothing had been: one effect, and both
are told the truth.
"""

import asyncio
import math
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from contenders import Child, start
from dudas import (
    CARTA,
    COBRO,
    DUE,
    RESERVA,
    SETTLED,
    VUELO,
    Banco,
    Process,
    at_once,
    beside,
    crear,
    does,
    told,
)
from pedidos import ANA

import counts
import stores
from semel import Engine
from semel.errors import Unreachable
from semel.testing import interrupt_at

ROUNDS = 10
DONE, LEFT = "done", "not_done"
THROUGH = ((DONE, DONE), "finished")
LATE = ((DONE, LEFT), "failed")
"""It was in doubt and the plan had ended; the holder's proof came late and counts."""


@dataclass(frozen=True)
class Way:
    """Which step's holder stops where, what the take-over makes of it, and how it all ends."""

    action: str
    point: str
    taken_over: tuple[str, str | None]
    ends: tuple[tuple[str, ...], str]


WAYS = [
    Way("nota.firmar", "commit:confirm:after", (DONE, "finished"), THROUGH),
    Way(CARTA, "commit:mark:after", ("in_doubt", "in_doubt"), LATE),
    Way(CARTA, "arrives", ("in_doubt", "in_doubt"), LATE),
    Way(CARTA, "send:after", ("in_doubt", "in_doubt"), LATE),
    Way(COBRO, "commit:mark:after", (DONE, "finished"), THROUGH),
    Way(COBRO, "arrives", (DONE, "finished"), THROUGH),
    Way(COBRO, "send:after", (DONE, "finished"), THROUGH),
    Way(RESERVA, "commit:mark:after", ("in_doubt", "in_doubt"), LATE),
    Way(RESERVA, "arrives", ("in_doubt", "in_doubt"), LATE),
    Way(RESERVA, "send:after", (DONE, "finished"), THROUGH),
    Way(VUELO, "commit:mark:after", (DONE, "finished"), THROUGH),
    Way(VUELO, "arrives", (DONE, "finished"), THROUGH),
    Way(VUELO, "send:after", (DONE, "finished"), THROUGH),
]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


Told = tuple[tuple[str, str | None], tuple[str, ...]]


def seen(outcome: Any) -> Told:
    """What somebody is told: of the plan, and of each step."""
    return told(outcome), tuple(str(step.state) for step in outcome.view.steps)


def halt() -> None:
    """This process stands still, from this line of this thread, until somebody lets it go on."""
    # Sent to the process, another thread may take it while this one goes on for a moment.
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


def holder(folder: Path, way: Way) -> Callable[[], Told]:
    """A process whose person says yes, and which stops where it is to stop."""

    async def main() -> Told:
        banco = Banco(folder)
        async with beside(banco, Process("one")) as engine:
            note = await banco.note(engine)
            ask = await banco.asked(engine, does(way.action, note), crear("Después"))
            if way.point == "arrives":
                arrive = banco.afuera.arrive

                def late(*sent: str) -> None:
                    halt()
                    arrive(*sent)

                banco.afuera.arrive = late  # type: ignore[method-assign]  # the pause is in there
                return seen(await engine.person(ANA).confirm(ask.token or ""))
            with interrupt_at(way.point, halt):
                return seen(await engine.person(ANA).confirm(ask.token or ""))

    return lambda: asyncio.run(main())


def begun(folder: Path, way: Way) -> tuple[Banco, Child[Told]]:
    """A world, and its holder on its way."""
    folder.mkdir()
    # A database that the child took would be a new one each time: it may not lend this process's.
    stores.url(folder / "pedidos.db", "pedidos")
    return Banco(folder), start(holder(folder, way))


@contextmanager
def stopped(child: Child[Told]) -> Iterator[None]:
    """Wait until a child stands still; let it go on at the end, or end it where the test fails."""
    found = os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    assert found is not None
    try:
        assert found.si_code == os.CLD_STOPPED, "It has ended before it stood still."
        yield
    except BaseException:
        child.kill()
        raise
    os.kill(child.pid, signal.SIGCONT)


def there(banco: Banco, action: str) -> int:
    """How often it happened."""
    if action == "nota.firmar":
        return int(banco.sql("SELECT coalesce(sum(signed), 0) FROM notas")[0][0])
    return banco.arrived(action)


def written(banco: Banco) -> int:
    """How often the second step happened."""
    return int(banco.sql("SELECT count(*) FROM notas WHERE text = 'Después'")[0][0])


async def taken_over(banco: Banco, other: Engine, way: Way) -> None:
    """This process does what there is to do while the holder stands still."""
    banco.clock.move(seconds=DUE)
    assert len((await other.sweep()).resumed) == 1
    assert (banco.steps()[0][0], banco.plan()[1]) == way.taken_over


async def judged(banco: Banco, other: Engine, way: Way, said: Told | None) -> None:
    """One effect; and what the holder's person was told is what anybody is told, now and later."""
    states, reason = way.ends
    plan = banco.sql("SELECT plan FROM semel_plans")[0][0]
    for _ in range(2):
        assert said == seen(await other.person(ANA).status(plan)) == (("Report", reason), states)
        assert (there(banco, way.action), written(banco)) == (1, states.count(DONE) - 1)
        banco.clock.move(seconds=SETTLED)
        assert (await other.sweep()).resumed == ()


@pytest.mark.parametrize("dead", [False, True], ids=["its time has passed", "it is held for dead"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.action} {way.point}")
def test_r6_a_holder_that_stood_still_beside_a_take_over_makes_no_second_effect(
    tmp_path, way, dead
):
    rounds, number_of = 0, math.ceil(counts.of("R6") / (len(WAYS) * 2 * 2))
    for number in range(number_of):
        folder = tmp_path / str(number)
        banco, child = begun(folder, way)
        host = Process("two", "one") if dead else Process("two")

        async def main(banco: Banco = banco, child: Child[Told] = child, host: Any = host) -> None:
            with stopped(child):
                async with beside(banco, host) as other:
                    await taken_over(banco, other, way)
            said = await asyncio.to_thread(child.value)
            async with beside(banco, host) as other:
                await judged(banco, other, way, said)

        asyncio.run(main())
        stores.forget(folder / "pedidos.db")
        rounds += 1
    counts.ran("R6", rounds)
    assert rounds == number_of


def test_r6_a_holder_that_stands_still_inside_a_transaction_keeps_everybody_out(tmp_path):
    way = Way("nota.firmar", "commit:local:before", (DONE, "finished"), THROUGH)
    rounds = 0
    for number in range(ROUNDS):
        folder = tmp_path / str(number)
        banco, child = begun(folder, way)

        async def main(banco: Banco = banco, child: Child[Told] = child) -> None:
            with stopped(child):
                async with beside(banco, Process("two", "one")) as other:
                    banco.clock.move(seconds=DUE)
                    if stores.kind() == "sqlite":
                        store: Any = other._core.store
                        store._connection.execute("PRAGMA busy_timeout = 0")
                        with pytest.raises(Unreachable):
                            await other.sweep()
                    else:
                        # Its row is held, and a sweep waits for nobody.
                        assert (await other.sweep()).resumed == ()
                    assert (there(banco, way.action), written(banco)) == (0, 0)
                    assert banco.plan() == ("running", None)
            said = await asyncio.to_thread(child.value)
            async with beside(banco, Process("two", "one")) as other:
                await judged(banco, other, way, said)

        asyncio.run(main())
        stores.forget(folder / "pedidos.db")
        rounds += 1
    assert rounds == ROUNDS
