"""Whose turn it is: one runs at a time, each answer is found, and nobody waits for ever."""

import select
import socket
import threading
from contextlib import ExitStack

import pytest

from semel.storage.postgres import turn
from semel.storage.postgres.turn import Seat, Turn

PATIENCE = 30.0
THREADS, ROUNDS = 8, 200


@pytest.fixture
def patient(monkeypatch):
    """Whoever is not told waits for so long that the test fails."""
    monkeypatch.setattr(turn, "PATIENCE_SECONDS", 10 * PATIENCE)


@pytest.fixture
def lines():
    """Pairs of sockets: what a thread waits on, and where its answer is put in."""
    with ExitStack() as stack:

        def pair():
            ours, theirs = socket.socketpair()
            return stack.enter_context(ours), stack.enter_context(theirs)

        yield pair


class Taken:
    """A thread that takes its turn, says so and gives it away when it is told to."""

    def __init__(self, shared, log, name):
        self.through, self.end = threading.Event(), threading.Event()
        self._shared, self._log, self._name = shared, log, name
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self):
        seat = Seat(self._shared)
        seat.take()
        self._log.append(self._name)
        self.through.set()
        assert self.end.wait(PATIENCE)
        seat.give()

    def ends(self):
        self.end.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


class Waiting(Taken):
    """One that waits for an answer too, before it says so."""

    def __init__(self, shared, log, name, line):
        self._line, self.asked = line, threading.Event()
        super().__init__(shared, log, name)

    def _work(self):
        seat = Seat(self._shared)
        seat.take()
        self.asked.set()
        seat.wait(self._line.fileno(), select.POLLIN)
        assert self._line.recv(1)
        self._log.append(self._name)
        self.through.set()
        assert self.end.wait(PATIENCE)
        seat.give()


def gave_way(line):
    """A thread that waits for its answer, and the one that its turn went to: nobody looks for it."""
    shared = Turn()
    mine = Seat(shared)
    mine.take()
    other = Taken(shared, [], "other")
    waits = threading.Thread(target=mine.wait, args=(line.fileno(), select.POLLIN), daemon=True)
    waits.start()
    assert other.through.wait(PATIENCE)
    return waits, other


@pytest.mark.usefixtures("patient")
def test_whoever_comes_second_runs_when_the_first_has_given_its_turn_away():
    shared, log = Turn(), []
    mine = Seat(shared)
    mine.take()
    others = [Taken(shared, log, name) for name in "abc"]
    for other in others:
        other.end.set()
    assert log == []
    mine.give()
    for other in others:
        other.ends()
    assert sorted(log) == ["a", "b", "c"]


def test_nobody_waits_for_one_who_never_ends():
    shared, log = Turn(), []
    first = Taken(shared, log, "busy")
    assert first.through.wait(PATIENCE)
    second = Taken(shared, log, "impatient")
    assert second.through.wait(PATIENCE)
    second.ends()
    # The turn goes on without the first one.
    mine = Seat(shared)
    mine.take()
    mine.give()
    assert log == ["busy", "impatient"]
    first.ends()


def test_the_late_end_of_an_old_turn_does_not_end_the_new_one(monkeypatch):
    shared, log = Turn(), []
    first = Taken(shared, log, "busy")
    assert first.through.wait(PATIENCE)
    mine = Seat(shared)
    mine.take()
    monkeypatch.setattr(turn, "PATIENCE_SECONDS", 10 * PATIENCE)
    first.ends()
    later = Taken(shared, log, "later")
    later.end.set()
    assert log == ["busy"]
    mine.give()
    later.ends()
    assert log == ["busy", "later"]


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("times", [1, 2])
def test_what_was_not_taken_is_given_away_in_vain(times):
    shared = Turn()
    seats = [Seat(shared) for _ in range(times)]
    for seat in seats:
        seat.give()
    seats[0].take()
    seats[0].give()
    seats[0].give()
    seats[-1].take()


