"""The words of tools, in English and Spanish: what a verb does, and what a noun makes of it.

A name has verbs as one commands (``send``, ``enviar``), a description as one tells (``sends``,
``envía``). Accents and capitals do not count. Regular forms are derived; what changes its stem is
written out, as in ``mostrar:muestra``. A word that is a noun as often as a verb stands in EITHER,
too: it only counts as a verb where nothing better is there.
"""

import unicodedata
from enum import StrEnum

from semel.guard.scan.tool import Kind


def these(words: str) -> frozenset[str]:
    """Words that are written as one text."""
    return frozenset(words.split())


class Verb(StrEnum):
    """What a verb does; what a MAKE or a SEND comes to, its noun decides."""

    READ = "read"
    SEND = "send"
    PAY = "pay"
    MAKE = "make"
    FIRE = "fire"
    KEEP = "keep"
    SET = "set"


VERBS = {
    Verb.READ: (
        "get list search find fetch read look lookup query show describe count check view"
        " calculate compute convert validate verify summarize summarise translate estimate"
        " preview compare is has can return retrieve load browse inspect analyze analyse parse"
        " extract download export explain filter tell whether classify recommend suggest quote"
        " track"
        " buscar consultar obtener listar ver leer mostrar:muestra calcular traer"
        " comprobar:comprueba validar convertir:convierte resumir contar:cuenta estimar"
        " previsualizar comparar encontrar:encuentra revisar verificar devolver:devuelve"
        " recuperar descargar exportar traducir:traduce analizar extraer explicar decir:dice"
        " mirar averiguar localizar"
    ),
    Verb.SEND: (
        "send email mail notify message reply forward sms text broadcast publish tweet announce"
        " alert remind invite dm respond answer warn post escalate"
        " enviar:envia mandar avisar notificar responder contestar reenviar:reenvia"
        " recordar:recuerda publicar invitar difundir alertar escribir anunciar llamar"
    ),
    Verb.PAY: (
        "pay charge refund transfer payout withdraw deposit debit purchase buy donate reimburse"
        " capture disburse settle"
        " pagar cobrar reembolsar transferir:transfiere abonar ingresar retirar comprar girar"
        " domiciliar liquidar donar recargar"
    ),
    Verb.MAKE: (
        "create add insert make open register book schedule submit place upload provision"
        " deploy launch start issue import clone copy fork enqueue reserve sign order generate"
        " request comment new hire rent print ship release merge commit push share grant"
        " crear anadir agregar insertar abrir registrar reservar programar subir emitir generar"
        " encargar agendar pedir:pide importar clonar copiar alta contratar imprimir solicitar"
        " hacer:hace compartir firmar alquilar"
    ),
    Verb.FIRE: (
        "trigger fire dispatch invoke call run execute emit"
        " disparar lanzar invocar ejecutar desencadenar"
    ),
    Verb.KEEP: (
        "log record increment append store save remember bump pop dequeue"
        " anotar apuntar incrementar guardar acumular sumar restar contabilizar"
    ),
    Verb.SET: (
        "set update put upsert replace delete remove cancel close archive enable disable mark"
        " assign rename move complete lock unlock ensure reset clear unsubscribe approve reject"
        " pin mute overwrite edit modify change write activate deactivate revoke destroy drop"
        " actualizar borrar eliminar quitar cancelar cerrar:cierra archivar activar desactivar"
        " marcar asignar renombrar mover:mueve establecer fijar poner:pone reemplazar"
        " sustituir:sustituye asegurar cambiar modificar editar anular aprobar rechazar bloquear"
        " sobrescribir"
    ),
}

EITHER = these(
    "email mail message text order charge transfer refund post call log record book"
    " schedule comment issue copy request capture deposit debit purchase text share run mark"
    " place sms print answer alert reply track count check view query quote release start"
    " import export alta"
)
"""Nouns as often as verbs."""

