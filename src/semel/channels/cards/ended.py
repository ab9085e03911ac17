"""The sheet of a plan that has ended: how the world is, and what may be done now."""

from semel.channels.cards.asking import foot, no_way_back, typed
from semel.channels.cards.figures import Links
from semel.channels.cards.parts import Button, Doubt, Group, Made, Note, Sheet, State, Step, Typed
from semel.channels.cards.steps import (
    NAMED_MAX,
    has_no_way_back,
    heard,
    mark_of,
    marked,
    phrase,
    planned,
    progress,
    tags,
    weighty,
)
from semel.domain.action import Risk
from semel.domain.report import DoubtView, PlanView, Report, StepView
from semel.words.card import short
from semel.words.doubt import choices, told
from semel.words.fate import TAKEN_BACK, Sorted, name_of, sort_out
from semel.words.offer import Offers, offers
from semel.words.question import under
from semel.words.report import title as title_of
from semel.words.voice import Voice

STATES = {
    "finished": State.DONE,
    TAKEN_BACK: State.DONE,
    "undone": State.UNDONE,
    "undone.partly": State.UNDO_PARTIAL,
    "undone.cancelled": State.UNDO_PARTIAL,
    "not_undone": State.UNDO_PARTIAL,
    "not_undone.cancelled": State.CANCELLED,
    "in_doubt": State.IN_DOUBT,
    "cancelled": State.CANCELLED,
    "cancelled.partly": State.CANCELLED_MID,
    "not_needed": State.CANCELLED,
    "too_late": State.CANCELLED,
    "expired": State.EXPIRED,
    "superseded": State.SUPERSEDED,
    "refused": State.REJECTED,
}
"""What the ends of a plan look like; every other one was stopped by a step that could not."""

LINES = {State.CANCELLED, State.EXPIRED, State.SUPERSEDED, State.REJECTED, State.UNDONE}

ICONS = {
    State.DONE: "done",
    State.UNDONE: "back",
    State.UNDO_PARTIAL: "back",
    State.IN_DOUBT: "doubt",
    State.PARTIAL: "fail",
    State.EXPIRED: "clock",
    State.SUPERSEDED: "swap",
}

SILENT = {"cancelled", "expired", "superseded", "refused"}
"""Ends whose sentence does not say what the plan was about."""

PROPOSABLE = {State.CANCELLED, State.EXPIRED}
"""Ends of a plan that did nothing, and that a person may want after all."""

MARKS = {"done": "done", "was_done": "done", "could_not": "failed", "in_doubt": "doubt"}


def ended(outcome: Report, voice: Voice, links: Links) -> Sheet:
    """How a plan ended."""
    view, fate = outcome.view, sort_out(outcome.view)
    state = STATES.get(fate.name, State.PARTIAL)
    offer = offers(outcome, fate, voice)
    buttons = _buttons(outcome, fate, offer, voice)
    line = state in LINES and not buttons and not fate.done[1:]
    title = _title(outcome, fate, voice)
    grouped = state in {State.PARTIAL, State.CANCELLED_MID, State.UNDO_PARTIAL}
    listed = not grouped and not line and (fate.total > 1 or state is State.IN_DOUBT)
    retry = outcome.retry_token is not None
    done = voice.say("sheet.of", done=str(len(fate.done)), total=str(fate.total))
    return Sheet(
        state=state,
        variant=fate.name if fate.name in {TAKEN_BACK, "not_needed", "too_late"} else "",
        icon=ICONS.get(state, "stop"),
        kicker=voice.say(_kicker(outcome, fate, state)),
        aside=done if fate.total > 1 or grouped else "",
        title=title,
        result=True,
        line=line,
        under=phrase(view, voice) if line and fate.name in SILENT else "",
        announce=_announced(state, fate, title, voice),
        final=state is not State.IN_DOUBT,
        plan=view.plan,
        progress=progress(view, done) if not line and fate.total > 1 else None,
        steps=_steps(view, fate, voice) if listed else (),
        groups=_groups(fate, voice, retry=retry) if grouped else (),
        notes=tuple(_notes(outcome, fate, offer, voice)),
        why=_asks(offer),
        strong=no_way_back(fate.missing, voice) if retry else "",
        buttons=buttons,
        doubts=tuple(
            _doubt(step, step.doubt, view.epoch, voice)
            for step in fate.doubt
            if step.doubt is not None
        ),
        made=_made(fate, links),
        again=_proposable(view, state),
        newer=view.undone_by or view.newer or "",
        foot=foot(view, voice, links),
    )


def _kicker(outcome: Report, fate: Sorted, state: State) -> str:
    if fate.name == TAKEN_BACK:
        return "sheet.done.taken_back"
    if state is State.DONE and outcome.replayed:
        return "sheet.done.replayed"
    if state in {State.PARTIAL, State.UNDO_PARTIAL} and not fate.done:
        return f"sheet.{state}.nothing"
    return f"sheet.{state}"


def _title(outcome: Report, fate: Sorted, voice: Voice) -> str:
    """The sentence that states the world; of many steps, what they were done for."""
    name, weight, tried = name_of(outcome, fate), weighty(fate.done), fate.could_not
    told_of = weight if len(fate.done) > 1 else fate.done
    did = ". ".join(voice.fact(step) for step in told_of)
    if name == "finished" and 0 < len(told_of) <= NAMED_MAX:
        return voice.say("sheet.did", did=did)
    if name == "failed.partly" and 0 < len(weight) <= NAMED_MAX and len(tried) == 1:
        return voice.say("sheet.partly", did=did, will=voice.aim(tried[0]))
    return title_of(outcome, fate, voice)


