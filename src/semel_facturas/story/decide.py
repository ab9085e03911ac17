"""Scenes 8 to 10: what is stopped, what is taken back, and what has changed since the yes."""

from semel_facturas.story.script import CONFIRMED, SENTENCE, Say, expense, plan
from semel_facturas.story.stage import Stage

ISSUED = {
    "es": "Emite una factura para María Carmona por el diseño del logo, 500 € más IVA",
    "en": "Issue an invoice to María Carmona for the logo design, €500 plus VAT",
}
EXPENSE = {
    "es": "Apunta un gasto de Adobe, 72,59 € IVA incluido",
    "en": "Log an expense for Adobe, €72.59 VAT included",
}
STOPS = {
    "es": "El paso 2 de 4 está saliendo. Desde otro proceso, ana cancela:",
    "en": "Step 2 of 4 is on its way. From another process, ana cancels:",
}
ENDS = {"es": "Y así acabó:", "en": "And so it ended:"}
UNDOES = {"es": "ana pulsa Deshacer, dos veces:", "en": "ana presses undo, twice:"}
MOVED = {
    "es": "Entre el sí y la ejecución cambia la dirección de María:",
    "en": "Between the yes and the run María's address changes:",
}


def cancelled(stage: Stage, lang: str, say: Say) -> None:
    """Cancel at step 2 of 4, from another process: it ends, and steps 3 and 4 never begin."""
    world = stage.world("cancelled", lang)
    world.play("seed")
    issued = world.play("ask", text=ISSUED[lang], message="m-1")["answer"]
    world.play("confirm", token=issued["token"])
    invoice = world.invoice("2026-0001")
    four = plan(
        expense("Papel", "12.10"),
        ("factura.enviar", {"factura": invoice}),
        expense("Tinta", "24.20"),
        ("factura.registrar_cobro", {"factura": invoice}),
    )
    asked = world.play("act", plan=four, message="m-2")["answer"]
    say(asked["says"])

    def stop() -> None:
        say(STOPS[lang])
        say(world.play("cancel", plan=asked["plan"])["answer"]["says"])
        world.play("cancel", plan=asked["plan"], **{"as": "eva@otra-demo"})

    ended = world.during({"do": "confirm", "token": asked["token"]}, stop)
    say(ENDS[lang])
    say(ended["answer"]["says"])
    world.play("cancel", plan=asked["plan"])
    world.keep()


def undone(stage: Stage, lang: str, say: Say) -> None:
    """A safe plan is taken back, once; after an invoice was issued there is nothing to press."""
    world = stage.world("undone", lang)
    world.play("seed")
    say(f"ana: {EXPENSE[lang]}")
    noted = world.play("ask", text=EXPENSE[lang], message="m-1")["answer"]
    say(noted["says"])
    say(UNDOES[lang])
    for _ in range(2):
        say(world.play("undo", token=noted["undo_token"])["answer"]["says"])
    asked = world.play("ask", text=ISSUED[lang], message="m-2")["answer"]
    say(f"ana: {ISSUED[lang]}")
    say(world.play("confirm", token=asked["token"])["answer"]["says"])
    world.keep()


def moved(stage: Stage, lang: str, say: Say) -> None:
    """The contact's address changes between yes and run: both are shown, and nothing is sent."""
    world = stage.world("moved", lang)
    contact = world.play("seed")["answer"]["contacts"]["María Carmona"]
    asked = world.play("ask", text=SENTENCE[lang], message="m-1")["answer"]
    world.play("confirm", token=asked["token"], kill=CONFIRMED)
    say(MOVED[lang])
    change = ("contacto.actualizar", {"contacto": contact, "email": "maria@nueva.example"})
    say(world.play("act", plan=plan(change), message="m-2")["answer"]["says"])
    world.play("sweep")
    say(world.play("status", plan=asked["plan"])["answer"]["says"])
    world.keep()
