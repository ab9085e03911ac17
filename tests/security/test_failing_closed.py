"""S17: whatever the engine leans on raises, from some moment on or once, nothing is executed."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from app import ANA, NOW
from notas_bench import Bench, act, crear, enviar, firmar

import counts
from semel import Engine, Report
from semel.errors import Unreachable
from semel.testing import MovableClock, interrupt_at

RISKY = crear("Logo", urgente=True)
MOMENTS = ("before the proposal", "before the press", "before the first step")


class Down(Exception):
    """The dependency is not there."""


class Switch:
    """Something that the engine leans on, and that fails while it is off."""

    def __init__(self, real: Any, error: BaseException) -> None:
        self._real, self._error = real, error
        self.off = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if not self.off:
            return found
        if callable(found):
            return self._fail
        return self._fail()

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._fail() if self.off else self._real(*given, **named)

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise self._error


class Clock(MovableClock):
    """A clock that may stop answering."""

    off = False
    error: BaseException = Down()

    def now(self):
        if self.off:
            raise self.error
        return super().now()


PARTS = ("allow", "catalog", "entropy", "host", "keys", "store")
ERRORS = (
    Down("gone"),
    OSError("gone"),
    RuntimeError(),
    TimeoutError(),
    KeyError("x"),
    ValueError(),
)
CASES = [
    (part, moment)
    for part in (*PARTS, "clock")
    for moment in MOMENTS
    # A run waits for its store to come back: the tests of servers that die are about that.
    if (part, moment) != ("store", MOMENTS[-1])
]


def switched(bench: Bench, engine: Engine, part: str, error: BaseException) -> Any:
    """The part, with its switch."""
    if part == "clock":
        bench.clock.error = error
        return bench.clock
    core = engine._core
    switch = Switch(getattr(core, part), error)
    setattr(core, part, switch)
    return switch


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(("part", "moment"), CASES)
def test_s17_a_part_that_is_down_executes_nothing(tmp_path, part, moment, error):
    async def main():
        bench = Bench(tmp_path, Clock(NOW))
        engine = bench.engine()
        await engine.start(sweeps=False)
        store = engine._core.store
        try:
            down = Unreachable("The database is away.") if part == "store" else error
            switch = switched(bench, engine, part, down)
            person = engine.person(ANA)
            if moment == "before the proposal":
                switch.off = True
                for steps in ([crear("Logo")], [RISKY], [crear("a"), enviar("$1")]):
                    with suppress(type(down)):
                        assert not isinstance(await act(engine, *steps), Report)
            else:
                ask = await bench.asked(engine, RISKY, firmar("$1"), enviar("$1"))

                def off() -> None:
                    switch.off = True

                if moment == "before the press":
                    off()
                    for press in (person.confirm(ask.token), person.says("sí")):
                        with suppress(type(down)):
                            await press
                else:
                    with suppress(type(down)), interrupt_at("commit:confirm:after", off):
                        await person.confirm(ask.token)
            assert bench.notes() == []
            assert bench.mundo.sends == 0
        finally:
            if part != "clock":
                setattr(engine._core, part, switch._real)
            bench.clock.off = False
            engine._core.store = store
            engine._core.draining = True
            await engine.settle()
            engine.close()
        counts.ran("S17", 1)

    asyncio.run(main())


@pytest.mark.no_store
def test_s17_every_part_is_met_at_every_moment():
    assert len(CASES) * len(ERRORS) * 2 >= counts.of("S17")
