"""Plans as a person sees them, made by hand: the request of the first post, in every state."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

from semel.domain.action import CONFIRM, SAFE, TYPED, Risk
from semel.domain.consent import Difference
from semel.domain.plan import PlanKind, PlanReason, PlanState, Resolution, StepReason, StepState
from semel.domain.report import (
    Ask,
    Because,
    DoubtView,
    LaterView,
    MatchView,
    PlanView,
    Report,
    Running,
    StepView,
)
from semel.facts import Count, Date, Email, Fact, Instant, Money, Text
from semel.words import speaker

PLAN = "p_0192f3a1-7c2b-7000-8000-000000000001"
UNDOING = "p_0192f3a9-1d40-7000-8000-000000000002"
TOKEN = "smlc_" + "a" * 32
TOTAL = Money(Decimal(605))
EXPIRES = "2026-10-19T10:41:00.000000Z"
ENDED_AT = "2026-10-19T08:02:00.000000Z"
"""12:41 in Madrid."""
SENT = "2026-10-19T08:31:07.000000Z"
"""10:31 in Madrid."""
NINE = "2026-11-13T08:00:00.000000Z"
"""9:00 in Madrid on 13 November."""
REFERENCE = "5f3c0a9e1b7d4c2288e0f6a1d93b7c54"
DONE, NOT, WAITING = StepState.DONE, StepState.NOT_DONE, StepState.WAITING
LETTERS = {"d": DONE, "n": NOT, "w": WAITING, "s": StepState.STARTED, "?": StepState.IN_DOUBT}
NOT_REACHED = StepReason.NOT_REACHED
MAIL = "maria@carmona.example"
OTHER_MAIL = "administracion@carmona.example"


def step(
    position: int,
    es: tuple[str, str],
    en: tuple[str, str],
    facts: Mapping[str, Fact],
    effect: str = "local",
    risk: Risk = CONFIRM,
    **made: Fact,
) -> StepView:
    return StepView(
        position=position,
        action=f"factura.paso_{position}",
        will={"es": es[0], "en": en[0]},
        did={"es": es[1], "en": en[1]},
        effect=effect,
        risk=risk,
        facts=facts,
        state=WAITING,
        made=made,
    )


def invoice(customer: str = "María Carmona", concept: str = "Diseño del logo") -> list[StepView]:
    """The four steps of the request in the first post."""
    draft: dict[str, Fact] = {
        "cliente": Text(customer),
        "concepto": Text(concept),
        "base": Money(Decimal(500)),
        "iva": Money(Decimal(105)),
        "total": TOTAL,
        "vence": Date(date(2026, 11, 18)),
    }
    sum_es = "{base} + IVA {iva} = {total}, vence {vence}"
    sum_en = "{base} + VAT {iva} = {total}, due {vence}"
    return [
        step(
            1,
            (f"Borrador para {{cliente}}: «{{concepto}}», {sum_es}", "Borrador creado: {total}"),
            (f"Draft invoice for {{cliente}}: “{{concepto}}”, {sum_en}", "Draft created: {total}"),
            draft,
            risk=SAFE,
        ),
        step(
            2,
            (
                "Emitir el borrador por {total} con el siguiente número de la serie {serie}.",
                "Factura {numero} emitida.",
            ),
            (
                "Issue the draft for {total} with the next number of series {serie}.",
                "Invoice {numero} issued.",
            ),
            {"total": TOTAL, "serie": Text("2026"), "numero": Text("?", volatile=True)},
            numero=Text("2026-0001"),
        ),
        step(
            3,
            ("Enviar la factura por email a {para}", "Factura enviada a {para}"),
            ("Email the invoice to {para}", "Invoice emailed to {para}"),
            {"para": Email(MAIL)},
            effect="opaque",
        ),
        step(
            4,
            ("Recordarle el pago el {dia} si no está pagada", "Recordatorio puesto: {dia}"),
            ("Remind her of the payment on {dia} if it is not paid", "Reminder set: {dia}"),
            {"dia": Date(date(2026, 11, 13))},
        ),
    ]


def ended(
    states: str,
    reasons: tuple[StepReason | None, ...] = (None,) * 4,
    detail: str | None = None,
    steps: list[StepView] | None = None,
) -> tuple[StepView, ...]:
    """Steps in states by letter: d(one), n(ot done), w(aiting), s(tarted), ? (in doubt)."""
    return tuple(
        replace(
            one,
            state=LETTERS[letter],
            reason=reason if letter == "n" else None,
            detail=detail if reason not in {None, NOT_REACHED} else None,
        )
        for one, letter, reason in zip(steps or invoice(), states, reasons, strict=True)
    )


def view(
    state: PlanState,
    reason: PlanReason | None = None,
    steps: tuple[StepView, ...] = tuple(invoice()),
    because: tuple[Because, ...] = (),
    kind: PlanKind = PlanKind.PLAN,
) -> PlanView:
    risk = max(one.risk for one in steps)
    return PlanView(
        PLAN, state, reason, risk, steps, expires_at=EXPIRES, because=because, kind=kind,
        ended_at=ENDED_AT if state is PlanState.ENDED else None,
    )  # fmt: skip


def asked(steps: list[StepView], *because: Because) -> Ask:
    shown = view(PlanState.ASKING, steps=tuple(steps), because=because)
    return Ask(view=shown, token=TOKEN, speaker=speaker)


def running(
    states: str, *, cancelled: bool = False, due: str | None = None,
    steps: list[StepView] | None = None, kind: PlanKind = PlanKind.PLAN,
) -> Running:  # fmt: skip
    nothing = (None,) * len(states)
    shown = view(PlanState.RUNNING, steps=ended(states, nothing, steps=steps), kind=kind)
    return Running(view=replace(shown, cancelled=cancelled, due=due), speaker=speaker)


def report(
    reason: PlanReason,
    states: str,
    reasons: tuple[StepReason | None, ...] = (None,) * 4,
    *,
    detail: str | None = None,
    replayed: bool = False,
    steps: list[StepView] | None = None,
    kind: PlanKind = PlanKind.PLAN,
) -> Report:
    shown = view(PlanState.ENDED, reason, ended(states, reasons, detail, steps), kind=kind)
    return Report(view=shown, replayed=replayed, speaker=speaker)


def after(reason: StepReason) -> tuple[StepReason | None, ...]:
    return (None, None, reason, NOT_REACHED)


def with_step(outcome: Report, position: int, **changes: object) -> Report:
    """The report with one of its steps changed."""
    steps = [
        replace(one, **changes) if one.position == position else one  # type: ignore[arg-type]  # fields of a step
        for one in outcome.view.steps
    ]
    return replace(outcome, view=replace(outcome.view, steps=tuple(steps)))


def in_doubt(
    *,
    settled: bool = False,
    settles_at: str | None = "2026-10-19T08:32:37.000000Z",
    sends: int = 1,
    reference: str = REFERENCE,
    by: str | None = None,
    lost: str | None = None,
) -> Report:
    """The invoice was issued, and whether its e-mail went out is not known."""
    doubt = DoubtView(SENT, reference, settled, settles_at, sends, lost)
    outcome = report(PlanReason.IN_DOUBT, "dd?n", (None, None, None, NOT_REACHED))
    resent = Resolution.SEND_ANYWAY if by is not None else None
    return with_step(outcome, 3, doubt=doubt, resolution=resent, resolved_by=by)


MOVED = (Difference(1, "para", Email(MAIL), Email(OTHER_MAIL)),)
"""The customer's address is another one by now."""

