"""One language's sentences, and the parts of a plan said in it: for the model and for the card."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semel.domain.action import Risk, Words
from semel.domain.plan import PlanReason, StepReason, StepState
from semel.domain.report import PlanView, StepView
from semel.domain.step import is_local
from semel.facts import Count, Fact
from semel.words import en, es
from semel.words.figures import fill, put
from semel.words.neutral import neutral, quotable, visible

SENTENCES: Mapping[str, Mapping[str, str]] = {"es": es.SENTENCES, "en": en.SENTENCES}

DETAIL_MAX = 500
"""Characters of an action's own words that are shown, as many as are kept of them."""

COULD_NOT = frozenset(StepReason) - {StepReason.CANCELLED, StepReason.NOT_REACHED}
"""Reasons of a step's own; the others follow from what happened before it."""

HALFWAY = frozenset({PlanReason.FAILED, PlanReason.STALE, PlanReason.CANCELLED, PlanReason.REFUSED})
"""Ends that a plan may meet when some of its steps are done."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """The steps of a plan that has ended, by what became of them, and why it ended."""

    reason: PlanReason
    total: int
    done: tuple[StepView, ...] = ()
    could_not: tuple[StepView, ...] = ()
    doubt: tuple[StepView, ...] = ()
    left: tuple[StepView, ...] = ()

    @property
    def name(self) -> str:
        """What the sentences of this end are called."""
        return f"{self.reason}.partly" if self.done and self.reason in HALFWAY else self.reason


def sort_out(view: PlanView) -> Sorted:
    """Sort the steps of an ended plan; what was begun and not recorded counts as in doubt."""
    by_fate: dict[str, list[StepView]] = {"done": [], "could_not": [], "doubt": [], "left": []}
    for step in view.steps:
        by_fate[_fate(step)].append(step)
    done, doubt = by_fate["done"], by_fate["doubt"]
    could_not, left = by_fate["could_not"], by_fate["left"]
    if len(could_not) == len(view.steps) > 1:
        # A plan that went stale at its yes: no single step was tried, so none "could not".
        could_not, left = [], could_not
    reason = PlanReason.IN_DOUBT if doubt else view.reason or PlanReason.FAILED
    if done and reason in {PlanReason.EXPIRED, PlanReason.SUPERSEDED}:
        reason = PlanReason.FAILED
    return Sorted(reason, len(view.steps), tuple(done), tuple(could_not), tuple(doubt), tuple(left))


def _fate(step: StepView) -> str:
    match step.state:
        case StepState.DONE:
            return "done"
        case StepState.IN_DOUBT | StepState.STARTED:
            return "doubt"
        case StepState.NOT_DONE if step.reason in COULD_NOT:
            return "could_not"
        case StepState.NOT_DONE | StepState.WAITING:
            return "left"


def count_of(view: PlanView) -> str:
    """The number that a typed answer names: the first count that a typed step shows."""
    for step in view.steps:
        if step.risk is Risk.TYPED:
            for fact in step.facts.values():
                if isinstance(fact, Count):
                    return str(fact.number)
    return "0"


@dataclass(frozen=True, slots=True)
class Voice:
    """The sentences of one language, and the zone whose clock a person reads."""

    language: str
    zone: str

    @classmethod
    def of(cls, locale: str, zone: str) -> "Voice":
        """The voice for a locale; English for every language that has no sentences here."""
        language = locale.replace("_", "-").split("-")[0].lower()
        return cls(language if language in SENTENCES else "en", zone)

    def say(self, name: str, /, **values: str) -> str:
        """The sentence of that name with texts in its places; they are shown as they are."""
        return put(SENTENCES[self.language][name], values)

    def knows(self, name: str) -> bool:
        """Whether there is a sentence of that name."""
        return name in SENTENCES[self.language]

    def will(self, step: StepView) -> str:
        """What a step will do, with the figures of its preview."""
        return self._said(step.will, step.facts) or self._named("step.will", step)

    def did(self, step: StepView) -> str:
        """What a step did; what came out of it wins over what its preview showed."""
        facts = {**step.facts, **step.made}
        return self._said(step.did, facts) or self._named("step.did", step)

    def reason(self, step: StepView) -> str:
        """Why a step is not done; what an action refused with is in its own words."""
        detail = neutral(step.detail or "", DETAIL_MAX).rstrip(".")
        if step.reason is StepReason.REFUSED and not detail:
            return self.say("reason.refused.bare")
        return self.say(f"reason.{step.reason or StepReason.NOT_REACHED}", detail=detail)

    def groups(self, ended: Sorted) -> list[tuple[str, list[tuple[int, str]]]]:
        """Done, could not and why, not known, not done because of that: names and steps."""
        stopped = bool(ended.could_not or ended.doubt)
        named = {
            "group.done": [(s.position, self.did(s)) for s in ended.done],
            "group.could_not": [
                (s.position, f"{self.will(s)}: {self.reason(s)}") for s in ended.could_not
            ],
            "group.in_doubt": [(s.position, self.will(s)) for s in ended.doubt],
            "group.because" if stopped else "group.left": [
                (s.position, self.will(s)) for s in ended.left
            ],
        }
        return [(name, steps) for name, steps in named.items() if steps]

    def listed(self, items: Sequence[str]) -> str:
        """Words in a row: ``2, 3 y 4``."""
        if len(items) < 2:
            return "".join(items)
        return self.say("and", first=", ".join(items[:-1]), last=items[-1])

    def _said(self, words: Words, facts: Mapping[str, Fact]) -> str:
        template = words.get(self.language) or words.get("en") or next(iter(words.values()), "")
        return fill(" ".join(template.split()).rstrip("."), facts)

    def _named(self, name: str, step: StepView) -> str:
        # This program no longer has the action, so its name is all that is known of it.
        return self.say(name, action=quotable(visible(step.action)))


def now_at(view: PlanView) -> StepView:
    """The step that a running plan is at: the first that is not done, or the last."""
    return next((step for step in view.steps if step.state is not StepState.DONE), view.steps[-1])


def goes_outside(step: StepView) -> bool:
    """Whether a step's effect is beyond the engine's database, hence beyond taking back."""
    return not is_local(step.effect)
