"""The figures of a plan in columns, and what exists beside what is new."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TypeAlias

from semel.channels.cards.parts import Cell, Figure, Head, Row, Twins
from semel.domain.action import Risk
from semel.domain.consent import Difference
from semel.domain.report import MatchView, StepView
from semel.facts import Count, Date, Fact, Money
from semel.words.alike import ABSENT, compare, label
from semel.words.figures import show
from semel.words.voice import Voice

Links: TypeAlias = Callable[[str, str, str], str | None]
"""Where an application shows a record: kind, id and how it is called; None where it does not."""

PLAN = "semel.plan"
"""The kind that a plan itself has there."""

MONEY_MIN = 2
"""Amounts of a step from which on a column is easier to read than its sentence."""


def totals(
    steps: Sequence[StepView], changed: Sequence[Difference], voice: Voice
) -> tuple[Figure, ...]:
    """The figures of the one step that has several; of several such steps none, for no sum is one.

    That they add up is checked here, not taken from anybody's word.
    """
    tables = [step for step in steps if len(_money(step)) >= MONEY_MIN or step.risk is Risk.TYPED]
    if len(tables) != 1:
        return ()
    step = tables[0]
    was = {one.name: one for one in (*step.changed, *changed) if one.position == step.position}
    money = _money(step)
    sums = _sums(list(money.values()))
    counts = {name: fact for name, fact in step.facts.items() if isinstance(fact, Count)}
    dates = {name: fact for name, fact in step.facts.items() if isinstance(fact, Date)}
    last = next(reversed(money), None)
    rows = counts if step.risk is Risk.TYPED else {}
    return tuple(
        _figure(step, name, fact, was.get(name), voice, sums=sums and name == last)
        for name, fact in {**rows, **money, **dates}.items()
    )


def _money(step: StepView) -> dict[str, Money]:
    return {name: fact for name, fact in step.facts.items() if isinstance(fact, Money)}


def _sums(amounts: Sequence[Money]) -> bool:
    """Whether the last amount is what the others come to."""
    if len(amounts) <= MONEY_MIN or len({one.currency for one in amounts}) > 1:
        return False
    return sum((one.amount for one in amounts[:-1]), Decimal(0)) == amounts[-1].amount


def _figure(
    step: StepView, name: str, fact: Fact, was: Difference | None, voice: Voice, *, sums: bool
) -> Figure:
    before = None if was is None or was.shown is None or was.shown == fact else show(was.shown)
    return Figure(voice.name(step, name), show(fact), before, sums)


def twins(step: StepView, links: Links, voice: Voice) -> Twins | None:
    """A new record beside those it looks like, a column each; None when it looks like none."""
    alike = compare(step)
    if not alike.shown:
        return None
    heads = [_head(match, links, voice) for match in alike.shown]
    heads.append(Head(voice.say("sheet.word.new")))
    rows = []
    for name in alike.names:
        differs = any(name in marked for marked in alike.differ)
        cells = [
            Cell(_value(match.facts.get(name)), name in marked)
            for match, marked in zip(alike.shown, alike.differ, strict=True)
        ]
        new = Cell(_value(step.facts.get(name)), differs)
        rows.append(Row(voice.name(step, name), (*cells, new), differs))
    more = voice.say("step.exists.more", count=str(alike.more)) if alike.more else ""
    return Twins(voice.say("sheet.word.twins"), tuple(heads), tuple(rows), more)


def _head(match: MatchView, links: Links, voice: Voice) -> Head:
    url = links(match.kind, match.id, match.label)
    return Head(voice.say("sheet.word.exists"), label(match), url)


def _value(fact: Fact | None) -> str:
    return ABSENT if fact is None else show(fact)
