"""A plan that is proposed over HTTP, by a program or by a person's own page."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from semel.channels.web.body import kind_of, read
from semel.channels.web.desk import Desk
from semel.channels.web.gate import is_guess, same_origin
from semel.channels.web.refusal import Stopped
from semel.channels.web.visitor import Person
from semel.domain.proposal import Malformed, loaded
from semel.domain.report import Invalid, Outcome, Problem, Refused
from semel.facts import JSON
from semel.words import speaker

NAMES = frozenset({"steps", "message", "sentence", "csrf"})


async def propose(desk: Desk, request: Request) -> Response:
    """Propose what a body says; the answer is a model's, and holds no token."""
    visitor = await desk.visitor(request)
    who = visitor.who
    if isinstance(visitor, Person):
        if is_guess(request):
            raise Stopped("guess", who.locale)
        if not same_origin(request, desk.origin):
            raise Stopped("foreign", who.locale)
    if kind_of(request) != "application/json":
        raise Stopped("kind", who.locale, program=True)
    raw = await read(request)
    try:
        given = loaded(raw)
    except Malformed as no:
        return _answer(_invalid(Problem(no.code, "", no.detail)), who.locale)
    told = given if isinstance(given, dict) else {}
    if isinstance(visitor, Person):
        desk.check(request, visitor, told.get("csrf"))
    problems = _problems(given)
    if problems:
        return _answer(_invalid(*problems), who.locale)
    sentence = told.get("sentence")
    outcome = await desk.engine.agent.act(
        who,
        {"steps": told["steps"]},
        message=str(told["message"]),
        sentence=None if sentence is None else str(sentence),
    )
    return _answer(outcome, who.locale)


def _problems(given: JSON) -> list[Problem]:
    """What is wrong around the steps; the engine says what is wrong with them."""
    if not isinstance(given, dict):
        return [Problem("no_steps")]
    unknown = sorted(set(given) - NAMES)
    problems = [Problem("unknown_field", name[:100]) for name in unknown[:20]]
    message, sentence = given.get("message"), given.get("sentence")
    if "steps" not in given:
        problems.append(Problem("no_steps"))
    if message is None:
        problems.append(Problem("missing_field", "message"))
    elif not isinstance(message, str) or not message.strip() or not message.isprintable():
        problems.append(Problem("bad_value", "message", "text"))
    if sentence is not None and not isinstance(sentence, str):
        problems.append(Problem("bad_value", "sentence", "text"))
    return problems


def _invalid(*problems: Problem) -> Invalid:
    return Invalid(problems=problems, speaker=speaker)


def _answer(outcome: Outcome, locale: str) -> Response:
    status = 422 if isinstance(outcome, Invalid) else 409 if isinstance(outcome, Refused) else 200
    return JSONResponse(outcome.for_model(locale).plain(), status)
