"""What a person or a program reads of the web itself in Spanish, beside the cards."""

from collections.abc import Mapping

WEB: Mapping[str, str] = {
    "page.title": "Plan",
    "page.back": "Volver",
    "page.sign_in": "Entrar",
    "unknown": "No has entrado, o tu sesión ha terminado. No se ha hecho nada.",
    "agent": "Esto lo decide una persona en su propia sesión. No se ha hecho nada.",
    "foreign": "Esta petición no viene de una página de este sitio. No se ha hecho nada.",
    "stale": "Este formulario no es de tu sesión de ahora: recarga la página. No se ha hecho nada.",
    "guess": "Nadie lo ha pedido todavía. No se ha hecho nada.",
    "not_found": "No existe.",
    "method": "Esta dirección no se usa así. No se ha hecho nada.",
    "too_large": "Es demasiado largo. No se ha hecho nada.",
    "kind": "Esta dirección espera un formulario o JSON. No se ha hecho nada.",
    "fields": "Faltan datos del formulario, o no se entienden. No se ha hecho nada.",
    "away": "La base de datos no responde ahora. Mira el plan antes de repetir nada.",
    "broken": "Algo ha fallado aquí. Mira el plan antes de repetir nada.",
    # What the card's script says by itself.
    "script.wait": "Un momento…",
    "script.disconnected": "Sin conexión. El plan sigue en el servidor.",
    "script.session": "Tu sesión ha terminado.",
    "script.sign_in": "Entrar",
    "script.broken": "Eso no se ha podido leer. El plan está como dice la tarjeta.",
}
