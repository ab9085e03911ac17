"""Figures of an organization: what is open, how people answer, and what came again."""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from semel.domain.consent import Question
from semel.domain.plan import PlanKind, PlanRow, Who
from semel.domain.standing import Standing, standing
from semel.facts import instant_text, read_instant
from semel.ports import EngineTx, Row
from semel.runtime import look
from semel.runtime.core import Core
from semel.runtime.past import NEWEST, Line, line

DAYS_MAX = 366
"""Days that figures may be asked for: a year and a day."""

COUNT_PLANS = 2_000
"""Plans that figures count at most, the newest ones: they are about how it goes, not about all."""

OPEN_PLANS = 500
"""Open plans that are looked at: with more of them the list is not what helps."""

UNREAD_SECONDS = 1.5
"""A yes that comes sooner was not read: nobody reads a card's title and a figure in less."""

BINS_SECONDS = (UNREAD_SECONDS, 3.0, 6.0, 12.0, 30.0, 120.0)
"""Where the bars of the time to a yes end; each about twice the one before."""


@dataclass(frozen=True, slots=True)
class Stand:
    """How many plans stand in one way."""

    standing: Standing
    plans: int
    oldest: str
    """When the oldest one was made, as instant text."""


@dataclass(frozen=True, slots=True)
class Answers:
    """How somebody answers, or everybody does, or how one action is answered."""

    name: str
    seconds: tuple[float, ...]
    """From each card to its yes, the quickest first."""
    done: int
    """Plans that did something."""
    undone: int
    """Those of them that were taken back."""
    warned: int
    """Plans that came with a warning of a possible duplicate and wait no more."""
    accepted: int
    """Those of them that were confirmed all the same."""

    @property
    def yeses(self) -> int:
        """How many times there was a yes."""
        return len(self.seconds)

    @property
    def median(self) -> float | None:
        """Seconds of the one in the middle."""
        return statistics.median(self.seconds) if self.seconds else None

    @property
    def p90(self) -> float | None:
        """Seconds within which nine of ten came."""
        if not self.seconds:
            return None
        return self.seconds[math.ceil(0.9 * len(self.seconds)) - 1]

    @property
    def unread(self) -> int:
        """How many came sooner than anybody reads."""
        return sum(one < UNREAD_SECONDS for one in self.seconds)

    @property
    def bins(self) -> tuple[int, ...]:
        """How many came within each of ``BINS_SECONDS``, and how many later."""
        ends = (0.0, *BINS_SECONDS, math.inf)
        return tuple(sum(low <= one < high for one in self.seconds) for low, high in pairwise(ends))


@dataclass(frozen=True, slots=True)
class Figures:
    """What whoever decides in an organization may know of it."""

    since: str
    now: str
    plans: int
    """How many plans of that time were counted."""
    whole: bool
    """Whether all of that time were."""
    stands: tuple[Stand, ...]
    awaiting: tuple[Line, ...]
    running: tuple[Line, ...]
    doubts: tuple[Line, ...]
    waiting: tuple[Line, ...]
    """Plans that wait for their day, the next one first."""
    orphans: tuple[Line, ...]
    """Plans whose process is not heard of any more, and that nobody has taken over yet."""
    answers: Answers
    people: tuple[Answers, ...]
    actions: tuple[Answers, ...]
    repeats: tuple[tuple[str, int], ...]
    """What came again and had no further effect, by where from; ``call`` and ``press`` as counted
    by this process since it began."""


