"""Every outcome that there is, by name, with the status and the next move that a model is told."""

from dataclasses import replace
from decimal import Decimal

from words_views import (
    BULK,
    EXPIRES,
    LATER,
    MOVED,
    NINE,
    NOT_REACHED,
    PLAN,
    REMINDER,
    TOKEN,
    TOTAL,
    UNDO_STEPS,
    UNDOING,
    after,
    alike,
    asked,
    in_doubt,
    invoice,
    reminders,
    report,
    running,
    undoing,
    with_step,
)

from semel.domain.action import Missing
from semel.domain.consent import Difference
from semel.domain.plan import PlanKind, PlanReason, Resolution, StepReason
from semel.domain.report import (
    Because,
    Invalid,
    Next,
    Outcome,
    Problem,
    Refusal,
    Refused,
    Report,
    Status,
)
from semel.facts import Money
from semel.words import speaker

QUESTIONS = (
    Missing("nif", of="María Carmona"),
    Missing("plazo_pago_dias"),
    Missing(
        "vence", ask={"es": "¿A cuántos días?", "en": "In how many days?"}, choices=("15", "30")
    ),
    Missing("nif", of="María Carmona"),
)
FULL = "550 buzón lleno."
CANCELLED, STALE = StepReason.CANCELLED, StepReason.STALE
Told = tuple[Outcome, Status, Next]

PERSON_WAITS = (Status.NEEDS_PERSON, Next.WAIT_PERSON)
RUNNING = (Status.RUNNING, Next.POLL)
DONE = (Status.DONE, Next.NOTHING)
DONE_BEFORE = (Status.ALREADY_DONE, Next.NOTHING)
PARTIAL = (Status.PARTIAL, Next.ASK_PERSON)
NOT_DONE = (Status.NOT_DONE, Next.ASK_PERSON)
DOUBT = (Status.IN_DOUBT, Next.WAIT_PERSON)
STOPPED = (Status.CANCELLED, Next.NOTHING)
LATE = (Status.EXPIRED, Next.ASK_PERSON)


def taken_back(outcome: Report) -> Report:
    """The report of a plan whose undo has been ordered since."""
    return replace(outcome, view=replace(outcome.view, undone_by=UNDOING))


def offered(outcome: Report, *, retry: bool = False, undo: bool = False) -> Report:
    """The report as the bound person's session has it."""
    return replace(
        outcome,
        retry_token=TOKEN if retry else None,
        undo_token=TOKEN if undo else None,
        undo_until=EXPIRES if undo else None,
    )


AGAIN = replace(
    asked(invoice(), Because.FURTHER_PLAN, Because.STILL_RUNNING),
    again=True,
    changed=(Difference(2, "total", TOTAL, Money(Decimal("665.5"))),),
    replayed=True,
)
PLANNED = [*invoice()[:3], replace(invoice()[3], later=(LATER,))]
FAILED_AT_MAIL = report(
    PlanReason.FAILED, "ddnn", after(StepReason.REFUSED), detail=FULL, steps=PLANNED
)
CANCELLED_AT_ONE = report(PlanReason.CANCELLED, "dnnn", (None, *(CANCELLED,) * 3))
RESOLVED = with_step(
    report(PlanReason.FAILED, "dddn", (None, None, None, StepReason.UNKNOWN_REFERENCE)),
    3,
    resolution=Resolution.HAPPENED,
    resolved_by="ana",
)
RESENT = with_step(
    report(PlanReason.FINISHED, "dddd"),
    3,
    resolution=Resolution.SEND_ANYWAY,
    resolved_by="ana",
)
DID_NOT = with_step(
    report(PlanReason.FAILED, "ddnn", after(StepReason.FAILED), detail="answer.did_not"),
    3,
    resolution=Resolution.DID_NOT,
    resolved_by="ana",
)
LATER_STALE = offered(
    with_step(
        reminders(reason=STALE, ends=PlanReason.STALE),
        1,
        changed=MOVED,
        facts={**REMINDER.facts, "para": MOVED[0].now},
    ),
    retry=True,
)
TOO_LATE = with_step(
    reminders(reason=NOT_REACHED, ends=PlanReason.EXPIRED), 1, detail="later.too_late"
)

BEFORE: dict[str, Told] = {
    "asks": (asked(PLANNED), *PERSON_WAITS),
    "asks again": (AGAIN, *PERSON_WAITS),
    "asks for words": (asked([BULK]), *PERSON_WAITS),
    "asks beside another": (alike(), *PERSON_WAITS),
    "runs": (running("dsww"), *RUNNING),
    "runs its last step": (running("ddds"), *RUNNING),
    "runs an undo": (running("sw", steps=UNDO_STEPS, kind=PlanKind.UNDO), *RUNNING),
    "is being cancelled": (running("dsww", cancelled=True), *RUNNING),
    "is being cancelled at its end": (running("ddds", cancelled=True), *RUNNING),
    "is being cancelled between steps": (running("ddww", cancelled=True), *RUNNING),
    "waits for its day": (
        running("w", due=NINE, steps=[REMINDER], kind=PlanKind.LATER),
        Status.RUNNING,
        Next.NOTHING,
    ),
}

