"""The sheet of a plan that asks: everything that its yes covers, and the two answers."""

from semel.channels.cards.figures import PLAN, Links, totals, twins
from semel.channels.cards.parts import Button, Foot, Note, Sheet, State, Typed
from semel.channels.cards.steps import has_no_way_back, named, phrase, proposed
from semel.domain.action import Risk
from semel.domain.report import Ask, Because, PlanView, StepView
from semel.words.alike import called
from semel.words.card import short
from semel.words.fate import count_of
from semel.words.figures import clock
from semel.words.question import why
from semel.words.voice import Voice

WARNINGS = {
    "changed": "delta",
    "look_alike": "twin",
    "further_plan": "twin",
    "still_running": "twin",
    "unsafe": "delta",
}
"""Reasons to ask that are warnings, and the symbol of each; the others are said at the buttons."""


def asking(outcome: Ask, voice: Voice, links: Links) -> Sheet:
    """The question of a plan."""
    view = outcome.view
    reasons = why(outcome, voice)
    variant = variant_of(outcome)
    title = voice.say("ask.title", will=phrase(view, voice))
    kicker = f"sheet.awaiting.{variant}" if variant in {"typed", "changed"} else "sheet.awaiting"
    mine = outcome.token is not None
    pairs = [found for step in view.steps if (found := twins(step, links, voice))]
    return Sheet(
        state=State.AWAITING,
        variant=variant,
        icon="sign",
        kicker=voice.say(kicker if mine else "sheet.awaiting.other"),
        aside=steps_of(view, voice),
        title=title,
        announce=_announced(outcome, title, variant, voice),
        final=False,
        plan=view.plan,
        steps=tuple(proposed(step, outcome.changed, voice) for step in view.steps),
        totals=totals(view.steps, outcome.changed, voice),
        notes=tuple(
            Note(WARNINGS[name], text, warns=True)
            for name, text in reasons.items()
            if name in WARNINGS
        ),
        twins=tuple(pairs),
        why=_why(outcome, reasons, voice),
        strong=no_way_back(view.steps, voice),
        buttons=_buttons(outcome, voice),
        foot=foot(view, voice, asks=True),
    )


def variant_of(outcome: Ask) -> str:
    """What tells this question apart from the usual one."""
    if outcome.view.risk is Risk.TYPED:
        return "typed"
    if outcome.again:
        return "changed"
    return "duplicate" if Because.LOOK_ALIKE in outcome.view.because else ""


def steps_of(view: PlanView, voice: Voice) -> str:
    """How many steps a plan has."""
    name = "sheet.steps.one" if len(view.steps) == 1 else "sheet.steps"
    return voice.say(name, total=str(len(view.steps)))


def no_way_back(steps: tuple[StepView, ...], voice: Voice) -> str:
    """Which steps cannot be undone; nothing when all can."""
    once = [str(step.position) for step in steps if has_no_way_back(step)]
    if not once:
        return ""
    if len(steps) == 1:
        return voice.say("sheet.once.only")
    name = "sheet.once" if len(once) == 1 else "sheet.once.more"
    return voice.say(name, steps=voice.listed(once))


def typed(steps: tuple[StepView, ...], voice: Voice) -> Typed:
    """What has to be written before records are deleted in bulk."""
    count = count_of(steps)
    return Typed(
        voice.say("sheet.typed", count=count),
        voice.say("sheet.typed.hint"),
        (count, "borrar", "delete"),
    )


def foot(view: PlanView, voice: Voice, links: Links | None = None, *, asks: bool = False) -> Foot:
    """When a question expires or a plan ended, its number, and how to change it."""
    expires = ended = ""
    if asks and view.expires_at is not None:
        expires = voice.say("ask.expires", time=clock(view.expires_at, voice.zone))
    if view.ended_at is not None:
        ended = voice.say("sheet.ended", **voice.at(view.ended_at))
    # A plan's page says how it came to be; the usual one of a question would only lead away.
    trace = links(PLAN, view.plan, short(view.plan)) if links and view.ended_at else None
    return Foot(
        trace=trace or "",
        expires=expires,
        expires_at=view.expires_at if asks else None,
        ended=ended,
        short=short(view.plan),
        change=voice.say("ask.change") if asks else "",
    )


def _why(outcome: Ask, reasons: dict[str, str], voice: Voice) -> str:
    if outcome.again or "further_plan" in reasons or "still_running" in reasons:
        return ""
    if "look_alike" in reasons:
        return voice.say("sheet.why.twin")
    if len(outcome.view.steps) == 1:
        return voice.say("sheet.why")
    return reasons.get("risk", "")


def _buttons(outcome: Ask, voice: Voice) -> tuple[Button, ...]:
    view = outcome.view
    cancel = Button("cancel", voice.say("button.cancel"))
    if outcome.token is None:
        # Whoever may only look at another person's plan has no yes to give, and may stop it.
        return (cancel,)
    bulk = view.risk is Risk.TYPED
    confirm = Button(
        "confirm",
        _label(view, voice),
        "once" if bulk else "go",
        fields=(("token", outcome.token),),
        typed=typed(view.steps, voice) if bulk else None,
    )
    return cancel, confirm


def _label(view: PlanView, voice: Voice) -> str:
    """What a yes does, in the actions' own words where they are few."""
    if Because.LOOK_ALIKE in view.because:
        return voice.say("button.another")
    return named("button", view.steps, voice) or voice.say("button.confirm")


def _announced(outcome: Ask, title: str, variant: str, voice: Voice) -> str:
    view = outcome.view
    if variant == "typed":
        return voice.say("sheet.say.typed", title=title, prompt=typed(view.steps, voice).prompt)
    name = "sheet.say.one" if len(view.steps) == 1 else "sheet.say"
    if variant == "changed":
        name = "sheet.say.changed"
    said = voice.say(name, title=title, total=str(len(view.steps)))
    records = called(view.steps, voice) if variant == "duplicate" else []
    if not records:
        return said
    return f"{said} {voice.say('sheet.say.twin', records=voice.listed(records))}"