NOUNS = {
    Kind.MONEY: (
        "payment charge refund payout transfer withdrawal deposit debit money funds donation"
        " transaction purchase disbursement"
        " pago cobro cargo reembolso transferencia abono dinero fondos recibo adeudo devolucion"
    ),
    Kind.MESSAGE: (
        "email mail message sms tweet notification reminder reply comment newsletter alert"
        " campaign"
        " correo mensaje notificacion recordatorio aviso respuesta comentario boletin whatsapp"
    ),
    Kind.WEBHOOK: "webhook hook zap zapier workflow pipeline flow automation flujo automatizacion",
    Kind.WRITE: (
        "database table row sqlite db memory counter tabla fila basededatos memoria contador"
    ),
}

MONEY_ONLY = frozenset({"money", "funds", "payment", "pago", "dinero", "transferencia", "payout"})
"""What is money even where it is sent, and not told of."""

STATE = these(
    "status info details detail history balance summary stats statistics overview"
    " availability"
    " estado saldo detalle detalles historial listado resumen disponibilidad exists"
)
"""What a name without a verb ends in when it only looks."""

ONCE_MORE = (
    "get or create",
    "find or create",
    "create or update",
    "create or replace",
    "create if not exists",
    "add or update",
    "insert or update",
    "creates or updates",
    "crear o actualizar",
    "crea o actualiza",
    "overwrite",
    "sobrescribe",
    "upsert",
)
"""Phrases of what leaves the same state when it is done again."""

OF_GOODS = these("return devolver devuelve")
"""Reads where a description says what a call gives back; in a name, goods may be sent back."""

NEXT_TO_A_VERB = these(
    "the a an it them each your every all this one new any to him her somebody el la"
    " los las un una al lo su sus cada le les"
)
"""Words after which one knows that ``logs`` was a verb, and not several logs."""

NEXT_TO_A_NOUN = these("of de that which for in with from are is and by sent")

BEFORE_A_VERB = these(
    "also then it this tool use used to optionally automatically immediately allows lets"
    " you will can and or y e o u lo la los las se le les que luego ademas tambien permite"
    " sirve para esta herramienta function de"
)
"""Words that may stand before the verb of a clause."""

PREPOSITIONS = these(
    "of in on to for from with by into at as via de del en a al para con por desde sobre como"
)
"""Where the object of a verb has ended."""

DIAGNOSTIC = these(
    "error errors info debug warning exception message level line traceback critical"
)
"""What is logged for whoever mends a program; it is no effect of a tool."""

KEYS = these("idempotency_key idempotencykey idempotency-key clave_idempotencia client_token")
"""What a key is called by which the other side tells repeats."""

PARAMETERS = {
    Kind.MONEY: these("amount importe currency moneda iban card tarjeta cents price"),
    Kind.MESSAGE: these("to recipient recipients destinatario destinatarios subject asunto cc bcc"),
}
"""Parameters that tell what a tool without a telling verb does."""


def plain(text: str) -> str:
    """*text* without accents and capitals."""
    parts = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def _forms(base: str, irregular: str) -> set[str]:
    """How a verb is told: ``sends``, ``copies``, ``envía``; some of the forms are no words."""
    forms = {irregular, f"{base}s"} - {""}
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        forms.add(f"{base}es")
    if base.endswith("y"):
        forms.add(f"{base[:-1]}ies")
    if base.endswith(("ar", "er", "ir")):
        forms.add(f"{base[:-2]}{'a' if base.endswith('ar') else 'e'}")
    return forms


COMMANDED: dict[str, Verb] = {}
"""Verbs as a name has them."""
TOLD: dict[str, Verb] = {}
"""Verbs as a description has them, the commanded ones among them."""
for _verb, _words in VERBS.items():
    for _base, _, _irregular in (word.partition(":") for word in _words.split()):
        COMMANDED[_base] = _verb
        for _form in _forms(_base, _irregular):
            TOLD.setdefault(_form, _verb)
TOLD |= COMMANDED

NOUN = {
    form: kind
    for kind, words in NOUNS.items()
    for noun in words.split()
    for form in (noun, f"{noun}s", f"{noun}es")
}
