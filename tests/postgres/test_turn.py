"""Whose turn it is: threads take turns, and nobody waits for one who does not end."""

import threading

import pytest

from semel.storage.postgres import turn
from semel.storage.postgres.turn import Turn


def taken(shared, log, name):
    """A thread that takes its turn, says so and gives it away when it is told to."""
    through, go = threading.Event(), threading.Event()

    def work():
        shared.take()
        log.append(name)
        through.set()
        go.wait(60)
        shared.give()

    thread = threading.Thread(target=work)
    thread.start()
    return thread, through, go


def test_whoever_comes_second_runs_when_the_first_has_given_its_turn_away(monkeypatch):
    monkeypatch.setattr(turn, "PATIENCE_SECONDS", 60.0)
    shared, log = Turn(), []
    shared.take()
    threads = [taken(shared, log, name) for name in "abc"]
    for _, _, go in threads:
        go.set()
    # All three stand before the same lock, or are on their way to it: none of them is through.
    assert log == []
    shared.give()
    for thread, _, _ in threads:
        thread.join(60)
    assert sorted(log) == ["a", "b", "c"]


def test_nobody_waits_for_one_who_never_ends():
    shared, log = Turn(), []
    first, through, end = taken(shared, log, "busy")
    assert through.wait(60)
    second, ran, go = taken(shared, log, "impatient")
    assert ran.wait(60)
    go.set()
    second.join(60)
    # The turn goes on without the first one.
    shared.take()
    shared.give()
    assert log == ["busy", "impatient"]
    end.set()
    first.join(60)


def test_the_late_end_of_an_old_turn_does_not_end_the_new_one(monkeypatch):
    shared, log = Turn(), []
    first, through, end = taken(shared, log, "busy")
    assert through.wait(60)
    shared.take()
    monkeypatch.setattr(turn, "PATIENCE_SECONDS", 60.0)
    end.set()
    first.join(60)
    later, _, go = taken(shared, log, "later")
    go.set()
    assert log == ["busy"]
    shared.give()
    later.join(60)
    assert log == ["busy", "later"]


@pytest.mark.parametrize("times", [1, 2])
def test_what_was_not_taken_is_given_away_in_vain(times):
    shared = Turn()
    for _ in range(times):
        shared.give()
    shared.take()
    shared.give()
    shared.give()
    shared.take()
