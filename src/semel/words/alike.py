"""A new record beside those it looks like: the same facts in the same order, what differs marked.

It warns and never forbids: the person decides, with both in sight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semel.domain.report import MatchView, StepView
from semel.facts import Fact
from semel.words.figures import show
from semel.words.neutral import inside
from semel.words.voice import Voice

SHOWN_MAX = 3
"""Records that are shown beside a new one: more are counted, since nobody compares ten."""

ABSENT = "—"
"""What stands where one side has no such fact."""


def called(steps: Sequence[StepView], voice: Voice) -> list[str]:
    """How the records are called that a plan's steps look like, each once."""
    matches = (match for step in steps for match in step.similar)
    return list(dict.fromkeys(_quoted(match, voice) for match in matches))


@dataclass(frozen=True, slots=True)
class Alike:
    """A new record beside those it looks like: which facts to compare, and where they differ."""

    shown: tuple[MatchView, ...]
    names: tuple[str, ...]
    differ: tuple[frozenset[str], ...]
    """For each record that is shown, the facts that are others than the new one's."""
    more: int
    """Records that are not shown."""


def compare(step: StepView) -> Alike:
    """What a step looks like the repeat of; none of it may be there."""
    shown = step.similar[:SHOWN_MAX]
    names = tuple(
        name
        for name in dict.fromkeys(name for match in shown for name in match.facts)
        if not all(_names_it(match, name) for match in shown)
    )
    differ = tuple(
        frozenset(name for name in names if _differ(match.facts.get(name), step.facts.get(name)))
        for match in shown
    )
    return Alike(shown, names, differ, len(step.similar) - len(shown))


def beside(step: StepView, voice: Voice) -> list[str]:
    """What exists and what is new, a line each, for the person to compare."""
    alike = compare(step)
    lines = []
    for match, other in zip(alike.shown, alike.differ, strict=True):
        cells = [_quoted(match, voice), *_cells(alike.names, match.facts, other, step, voice)]
        lines.append(voice.say("step.exists", record=" · ".join(cells)))
    if alike.more:
        lines.append(voice.say("step.exists.more", count=str(alike.more)))
    if alike.names:
        marked = frozenset().union(*alike.differ)
        new = _cells(alike.names, step.facts, marked, step, voice)
        lines.append(voice.say("step.new", record=" · ".join(new)))
    return lines


def _cells(
    names: Sequence[str],
    facts: Mapping[str, Fact],
    marked: frozenset[str],
    step: StepView,
    voice: Voice,
) -> list[str]:
    cells = []
    for name in names:
        fact = facts.get(name)
        value = ABSENT if fact is None else voice.figure(fact)
        cell = voice.say("step.fact", name=voice.called(step, name), value=value)
        cells.append(voice.say("step.different", fact=cell) if name in marked else cell)
    return cells


def _differ(one: Fact | None, other: Fact | None) -> bool:
    """Whether two facts are known and are not the same; by their values, not by how they read."""
    if one is None or other is None:
        return False
    return (type(one), one.plain()) != (type(other), other.plain())


def _names_it(match: MatchView, name: str) -> bool:
    """Whether a fact says no more than how the record is called, or is not there."""
    fact = match.facts.get(name)
    return fact is None or show(fact) == label(match)


def _quoted(match: MatchView, voice: Voice) -> str:
    return voice.say("quoted", text=label(match))


def label(match: MatchView) -> str:
    """How a record is called."""
    return inside(match.label or match.id)
