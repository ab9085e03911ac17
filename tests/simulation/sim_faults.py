"""What goes wrong in a schedule, and how often: its limits are drawn first, then every accident."""

from collections import Counter
from dataclasses import dataclass

from sim_chance import Chance

HOUR = 3600.0

MACHINE = (
    "crash",
    "crash in transaction",
    "reply lost",
    "commit lost",
    "database away",
    "pause",
    "long pause",
    "clock forward",
    "clock back",
    "drain",
)
"""What happens to a process, its database or its clock, at one of its transactions."""

NETWORK = ("slow", "late", "request lost", "answer lost", "refused", "look unanswered")
"""What happens to what leaves a process."""

BETWEEN = frozenset({"crash", "pause", "long pause", "clock forward", "clock back", "drain"})
"""What may happen where there is no transaction."""
OWN = 0.15
"""Of so many transactions that write what became of a send, something is tried right before."""
MARKED = 0.2
"""Of so many marks something is tried right after their COMMIT, beside what happens anyway."""

UNKNOWN = "host unknown"
"""No fault, but some are worse with it: nobody is told that a process of this host is dead."""

KINDS = (*MACHINE, "clock skewed", UNKNOWN, *NETWORK)
"""Every kind of fault."""


@dataclass(frozen=True, slots=True)
class Way:
    """How one send goes.

    Args:
        there: seconds until it arrives; None when it never does.
        back: seconds until its answer comes; None when none does.
        refused: the other side says no, for certain.
        stubborn: its caller waits for it although it was told to stop.
    """

    there: float | None
    back: float | None
    refused: bool
    stubborn: bool


class Faults:
    """The accidents of one schedule."""

    def __init__(self, rng: Chance) -> None:
        self._rng = rng
        self.counts: Counter[str] = Counter()
        self.on = True
        span = rng.choice((5, 10, 20))
        self._at = {rng.randint(1, span) for _ in range(rng.randint(0, 4))} | {rng.randint(1, 4)}
        """At which transactions of the schedule something happens."""
        self._count = 0
        self._machine = [kind for kind in MACHINE if rng.random() < 0.5] or ["crash"]
        self._between = [kind for kind in self._machine if kind in BETWEEN]
        self._network = rng.choice((0.2, 0.5, 0.9))
        self._ways = [kind for kind in NETWORK if rng.random() < 0.6] or ["slow"]
        self.hop = rng.choice((0.02, 0.3, 4.0))
        self.skewed = rng.random() < 0.15
        self.strangers = rng.random() < 0.25
        self.stubborn = rng.choice((0.0, 0.3, 1.0))

    def stop(self) -> None:
        """From here on everything goes well."""
        self.on = False

    def again(self, span: int) -> None:
        """Something more happens, at one of the next transactions."""
        self._at.add(self._count + self._rng.randint(1, span))

    def quiet(self) -> None:
        """From here on only what leaves a process meets with accidents."""
        self._at.clear()
        self._between = []

    def at_transaction(self, *, own: bool) -> tuple[str, bool] | None:
        """What happens at this transaction, and whether it is after its COMMIT; mostly nothing.

        Args:
            own: it writes what became of a send or of a plan, and is met more often.
        """
        self._count += 1
        if not self.on:
            return None
        if self._count not in self._at:
            met = own and self._between and self._rng.random() < OWN
            return (self._rng.choice(self._between), False) if met else None
        return self._rng.choice(self._machine), self._rng.random() < 0.5

    def at_mark(self) -> str | None:
        """What happens between a mark and its send, which is where it hurts."""
        if not self.on or not self._between or self._rng.random() >= MARKED:
            return None
        return self._rng.choice(self._between)

    def point(self, most: int) -> int:
        """At which point of a transaction its process dies."""
        return self._rng.randint(1, most)

    def kills(self) -> bool:
        """Whether a process dies now, while it only waits."""
        if not self.on or "crash" not in self._machine:
            return False
        self.count("crash")
        return True

    def count(self, kind: str) -> None:
        """It has happened."""
        self.counts[kind] += 1

    def latency(self) -> float:
        """Seconds that a transaction waits for its turn."""
        chance = self._rng.random()
        return 0.001 + chance * chance * chance * self.hop

    def pause(self, kind: str) -> float:
        """Seconds that a process stands still."""
        rng = self._rng
        if kind == "long pause":
            return rng.choice((rng.uniform(70, 400), rng.uniform(HOUR, 27 * HOUR)))
        return rng.choice((rng.uniform(0.5, 25), rng.uniform(25, 70)))

    def jump(self, kind: str) -> float:
        """Seconds by which the database's clock jumps."""
        far = self._rng.choice((30.0, 600.0, HOUR)) * self._rng.random()
        return far if kind == "clock forward" else -far

    def send(self, bound: float, *, awoken: bool) -> Way:
        """How a send goes: what arrives at all arrives within *bound* seconds.

        Args:
            bound: these seconds.
            awoken: its process has just stood still; then the network is rather slow, too.
        """
        rng = self._rng
        stubborn = rng.random() < self.stubborn
        there, back = rng.random() * 0.5, rng.random() * 0.5
        if not self.on or rng.random() >= self._network:
            return Way(there, back, refused=False, stubborn=stubborn)
        kind = "late" if awoken and rng.random() < 0.7 else rng.choice(self._ways)
        if kind == "look unanswered":
            return Way(there, back, refused=False, stubborn=stubborn)
        self.count(kind)
        if kind == "request lost":
            return Way(None, None, refused=False, stubborn=stubborn)
        if kind == "answer lost":
            return Way(there, None, refused=False, stubborn=stubborn)
        if kind == "slow":
            there, back = rng.uniform(1, 20), rng.uniform(0, 8)
        elif kind == "late":
            there, back = rng.uniform(25, bound), rng.uniform(0, 30)
        return Way(there, back, refused=kind == "refused", stubborn=stubborn)

    def look(self) -> tuple[float, float | None]:
        """Seconds until a look arrives, and until it is answered; None when it is not."""
        rng = self._rng
        there, back = rng.random() * 0.5, rng.random() * 0.5
        if self.on and "look unanswered" in self._ways and rng.random() < self._network:
            self.count("look unanswered")
            return rng.uniform(0, 40), None
        return there, back
