"""Answers of a store reach their loop, many at once and whoever has gone meanwhile."""

import asyncio
import threading
from concurrent.futures import Future

import pytest

from semel.runtime.answers import answer

pytestmark = pytest.mark.no_store


def in_a_thread(does) -> None:
    thread = threading.Thread(target=does)
    thread.start()
    thread.join()


def test_answers_that_come_together_wake_their_loop_once():
    async def main():
        loop = asyncio.get_running_loop()
        woken = []
        real = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *args: (woken.append(1), real(*args))
        futures = [Future() for _ in range(50)]
        calls = [asyncio.create_task(answer(future)) for future in futures]
        await asyncio.sleep(0)
        in_a_thread(lambda: [future.set_result(n) for n, future in enumerate(futures)])
        assert await asyncio.gather(*calls) == list(range(50))
        assert len(woken) == 1

    asyncio.run(main())


def test_an_answer_that_is_there_is_given_at_once_and_an_error_is_raised():
    async def main():
        done, failed = Future(), Future()
        done.set_result(7)
        assert await answer(done) == 7
        call = asyncio.create_task(answer(failed))
        await asyncio.sleep(0)
        in_a_thread(lambda: failed.set_exception(KeyError("no")))
        with pytest.raises(KeyError):
            await call

    asyncio.run(main())


def test_who_has_gone_keeps_nobody_else_waiting_and_takes_nothing_back():
    async def main():
        gone, stays = Future(), Future()
        first, second = (asyncio.create_task(answer(future)) for future in (gone, stays))
        await asyncio.sleep(0)
        first.cancel()
        in_a_thread(lambda: (gone.set_result(1), stays.set_result(2)))
        assert await second == 2
        with pytest.raises(asyncio.CancelledError):
            await first
        assert not gone.cancelled()

    asyncio.run(main())


def test_a_loop_that_has_ended_gets_no_answer_and_the_next_one_does():
    late = Future()

    async def leaves():
        asyncio.create_task(answer(late))  # noqa: RUF006 - it is left behind on purpose
        await asyncio.sleep(0)

    asyncio.run(leaves())
    in_a_thread(lambda: late.set_result(1))
    again = Future()

    async def main():
        call = asyncio.create_task(answer(again))
        await asyncio.sleep(0)
        in_a_thread(lambda: again.set_result(2))
        return await call

    assert asyncio.run(main()) == 2
