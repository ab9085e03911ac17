"""What a person reads in Spanish until a plan ends: the question, progress, what is missing."""

from collections.abc import Mapping

PERSON: Mapping[str, str] = {
    # The question.
    "ask.title": "¿{will}?",
    "ask.title.one_more": "¿{will}, y un paso más?",
    "ask.title.more": "¿{will}, y {count} pasos más?",
    "ask.why.step": "Te pregunto porque el paso {steps} no se hace sin que lo confirmes.",
    "ask.why.steps": "Te pregunto porque los pasos {steps} no se hacen sin que los confirmes.",
    "ask.why.outside": "El paso {steps} sale al exterior: no se puede deshacer.",
    "ask.why.outside.more": "Los pasos {steps} salen al exterior: no se pueden deshacer.",
    "ask.why.look_alike": (
        "Posible duplicado: hace poco se creó algo muy parecido, {records}. ¿Creo otra igual?"
    ),
    "ask.why.look_alike.bare": (
        "Posible duplicado: hace poco se pidió algo muy parecido. ¿Creo otra igual?"
    ),
    "ask.why.further_plan": (
        "Te pregunto porque con ese mismo mensaje ya se hizo un plan: "
        "mira que este no sea lo mismo otra vez."
    ),
    "ask.why.still_running": (
        "Te pregunto porque en esta conversación se está haciendo ahora mismo un plan parecido: "
        "mira que este no sea lo mismo otra vez."
    ),
    "ask.why.changed": "Te pregunto de nuevo porque algo ha cambiado desde que lo viste.",
    "ask.why.unsafe": (
        "Aviso: la base de datos puede perder lo que confirma, y entonces se enviaría otra vez."
    ),
    "ask.typed": "Para hacerlo, escribe {count} o BORRAR: un simple «sí» no basta.",
    "ask.reply": "Responde «sí» para hacerlo. Cualquier otra cosa lo cancela.",
    "ask.reply.another": "Responde «sí» para crear otra. Cualquier otra cosa lo cancela.",
    "ask.expires": "Caduca a las {time}",
    "ask.change": "Para cambiar algo, escríbelo: el plan se sustituye.",
    # While it runs.
    "running": "Paso {step} de {total}: {will}",
    "running.due": "Programado para el {day} a las {time}: {will}",
    "running.reply": "Responde «cancelar» para parar lo que falta.",
    "running.resent": "Se está enviando otra vez por orden de {who}: puede llegar dos veces.",
    "running.cancelling": "Cancelando: {what}.",
    "running.cancelling.only": "Cancelando: «{will}» ya había empezado y termina.",
    "running.cancelling.ends": "el paso {step} ya había empezado y termina",
    "running.cancelling.left": "el paso {steps} no se hará",
    "running.cancelling.left.more": "los pasos {steps} no se harán",
    "running.cancelling.bare": "no se hará nada más",
    # What cannot be previewed.
    "invalid.question": "Me falta un dato para preparar el plan.",
    "invalid.questions": "Me faltan {count} datos para preparar el plan.",
    "invalid.answer": "No se ha hecho nada. Respóndeme en un mensaje y preparo el plan.",
    "invalid": "No he podido preparar ese plan. No se ha hecho nada.",
    "invalid.action_says_no": "{detail}.",
    "invalid.record_not_found": "No encuentro algo de lo que hace falta para hacerlo.",
    "invalid.changed_since": "Algo de lo que hace falta ha cambiado mientras lo preparaba.",
    "invalid.too_many_steps": "Son demasiados pasos para una vez: pídelo en varios mensajes.",
    "invalid.form": (
        "No supe darle la forma que necesita. No es cosa tuya: pídemelo de otra manera."
    ),
    "question.of": "Falta un dato de {of}: {field}. ¿Cuál es?",
    "question.bare": "Falta un dato: {field}. ¿Cuál es?",
    "question.choices": "{question} ({choices})",
    # Nothing was done.
    "refusal.not_found": "Ese plan no existe.",
    "refusal.forbidden": "No tienes permiso para hacer eso. No se ha hecho nada.",
    "refusal.tampered": "El plan cambió y no se ha ejecutado.",
    "refusal.expired": "Caducó sin confirmar. No se ha hecho nada.",
    "refusal.revoked": (
        "Esa pregunta ya no vale: se canceló, o hay otra más nueva en su lugar. "
        "Con esta respuesta no se ha hecho nada."
    ),
    "refusal.broken": (
        "No he podido preparar el plan por un fallo del programa. No se ha hecho nada."
    ),
    "refusal.too_many": (
        "Con ese mensaje ya se prepararon demasiados planes y no se prepara otro. "
        "Si todavía lo quieres, escríbelo en un mensaje nuevo."
    ),
    "refusal.nothing_pending": "No hay ningún plan que espere respuesta.",
    "refusal.words": (
        "No se ha hecho nada: eso no es lo que hay que escribir. Escribe {count} o BORRAR."
    ),
    "refusal.words.bare": (
        "No se ha hecho nada: eso no es lo que hay que escribir. "
        "Escribe el número de registros o BORRAR."
    ),
    "refusal.send_words": (
        "No se ha enviado nada: eso no es lo que hay que escribir. Escribe ENVIAR OTRA VEZ."
    ),
    "refusal.not_settled": (
        "No se ha hecho nada: lo que se envió todavía puede llegar, "
        "así que decir que no salió no vale aún."
    ),
    "refusal.not_in_doubt": "No se ha hecho nada: en ese paso no hay nada que aclarar.",
    "refusal.unknown_record": (
        "No se ha apuntado nada: no encuentro nada con ese id. Revísalo y dímelo otra vez."
    ),
    "refusal.offer_expired": (
        "No se ha hecho nada: ya pasó el tiempo para reintentarlo o deshacerlo."
    ),
    "refusal.changed": "No se ha enviado nada: ya no es como se mostró.",
    "refusal.changed.said": "No se ha enviado nada: {detail}.",
    "refusal.closing": (
        "No se ha hecho nada: el programa se está parando y no empieza nada nuevo. "
        "Pídelo otra vez dentro de un momento."
    ),
    "refusal.sends_off": (
        "No se ha hecho nada: ahora mismo este programa no puede enviar nada al exterior. "
        "Avisa a quien lo lleva."
    ),
}
