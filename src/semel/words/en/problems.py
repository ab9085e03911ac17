"""What is wrong with a plan and what to do about it, in English: for the model."""

from collections.abc import Mapping

PROBLEMS: Mapping[str, str] = {
    "problem.at": "in {where}, {problem}",
    "problem.other": "something cannot be understood ({detail}): write it in another way",
    "problem.too_long": "the plan is too long, over 1 MiB or 20,000 values: shorten it",
    "problem.not_utf8": "the text is not UTF-8: write it as JSON in UTF-8",
    "problem.not_json": (
        'that is not JSON ({detail}): write {"steps": [{"action": "…", "input": {…}}]}'
    ),
    "problem.too_deep": "there are more than 32 levels inside each other: take some away",
    "problem.duplicate_name": "the name “{detail}” is in one object twice: keep one",
    "problem.number_too_large": "a number is too large ({detail}): write it as text",
    "problem.not_a_number": "something is not a finite number ({detail}): use one that is",
    "problem.half_character": "there is half a Unicode character: write that text again",
    "problem.unknown_field": "that field does not exist: take it out",
    "problem.missing_field": (
        "that field is missing: give it, or ask the person if you do not know it"
    ),
    "problem.bad_value": "that value will not do ({detail}): correct it",
    "problem.no_steps": "there is no step: give at least one in steps",
    "problem.too_many_steps": "there are {detail} steps and 10 fit: propose 10 or fewer",
    "problem.step_shape": 'a step is {"action": "…", "input": {…}}: give it that form',
    "problem.unknown_action": "there is no action “{detail}”: use one of the declared ones",
    "problem.input_not_object": (
        "the input of “{detail}” has to be an object: put its fields there by name"
    ),
    "problem.not_canonical": "a value cannot be written in one single way ({detail}): change it",
    "problem.reference_forward": (
        "“{detail}” points at this step or a later one: point at an earlier one"
    ),
    "problem.reference_makes_nothing": (
        "the step it points at ({detail}) makes no record: point at one that does"
    ),
    "problem.reference_wrong_kind": (
        "the step it points at ({detail}) makes another kind of record: "
        "point at one of the kind it takes"
    ),
    "problem.reference_malformed": (
        "“{detail}” begins with $ and is not a step's number: write $1, $2… or an id"
    ),
    "problem.record_not_found": "that record does not exist ({detail}): look it up and give its id",
    "problem.changed_since": "that record has changed meanwhile ({detail}): look at it again",
    "problem.action_says_no": (
        "the action does not accept it ({detail}): "
        "change it, or tell the person if it is not up to you"
    ),
}
