"""What the scenes share: sentences, moments at which a process dies, and what a scene is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from semel_facturas.story.stage import Stage

Say: TypeAlias = Callable[[str], None]

SENTENCE = {
    "es": "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, "
    "y envíasela por correo",
    "en": "Make an invoice for María Carmona for the logo design, €500 plus VAT, "
    "and email it to her",
}
REMINDED = {
    "es": SENTENCE["es"] + ", y recuérdale el pago cinco días antes si no la he marcado pagada",
    "en": SENTENCE["en"] + ", and remind her five days before it's due if I haven't marked it paid",
}
YES = {"es": "sí, por favor", "en": "yes, please"}
PAID = {
    "es": "Registra el cobro de la 2026-0001",
    "en": "Record the payment of invoice 2026-0001",
}
OTHER = {"es": "en", "en": "es"}

AGAIN = {
    "es": "Otra vez, en inglés; y kill -9 entre la factura y el correo.",
    "en": "Again, in Spanish; and kill -9 between the invoice and the e-mail.",
}
DIED = {
    "es": "El proceso murió (estado {status}). Otro proceso barre:",
    "en": "The process died (status {status}). Another process sweeps:",
}
NOW = {
    "es": "Y ahora quien debe, desde diez procesos a la vez:",
    "en": "And now the right person, from ten processes at once:",
}

BEFORE_NINE = "2026-11-13T08:59:00+01:00"
AT_NINE = "2026-11-13T09:00:01+01:00"
"""Five days before 18/11/2026, at nine in the morning in Madrid."""

CONFIRMED = ("commit:confirm:after", 1)
"""The yes is on disk, and no step has begun."""
SENT = ("send:after", 1)
"""The mail server has taken the message, and nobody has written that down."""
AFTER_ISSUE = ("commit:local:after", 2)
"""The draft and the invoice are on disk, the e-mail has not been begun."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene: its number, its name in each language, and how it is played."""

    number: int
    name: dict[str, str]
    play: Callable[[Stage, str, Say], None]


def plan(*steps: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A plan of steps, as a model writes it."""
    return {"steps": [{"action": action, "input": given} for action, given in steps]}


def expense(concept: str, amount: str) -> tuple[str, dict[str, Any]]:
    """A step that notes an expense."""
    return "gasto.crear", {"concepto": concept, "importe": amount, "iva_incluido": True}


def draft(contact: str) -> dict[str, Any]:
    """A plan of one draft."""
    line = {"concepto": "Diseño del logo", "precio": "500"}
    return plan(("factura.crear_borrador", {"contacto": contact, "lineas": [line]}))