def figures(core: Core, tx: EngineTx, who: Who, days: int) -> Figures | None:
    """The figures of a person's organization; None when they may not decide in it."""
    if not look.may_decide(core, tx, who):
        return None
    days = max(1, min(days, DAYS_MAX))
    now, since = instant_text(tx.now()), instant_text(tx.now() - timedelta(days=days))
    rows = tx.all("figures.plans", org=who.org, before=NEWEST, person=None, limit=COUNT_PLANS + 1)
    read = [PlanRow.read(row) for row in rows[:COUNT_PLANS]]
    plans = [plan for plan in read if plan.created_at >= since]
    open_ = [PlanRow.read(row) for row in tx.all("figures.unended", org=who.org, limit=OPEN_PLANS)]
    page = {"org": who.org, "since": plans[-1].plan if plans else NEWEST, "before": NEWEST}
    steps, yeses, told = tx.each(
        ("figures.steps", page), ("figures.yeses", page), ("figures.repeats", page)
    )
    counted = _Counted.of(plans, steps, yeses)
    return Figures(
        since=since,
        now=now,
        plans=len(plans),
        whole=len(rows) <= COUNT_PLANS or len(plans) < len(read),
        stands=tuple(_stands(plans, open_, counted.done, now)),
        answers=counted.answers("", plans),
        people=_by(counted, plans, lambda plan: plan.person),
        actions=_by(counted, plans, lambda plan: counted.action.get(plan.plan, "")),
        repeats=_repeats(core, who.org, told),
        **_open(open_, now),
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """What the steps and the answers of plans say of each."""

    done: frozenset[str]
    warned: frozenset[str]
    action: Mapping[str, str]
    seconds: Mapping[str, float]

    @classmethod
    def of(cls, plans: Iterable[PlanRow], steps: Iterable[Row], yeses: Iterable[Row]) -> "_Counted":
        of = {plan.plan for plan in plans}
        mine = [row for row in steps if row["plan"] in of]
        riskiest: dict[str, tuple[int, str]] = {}
        for row in mine:
            plan, risk = str(row["plan"]), int(str(row["risk"]))
            if risk > riskiest.get(plan, (-1, ""))[0]:
                riskiest[plan] = risk, str(row["action"])
        seconds = {
            str(row["plan"]): _between(str(row["created_at"]), str(row["used_at"]))
            for row in yeses
            if row["plan"] in of and row["question"] == Question.CONFIRM
        }
        return cls(
            done=frozenset(str(row["plan"]) for row in mine if row["state"] == "done"),
            warned=frozenset(str(row["plan"]) for row in mine if row["similar"] is not None),
            action={plan: action for plan, (_, action) in riskiest.items()},
            seconds=seconds,
        )

    def answers(self, name: str, plans: Sequence[PlanRow]) -> Answers:
        """How plans of a name were answered."""
        own = [plan for plan in plans if plan.kind is PlanKind.PLAN]
        done = [plan for plan in own if plan.plan in self.done]
        warned = [plan.plan for plan in own if plan.plan in self.warned and plan.state != "asking"]
        return Answers(
            name=name,
            seconds=tuple(sorted(self.seconds[p.plan] for p in own if p.plan in self.seconds)),
            done=len(done),
            undone=sum(plan.undone_by is not None for plan in done),
            warned=len(warned),
            accepted=sum(plan in self.seconds for plan in warned),
        )


def _by(
    counted: _Counted, plans: Iterable[PlanRow], name: Callable[[PlanRow], str]
) -> tuple[Answers, ...]:
    groups: defaultdict[str, list[PlanRow]] = defaultdict(list)
    for plan in plans:
        groups[name(plan)].append(plan)
    found = [counted.answers(one, group) for one, group in groups.items()]
    some = [one for one in found if one.yeses or one.done or one.warned]
    return tuple(sorted(some, key=lambda one: (-one.yeses, one.name)))


def _stands(
    plans: Sequence[PlanRow], open_: Sequence[PlanRow], done: frozenset[str], now: str
) -> Iterable[Stand]:
    """By standing: what is open, however old it is, and what has ended in the time."""
    of = {plan.plan: plan for plan in (*plans, *open_)}
    ages: defaultdict[Standing, list[str]] = defaultdict(list)
    for plan in of.values():
        ages[standing(plan, now, began=plan.plan in done)].append(plan.created_at)
    for stands in Standing:
        if stands in ages:
            yield Stand(stands, len(ages[stands]), min(ages[stands]))


def _open(plans: Sequence[PlanRow], now: str) -> dict[str, tuple[Line, ...]]:
    found: defaultdict[str, list[Line]] = defaultdict(list)
    for plan in reversed(plans):
        stands = standing(plan, now, began=plan.at > 0)
        one = line(plan, stands)
        match stands:
            case Standing.AWAITING:
                found["awaiting"].append(one)
            case Standing.RUNNING | Standing.CANCELLING:
                found["running"].append(one)
                if plan.resume_after is not None and plan.resume_after <= now:
                    found["orphans"].append(one)
            case Standing.LATER:
                found["waiting"].append(one)
            case Standing.IN_DOUBT:
                found["doubts"].append(one)
            case _:  # a question that nobody has answered in time, and no sweep has put away yet
                continue
    found["waiting"].sort(key=lambda one: one.since)
    names = ("awaiting", "running", "doubts", "waiting", "orphans")
    return {name: tuple(found[name]) for name in names}


def _repeats(core: Core, org: str, told: Iterable[Row]) -> tuple[tuple[str, int], ...]:
    counts = Counter(str(row["kind"]) for row in told)
    counts.update({source: n for (of, source), n in core.repeats.items() if of == org})
    return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _between(asked: str, answered: str) -> float:
    return max(0.0, (read_instant(answered) - read_instant(asked)).total_seconds())
