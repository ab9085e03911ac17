"""What a model reads in Spanish: how the world is, then what to do."""

from collections.abc import Mapping

MODEL: Mapping[str, str] = {
    "model.again": "Es la misma petición de antes: no se ha repetido nada.",
    # A plan that asks.
    "model.ask": (
        "Todavía no se ha hecho nada: la persona tiene el plan delante y falta su sí. "
        "No se lo preguntes tú ni vuelvas a llamar a esta herramienta: espera a que responda."
    ),
    "model.ask.again": "Se le pregunta otra vez, porque algo ha cambiado desde que lo vio.",
    "model.ask.changes": "Ha cambiado: {changes}.",
    "model.ask.look_alike": "Lo ve junto a algo muy parecido que ya existe: {records}.",
    "model.change": "paso {step}, {change}",
    # A plan that runs, is being stopped, or waits for its day.
    "model.running": (
        "Se está haciendo ahora: paso {step} de {total}, {will}. "
        "No lo repitas ni lo intentes de otra manera: consulta más tarde cómo va el plan."
    ),
    "model.due": (
        "Todavía no se ha hecho nada, y está programado para el {day} a las {time}: {will}. "
        "Se hará solo cuando llegue: no lo hagas antes por tu cuenta."
    ),
    "model.cancelling": (
        "La persona lo ha cancelado, y solo se está haciendo lo que ya había empezado: {will}."
    ),
    "model.cancelling.bare": "La persona lo ha cancelado, y no se está haciendo nada más.",
    "model.next.cancelling": (
        "No lo hagas por tu cuenta: consulta más tarde cómo ha quedado el plan."
    ),
    # A plan that has ended.
    "model.finished": "Hecho: {did}. No queda nada por hacer ni por repetir.",
    "model.replayed": (
        "Esto ya se hizo el {day} a las {time}: no hay nada que repetir. Hecho entonces: {did}."
    ),
    "model.failed": "No se ha hecho nada.",
    "model.failed.partly": "Se ha hecho una parte, {done} de {total} pasos, y el resto no.",
    "model.stale": "No se ha hecho nada: algo cambió desde que se mostró el plan.",
    "model.stale.partly": (
        "Se ha hecho una parte, {done} de {total} pasos, y el resto no: "
        "algo cambió desde que se mostró el plan."
    ),
    "model.stale.later": (
        "No se ha hecho nada: estaba programado y llegó su momento, "
        "pero algo ha cambiado desde que la persona lo vio."
    ),
    "model.cancelled": "No se ha hecho nada: el plan se canceló.",
    "model.cancelled.partly": (
        "Se ha hecho una parte, {done} de {total} pasos, y el resto no: el plan se canceló."
    ),
    "model.in_doubt": "No se sabe si esto llegó a ocurrir, y puede que sí: {will}.",
    "model.expired": "No se ha hecho nada: el plan caducó sin respuesta de la persona.",
    "model.superseded": "No se ha hecho nada con este plan: otro más nuevo ocupa su lugar.",
    "model.refused": "No se ha hecho nada: el plan guardado ya no era el que se mostró.",
    "model.refused.partly": (
        "Se ha hecho una parte, {done} de {total} pasos, y el resto no: "
        "el plan guardado ya no era el que se mostró."
    ),
    "model.not_needed": "No se ha hecho, porque cuando llegó su momento ya no hacía falta: {will}.",
    "model.too_late": "No se ha hecho, porque ya había pasado el día: {will}.",
    "model.taken_back": (
        "Esto se hizo (pasos: {done} de {total}), y después la persona mandó deshacerlo: "
        "el plan {by} dice qué se deshizo."
    ),
    "model.undone": "Deshecho lo que se hizo: {did}. No queda nada por deshacer ni por repetir.",
    "model.undone.again": (
        "Esto ya se deshizo el {day} a las {time}: no hay nada que repetir. "
        "Lo que se hizo y se deshizo: {did}."
    ),
    "model.undone.partly": "Se ha deshecho una parte, {done} de {total} pasos, y el resto no.",
    "model.undone.cancelled": (
        "Se ha deshecho una parte, {done} de {total} pasos, y el resto no: el plan se canceló."
    ),
    "model.not_undone": "No se ha deshecho nada.",
    "model.not_undone.cancelled": ("No se ha deshecho nada: el plan se canceló."),
    "model.next.not_done": (
        "No lo repitas por tu cuenta: díselo a la persona y pregúntale qué hacer."
    ),
    "model.next.partial": (
        "No repitas lo hecho, y no hagas el resto por tu cuenta: "
        "díselo a la persona y pregúntale qué hacer."
    ),
    "model.next.cancelled": "No lo hagas por tu cuenta.",
    "model.next.taken_back": "No lo hagas otra vez por tu cuenta.",
    "model.next.in_doubt": (
        "No lo repitas ni lo intentes de otra manera: "
        "la persona tiene que comprobar si ocurrió. No se repetirá solo."
    ),
    "model.next.expired": "Pregúntale si todavía lo quiere: su respuesta será un mensaje nuevo.",
    "model.next.refused": "No lo repitas por tu cuenta.",
    "model.offer.retry": "La persona puede reintentarlo ella misma: no propongas tú otro plan.",
    "model.offer.undo": "La persona puede deshacerlo ella misma hasta las {time}.",
    "model.offer.undo.bare": "La persona puede deshacerlo ella misma.",
    # What could not be previewed, and what was refused.
    "model.questions": (
        "No se ha hecho nada: faltan datos que solo sabe la persona. "
        "Pregúntaselos todos a la vez y no supongas ninguno: {questions}"
    ),
    "model.problems": (
        "No se ha hecho nada: el plan no se puede usar como está. "
        "Corrígelo y vuelve a llamar a esta herramienta: {problems}."
    ),
    "model.problems.too": "Además, corrige esto en el plan: {problems}.",
    "model.problems.more": "y {count} más",
    "model.refusal.not_found": "Ese plan no existe.",
    "model.refusal.forbidden": (
        "No se ha hecho nada: la persona no tiene permiso para eso. "
        "Díselo, y no lo intentes de otra manera."
    ),
    "model.refusal.tampered": (
        "No se ha hecho nada: el plan guardado ya no era el que se mostró. No lo repitas."
    ),
    "model.refusal.expired": "No se ha hecho nada: el plan caducó sin confirmar.",
    "model.refusal.revoked": (
        "Esta respuesta no ha hecho nada: hay otra pregunta más nueva, o se canceló."
    ),
    "model.refusal.broken": (
        "No se ha hecho nada: el programa no pudo preparar el plan. "
        "Díselo a la persona, y no lo intentes de otra manera."
    ),
    "model.refusal.too_many": (
        "No se ha hecho nada: este mensaje ya llevó a demasiados planes. "
        "No propongas más hasta que la persona escriba otro."
    ),
    "model.refusal.nothing_pending": "No se ha hecho nada: ningún plan espera respuesta.",
    "model.refusal.words": "No se ha hecho nada: la persona tiene que escribir otras palabras.",
    "model.refusal.send_words": (
        "No se ha hecho nada: para enviarlo otra vez la persona tiene que escribir otras palabras."
    ),
    "model.refusal.not_settled": (
        "No se ha hecho nada: lo que se envió todavía puede llegar, "
        "así que no se puede dar por no ocurrido."
    ),
    "model.refusal.not_in_doubt": "No se ha hecho nada: en ese paso no hay nada que aclarar.",
    "model.refusal.unknown_record": "No se ha hecho nada: no existe ningún registro con ese id.",
    "model.refusal.offer_expired": (
        "No se ha hecho nada: ya pasó el tiempo para reintentarlo o deshacerlo."
    ),
    "model.refusal.changed": "No se ha hecho nada: ya no es como se mostró, y no se ha enviado.",
    "model.refusal.changed.said": (
        "No se ha hecho nada: la acción ya no lo admite ({detail}), y no se ha enviado."
    ),
    "model.refusal.closing": (
        "No se ha hecho nada: el programa se está parando y no empieza nada nuevo. "
        "Dile a la persona que lo pida otra vez dentro de un momento."
    ),
    "model.refusal.sends_off": (
        "No se ha hecho nada: ahora mismo el programa no puede enviar nada al exterior. "
        "Díselo a la persona, y no lo intentes de otra manera."
    ),
}