@pytest.mark.usefixtures("patient")
def test_who_gives_its_turn_away_finds_whose_answer_is_there(lines):
    shared, log = Turn(), []
    ours, theirs = lines()
    waits = Waiting(shared, log, "waits", ours)
    assert waits.asked.wait(PATIENCE)
    mine = Seat(shared)
    mine.take()
    theirs.send(b"x")
    mine.give()
    assert waits.through.wait(PATIENCE)
    waits.ends()


@pytest.mark.usefixtures("patient")
def test_one_thread_waits_in_the_kernel_for_all_and_wakes_whoever_is_answered(lines):
    shared, log = Turn(), []
    pairs = [lines() for _ in range(4)]
    waiting = [Waiting(shared, log, str(number), ours) for number, (ours, _) in enumerate(pairs)]
    for one in waiting:
        assert one.asked.wait(PATIENCE)
    for number in (2, 0, 3, 1):
        pairs[number][1].send(b"x")
        assert waiting[number].through.wait(PATIENCE)
        waiting[number].ends()
    assert log == ["2", "0", "3", "1"]


@pytest.mark.usefixtures("patient")
def test_who_ends_leaves_somebody_who_looks_for_those_that_wait(lines):
    ours, theirs = lines()
    waits, other = gave_way(ours)
    other.ends()
    theirs.send(b"x")
    waits.join(PATIENCE)
    assert not waits.is_alive()


@pytest.mark.usefixtures("patient")
def test_whoever_is_answered_waits_for_who_has_taken_the_turn_meanwhile(lines, monkeypatch):
    shared, log = Turn(), []
    found, watches = threading.Event(), threading.Event()
    is_ready, watch = Turn._is_ready, Turn._watch

    def noted(self, seat):
        is_ready(self, seat)
        found.set()

    def watched(self, seat):
        watches.set()
        return watch(self, seat)

    monkeypatch.setattr(Turn, "_is_ready", noted)
    monkeypatch.setattr(Turn, "_watch", watched)
    ours, theirs = lines()
    waits = Waiting(shared, log, "waits", ours)
    assert watches.wait(PATIENCE)
    # Nobody is left but one who waits in the kernel; then somebody comes with a new job.
    mine = Seat(shared)
    mine.take()
    theirs.send(b"x")
    assert found.wait(PATIENCE)
    with shared._guard:
        assert shared._holder is mine
    assert log == []
    mine.give()
    assert waits.through.wait(PATIENCE)
    waits.ends()


def test_an_answer_is_found_while_somebody_else_never_ends(lines):
    ours, theirs = lines()
    waits, busy = gave_way(ours)
    theirs.send(b"x")
    waits.join(PATIENCE)
    assert not waits.is_alive()
    busy.ends()


@pytest.mark.parametrize("seconds", [10 * PATIENCE, 0.0005], ids=["patient", "impatient"])
def test_many_threads_that_are_answered_in_any_order_all_come_through(lines, monkeypatch, seconds):
    monkeypatch.setattr(turn, "PATIENCE_SECONDS", seconds)
    shared, pairs = Turn(), [lines() for _ in range(THREADS)]
    running, most, done = set(), [0], []
    asked: list[int] = []
    there = threading.Condition()

    def work(number):
        seat, line = Seat(shared), pairs[number][0]
        for job in range(3):
            seat.take()
            for _ in range(ROUNDS):
                running.add(number)
                most[0] = max(most[0], len(running))
                with there:
                    asked.append(number)
                    there.notify()
                running.discard(number)
                seat.wait(line.fileno(), select.POLLIN)
                assert line.recv(1) == b"x"
            if job < 2:
                seat.give()
        seat.give()
        done.append(number)

    def answer():
        for place in range(THREADS * 3 * ROUNDS):
            with there:
                assert there.wait_for(lambda: asked, PATIENCE)
                # Now the first, now the last, now one in between.
                number = asked.pop(place * 7919 % len(asked))
            pairs[number][1].send(b"x")

    threads = [
        threading.Thread(target=work, args=(number,), daemon=True) for number in range(THREADS)
    ]
    threads.append(threading.Thread(target=answer, daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert sorted(done) == list(range(THREADS))
    if seconds > PATIENCE:
        assert most == [1]
