"""Whose turn it is: of many threads that talk with the server, one runs Python at a time.

Each statement that is handed to the driver lets go of the interpreter's lock for a moment. Whoever
waits for that lock is woken, finds it taken again and sleeps on; and to be woken is dear. So a
thread that waits for the server looks itself for whom an answer has come, and wakes one of them:
the others sleep until it is their turn. Only where nobody's answer is there does it wait in the
kernel, for all of them.

It decides who runs first and nothing else. Nobody has to wait for somebody who neither asks the
server anything nor ends: after a while they run without being told to.
"""

import select
import threading
from collections import deque
from enum import IntEnum

PATIENCE_SECONDS = 0.02
"""Longer than eight threads need for a word each; whoever was not told by then goes on alone."""


class State(IntEnum):
    """What a thread does."""

    RUNS = 0
    READY = 1
    """Its answer is there, or it has a job: it sleeps until it has the turn."""
    PARKED = 2
    """It sleeps until its answer is there; whoever gives the turn away looks for it."""
    WATCHED = 3
    """The same, while a thread without a turn waits in the kernel for it."""
    WATCHES = 4
    """It waits in the kernel, for itself and for others."""


RUNS, READY, PARKED, WATCHED, WATCHES = State


class Seat:
    """A thread's place among those that share a turn; used by that thread alone."""

    __slots__ = ("_turn", "bell", "state")

    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self.state = RUNS
        self.bell = threading.Lock()
        """Released by whoever has told the thread what it is to do now."""
        self.bell.acquire()

    def take(self) -> None:
        """Wait for one's turn, but not for ever."""
        self._turn.take(self)

    def give(self) -> None:
        """Let others run; without the turn it does nothing."""
        self._turn.give(self)

    def wait(self, line: int, what: int) -> None:
        """Let others run until something can be read from *line*, a socket, and it is one's turn.

        Args:
            line: the socket's number.
            what: what is waited for, as :meth:`select.poll.register` has it.
        """
        self._turn.wait(self, line, what)


class Turn:
    """The turn of the threads that share it; each takes it before it works."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._holder: Seat | None = None
        """Who has the turn. While nobody has it, nobody is ready and everybody else is watched."""
        self._ready: deque[Seat] = deque()
        self._parked: dict[int, tuple[Seat, int]] = {}
        self._poll = select.poll()
        """Looks at all that is parked."""

    def take(self, seat: Seat) -> None:
        """Wait for the turn of *seat*."""
        with self._guard:
            if self._holder is None:
                self._holder = seat
                return
            seat.state = READY
            self._ready.append(seat)
        self._sleep(seat)

    def give(self, seat: Seat) -> None:
        """*seat* has nothing more to do."""
        with self._guard:
            if self._holder is seat:
                self._look()
                if not self._pass_on() and self._parked:
                    # Nobody runs any more who would look for them.
                    _tell(next(iter(self._parked.values()))[0], WATCHES)

    def wait(self, seat: Seat, line: int, what: int) -> None:
        """*seat* waits for its answer, and then for its turn."""
        with self._guard:
            self._park(line, seat, what)
            if self._holder is seat:
                self._look()
                if self._ready and self._ready[0] is seat:
                    self._ready.popleft()
                    seat.state = RUNS
                    return
                watches = not self._pass_on()
            else:
                # Others had no patience with it; they may be busy with themselves.
                watches = True
        if not watches or not self._watch(seat):
            self._sleep(seat)

    def _park(self, line: int, seat: Seat, what: int) -> None:
        seat.state = PARKED
        self._parked[line] = seat, what
        self._poll.register(line, what)

    def _look(self) -> None:
        """Whoever's answer is there is ready."""
        if self._parked:
            for line, _ in self._poll.poll(0):
                self._poll.unregister(line)
                self._is_ready(self._parked.pop(line)[0])

    def _is_ready(self, seat: Seat) -> None:
        seat.state = READY
        self._ready.append(seat)

    def _pass_on(self) -> bool:
        """Give the turn to who has been ready for longest; False when nobody is."""
        self._holder = self._ready.popleft() if self._ready else None
        if self._holder is None:
            return False
        _tell(self._holder, RUNS)
        return True

    def _watch(self, seat: Seat) -> bool:
        """Wait in the kernel for all that is parked; whether *seat* has got the turn by that."""
        with self._guard:
            if seat.state not in {PARKED, WATCHES}:
                return False  # somebody has looked meanwhile
            watched, self._parked = self._parked, {}
            poll, self._poll = self._poll, select.poll()
            for one, _ in watched.values():
                one.state = WATCHED
            seat.state = WATCHES
        found = poll.poll()
        with self._guard:
            for line, _ in found:
                self._is_ready(watched.pop(line)[0])
            for line, (one, what) in watched.items():
                self._park(line, one, what)
            if self._holder is not None:
                return False
            if self._ready[0] is seat:
                self._holder = self._ready.popleft()
                seat.state = RUNS
                return True
            self._pass_on()
            return False

    def _sleep(self, seat: Seat) -> None:
        """Until *seat* is told to run, or has waited for too long to be told."""
        while True:
            told = seat.bell.acquire(timeout=PATIENCE_SECONDS)
            if seat.state == RUNS or (not told and self._loses_patience(seat)):
                return
            if self._watch(seat):
                return

    def _loses_patience(self, seat: Seat) -> bool:
        """Whether *seat* waits only for who has the turn: they compute, or sleep in a handler."""
        with self._guard:
            if seat.state == READY:
                self._ready.remove(seat)
                self._holder = seat
                seat.state = RUNS
            return seat.state == RUNS


def _tell(seat: Seat, state: State) -> None:
    # What it is to do is the state; the bell only wakes it, and may ring once too often.
    seat.state = state
    if seat.bell.locked():
        seat.bell.release()
