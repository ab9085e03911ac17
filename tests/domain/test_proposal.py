"""Reading what a model wrote: strict, small and shallow, before anything else looks at it."""

import enum
import json
from collections import OrderedDict, UserDict
from decimal import Decimal
from types import MappingProxyType

import pytest

from semel.domain.proposal import BYTES_MAX, DEPTH_MAX, NODES_MAX, Read, read

STEP = {"action": "a", "input": {}}
TEXT = '{"steps":[{"action":"a","input":%s}]}'


def codes(proposal):
    found = read(proposal)
    assert found.steps == () or not found.problems or "unknown_field" in str(found.problems)
    return [problem.code for problem in found.problems]


def given(value):
    """What a step's input is read as."""
    found = read(TEXT % value)
    assert found.problems == ()
    return found.steps[0][1]


@pytest.mark.parametrize(
    "proposal",
    [
        {"steps": [STEP]},
        [STEP],
        (STEP,),
        json.dumps({"steps": [STEP]}),
        json.dumps([STEP]).encode(),
        bytearray(json.dumps([STEP]), "ascii"),
        '\n\t {"steps" : [ {"input":{}, "action":"\\u0061"} ] } \r\n',
        MappingProxyType({"steps": (MappingProxyType(STEP),)}),
        UserDict(steps=[OrderedDict(STEP)]),
    ],
    ids=lambda proposal: type(proposal).__name__,
)
def test_text_bytes_and_objects_of_one_plan_are_read_alike(proposal):
    assert read(proposal) == Read((("a", {}),))


def test_what_is_read_is_a_copy_of_plain_values():
    class Text(str):
        __slots__ = ()

    class Number(int):
        pass

    class Colour(enum.IntEnum):
        RED = 1

    inner = {"t": Text("x"), "n": Number(7), "c": Colour.RED, "l": (1, 2)}
    found = read([{"action": Text("a"), "input": inner}])
    (action, copied) = found.steps[0]
    inner["t"] = "changed"
    assert copied == {"t": "x", "n": 7, "c": 1, "l": [1, 2]}
    values = [action, *copied.values()]
    assert [type(value) for value in values] == [str, str, int, int, list]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("-0", 0), ("9007199254740991", 2**53 - 1), ("-9007199254740991", -(2**53) + 1),
        ("true", True), ("null", None), ('"\\ud83d\\ude00"', "😀"), ('"\\u0000"', "\0"),
        ('"[[[[{{{{"', "[[[[{{{{"), ('"\\\\"', "\\"), ('"\\"[\\""', '"["'),
    ],
)  # fmt: skip
def test_values_are_read_exactly(text, value):
    assert given(f'{{"x":{text}}}') == {"x": value}


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.0", "1.0"), ("0.1", "0.1"), ("1e3", "1E+3"), ("-0.0", "-0.0"), ("0.30", "0.30"),
     ("33.333333", "33.333333"), ("1e-30", "1E-30"),
     ("9.9e30", "9.9E+30")],
)  # fmt: skip
def test_a_number_with_a_fraction_or_exponent_is_exact_and_no_float(text, value):
    number = given(f'{{"x":{text}}}')["x"]
    assert isinstance(number, Decimal)
    assert str(number) == value


def test_a_float_of_an_object_is_read_by_its_shortest_text():
    found = read([{"action": "a", "input": {"x": 0.1, "y": 0.1 + 0.2, "z": 500.0}}])
    assert {name: str(number) for name, number in found.steps[0][1].items()} == {
        "x": "0.1", "y": "0.30000000000000004", "z": "500.0"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("proposal", "code"),
    [
        ("", "not_json"),
        (" ", "not_json"),
        ("{", "not_json"),
        ("{}{}", "not_json"),
        ("{'steps': []}", "not_json"),
        ('{"steps":[],}', "not_json"),
        ("// x\n[]", "not_json"),
        ("\ufeff[]", "not_json"),
        ('["\t"]', "not_json"),
        (TEXT % '{"x":01}', "not_json"),
        (TEXT % '{"x":1.}', "not_json"),
        (TEXT % '{"x":+1}', "not_json"),
        (TEXT % '{"x":"\\x41"}', "not_json"),
        (b"\xff\xfe", "not_utf8"),
        (b'["\xc3\x28"]', "not_utf8"),
        (b'["\xed\xa0\x80"]', "not_utf8"),
        ("[1]".encode("utf-16"), "not_utf8"),
        (TEXT % '{"x":1,"x":1}', "duplicate_name"),
        (TEXT % '{"x":1,"\\u0078":2}', "duplicate_name"),
        (TEXT % '{"x":{"a":[{"b":1,"b":2}]}}', "duplicate_name"),
        ('{"steps":[],"steps":[]}', "duplicate_name"),
        (TEXT % '{"x":NaN}', "not_a_number"),
        (TEXT % '{"x":-Infinity}', "not_a_number"),
        (TEXT % '{"x":1e400}', "number_too_large"),
        (TEXT % '{"x":1e-400}', "number_too_large"),
        (TEXT % '{"x":1e31}', "number_too_large"),
        (TEXT % '{"x":9.9e-31}', "number_too_large"),
        (TEXT % '{"x":0e31}', "number_too_large"),
        (TEXT % '{"x":9007199254740992}', "number_too_large"),
        (TEXT % f'{{"x":{"9" * 5000}}}', "number_too_large"),
        (TEXT % f'{{"x":0.{"3" * 5000}}}', "number_too_large"),
        (TEXT % '{"x":"\\ud83d"}', "half_character"),
        (TEXT % '{"\\ud83d":1}', "half_character"),
        (TEXT % '{"x":"\ud83d"}', "half_character"),
        (TEXT % '{"x":"\\ude00\\ud83d"}', "half_character"),
        ([{"action": "a", "input": {"x": float("nan")}}], "not_a_number"),
        ([{"action": "a", "input": {"x": Decimal("sNaN")}}], "not_a_number"),
        ([{"action": "a", "input": {"x": 2**53}}], "number_too_large"),
        ([{"action": "a", "input": {"x": Decimal("1e9999999")}}], "number_too_large"),
        ([{"action": "a", "input": {1: 2}}], "not_json"),
        ([{"action": "a", "input": {"x": {1}}}], "not_json"),
        ([{"action": "a", "input": {"x": b"x"}}], "not_json"),
        ([{"action": "a", "input": {"x": object()}}], "not_json"),
        (object(), "not_json"),
        (lambda: 0, "not_json"),
        (memoryview(b"[]"), "not_json"),
        (None, "no_steps"),
        (5, "no_steps"),
        ("null", "no_steps"),
        ("[]", "no_steps"),
        ("{}", "no_steps"),
        ('{"steps":{}}', "no_steps"),
        ('{"steps":"a"}', "no_steps"),
        ([STEP] * 11, "too_many_steps"),
        ([STEP] * 6_000, "too_many_steps"),
        ([None], "step_shape"),
        ([{}], "step_shape"),
        ([{"action": 1, "input": {}}], "step_shape"),
        ([{"action": "a"}], "step_shape"),
        ({"steps": [STEP], "clave": 1}, "unknown_field"),
        ([{**STEP, "confirmado": True}], "unknown_field"),
    ],
)
def test_what_is_no_plan_is_refused_with_a_code(proposal, code):
    assert codes(proposal) == [code]