def _steps(view: PlanView, fate: Sorted, voice: Voice) -> tuple[Step, ...]:
    doubt = {step.position for step in fate.doubt}
    return tuple(
        marked(
            step,
            "doubt" if step.position in doubt else mark_of(step, view),
            voice,
            notes=tuple(told(step, voice)),
        )
        for step in view.steps
    )


def _groups(fate: Sorted, voice: Voice, *, retry: bool) -> tuple[Group, ...]:
    groups = []
    for name, steps in voice.groups(fate):
        mark = MARKS.get(name.rpartition(".")[2], "not")
        listed = [_fated(step, text, mark, fate, voice, retry=retry) for step, text in steps]
        groups.append(Group(voice.say(name), tuple(listed)))
    return tuple(groups)


def _fated(
    step: StepView, text: str, mark: str, fate: Sorted, voice: Voice, *, retry: bool
) -> Step:
    """A step under the name of its fate; what a retry would do is shown whole."""
    again = retry and step in fate.missing
    notes = [*told(step, voice), *(line.strip() for line in (under(step, voice) if again else ()))]
    changed: tuple[str, ...] = ()
    if mark == "failed":
        # Why stands under what, not behind it: here there is room for a line of its own.
        reason = voice.reason(step)
        text, changed = voice.aim(step), tuple(voice.changes(step.changed, step))
        notes = [f"{reason[:1].upper()}{reason[1:]}.", *notes]
    if mark == "done":
        notes = [*planned("step.planned", step, voice), *notes]
    return Step(
        step.position,
        mark,
        text,
        heard(mark, voice),
        once=again and has_no_way_back(step),
        changed=changed,
        tags=tags(step, voice) if again else (),
        notes=tuple(notes),
    )


def _buttons(outcome: Report, fate: Sorted, offer: Offers, voice: Voice) -> tuple[Button, ...]:
    tokens = {"retry": outcome.retry_token, "undo": outcome.undo_token}
    bulk = any(step.risk is Risk.TYPED for step in fate.missing)
    made = []
    for do, label in zip(offer.buttons, offer.labels, strict=True):
        field = (("token", tokens[do] or ""),)
        if do == "undo":
            made.append(Button(do, label, icon="back", fields=field))
            continue
        words = typed(fate.missing, voice) if bulk else None
        made.append(Button(do, label, "once" if bulk else "go", fields=field, typed=words))
    # What takes something back comes before what goes on: the last button is the one that is meant.
    return tuple(sorted(made, key=lambda one: one.do, reverse=True))


def _asks(offer: Offers) -> str:
    """The question of a retry; what has to be typed stands at its field."""
    return offer.says[0] if "retry" in offer.buttons else ""


def _notes(outcome: Report, fate: Sorted, offer: Offers, voice: Voice) -> list[Note]:
    view, notes = outcome.view, []
    if view.undone_by is not None:
        text = voice.say("report.taken_back.by", plan=short(view.undone_by))
        notes.append(Note("back", text))
    if outcome.replayed and not fate.finished:
        notes.append(Note("clock", voice.say("report.again", **voice.when(view.ended_at))))
    if offer.stays:
        notes.append(Note("once", voice.say("offer.no_undo")))
    if len(view.steps) == 1 and fate.name != TAKEN_BACK:
        later = [text for step in fate.done for text in planned("step.planned", step, voice)]
        notes += [Note("bell", text) for text in later]
    return notes


def _doubt(step: StepView, doubt: DoubtView, epoch: int, voice: Voice) -> Doubt:
    found = choices(doubt, voice)
    position = ("position", str(step.position))
    # Beside "it did not": what this card was drawn from, so that an old one counts for nothing.
    seen = (("epoch", str(epoch)), ("settled", str(int(doubt.settled))))
    answers = tuple(
        Button(
            "resolve",
            label,
            fields=(position, ("answer", answer), *(seen if answer == "did_not" else ())),
        )
        for answer, label in zip(found.answers, found.labels, strict=True)
    )
    if found.anyway is None:
        return Doubt(answers)
    words = Typed(
        voice.say("sheet.resend.typed"),
        voice.say("sheet.typed.hint"),
        ("enviar otra vez", "send again"),
    )
    again = Button(
        "resolve",
        voice.say("sheet.resend"),
        "once",
        fields=(position, ("answer", "send_anyway")),
        typed=words,
    )
    return Doubt(answers, again, voice.say("sheet.resend.asks"), voice.say("sheet.resend.twice"))


def _made(fate: Sorted, links: Links) -> tuple[Made, ...]:
    """Each record once, as it was called last, where the application shows it."""
    records = {
        (kind, id_): label
        for step in fate.done
        if not fate.undoes
        for kind, id_, label in step.records
    }
    found = ((label, links(kind, id_, label)) for (kind, id_), label in records.items())
    return tuple(Made(label, url) for label, url in found if url is not None)


def _proposable(view: PlanView, state: State) -> str:
    return (view.sentence or "") if state in PROPOSABLE else ""


def _announced(state: State, fate: Sorted, title: str, voice: Voice) -> str:
    if state is State.SUPERSEDED:
        return ""
    if state is State.PARTIAL and fate.done:
        return " ".join(
            voice.say("group", group=voice.say(name), steps="; ".join(text for _, text in steps))
            for name, steps in voice.groups(fate)
        )
    return title
