"""Scenes 4 to 7: what is missing, what looks alike, what is refused, and what nobody knows."""

from typing import Any

from semel_facturas.story.script import (
    AFTER_ISSUE,
    DIED,
    SENT,
    SENTENCE,
    YES,
    Say,
    plan,
)
from semel_facturas.story.stage import Stage, World

TWICE = {
    "es": "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA",
    "en": "Make an invoice for María Carmona for the logo design, €500 plus VAT",
}
REFUSES = {
    "es": "El servidor de correo rechaza a María (550):",
    "en": "The mail server refuses María (550):",
}
RETRIES = {"es": "ana pulsa Reintentar:", "en": "ana presses retry:"}
BETWEEN = {
    "es": "kill -9 entre los pasos 2 y 3; otro proceso barre:",
    "en": "kill -9 between steps 2 and 3; another process sweeps:",
}
AFTER_DATA = {
    "es": "kill -9 cuando el servidor ya tiene el correo y nadie lo ha apuntado:",
    "en": "kill -9 when the server has the e-mail and nobody has written it down:",
}
SAYS = {"es": "ana: «ya salió»", "en": "ana: “it went out”"}


def all_at_once(stage: Stage, lang: str, say: Say) -> None:
    """A contact of which nothing is known: every question at once, and nothing is written."""
    world = stage.world("missing", lang)
    world.play("seed")
    new = plan(("contacto.crear", {"nombre": "Talleres Nuevos"}))
    world.play("act", plan=new, message="m-1")
    name = {"es": "Talleres Nuevos", "en": "Talleres Nuevos"}[lang]
    text = SENTENCE[lang].replace("María Carmona", name)
    say(f"ana: {text}")
    say(world.play("ask", text=text, message="m-2")["answer"]["says"])
    world.keep()


def two_messages(stage: Stage, lang: str, say: Say) -> None:
    """The same words in two messages: the second is shown beside the first, and asked."""
    world = stage.world("twice", lang)
    world.play("seed")
    say(f"ana: {TWICE[lang]}")
    say(world.play("ask", text=TWICE[lang], message="m-1")["answer"]["says"])
    world.clock = "2026-10-19T10:04:00+02:00"
    say(f"ana: {TWICE[lang]}")
    say(world.play("ask", text=TWICE[lang], message="m-2")["answer"]["says"])
    say(f"ana: {YES[lang]}")
    say(world.play("say", text=YES[lang])["answer"]["says"])
    world.keep()


def refused(stage: Stage, lang: str, say: Say) -> None:
    """The mail server refuses at step 3: partial; a retry sends the e-mail and nothing else."""
    world = stage.world("refused", lang)
    world.play("seed")
    asked = world.play("ask", text=SENTENCE[lang], message="m-1")["answer"]
    say(REFUSES[lang])
    partial = world.play("confirm", token=asked["token"], mail={"at_rcpt": 550})["answer"]
    say(partial["says"])
    say(RETRIES[lang])
    say(world.play("retry", token=partial["retry_token"])["answer"]["says"])
    world.play("retry", token=partial["retry_token"])
    world.keep()


def killed(stage: Stage, lang: str, say: Say) -> None:
    """A kill between two steps goes on by itself; one after the send is a doubt, and is told."""
    world = stage.world("between", lang)
    asked = _asked(world)
    died = world.play("confirm", token=asked["token"], kill=AFTER_ISSUE)
    say(DIED[lang].format(status=died["exit"]))
    say(BETWEEN[lang])
    world.play("sweep")
    say(world.play("status", plan=asked["plan"])["answer"]["says"])
    world.keep()

    world = stage.world("after", lang)
    asked = _asked(world)
    died = world.play("confirm", token=asked["token"], kill=SENT)
    say(AFTER_DATA[lang])
    world.play("sweep")
    say(world.play("status", plan=asked["plan"])["answer"]["says"])
    # Whoever asks, and however often: it is not sent again.
    world.play("confirm", token=asked["token"])
    world.play("ask", text=SENTENCE[lang], message="m-1")
    world.play("sweep")
    say(SAYS[lang])
    say(world.play("resolve", plan=asked["plan"], position=3)["answer"]["says"])
    world.play("confirm", token=asked["token"])
    world.keep()


def _asked(world: World) -> dict[str, Any]:
    world.play("seed")
    asked: dict[str, Any] = world.play("ask", text=SENTENCE[world.lang], message="m-1")["answer"]
    return asked
