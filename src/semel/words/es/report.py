"""What a person reads in Spanish once a plan has ended: how, what is in doubt, what now."""

from collections.abc import Mapping

REPORT: Mapping[str, str] = {
    "report.finished": "Hecho: {did}",
    "report.finished.more": "Hecho: los {total} pasos.",
    "report.replayed": "Ya se hizo el {day} a las {time}, y no se ha repetido: {did}",
    "report.replayed.more": (
        "Los {total} pasos ya se hicieron el {day} a las {time}; no se ha repetido nada."
    ),
    "report.failed": "No se pudo, y no se ha hecho nada.",
    "report.failed.partly": "Hecho en parte: {done} de {total} pasos.",
    "report.stale": "Algo cambió desde que lo viste, y no se ha hecho nada.",
    "report.stale.partly": (
        "Hecho en parte: {done} de {total} pasos. Algo cambió desde que lo viste."
    ),
    "report.stale.later": (
        "Llegó su momento, pero algo ha cambiado desde que lo viste, y no se ha hecho nada."
    ),
    "report.cancelled": "Cancelado. No se ha hecho nada.",
    "report.cancelled.partly": "Cancelado: {done} de {total} hecho.",
    "report.cancelled.partly.more": "Cancelado: {done} de {total} hechos.",
    "report.in_doubt": (
        "No sabemos si «{will}» llegó a salir. Compruébalo antes de repetirlo; no se repetirá solo."
    ),
    "report.expired": "Caducó sin confirmar. No se ha hecho nada.",
    "report.superseded": "Sustituido por un plan nuevo. No se ha hecho nada.",
    "report.refused": "El plan cambió y no se ha ejecutado.",
    "report.refused.partly": "El plan cambió y se ha parado. Hecho: {done} de {total} pasos.",
    "report.again": (
        "Es lo que pasó la primera vez, el {day} a las {time}: no se ha repetido nada."
    ),
    "report.not_needed": "Ya no hacía falta, y no se ha hecho: {will}",
    "report.too_late": "Ya había pasado el día, y no se ha hecho: {will}",
    "report.taken_back": "Se hizo, y después se mandó deshacer: {did}",
    "report.taken_back.more": (
        "Se hicieron {done} de {total} pasos, y después se mandó deshacerlos."
    ),
    "report.taken_back.by": "El plan {plan} dice qué se deshizo.",
    "report.undone": "Deshecho: {did}",
    "report.undone.more": "Deshechos los {total} pasos.",
    "report.undone.again": "Ya se deshizo el {day} a las {time}, y no se ha repetido: {did}",
    "report.undone.again.more": (
        "Los {total} pasos ya se deshicieron el {day} a las {time}; no se ha repetido nada."
    ),
    "report.undone.partly": "Deshecho en parte: {done} de {total} pasos.",
    "report.undone.cancelled": "Cancelado: {done} de {total} deshecho.",
    "report.undone.cancelled.more": "Cancelado: {done} de {total} deshechos.",
    "report.not_undone": "No se ha deshecho nada.",
    "report.not_undone.cancelled": "Cancelado. No se ha deshecho nada.",
    # A step that may have happened.
    "doubt.sent": "Se envió el {day} a las {time} (referencia {reference}).",
    "doubt.sent.more": (
        "Se envió {count} veces, la última el {day} a las {time} (referencia {reference})."
    ),
    "doubt.lost": (
        "Puede que saliera: el {day} a las {time} se restauró una copia anterior de la base de "
        "datos, que no sabe lo que pasó después (referencia {reference})."
    ),
    "doubt.until": "Todavía puede llegar, al menos hasta las {time}.",
    "doubt.until.day": "Todavía puede llegar, al menos hasta el {day} a las {time}.",
    "doubt.open": "Todavía puede llegar, y nadie sabe hasta cuándo.",
    "doubt.settled": "Ya no puede llegar nada: si no ha llegado, no llegará.",
    "doubt.resent": "Se envió otra vez por orden de {who}: puede haber llegado dos veces.",
    "doubt.anyway": (
        "Para enviarlo otra vez de todos modos, escribe ENVIAR OTRA VEZ: puede llegar dos veces."
    ),
    # What may be done now.
    "offer.retry.all": "¿Lo reintento?",
    "offer.retry.rest": "¿Reintento lo que falta?",
    "offer.retry.now": "¿Lo hago con los datos de ahora?",
    "offer.retry.rest_now": "¿Hago lo que falta con los datos de ahora?",
    "offer.retry.send_now": "¿Lo envío con los datos de ahora?",
    "offer.reply.retry": "Responde «reintentar» y lo hago.",
    "offer.reply.undo": "Responde «deshacer» antes de las {time} para deshacerlo.",
    "offer.reply.undo.bare": "Responde «deshacer» para deshacerlo.",
    "offer.no_undo": "No se puede deshacer: algo de lo hecho no se puede revertir.",
}
