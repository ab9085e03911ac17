"""What a model reads of a guarded tool in Spanish: how the world is, then what to do."""

from collections.abc import Mapping

GUARDED: Mapping[str, str] = {
    "done": "Hecho: {did}.",
    "done.said": "{did}",
    "already": (
        "Esto ya se hizo en esta conversación el {day} a las {time}: {did}. "
        "No hay nada que repetir."
    ),
    "already.said": "{already} No hay nada que repetir.",
    "running": (
        "Esto se está haciendo ahora: {will}. No la llames otra vez ni lo intentes de otra forma: "
        "pregunta más tarde con {status} cómo ha terminado, con el trabajo «{job}»."
    ),
    "in_doubt": (
        "No se sabe si esto ha ocurrido, y puede que sí: {will}. "
        "No la llames otra vez ni lo intentes de otra forma: una persona tiene que averiguarlo."
    ),
    "not_done": "Esto no se ha hecho y no ha ocurrido nada: {will}.",
    "not_done.why": "Esto no se ha hecho y no ha ocurrido nada: {will}. El motivo: {why}",
    "lost": "Lo que devolvió no se pudo guardar.",
    "refused": "No se ha hecho nada: {why}",
    "no_session": (
        "no se sabe a qué conversación pertenece esta llamada, así que nadie podría reconocer "
        "una repetición"
    ),
    "no_job": "No hay ningún trabajo así en esta conversación.",
    "unnamed": "{tool}",
    "unnamed.with": "{tool} ({given})",
}
