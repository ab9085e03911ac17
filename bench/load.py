"""Closed loops: so many callers, each of which calls again as soon as it is answered."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Amount:
    """How long a loop goes on: *calls* in all, or for *seconds*."""

    calls: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Measured:
    """What came of a loop."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """What this process used, and not what a server did."""
    latencies: list[float] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """How many calls were answered."""
        return len(self.latencies)

    def percentile(self, part: float) -> float:
        """A latency in seconds that this *part* of the calls did not exceed."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


class _Turns:
    """Hands out the numbers of calls until there are enough."""

    def __init__(self, amount: Amount) -> None:
        self._amount = amount
        self._end = time.perf_counter() + amount.seconds
        self._next = 0
        self._lock = threading.Lock()

    def take(self) -> int | None:
        """The number of the next call, or None when it is over."""
        with self._lock:
            number = self._next
            over = self._amount.calls and number >= self._amount.calls
            if over or (not self._amount.calls and time.perf_counter() >= self._end):
                return None
            self._next += 1
            return number


async def tasks(
    callers: int, amount: Amount, call: Callable[[int, int], Awaitable[object]]
) -> Measured:
    """Tasks of one event loop; *call* is given the number of the call and of its caller."""
    turns, found = _Turns(amount), Measured()

    async def caller(mine: int) -> None:
        while (number := turns.take()) is not None:
            began = time.perf_counter()
            await call(number, mine)
            found.latencies.append(time.perf_counter() - began)

    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*[caller(mine) for mine in range(callers)])
    found.seconds, found.cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    return found


def threads(callers: int, amount: Amount, call: Callable[[int, int], object]) -> Measured:
    """The same with a thread for each caller; with one caller there is no other thread."""
    turns, found = _Turns(amount), Measured()
    broken: list[BaseException] = []

    def caller(mine: int) -> None:
        try:
            while (number := turns.take()) is not None:
                began = time.perf_counter()
                call(number, mine)
                found.latencies.append(time.perf_counter() - began)
        except BaseException as no:  # noqa: BLE001 - it is raised again where the loop was begun
            broken.append(no)

    began, cpu = time.perf_counter(), time.process_time()
    others = [threading.Thread(target=caller, args=(mine,)) for mine in range(1, callers)]
    for other in others:
        other.start()
    caller(0)
    for other in others:
        other.join()
    found.seconds, found.cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    if broken:
        raise broken[0]
    return found
