"""The ten scenes, in the order in which they are told."""

from semel_facturas.story import decide, doubt, once
from semel_facturas.story.script import Scene

SCENES = (
    Scene(
        1,
        {
            "es": "una frase, una pregunta, una factura, un correo y un recordatorio",
            "en": "one sentence, one question, one invoice, one e-mail and one reminder",
        },
        once.one_invoice,
    ),
    Scene(
        2,
        {
            "es": "cinco llamadas iguales a la vez y tres después: un borrador",
            "en": "five equal calls at once and three later: one draft",
        },
        once.five_calls,
    ),
    Scene(
        3,
        {
            "es": "confirmar desde diez procesos a la vez, y quien no debe",
            "en": "confirm from ten processes at once, and those who may not",
        },
        once.ten_presses,
    ),
    Scene(
        4,
        {
            "es": "falta algo: todas las preguntas a la vez, y nada escrito",
            "en": "something is missing: all questions at once, and nothing written",
        },
        doubt.all_at_once,
    ),
    Scene(
        5,
        {
            "es": "las mismas palabras en dos mensajes: uno al lado del otro",
            "en": "the same words in two messages: side by side",
        },
        doubt.two_messages,
    ),
    Scene(
        6,
        {
            "es": "el servidor de correo lo rechaza en el paso 3, y se reintenta",
            "en": "the mail server refuses at step 3, and it is retried",
        },
        doubt.refused,
    ),
    Scene(
        7,
        {
            "es": "kill -9 entre dos pasos, y kill -9 después de enviar",
            "en": "kill -9 between two steps, and kill -9 after the send",
        },
        doubt.killed,
    ),
    Scene(
        8,
        {
            "es": "cancelar en el paso 2 de 4 desde otro proceso",
            "en": "cancel at step 2 of 4 from another process",
        },
        decide.cancelled,
    ),
    Scene(
        9,
        {
            "es": "deshacer lo que se puede, y no lo que no",
            "en": "undo what can be undone, and not what cannot",
        },
        decide.undone,
    ),
    Scene(
        10,
        {
            "es": "la dirección cambia entre el sí y la ejecución",
            "en": "the address changes between the yes and the run",
        },
        decide.moved,
    ),
)
