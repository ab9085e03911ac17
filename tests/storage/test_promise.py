"""An answer that is still to come: told once to each who waits, whoever comes first."""

import logging
import threading
from concurrent.futures import CancelledError

import pytest

from semel.storage.promise import Promise


def test_whoever_waits_gets_the_answer_and_whoever_comes_later_too():
    promise: Promise[int] = Promise()
    assert not promise.done()
    with pytest.raises(TimeoutError):
        promise.result(timeout=0)
    told: list[int] = []
    promise.add_done_callback(lambda done: told.append(done.result()))
    setting = threading.Thread(target=promise.set_result, args=(7,))
    setting.start()
    assert promise.result(timeout=30) == 7
    setting.join()
    promise.add_done_callback(lambda done: told.append(done.result() + 1))
    assert (told, promise.done(), promise.exception()) == ([7, 8], True, None)


def test_an_error_stands_for_the_answer():
    promise: Promise[int] = Promise()
    error = LookupError("It is not there.")
    promise.set_exception(error)
    assert promise.exception() is error
    for _ in range(2):
        with pytest.raises(LookupError, match="It is not there"):
            promise.result()


def test_it_is_given_up_before_it_begins_and_never_after():
    given_up: Promise[int] = Promise()
    told: list[bool] = []
    given_up.add_done_callback(lambda done: told.append(done.done()))
    assert given_up.cancel()
    assert given_up.cancel()
    assert (given_up.begin(), given_up.done(), told) == (False, True, [True])
    with pytest.raises(CancelledError):
        given_up.result()
    begun: Promise[int] = Promise()
    assert begun.begin()
    assert not begun.cancel()
    begun.set_result(1)
    assert not begun.cancel()
    assert begun.result() == 1


def test_one_who_waits_and_fails_keeps_nobody_else_from_being_told(caplog):
    promise: Promise[int] = Promise()
    told: list[int] = []

    def fails(_: object) -> None:
        raise ValueError("It was not expected.")

    promise.add_done_callback(fails)
    promise.add_done_callback(lambda done: told.append(done.result()))
    with caplog.at_level(logging.ERROR, "semel"):
        promise.set_result(3)
    assert told == [3]
    assert "failed when it came" in caplog.text


def told_at_once(ends: str) -> list[int]:
    """Who is told of a promise that is set while three begin to wait for it."""
    promise: Promise[int] = Promise()
    told: list[int] = []
    start = threading.Barrier(4)

    def waits(number: int) -> None:
        start.wait()
        promise.add_done_callback(lambda _: told.append(number))

    def sets() -> None:
        start.wait()
        if ends == "answer":
            promise.set_result(1)
        elif ends == "error":
            promise.set_exception(ValueError())
        else:
            promise.cancel()

    threads = [threading.Thread(target=waits, args=(number,)) for number in range(3)]
    threads.append(threading.Thread(target=sets))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(told)


@pytest.mark.parametrize("ends", ["answer", "error", "given up"])
def test_who_comes_at_the_very_moment_is_told_once(ends):
    assert [told_at_once(ends) for _ in range(100)] == [[0, 1, 2]] * 100
