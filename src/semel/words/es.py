"""Every sentence in Spanish, by the name that ``en`` has too.

People are addressed with *tú*; so is the model, in the sentences that begin with ``model``. The
first sentence always says how the world is.
"""

from collections.abc import Mapping

SENTENCES: Mapping[str, str] = {
    # Pieces.
    "and": "{first} y {last}",
    "group": "{group}: {steps}.",
    "group.done": "Hecho",
    "group.could_not": "No se pudo",
    "group.in_doubt": "No se sabe",
    "group.because": "No se hizo por eso",
    "group.left": "No se hizo",
    "button.confirm": "Confirmar",
    "button.cancel": "Cancelar",
    # A step.
    "step.will": "Hacer «{action}»",
    "step.did": "«{action}»",
    "step.outside": "Sale al exterior: no se puede deshacer",
    "step.changed": "{name}: antes {shown}, ahora {now}",
    "step.appeared": "{name}: antes no estaba, ahora {now}",
    "step.vanished": "{name}: antes {shown}, ahora no está",
    "reason.refused": "{detail}",
    "reason.refused.bare": "no se ha admitido",
    "reason.failed": "algo se rompió antes de empezar, y no llegó a hacerse",
    "reason.stale": "ya no es como se mostró",
    "reason.cancelled": "se canceló",
    "reason.forbidden": "ya no hay permiso para hacerlo",
    "reason.not_reached": "no se llegó a este paso",
    "reason.crashed": "el programa se paró tres veces antes de poder empezarlo",
    # The question.
    "ask.title": "¿{will}?",
    "ask.title.one_more": "¿{will}, y un paso más?",
    "ask.title.more": "¿{will}, y {count} pasos más?",
    "ask.why.step": "Te pregunto porque el paso {steps} no se hace sin que lo confirmes.",
    "ask.why.steps": "Te pregunto porque los pasos {steps} no se hacen sin que los confirmes.",
    "ask.why.outside": "El paso {steps} sale al exterior: no se puede deshacer.",
    "ask.why.outside.more": "Los pasos {steps} salen al exterior: no se pueden deshacer.",
    "ask.why.further_plan": (
        "Te pregunto porque con ese mismo mensaje ya se hizo un plan: "
        "mira que este no sea lo mismo otra vez."
    ),
    "ask.why.changed": "Te pregunto de nuevo porque algo ha cambiado desde que lo viste.",
    "ask.typed": "Para hacerlo, escribe {count} o BORRAR: un simple «sí» no basta.",
    "ask.reply": "Responde «sí» para hacerlo. Cualquier otra cosa lo cancela.",
    "ask.expires": "Caduca a las {time}",
    "ask.change": "Para cambiar algo, escríbelo: el plan se sustituye.",
    "plan": "Plan {plan}",
    # While it runs, and how it ended.
    "running": "Paso {step} de {total}: {will}",
    "report.finished": "Hecho: {did}",
    "report.finished.more": "Hecho: los {total} pasos.",
    "report.replayed": "Ya se hizo, y no se ha repetido: {did}",
    "report.replayed.more": "Ya se hicieron los {total} pasos, y no se ha repetido ninguno.",
    "report.failed": "No se pudo, y no se ha hecho nada.",
    "report.failed.partly": "Hecho en parte: {done} de {total} pasos.",
    "report.stale": "Algo cambió desde que lo viste, y no se ha hecho nada.",
    "report.stale.partly": (
        "Hecho en parte: {done} de {total} pasos. Algo cambió desde que lo viste."
    ),
    "report.cancelled": "Cancelado. No se ha hecho nada.",
    "report.cancelled.partly": "Cancelado. Hecho: {done} de {total} pasos.",
    "report.in_doubt": (
        "No sabemos si «{will}» llegó a salir. Compruébalo antes de repetirlo; no se repetirá solo."
    ),
    "report.expired": "Caducó sin confirmar. No se ha hecho nada.",
    "report.superseded": "Sustituido por un plan nuevo. No se ha hecho nada.",
    "report.refused": "El plan cambió y no se ha ejecutado.",
    "report.refused.partly": "El plan cambió y se ha parado. Hecho: {done} de {total} pasos.",
    "report.again": "Es lo que pasó la primera vez: no se ha repetido nada.",
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
    # For the model: how the world is, then what to do.
    "model.again": "Es la misma petición de antes: no se ha repetido nada.",
    "model.ask": (
        "Todavía no se ha hecho nada: la persona tiene el plan delante y falta su sí. "
        "No se lo preguntes tú ni vuelvas a llamar a esta herramienta: espera a que responda."
    ),
    "model.running": (
        "Se está haciendo ahora: paso {step} de {total}, {will}. "
        "No lo repitas ni lo intentes de otra manera: consulta más tarde cómo va el plan."
    ),
    "model.finished": "Hecho: {did}. No queda nada por hacer ni por repetir.",
    "model.replayed": "Esto ya se hizo: no hay nada que repetir. Hecho entonces: {did}.",
    "model.failed": "No se ha hecho nada.",
    "model.failed.partly": "Se ha hecho una parte, {done} de {total} pasos, y el resto no.",
    "model.stale": "No se ha hecho nada: algo cambió desde que se mostró el plan.",
    "model.stale.partly": (
        "Se ha hecho una parte, {done} de {total} pasos, y el resto no: "
        "algo cambió desde que se mostró el plan."
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
    "model.next.not_done": (
        "No lo repitas por tu cuenta: díselo a la persona y pregúntale qué hacer."
    ),
    "model.next.partial": (
        "No repitas lo hecho, y no hagas el resto por tu cuenta: "
        "díselo a la persona y pregúntale qué hacer."
    ),
    "model.next.cancelled": "No lo hagas por tu cuenta.",
    "model.next.in_doubt": (
        "No lo repitas ni lo intentes de otra manera: "
        "la persona tiene que comprobar si ocurrió. No se repetirá solo."
    ),
    "model.next.expired": "Pregúntale si todavía lo quiere: su respuesta será un mensaje nuevo.",
    "model.next.refused": "No lo repitas por tu cuenta.",
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
    # What is wrong with a plan, and what to do about it.
    "problem.at": "en {where}, {problem}",
    "problem.other": "hay algo que no se entiende ({detail}): escríbelo de otra manera",
    "problem.too_long": "el plan es demasiado largo, más de 1 MiB o de 20 000 valores: acórtalo",
    "problem.not_utf8": "el texto no está en UTF-8: escríbelo como JSON en UTF-8",
    "problem.not_json": (
        'eso no es JSON ({detail}): escribe {"steps": [{"action": "…", "input": {…}}]}'
    ),
    "problem.too_deep": "hay más de 32 niveles uno dentro de otro: quita niveles",
    "problem.duplicate_name": "el nombre «{detail}» está dos veces en un objeto: deja uno",
    "problem.number_too_large": "hay un número demasiado grande ({detail}): escríbelo como texto",
    "problem.not_a_number": "hay algo que no es un número finito ({detail}): pon uno que lo sea",
    "problem.half_character": "hay medio carácter de Unicode: escribe ese texto de nuevo",
    "problem.unknown_field": "ese campo no existe: quítalo",
    "problem.missing_field": "falta ese campo: ponlo, o pregúntale a la persona si no lo sabes",
    "problem.bad_value": "ese valor no vale ({detail}): corrígelo",
    "problem.no_steps": "no hay ningún paso: pon al menos uno en steps",
    "problem.too_many_steps": "hay {detail} pasos y caben 10: propón 10 o menos",
    "problem.step_shape": 'un paso es {"action": "…", "input": {…}}: dale esa forma',
    "problem.unknown_action": "no hay ninguna acción «{detail}»: usa una de las declaradas",
    "problem.input_not_object": (
        "el input de «{detail}» tiene que ser un objeto: pon ahí sus campos por su nombre"
    ),
    "problem.not_canonical": (
        "hay un valor que no se puede escribir de una sola manera ({detail}): cámbialo"
    ),
    "problem.reference_forward": (
        "«{detail}» apunta a este paso o a uno posterior: apunta a uno anterior"
    ),
    "problem.reference_makes_nothing": (
        "el paso al que apunta ({detail}) no crea ningún registro: apunta a uno que lo haga"
    ),
    "problem.reference_wrong_kind": (
        "el paso al que apunta ({detail}) crea otra clase de registro: apunta a uno de la que pide"
    ),
    "problem.reference_malformed": (
        "«{detail}» empieza por $ y no es el número de un paso: escribe $1, $2… o un id"
    ),
    "problem.record_not_found": "ese registro no existe ({detail}): búscalo y pon su id",
    "problem.changed_since": "ese registro ha cambiado mientras tanto ({detail}): míralo otra vez",
    "problem.action_says_no": (
        "la acción no lo admite ({detail}): cámbialo, o díselo a la persona si no depende de ti"
    ),
}