def nested(depth):
    return TEXT % ("[" * depth + "]" * depth)


@pytest.mark.parametrize("as_object", [False, True])
def test_thirty_two_levels_are_read_and_one_more_is_not(as_object):
    # The plan, its steps and the step are three of them.
    for levels, expected in [(DEPTH_MAX - 3, []), (DEPTH_MAX - 2, ["too_deep"])]:
        text = nested(levels)
        assert codes(json.loads(text) if as_object else text) == expected


@pytest.mark.parametrize(
    "digits", ["1." + "0" * 98, "0." + "3" * 98, "1" + "0" * 30 + "." + "0" * 68]
)
def test_a_number_has_at_most_a_hundred_characters(digits):
    assert len(digits) == 100
    assert given(f'{{"x":{digits}}}') == {"x": Decimal(digits)}
    assert codes(TEXT % f'{{"x":{digits}0}}') == ["number_too_large"]
    assert codes([{"action": "a", "input": {"x": Decimal(f"{digits}0")}}]) == ["number_too_large"]


# With the plan, its steps, the step and its action, as many values as there may be.
@pytest.mark.parametrize("value", ["0", "[]", "{}", '","', '"[{"'])
def test_as_many_values_as_there_may_be_are_read_in_every_shape(value):
    many = NODES_MAX - 5
    for count, expected in [(many, []), (many + 1, ["too_long"])]:
        assert codes(TEXT % f"[{','.join([value] * count)}]") == expected
    names = ",".join(f'"{number}":{value}' for number in range(many))
    assert codes(TEXT % f"{{{names}}}") == []


def test_a_string_that_never_ends_is_read_once_and_not_from_each_of_its_quotes():
    # Read from each quote, this would take days.
    assert codes('"' + '\\"' * 500_000) == ["not_json"]
    assert codes('["' + '\\"' * 500_000) == ["not_json"]


def test_brackets_in_somebodys_words_do_not_count():
    assert given(json.dumps({"x": '[[{{"\\' * 200})) == {"x": '[[{{"\\' * 200}


@pytest.mark.parametrize("as_object", [False, True])
def test_too_many_values_or_letters_are_refused(as_object):
    many = [{"action": "a", "input": {"x": [0] * (NODES_MAX + 1)}}]
    long = [{"action": "a", "input": {"x": ["ñ" * 300_000] * 4}}]
    for proposal in (many, long):
        text = json.dumps(proposal, ensure_ascii=False)
        assert codes(proposal if as_object else text) == ["too_long"]


def test_a_megabyte_is_the_most_that_is_looked_at():
    room = BYTES_MAX - len(TEXT % '{"x":""}')
    for length, expected in [(room, []), (room + 1, ["too_long"])]:
        text = TEXT % f'{{"x":"{"x" * length}"}}'
        assert codes(text) == codes(text.encode()) == expected
    assert codes("x" * (BYTES_MAX + 1)) == codes(b"\xff" * (BYTES_MAX + 1)) == ["too_long"]


def test_every_step_says_what_is_wrong_with_it_and_names_are_cut():
    found = read([STEP, {"action": 3}, {**STEP, "x" * 5_000: 1}, "text"])
    assert [(problem.code, problem.where) for problem in found.problems] == [
        ("step_shape", "steps[2]"),
        ("unknown_field", "steps[3]." + "x" * 100),
        ("step_shape", "steps[4]"),
    ]
    many = read({f"f{number:03}": 1 for number in range(500)})
    assert len(many.problems) == 20
