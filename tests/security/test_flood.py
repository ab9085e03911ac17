"""S14: a flood, and plans without measure: refused at once each, and the memory stays as it was."""

import asyncio
import gc
import json
import time
import tracemalloc
from collections.abc import Callable

import pytest
from app import ANA
from notas_bench import crear, opened, plan

import counts
from semel import Ask, Invalid, Refused, Report
from semel.domain.plan import PROPOSALS_MAX
from semel.domain.report import Refusal

CPU_SECONDS = 0.05 * (1 if counts.level() == "full" else 5)
"""What a refusal may take of the processor, on the average: a twentieth of a second is promised, and
only a full count on a machine with nothing else to do is held to that."""
MEGABYTE = 1024 * 1024
MEMORY_MAX = 4 * MEGABYTE


def deep(count: int) -> str:
    return (
        '{"steps": [{"action": "nota.crear", "input": {"texto": '
        + "[" * count
        + "]" * count
        + "}}]}"
    )


def wide(count: int) -> dict[str, object]:
    return plan(*(crear(f"Nota {number}") for number in range(count)))


LARGE: dict[str, Callable[[], object]] = {
    "a plan of 10,000 steps": lambda: wide(10_000),
    "its text": lambda: json.dumps(wide(10_000)),
    "a text of 50 MB": lambda: json.dumps(plan(crear("x" * 50 * MEGABYTE))),
    "bytes of 50 MB": lambda: b"[" * 50 * MEGABYTE,
    "50 MB of nothing": lambda: " " * 50 * MEGABYTE,
    "10,000 deep": lambda: deep(10_000),
    "10,000 deep in names": lambda: '{"steps":' * 10_000 + "1" + "}" * 10_000,
    "a number of a million digits": lambda: '{"steps": ' + "9" * 1_000_000 + "}",
    "a hundred thousand names": lambda: json.dumps({f"n{n}": n for n in range(100_000)}),
}


@pytest.mark.parametrize("large", LARGE)
def test_s14_a_plan_without_measure_is_refused_at_once(tmp_path, large):
    given = LARGE[large]()
    number = -(-counts.of("S14.large") // (2 * len(LARGE)))

    async def main():
        async with opened(tmp_path) as (bench, engine):
            rows = bench.counts()
            await engine.agent.act(ANA, given, message="warm")
            gc.collect()
            began = time.process_time()
            for turn in range(number):
                said = await engine.agent.act(ANA, given, message=f"m-{turn}")
                assert isinstance(said, Invalid)
                assert len(said.for_model("es").says) < 5_000
            spent = (time.process_time() - began) / number
            assert bench.counts() == rows
            tracemalloc.start()
            before = tracemalloc.get_traced_memory()[0]
            await engine.agent.act(ANA, given, message="watched")
            after, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak - before < MEMORY_MAX
            assert after - before < MEGABYTE
            return spent

    spent = asyncio.run(main())
    print(f"{large}: {spent * 1000:.2f} ms")
    assert spent < CPU_SECONDS
    counts.ran("S14.large", number)


def test_s14_a_thousand_proposals_for_one_message_are_five_and_refusals(tmp_path):
    number = counts.of("S14.flood") // 2
    refused = 0

    async def main():
        nonlocal refused
        async with opened(tmp_path) as (bench, engine):
            kept = []
            for turn in range(PROPOSALS_MAX):
                kept.append(await bench.asked(engine, crear(f"Nota {turn}", urgente=True)))
            rows = bench.counts()
            gc.collect()
            tracemalloc.start()
            first = tracemalloc.get_traced_memory()[0]
            began = time.process_time()
            for turn in range(number):
                steps = crear(f"Otra {turn}", urgente=True) if turn % 2 else crear(f"Segura {turn}")
                said = await engine.agent.act(ANA, plan(steps), message="m-1")
                assert isinstance(said, Refused)
                assert said.why is Refusal.TOO_MANY
                refused += 1
            spent = (time.process_time() - began) / number
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - first
            tracemalloc.stop()
            assert bench.counts() == rows
            assert bench.notes() == []
            assert grown < MEMORY_MAX
            # The last question stands, and the flood has taken nothing from it.
            done = await engine.person(ANA).confirm(kept[-1].token)
            assert isinstance(done, Report)
            assert all(isinstance(one, Ask) for one in kept)
            return spent

    spent = asyncio.run(main())
    print(f"a proposal too many: {spent * 1000:.2f} ms")
    assert spent < CPU_SECONDS
    counts.ran("S14.flood", refused)
    assert refused >= number