BULK = step(
    1,
    ("Borrar {cuantos} gastos por {total}", "{cuantos} gastos borrados"),
    ("Delete {cuantos} expenses for {total}", "{cuantos} expenses deleted"),
    {"cuantos": Count(14), "total": Money(Decimal("1204.10"))},
    risk=TYPED,
)

REMINDER = step(
    1,
    ("Recordarle a {para} el pago de la factura {numero}", "Recordatorio enviado a {para}"),
    ("Remind {para} of invoice {numero}", "Reminder sent to {para}"),
    {"para": Email(MAIL), "numero": Text("2026-0001")},
    effect="opaque",
)
LATER = LaterView(will=REMINDER.will, facts=REMINDER.facts, not_before=NINE)

EXISTING = MatchView(
    "factura",
    "id-1",
    "2026-0003",
    {
        "numero": Text("2026-0003"),
        "cliente": Text("María Carmona"),
        "concepto": Text("Diseño web"),
        "total": TOTAL,
        "creado": Instant(datetime(2026, 10, 19, 8, 27, tzinfo=UTC)),
    },
)


def alike(*matches: MatchView, customer: str = "María Carmona") -> Ask:
    """A draft that looks like an invoice of a few minutes ago."""
    draft = replace(invoice(customer)[0], similar=matches or (EXISTING,))
    return asked([draft], Because.LOOK_ALIKE)


def reminders(
    states: str = "n", reason: StepReason | None = None, detail: str | None = None,
    ends: PlanReason = PlanReason.CANCELLED,
) -> Report:  # fmt: skip
    """A reminder whose day came."""
    steps = [REMINDER]
    return report(ends, states, (reason,), detail=detail, steps=steps, kind=PlanKind.LATER)


def undoing(
    reason: PlanReason,
    states: str,
    reasons: tuple[StepReason | None, ...] = (None, None),
    *,
    replayed: bool = False,
) -> Report:
    """An undo of a payment and of the contact before it, last step first; or of more of them."""
    steps = [*UNDO_STEPS, replace(UNDO_STEPS[1], position=3)][: len(states)]
    return report(reason, states, reasons, replayed=replayed, steps=steps, kind=PlanKind.UNDO)


UNDO_STEPS = [
    replace(
        step(
            1,
            ("Registrar un cobro de {importe}", "Cobro de {importe} registrado"),
            ("Record a payment of {importe}", "Payment of {importe} recorded"),
            {"importe": TOTAL},
            risk=SAFE,
        ),
        undoes=True,
    ),
    replace(
        step(
            2,
            ("Crear el contacto {nombre}", "Contacto {nombre} creado"),
            ("Create the contact {nombre}", "Contact {nombre} created"),
            {"nombre": Text("Acme")},
            risk=SAFE,
        ),
        undoes=True,
    ),
]
