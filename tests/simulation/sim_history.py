"""What the database said at each commit, what people were told, and the story to read."""

from dataclasses import dataclass, field
from typing import Any

from semel.storage.memory.schema import ATTEMPTS, PLANS, STEPS

Steps = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What the database said of a plan from one commit on."""

    at: float
    state: str
    reason: str | None
    epoch: int
    round: int
    cancelled: bool
    undone_by: str | None
    steps: Steps


@dataclass(frozen=True, slots=True)
class Told:
    """What somebody was answered: when it was asked for, when it came, and what it was."""

    asked_at: float
    at: float
    verb: str
    outcome: Any


@dataclass
class History:
    """The commits and answers of one schedule."""

    store: Any
    clock: Any
    said: dict[str, list[Said]] = field(default_factory=dict)
    opened: dict[str, float] = field(default_factory=dict)
    """When each send was marked."""
    strangers: list[tuple[float, str, int]] = field(default_factory=list)
    """When a step was begun by somebody who was not the plan's owner then, and which."""
    told: list[Told] = field(default_factory=list)
    jumps: list[float] = field(default_factory=list)
    """When the clock jumped forward."""
    lines: list[str] | None = None
    """The story, where it is to be read."""

    def begin(self) -> None:
        """Note what is there before anything happens."""
        self.changed({(row["org"], row["plan"]) for row in self.store._tables[PLANS].all()}, ())

    def changed(self, plans: set[tuple[str, str]], opened: Any) -> None:
        """Note what a commit has changed."""
        at, tables = self.clock.monotonic(), self.store._tables
        for key in opened:
            self.opened[key[3]] = at
            if tables[ATTEMPTS].get(*key)["epoch"] != tables[PLANS].get(*key[:2])["epoch"]:
                self.strangers.append((at, key[1], key[2]))
        for org, number in sorted(plans):
            row = tables[PLANS].get(org, number)
            steps = sorted(tables[STEPS].find("of_plan", org, number), key=lambda s: s["position"])
            said = Said(
                at, row["state"], row["reason"], row["epoch"], row["round"],
                row["cancelled_at"] is not None, row["undone_by"],
                tuple([(step["state"], step["reason"]) for step in steps]),
            )  # fmt: skip
            self.said.setdefault(number, []).append(said)
            if self.lines is not None:
                self.note("database", f"{number[-6:]} {spelled(said)}")

    def note(self, who: str, text: str) -> None:
        """A line of the story."""
        if self.lines is not None:
            seconds = self.clock.monotonic()
            shown = self.clock.now().strftime("%H:%M:%S")
            self.lines.append(f"{seconds:12.3f}  {shown}  {who:<9} {text}")


def spelled(said: Said) -> str:
    """A plan's state in a line."""
    steps = ", ".join(state if why is None else f"{state} ({why})" for state, why in said.steps)
    state = said.state if said.reason is None else f"{said.state} ({said.reason})"
    marks = " cancelled" * said.cancelled + " undone" * (said.undone_by is not None)
    return f"{state}{marks}, epoch {said.epoch}, round {said.round}: {steps}"
