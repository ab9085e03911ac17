"""The past as a list: plans newest first, by page, and those among them that a word is about."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from semel.domain.plan import PlanKind, PlanRow, Who
from semel.domain.standing import Standing, standing
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime import look
from semel.runtime.core import Core

NEWEST = "p_~"
"""What comes after every plan's number."""

PAGE_MAX = 100
"""Plans of one page: more is not read, it is searched."""

SEARCH_PLANS = 1_000
"""Plans that one search looks through; the next page goes on behind them."""

WORDS_MAX = 200
"""Characters of what is searched for: a number, a name, a few words of a sentence."""


@dataclass(frozen=True, slots=True)
class Line:
    """A plan in a list."""

    plan: str
    kind: PlanKind
    person: str
    sentence: str | None
    """The person's words; a later plan and an undo have none of their own."""
    parent: str | None
    created_at: str
    standing: Standing
    since: str
    """When it came to stand like this, as far as one instant says it; a later plan's day."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of plans."""

    lines: tuple[Line, ...]
    before: str | None
    """What the next page begins behind; None when there is none."""
    everybody: bool
    """Whether other people's plans are among them."""
    looked: int
    """How many plans it was looked through for them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for among plans."""

    words: str = ""
    """All of them are in the sentence, the number, the person, or what was shown or made."""
    person: str = ""
    before: str = NEWEST
    limit: int = 30


def past(core: Core, tx: EngineTx, who: Who, wanted: Wanted) -> Page:
    """A page of the plans that a person may see, newest first."""
    everybody = look.may_decide(core, tx, who)
    limit = max(1, min(wanted.limit, PAGE_MAX))
    needles = _plain(wanted.words[:WORDS_MAX]).split()
    searched = bool(needles or wanted.person)
    bound = SEARCH_PLANS if searched else limit
    rows = tx.all(
        "figures.plans",
        org=who.org, before=wanted.before, limit=bound + 1,
        person=None if everybody else who.person,
    )  # fmt: skip
    plans = [PlanRow.read(row) for row in rows[:bound]]
    found = plans
    if wanted.person:
        found = [one for one in found if one.person == wanted.person]
    if needles and found:
        texts = _texts(tx, who.org, found)
        found = [one for one in found if _is_about(one, texts[one.plan], needles)]
    further = len(rows) > bound or len(found) > limit
    shown = found[:limit]
    last = shown if len(found) > limit else plans
    return Page(
        lines=tuple(lines(tx, shown)),
        before=last[-1].plan if further and last else None,
        everybody=everybody,
        looked=len(plans),
    )


def lines(tx: EngineTx, plans: Sequence[PlanRow]) -> Iterable[Line]:
    """Plans as a list shows them."""
    now = instant_text(tx.now())
    steps = tx.each(*(("steps.of_plan", {"org": p.org, "plan": p.plan}) for p in plans))
    for plan, rows in zip(plans, steps, strict=True):
        began = any(row["state"] == "done" for row in rows)
        yield line(plan, standing(plan, now, began=began))


def line(plan: PlanRow, stands: Standing) -> Line:
    """A plan as a list shows it, when it is known how it stands."""
    return Line(
        plan=plan.plan,
        kind=plan.kind,
        person=plan.person,
        sentence=plan.sentence,
        parent=plan.parent,
        created_at=plan.created_at,
        standing=stands,
        since=(plan.not_before if plan.waits else plan.ended_at) or plan.created_at,
    )


def _texts(tx: EngineTx, org: str, plans: Sequence[PlanRow]) -> Mapping[str, list[str]]:
    """What was shown of plans and what they made, which are all between the first and the last."""
    page = {"org": org, "since": plans[-1].plan, "before": f"{plans[0].plan}~"}
    shown, made = tx.each(("figures.steps", page), ("figures.effects", page))
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for row in shown:
        texts[str(row["plan"])] += [str(row["action"]), str(row["preview"])]
    for row in made:
        kind, id_, label = (str(row[name]) for name in ("kind", "id", "label"))
        texts[str(row["plan"])] += [f"{kind}:{id_}", f"{kind}:{label}"]
    return texts


def _is_about(plan: PlanRow, texts: Sequence[str], needles: Sequence[str]) -> bool:
    text = _plain("\n".join((plan.plan, plan.person, plan.sentence or "", *texts)))
    return all(needle in text for needle in needles)


def _plain(text: str) -> str:
    """Text without its accents and capitals: nobody types them into a search."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).casefold()
