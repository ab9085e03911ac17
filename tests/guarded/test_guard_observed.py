"""How often an intent is asked for again is counted by what asked: before it is protected and after."""

import asyncio
from collections import Counter

import pytest
from guard_bench import Bench
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from semel import Guard
from semel.errors import StorageError
from semel.guard.metrics import CALLS

SOURCES = {
    "first": 2, "parallel": 1, "loop": 1, "http_retry": 1, "restored": 1, "person": 1,
}  # fmt: skip


async def story(guard, tool) -> None:
    """One intent and one repeat of each kind, and another intent."""
    gate = asyncio.Event()
    with guard.turn("s", "m", request="r-1"):
        first = asyncio.create_task(tool("ana", gate))
        await asyncio.sleep(0)
        parallel = asyncio.create_task(tool("ana", gate))
        await tool.begun.wait()
        # The second one has been seen beside the first.
        while not any(source == "parallel" for _, source, _, _ in guard.repeats()):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)
        gate.set()
        await asyncio.gather(first, parallel)
    with guard.turn("s", "m", request="r-2") as turn:
        assert turn.request == "r-2"
        await tool("luis", gate)
        # The agent's loop asks again in the same turn.
        await tool("luis", gate)
    with guard.turn("s", "m", request="r-2"):
        # The same request of the transport, delivered twice.
        await tool("luis", gate)
    with guard.turn("s", "m", request="r-3"):
        # Another turn of the same message: a checkpoint was restored.
        await tool("luis", gate)
    with guard.turn("s", "m-2", request="r-4"):
        await tool("luis", gate)


def watched(bench: Bench, guard, **more):
    begun = asyncio.Event()

    @guard.once(identity=["to"], name="mail", **more)
    async def mail(to: str, gate: asyncio.Event) -> str:
        begun.set()
        await gate.wait()
        return bench.world.sends(to)

    mail.begun = begun
    return mail


def counted(guard) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for tool, source, mode, calls in guard.repeats():
        assert tool == "mail"
        found.setdefault(mode, Counter())[source] += calls
    return {mode: dict(sources) for mode, sources in found.items()}


def test_what_is_only_watched_is_never_stopped_and_counted_by_source(bench: Bench):
    guard = bench.guard()
    asyncio.run(story(guard, watched(bench, guard, observe=True)))
    assert bench.world.lines() == ["ana"] * 2 + ["luis"] * 5
    assert counted(guard) == {"observed": SOURCES}


def test_what_is_protected_is_counted_by_the_same_names(bench: Bench):
    guard = bench.guard()
    asyncio.run(story(guard, watched(bench, guard)))
    # A person who asks again in another message is asked for again, and is not stopped.
    assert bench.world.lines() == ["ana", "luis", "luis"]
    assert counted(guard) == {"guarded": SOURCES}


def test_counts_of_several_processes_and_days_add_up(bench: Bench):
    for _ in range(2):
        with bench.guard() as guard:
            asyncio.run(story(guard, watched(bench, guard, observe=True)))
    found = counted(bench.guard())["observed"]
    assert (sum(found.values()), found["first"]) == (14, 2)
    assert bench.guard().repeats(since="9999-01-01") == []


@pytest.mark.no_store
def test_a_tool_that_is_watched_works_where_nothing_can_be_counted():
    guard = Guard("postgresql://nobody@127.0.0.1:1/none")

    @guard.once(observe=True)
    def send(to: str) -> str:
        return f"id-{to}"

    with guard.turn("s"):
        assert send("ana") == "id-ana"
    # Nor where nobody says whose call it is, or what it means.
    assert send(object()).startswith("id-<object")

    @guard.once()
    def mail(to: str) -> str:
        raise AssertionError("It was called.")

    with guard.turn("s"), pytest.raises(StorageError):
        mail("ana")


def test_open_telemetry_reads_the_same_counts(bench: Bench):
    before = exported()
    guard = bench.guard()
    asyncio.run(story(guard, watched(bench, guard)))
    guard.repeats()
    new = exported() - before
    assert {source: new["mail", source, "guarded"] for source in SOURCES} == SOURCES


READER = InMemoryMetricReader()


def exported() -> Counter[tuple[str, str, str]]:
    """What has been told to OpenTelemetry in this process, which has one provider for all tests."""
    if not PROVIDED:
        metrics.set_meter_provider(MeterProvider([READER]))
        PROVIDED.append(True)
    found: Counter[tuple[str, str, str]] = Counter()
    data = READER.get_metrics_data()
    for resource in data.resource_metrics if data else ():
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                assert metric.name == CALLS
                for point in metric.data.data_points:
                    where = point.attributes
                    found[where["tool"], where["source"], where["mode"]] += point.value
    return found


PROVIDED: list[bool] = []
