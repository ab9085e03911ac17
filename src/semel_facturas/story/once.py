"""The first three scenes: once, whatever repeats, whoever presses."""

from typing import Any

from semel_facturas.story.script import (
    AFTER_ISSUE,
    AGAIN,
    AT_NINE,
    BEFORE_NINE,
    DIED,
    NOW,
    OTHER,
    PAID,
    REMINDED,
    SENTENCE,
    YES,
    Say,
    draft,
)
from semel_facturas.story.stage import Stage, World


def one_invoice(stage: Stage, lang: str, say: Say) -> None:
    """The sentence becomes a plan, a question, an invoice and one e-mail; also across a kill."""
    world = stage.world("calm", lang)
    world.play("seed")
    say(f"ana: {SENTENCE[lang]}")
    asked = world.play("ask", text=SENTENCE[lang], message="m-1")["answer"]
    say(asked["says"])
    say(f"ana: {YES[lang]}")
    done = world.play("say", text=YES[lang])["answer"]
    say(done["says"])
    world.keep()

    twin = stage.world("killed", OTHER[lang])
    twin.play("seed")
    asked = twin.play("ask", text=SENTENCE[twin.lang], message="m-1")["answer"]
    say(AGAIN[lang])
    killed = twin.play("confirm", token=asked["token"], kill=AFTER_ISSUE)
    say(DIED[lang].format(status=killed["exit"]))
    twin.play("sweep")
    say(twin.play("confirm", token=asked["token"])["answer"]["says"])
    twin.keep()
    for paid in (False, True):
        _reminder(stage.world("paid" if paid else "reminded", lang), say, paid=paid)


def _reminder(world: World, say: Say, *, paid: bool) -> None:
    """With a reminder: it comes at its time, once, and not when the invoice is paid by then."""
    lang = world.lang
    world.play("seed")
    if not paid:
        say(f"ana: {REMINDED[lang]}")
    asked = world.play("ask", text=REMINDED[lang], message="m-1")["answer"]
    world.play("confirm", token=asked["token"])
    if paid:
        world.clock = "2026-11-02T12:00:00+01:00"
        done = world.play("ask", text=PAID[lang], message="m-2")["answer"]
        say(f"ana: {PAID[lang]}\n{done['says']}")
    for moment in (BEFORE_NINE, AT_NINE, AT_NINE):
        world.clock = moment
        swept = world.play("sweep")["answer"]
        for plan in swept["resumed"]:
            say(f"· 13/11/2026: {world.play('status', plan=plan)['answer']['says']}")
    world.keep()


def five_calls(stage: Stage, lang: str, say: Say) -> None:
    """The model calls five times at once and three times later: one draft."""
    world = stage.world("loop", lang)
    contact = world.play("seed")["answer"]["contacts"]["María Carmona"]
    task: dict[str, Any] = {"do": "act", "plan": draft(contact), "message": "m-2"}
    first = world.together([task] * 5)
    for answer in first:
        say(f"· {answer['answer']['model']['says']}")
    world.clock = "2026-10-19T10:05:00+02:00"
    for _ in range(3):
        later = world.play(**task)
        say(f"· {later['answer']['model']['says']}")
    world.keep()


def ten_presses(stage: Stage, lang: str, say: Say) -> None:
    """Ten processes press confirm at once: one run. Strangers get nothing and consume nothing."""
    world = stage.world("press", lang)
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
