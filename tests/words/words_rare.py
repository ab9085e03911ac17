"""Outcomes that the table leaves out: other numbers of steps, what is gone, odd endings."""

from dataclasses import replace
from decimal import Decimal

from words_outcomes import AGAIN, CANCELLED, QUESTIONS, STALE, offered
from words_views import (
    BULK,
    EXISTING,
    LATER,
    NINE,
    after,
    alike,
    asked,
    in_doubt,
    invoice,
    report,
    running,
    undoing,
)

from semel.domain.action import SAFE
from semel.domain.consent import Difference
from semel.domain.plan import PlanReason, Resolution, StepReason
from semel.domain.report import Because, Invalid, Outcome, Problem, Refusal, Refused
from semel.facts import Money
from semel.words import speaker

GONE = replace(invoice()[0], action="factura.antigua", will={}, did={})
"""A step of an action that this program no longer has."""
ENDLESS = replace(LATER, will={})
SIX = Difference(1, "vence", None, Money(Decimal(6)))
ONE = (StepReason.FAILED,)

_RUNS = running("dw", steps=invoice()[:2])
SAFELY = replace(_RUNS, view=replace(_RUNS.view, risk=SAFE))
"""A plan that runs without having asked."""
_SENT = asked(invoice()[1:3])
UNSAFE = replace(_SENT, view=replace(_SENT.view, unsafe=True))
"""A question about an e-mail, where the database may lose what it has answered."""

RARE: tuple[Outcome, ...] = (
    asked(invoice()[1:3]),
    asked([replace(one, effect="opaque", later=(ENDLESS,)) for one in invoice()]),
    asked([GONE], Because.LOOK_ALIKE),
    alike(*[EXISTING] * 5),
    replace(AGAIN, changed=(SIX, replace(SIX, shown=SIX.now, now=None))),
    SAFELY,
    replace(_SENT, token=None),
    running("dddw", cancelled=True),
    running("s", cancelled=True, steps=invoice()[:1]),
    running("d", cancelled=True, steps=invoice()[:1]),
    running("s", steps=[replace(invoice()[2], resolution=Resolution.SEND_ANYWAY)]),
    report(PlanReason.FINISHED, "d", (None,), steps=[GONE], replayed=True),
    offered(report(PlanReason.FAILED, "n", ONE, steps=[BULK]), retry=True),
    offered(report(PlanReason.STALE, "nnnn", (STALE,) * 4), retry=True),
    offered(report(PlanReason.STALE, "ddnn", after(STALE)), retry=True),
    replace(offered(report(PlanReason.FINISHED, "dddd"), undo=True), undo_until=None),
    in_doubt(settles_at=NINE),
    in_doubt(sends=0, lost=NINE),
    in_doubt(lost=NINE, settled=True),
    UNSAFE,
    *(
        report(PlanReason.FAILED, "ddnn", after(StepReason.FAILED), detail=code)
        for code in ("void", "absent")
    ),
    report(PlanReason.FAILED, "ddnn", after(StepReason.REFUSED), detail="send.too_old"),
    undoing(PlanReason.FINISHED, "d", (None,)),
    undoing(PlanReason.FINISHED, "d", (None,), replayed=True),
    undoing(PlanReason.CANCELLED, "ddn", (None, None, CANCELLED)),
    undoing(PlanReason.IN_DOUBT, "ds"),
    Invalid(questions=QUESTIONS[:1], speaker=speaker),
    Invalid(
        problems=tuple(
            Problem(code)
            for code in ("action_says_no", "record_not_found", "changed_since", "too_many_steps")
        ),
        speaker=speaker,
    ),
    Invalid(
        problems=tuple(Problem("bad_value", f"steps[{n}]") for n in range(30)), speaker=speaker
    ),
    Refused(why=Refusal.WORDS, detail="14", speaker=speaker),
)
