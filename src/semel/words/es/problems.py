"""What is wrong with a plan and what to do about it, in Spanish: for the model."""

from collections.abc import Mapping

PROBLEMS: Mapping[str, str] = {
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
