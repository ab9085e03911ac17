"""The scenes: what happens in each, and what a person sees of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from semel_facturas.story.stage import World

Say: TypeAlias = Callable[[str], None]

SENTENCE = {
    "es": "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, "
    "y envíasela por correo",
    "en": "Make an invoice for María Carmona for the logo design, €500 plus VAT, "
    "and email it to her",
}
YES = {"es": "sí, por favor", "en": "yes, please"}
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

AFTER_ISSUE = ("commit:local:after", 2)
"""The draft and the invoice are on disk, the e-mail has not been begun."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene: its number, its name in each language, and how it is played."""

    number: int
    name: dict[str, str]
    play: Callable[[Path, str, Say], None]


def one_invoice(folder: Path, lang: str, say: Say) -> None:
    """The sentence becomes a plan, a question, an invoice and one e-mail; also across a kill."""
    world = World(folder / "calm", lang)
    world.play("seed")
    say(f"ana: {SENTENCE[lang]}")
    asked = world.play("ask", text=SENTENCE[lang], message="m-1")["answer"]
    say(asked["says"])
    say(f"ana: {YES[lang]}")
    done = world.play("say", text=YES[lang])["answer"]
    say(done["says"])
    world.keep()

    twin = World(folder / "killed", OTHER[lang])
    twin.play("seed")
    asked = twin.play("ask", text=SENTENCE[twin.lang], message="m-1")["answer"]
    say(AGAIN[lang])
    killed = twin.play("confirm", token=asked["token"], kill=AFTER_ISSUE)
    say(DIED[lang].format(status=killed["exit"]))
    twin.play("sweep")
    say(twin.play("confirm", token=asked["token"])["answer"]["says"])
    twin.keep()


def _draft(contact: str) -> dict[str, Any]:
    line = {"concepto": "Diseño del logo", "precio": "500"}
    given = {"contacto": contact, "lineas": [line]}
    return {"steps": [{"action": "factura.crear_borrador", "input": given}]}


def five_calls(folder: Path, lang: str, say: Say) -> None:
    """The model calls five times at once and three times later: one draft."""
    world = World(folder / "loop", lang)
    contact = world.play("seed")["answer"]["contacts"]["María Carmona"]
    task: dict[str, Any] = {"do": "act", "plan": _draft(contact), "message": "m-2"}
    first = world.together([task] * 5)
    for answer in first:
        say(f"· {answer['answer']['model']['says']}")
    world.clock = "2026-10-19T10:05:00+02:00"
    for _ in range(3):
        later = world.play(**task)
        say(f"· {later['answer']['model']['says']}")
    world.keep()


def ten_presses(folder: Path, lang: str, say: Say) -> None:
    """Ten processes press confirm at once: one run. Strangers get nothing and consume nothing."""
    world = World(folder / "press", lang)
    world.play("seed")
    asked = world.play("ask", text=SENTENCE[lang], message="m-3")["answer"]
    press = {"do": "confirm", "token": asked["token"]}
    strangers = [
        {**press, "as": "luis@carmona-demo"},
        {**press, "conversation": "elsewhere"},
        {**press, "as": "eva@otra-demo"},
        {**press, "token": "smlc_" + "A" * 32},
    ]
    for stranger in strangers:
        refused = world.play(**stranger)
        say(f"· {stranger.get('as', 'ana@carmona-demo')}: {refused['answer']['says']}")
    say(NOW[lang])
    for answer in world.together([press] * 10):
        say(f"· {answer['answer']['model']['says']}")
    world.keep()


SCENES = (
    Scene(
        1,
        {
            "es": "una frase, una pregunta, una factura, un correo",
            "en": "one sentence, one question, one invoice, one e-mail",
        },
        one_invoice,
    ),
    Scene(
        2,
        {
            "es": "cinco llamadas iguales a la vez y tres después: un borrador",
            "en": "five equal calls at once and three later: one draft",
        },
        five_calls,
    ),
    Scene(
        3,
        {
            "es": "confirmar desde diez procesos a la vez, y quien no debe",
            "en": "confirm from ten processes at once, and those who may not",
        },
        ten_presses,
    ),
)
