"""A call that takes longer than its asker waits: a job that goes on, and is told about when asked."""

import asyncio
import contextlib
import os
import signal
import threading

import pytest
from contenders import start
from guard_bench import Bench

from semel import CallRunning, InDoubt, Opaque
from semel.domain.report import Next, Status
from semel.guard import Guard
from semel.runtime import points


def slow(bench: Bench, guard: Guard, gate: threading.Event, **more):
    @guard.once(timeout=0, wait=0, **more)
    def export(what: str) -> str:
        if not gate.wait(30):
            raise TimeoutError
        return bench.world.sends(what)

    return export


def ended(guard: Guard, job: str):
    """How a job stands, once it does not run any more."""

    async def main():
        with guard.turn("s", locale="en"):
            # A record tells nobody that it has changed.
            while (answer := await guard.check_status(job)).status is Status.RUNNING:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0)
            return answer

    return asyncio.run(asyncio.wait_for(main(), 30))


def test_a_slow_call_is_a_job_at_once_and_is_done_when_asked_later(bench: Bench):
    guard, gate = bench.guard(), threading.Event()
    export = slow(bench, guard, gate)

    async def main():
        with guard.turn("s", "m"):
            first = await export.answer("books")
            assert (first.status, first.next) == (Status.RUNNING, Next.POLL)
            assert 'ask check_status later how it ended, with the job "' in first.says
            return first

    first = asyncio.run(main())
    with guard.turn("s", "m"), pytest.raises(CallRunning) as still:
        export("books")
    gate.set()
    answer = ended(guard, first.job)
    assert (answer.status, answer.value) == (Status.DONE, "id-books")
    assert still.value.job == first.job
    assert bench.world.lines() == ["books"]


def test_a_job_survives_the_task_that_asked_for_it(bench: Bench):
    guard = bench.guard()
    begun, gate = asyncio.Event(), asyncio.Event()

    @guard.once()
    async def export(what: str) -> str:
        begun.set()
        await gate.wait()
        return bench.world.sends(what)

    async def main():
        with guard.turn("s", "m"):
            asker = asyncio.create_task(export("books"))
            await begun.wait()
            asker.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asker
            gate.set()
            # Whoever asks again gets what it came to.
            return await export("books")

    assert asyncio.run(main()) == "id-books"
    assert bench.world.lines() == ["books"]


def test_a_job_is_nobodys_who_is_in_another_conversation(bench: Bench):
    guard, gate = bench.guard(), threading.Event()
    gate.set()
    export = slow(bench, guard, gate)
    with guard.turn("s", "m"):
        try:
            export("books")
            job = asyncio.run(export.answer("books")).job
        except CallRunning as still:
            job = still.job
    ended(guard, job)

    async def main():
        with guard.turn("another"):
            return [await guard.check_status(one) for one in (job, "c_nothing", "")]

    answers = asyncio.run(main())
    assert len(set(answers)) == 1
    assert answers[0].status is Status.REFUSED


def test_after_a_crash_a_job_is_in_doubt_and_never_done_again(bench: Bench):
    def work() -> None:
        guard, gate = bench.guard(), threading.Event()
        export = slow(bench, guard, gate)

        def reached(name: str) -> None:
            if name == "call:send:before":
                os.kill(os.getpid(), signal.SIGKILL)

        points.arm(reached)
        with guard.turn("s", "m"), contextlib.suppress(CallRunning):
            export("books")
        threading.Event().wait(30)

    start(work).value(-signal.SIGKILL)
    guard = bench.guard()
    export = slow(bench, guard, threading.Event())
    (call,) = guard.unsettled()
    assert ended(guard, call.id).status is Status.IN_DOUBT
    with guard.turn("s", "m"), pytest.raises((InDoubt, CallRunning)):
        export("books")
    assert bench.world.lines() == []


def test_the_status_tool_is_called_in_the_models_language(bench: Bench):
    guard = bench.guard()
    names = [guard.status_tool(locale).__name__ for locale in ("es", "es-MX", "en", "fr")]
    assert names == ["consultar_estado", "consultar_estado", "check_status", "check_status"]

    async def main():
        with guard.turn("s"):
            return await guard.status_tool("es")("c_x")

    assert asyncio.run(main()) == "No hay ningún trabajo así en esta conversación."


def test_a_coroutine_that_passes_its_deadline_is_given_up_and_its_proof_still_counts(bench: Bench):
    guard = bench.guard()

    async def main():
        gate = asyncio.Event()

        @guard.once(effect=Opaque(deadline=0.05, delivery_bound=1))
        async def export(what: str) -> str:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            # It was told to end, and what it does all the same is known when it is back.
            await gate.wait()
            return bench.world.sends(what)

        with guard.turn("s", "m"):
            with pytest.raises(InDoubt):
                await export("books")
            assert bench.world.lines() == []
            gate.set()
            while (answer := await export.answer("books")).status is not Status.ALREADY_DONE:
                assert answer.status is Status.IN_DOUBT
            return answer

    assert asyncio.run(main()).value == "id-books"
    assert bench.world.lines() == ["books"]