ENDED: dict[str, Told] = {
    "finished": (report(PlanReason.FINISHED, "dddd"), *DONE),
    "finished and planned": (report(PlanReason.FINISHED, "dddd", steps=PLANNED), *DONE),
    "finished before": (report(PlanReason.FINISHED, "dddd", replayed=True), *DONE_BEFORE),
    "finished, can be undone": (
        offered(report(PlanReason.FINISHED, "d", (None,), steps=invoice()[:1]), undo=True),
        *DONE,
    ),
    "finished and taken back": (taken_back(report(PlanReason.FINISHED, "dddd")), *DONE),
    "taken back, once more": (
        taken_back(report(PlanReason.FINISHED, "dddd", replayed=True)),
        *DONE_BEFORE,
    ),
    "cancelled and taken back": (taken_back(CANCELLED_AT_ONE), *STOPPED),
    "failed at the mail": (FAILED_AT_MAIL, *PARTIAL),
    "failed at the mail, can be retried": (offered(FAILED_AT_MAIL, retry=True), *PARTIAL),
    "failed at once": (
        report(PlanReason.FAILED, "nnnn", (StepReason.FAILED, *(NOT_REACHED,) * 3)),
        *NOT_DONE,
    ),
    "proved late": (
        report(PlanReason.FAILED, "dddn", (None, None, None, NOT_REACHED)),
        *PARTIAL,
    ),
    "stale at the yes": (report(PlanReason.STALE, "nnnn", (STALE,) * 4), *NOT_DONE),
    "stale on the way": (
        with_step(report(PlanReason.STALE, "ddnn", after(STALE)), 3, changed=MOVED),
        *PARTIAL,
    ),
    "in doubt": (in_doubt(), *DOUBT),
    "in doubt for good": (in_doubt(settles_at=None, sends=2, by="ana"), *DOUBT),
    "in doubt and settled": (in_doubt(settled=True), *DOUBT),
    "in doubt by its step": (
        report(PlanReason.FAILED, "ddsn", (None, None, None, NOT_REACHED)),
        *DOUBT,
    ),
    "resolved: it happened": (RESOLVED, *PARTIAL),
    "resolved: it did not": (offered(DID_NOT, retry=True), *PARTIAL),
    "sent anyway": (RESENT, *DONE),
    "cancelled": (report(PlanReason.CANCELLED, "nnnn", (CANCELLED,) * 4), *STOPPED),
    "cancelled on the way": (CANCELLED_AT_ONE, *STOPPED),
    "cancelled while it was refused": (
        report(PlanReason.CANCELLED, "ddnn", (None, None, StepReason.REFUSED, CANCELLED)),
        *STOPPED,
    ),
    "expired": (report(PlanReason.EXPIRED, "nnnn", (NOT_REACHED,) * 4, replayed=True), *LATE),
    "expired though begun": (
        report(PlanReason.EXPIRED, "dnnn", (None, *(NOT_REACHED,) * 3)),
        *PARTIAL,
    ),
    "superseded": (report(PlanReason.SUPERSEDED, "nnnn", (NOT_REACHED,) * 4), *STOPPED),
    "doctored": (
        report(PlanReason.REFUSED, "nnnn", (NOT_REACHED,) * 4),
        Status.REFUSED,
        Next.NOTHING,
    ),
    "doctored on the way": (
        report(PlanReason.REFUSED, "dnnn", (None, *(NOT_REACHED,) * 3)),
        *PARTIAL,
    ),
    "later: not needed": (reminders(reason=CANCELLED, detail="later.unless"), *STOPPED),
    "later: too late": (TOO_LATE, *LATE),
    "later: stale": (LATER_STALE, *NOT_DONE),
    "later: taken back": (reminders(reason=CANCELLED), *STOPPED),
    "later: done": (reminders("d", ends=PlanReason.FINISHED), *DONE),
    "undone": (undoing(PlanReason.FINISHED, "dd"), *DONE),
    "undone before": (undoing(PlanReason.FINISHED, "dd", replayed=True), *DONE_BEFORE),
    "undone in part": (undoing(PlanReason.STALE, "dn", (None, STALE)), *PARTIAL),
    "not undone": (undoing(PlanReason.STALE, "nn", (STALE, NOT_REACHED)), *NOT_DONE),
    "undo cancelled on the way": (undoing(PlanReason.CANCELLED, "dn", (None, CANCELLED)), *STOPPED),
    "undo cancelled": (undoing(PlanReason.CANCELLED, "nn", (CANCELLED, CANCELLED)), *STOPPED),
    "undo doctored": (undoing(PlanReason.REFUSED, "dn", (None, NOT_REACHED)), *PARTIAL),
    **{
        f"step {reason}": (report(PlanReason.FAILED, "ddnn", after(reason)), *PARTIAL)
        for reason in StepReason
    },
}

NOTHING: dict[str, Told] = {
    "questions": (
        Invalid(
            questions=QUESTIONS,
            problems=(Problem("bad_value", "steps[1].input.lineas.0.iva", "not a number"),),
            speaker=speaker,
        ),
        Status.INVALID,
        Next.ASK_PERSON,
    ),
    "problems": (
        Invalid(
            problems=(Problem("unknown_action", "steps[1]", "factura.volar"),), speaker=speaker
        ),
        Status.INVALID,
        Next.NOTHING,
    ),
    **{
        f"refused: {why}": (
            Refused(
                why=why,
                plan=PLAN,
                detail="" if why is Refusal.CHANGED else "facturas.emitir",
                speaker=speaker,
            ),
            Status.EXPIRED if why is Refusal.EXPIRED else Status.REFUSED,
            Next.ASK_PERSON if why is Refusal.EXPIRED else Next.NOTHING,
        )
        for why in Refusal
    },
    "refused: changed, in its words": (
        Refused(why=Refusal.CHANGED, plan=PLAN, detail=FULL, speaker=speaker),
        Status.REFUSED,
        Next.NOTHING,
    ),
}

OUTCOMES: dict[str, Told] = {**BEFORE, **ENDED, **NOTHING}
