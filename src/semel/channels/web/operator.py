"""The page of whoever decides in an organization: what is open, what is not known, how it goes."""

import math
from collections.abc import Sequence
from itertools import pairwise

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from semel.channels.web import described
from semel.channels.web.card import TEMPLATES, card, sprite
from semel.channels.web.desk import Desk
from semel.channels.web.past import MARKS, Shown, shown, teller
from semel.channels.web.refusal import Stopped
from semel.channels.web.routes import Guarded
from semel.channels.web.visitor import Knows, Person
from semel.domain.standing import OPEN, Standing
from semel.facts import read_instant
from semel.runtime.engine import Engine
from semel.runtime.figures import BINS_SECONDS, Answers, Figures, Stand
from semel.words.past import Teller

DOUBTS_MAX = 20
"""Cards of doubts on one page: each is a question to a person, and twenty are a morning's work."""

ROWS_MAX = 20
"""Plans of one list, and rows of one table: the page is to be seen at once."""

COUNTED = frozenset({"call", "press"})
"""The repeats that only this process has counted."""

DAYS = 7


def operator(
    engine: Engine,
    *,
    who: Knows,
    prefix: str = "/operator",
    cards: str = "",
    back: str = "/",
    plans: str = "/historial",
    sign_in: str | None = None,
) -> APIRouter:
    """The operator's page, for any FastAPI application.

    To whoever may not ``semel.decide`` it does not exist. It shows one organization, theirs, and
    changes nothing: its forms are those of the cards of doubts, which go to the plans' own routes.

    Args:
        engine: whose plans they are.
        who: says who makes a request, as for ``router``.
        prefix: the page's path.
        cards: under which path the plans' ``router`` is mounted.
        back: where the application begins.
        plans: the address of the application's list of plans; a plan's own is below it.
        sign_in: where a person signs in whose session has ended.
    """
    kind = type("Guarded", (Guarded,), {"sign_in": sign_in})
    routes = APIRouter(prefix=prefix, route_class=kind, tags=["operator"])
    desk = Desk(engine, who, None)
    shown_ = described.told(401, 403, 404)

    @routes.get(
        "", summary="Read the operator's page", response_class=HTMLResponse, responses=shown_
    )
    async def read(request: Request) -> Response:
        """What is open, how people answer, and what came again."""
        person = await desk.person(request)
        figures = await _figures(engine, person)
        text = TEMPLATES.get_template("operator.html").render(
            say=teller(person).say,
            lang=teller(person).language,
            base=prefix,
            assets=f"{cards}/card",
            back=back,
            sprite=sprite(),
            live=_live(person, figures, plans),
            doubts=[
                await card(engine, person, one.plan, cards) for one in figures.doubts[:DOUBTS_MAX]
            ],
            open=len(figures.doubts),
            found=await _search(engine, person, request),
            plans=plans,
            asked={name: _asked(request, name) for name in ("person", "object", "plan")},
            since=teller(person).on(figures.since),
        )
        return HTMLResponse(text)

    @routes.get(
        "/figures", summary="Read the figures alone", response_class=HTMLResponse, responses=shown_
    )
    async def again(request: Request) -> Response:
        """The part of the page that changes, for its script."""
        person = await desk.person(request)
        return HTMLResponse(_live(person, await _figures(engine, person), plans))

    return routes


async def _figures(engine: Engine, person: Person) -> Figures:
    found = await engine.person(person.who).figures(DAYS)
    if found is None:
        raise Stopped("not_found", person.who.locale)
    return found


def _asked(request: Request, name: str) -> str:
    given = request.query_params.get(name, "")[:200]
    return given if given.isprintable() else ""


async def _search(engine: Engine, person: Person, request: Request) -> list[Shown] | None:
    """The plans that were looked for; None when nobody looks for any."""
    words = " ".join(filter(None, (_asked(request, name) for name in ("object", "plan"))))
    of = _asked(request, "person")
    if not words and not of:
        return None
    found = await engine.person(person.who).past(words, person=of, limit=ROWS_MAX)
    return [shown(teller(person), line) for line in found.lines]


def _live(person: Person, figures: Figures, plans: str) -> Markup:
    says = teller(person)
    stands = {one.standing: one for one in figures.stands}
    ended = [one for one in Standing if one not in OPEN]
    text = TEMPLATES.get_template("operator-live.html").render(
        say=says.say,
        plans=plans,
        time=says.moment(figures.now)[:8],
        bounded=None if figures.whole else figures.plans,
        open=[_stand(says, stands[one], figures.now) for one in OPEN if one in stands],
        ended=[_stand(says, stands[one], figures.now) for one in ended if one in stands],
        doubts=len(figures.doubts),
        lists=[
            (name, [shown(says, line) for line in lines[:ROWS_MAX]])
            for name, lines in (
                ("orphans", figures.orphans),
                ("open", (*figures.running, *figures.awaiting)),
            )
        ],
        waiting=[(shown(says, one), says.day(one.since)) for one in figures.waiting[:ROWS_MAX]],
        all=_answers(says, figures.answers),
        times=_bars(says, figures.answers.bins),
        people=[_answers(says, one) for one in figures.people[:ROWS_MAX]],
        actions=[
            {**_answers(says, one), "name": says.code(one.name)}
            for one in figures.actions[:ROWS_MAX]
        ],
        repeats=_scaled([(says.say(f"repeat.{name}"), n) for name, n in figures.repeats if n]),
        counted=any(name in COUNTED and n for name, n in figures.repeats),
    )
    return Markup(text)  # noqa: S704 - the template has escaped every value


def _stand(says: Teller, stand: Stand, now: str) -> dict[str, object]:
    icon, tone = MARKS[stand.standing]
    age = (read_instant(now) - read_instant(stand.oldest)).total_seconds()
    return {
        "name": says.say(stand.standing),
        "icon": icon,
        "tone": tone,
        "plans": stand.plans,
        "oldest": says.seconds(float(int(max(0.0, age)))) if age < 7200 else says.day(stand.oldest),
    }


def _answers(says: Teller, one: Answers) -> dict[str, object]:
    return {
        "name": says.name(one.name),
        "yeses": one.yeses,
        "median": "–" if one.median is None else says.seconds(one.median),
        "p90": "–" if one.p90 is None else says.seconds(one.p90),
        "unread": says.share(one.unread, one.yeses),
        "undone": says.share(one.undone, one.done),
        "accepted": says.share(one.accepted, one.warned),
    }


def _bars(says: Teller, bins: Sequence[int]) -> list[tuple[str, int, int]]:
    names = []
    for low, high in pairwise((0.0, *BINS_SECONDS, math.inf)):
        ends = {"low": says.seconds(low)} if low else {}
        ends |= {"high": says.seconds(high)} if high < math.inf else {}
        name = "between" if len(ends) == 2 else "under" if "high" in ends else "over"
        names.append(says.say(f"operator.{name}", **ends))
    return _scaled(list(zip(names, bins, strict=True)))


def _scaled(rows: Sequence[tuple[str, int]]) -> list[tuple[str, int, int]]:
    """Each row with the length of its bar, of a hundred."""
    most = max((count for _, count in rows), default=0) or 1
    return [(name, count, round(100 * count / most)) for name, count in rows]
