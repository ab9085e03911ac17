"""The sentences of the conversation, in both languages."""

from collections.abc import Mapping

ES: Mapping[str, str] = {
    "title": "Conversación",
    "assistant": "Asistente",
    "label": "Escribe qué hay que hacer",
    "hint": "salta al plan que espera",
    "send": "Enviar mensaje",
    "waiting.one": "1 plan espera tu sí",
    "waiting.more": "{count} planes esperan tu sí",
    "today": "Hoy, {day}",
    "empty": "Todavía no has pedido nada",
    "empty.how": (
        "Dilo con tus palabras. Antes de emitir o enviar nada verás el plan entero y dirás que sí "
        "una sola vez. Por ejemplo:"
    ),
    "example.1": (
        "Haz una factura a {contact} por el diseño del logo, 500 € más IVA, y envíasela por "
        "correo, y recuérdale el pago cinco días antes si no la he marcado pagada"
    ),
    "example.2": "Apunta un gasto de Adobe, 72,59 € IVA incluido",
    "example.3": "Crea un contacto: Talleres Nuevos, email hola@nuevos.example",
    "writing": "Contestando…",
    "building": "Preparando el plan…",
    "elsewhere": "Esto espera tu sí y se pidió en otro sitio",
    "older": "Se enseña el final de la conversación; lo demás está en el historial.",
    "stalled": "Este mensaje se quedó sin contestar.",
    "resume": "Que lo conteste ahora",
    "again": "Decirlo otra vez",
    "lost": "Sin contestar",
    "blank": "El mensaje está vacío. Escribe qué hay que hacer.",
    "too_long": "El mensaje es demasiado largo: caben {longest} letras. No se ha hecho nada.",
    "no_request": (
        "Esta página es antigua y su formulario ya no vale. Vuelve a abrirla y envía otra vez el "
        "mensaje. No se ha hecho nada."
    ),
    "back": "Volver a la conversación",
    "refused": "No se ha enviado",
    "js.unsent": "No hay conexión: no se ha enviado. El mensaje sigue en la caja.",
    "js.unknown": "Se cortó la conexión y no se sabe si el mensaje llegó. Lo estoy mirando…",
    "js.arrived": "El mensaje había llegado.",
    "js.failed": "El mensaje no se ha enviado. Está en la caja: envíalo otra vez.",
    "js.signed_out": "Tu sesión ha terminado. Entra otra vez y envíalo; el texto sigue en la caja.",
    "js.broken": "Se cortó la conexión. La respuesta sigue en el servidor y volverá sola.",
}

EN: Mapping[str, str] = {
    "title": "Conversation",
    "assistant": "Assistant",
    "label": "Write what is to be done",
    "hint": "jumps to the plan that waits",
    "send": "Send message",
    "waiting.one": "1 plan waits for your yes",
    "waiting.more": "{count} plans wait for your yes",
    "today": "Today, {day}",
    "empty": "You have not asked for anything yet",
    "empty.how": (
        "Say it in your own words. Before anything is issued or sent you see the whole plan, and "
        "say yes once. For example:"
    ),
    "example.1": (
        "Make an invoice for {contact} for the logo design, €500 plus VAT, and email it to "
        "her, and remind her of the payment five days before if I have not marked it paid"
    ),
    "example.2": "Record an expense for Photoshop, €72.59 VAT included",
    "example.3": "Add a contact: New Works, email hello@newworks.example",
    "writing": "Answering…",
    "building": "Preparing the plan…",
    "elsewhere": "This waits for your yes and was asked for elsewhere",
    "older": "This is the end of the conversation; the rest is in the history.",
    "stalled": "This message was left without an answer.",
    "resume": "Answer it now",
    "again": "Say it again",
    "lost": "Not answered",
    "blank": "The message is empty. Write what is to be done.",
    "too_long": "The message is too long: it may have {longest} characters. Nothing was done.",
    "no_request": (
        "This page is old and its form is worth nothing any more. Open it again and send the "
        "message once more. Nothing was done."
    ),
    "back": "Back to the conversation",
    "refused": "Not sent",
    "js.unsent": "There is no connection: it was not sent. The message is still in the box.",
    "js.unknown": "The connection broke and it is not known whether the message arrived. Looking…",
    "js.arrived": "The message had arrived.",
    "js.failed": "The message was not sent. It is in the box: send it again.",
    "js.signed_out": "Your session has ended. Sign in again and send it; the text is in the box.",
    "js.broken": "The connection broke. The answer is on the server and comes back by itself.",
}


def words(locale: str, name: str, /, **given: str) -> str:
    """A sentence of the conversation."""
    return (EN if locale.startswith("en") else ES)[name].format(**given)
