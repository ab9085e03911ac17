"""One spelling for one meaning: normalisation by type, RFC 8785, and a writer that never raises."""

import json
import unicodedata
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from uuid import UUID

import pytest
from anything import ANYTHING
from hypothesis import given, settings
from hypothesis import strategies as st

from semel.domain.canonical import (
    RESULT_BYTES,
    SAFE_INTEGER,
    NotCanonical,
    are_easy,
    blank,
    compact,
    digest,
    is_whole,
    jcs,
    kept,
    normal,
    sha256_text,
    total,
)
from semel.facts import Count, Money

REPEATABLE = settings(derandomize=True, deadline=None, database=None)
UUID_TEXT = "0198c0de-0000-7000-8000-000000000000"


class Colour(Enum):
    RED = "red"
    PRICE = Decimal("1.50")


class Name(StrEnum):
    MARIA = "Mari\u0301a"


class Level(IntEnum):
    LOW = 1


@dataclass
class Line:
    concepto: str
    precio: Decimal


# The example of RFC 8785, section 3.2.2 and 3.2.3; our own values hold no float.
SAMPLE = """{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
  "literals": [null, true, false]
}"""
SAMPLE_JCS = (
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
    '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
)


def test_the_sample_of_rfc_8785_is_written_as_the_rfc_writes_it():
    assert jcs(json.loads(SAMPLE)).decode() == SAMPLE_JCS


def test_names_are_sorted_by_utf_16_code_units_as_the_rfc_sorts_them():
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    written = jcs({name: number for number, name in enumerate(names)}).decode()
    order = list(json.loads(written))
    assert order == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    # By code point the last two would stand the other way round.
    assert order != sorted(order)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("\u0000\u001f\u007f\u2028", '"\\u0000\\u001f\u007f\u2028"'),
        ('\b\t\n\f\r"\\/', '"\\b\\t\\n\\f\\r\\"\\\\/"'),
        ([], "[]"),
        ({}, "{}"),
        ([{"b": [1, None], "a": True}], '[{"a":true,"b":[1,null]}]'),
        (SAFE_INTEGER, "9007199254740991"),
        (-SAFE_INTEGER, "-9007199254740991"),
        ("María", '"María"'),
        (0, "0"),
        (-0, "0"),
        (-1, "-1"),
        (10**15, "1000000000000000"),
        ([True, 1, "1"], '[true,1,"1"]'),
    ],
)
def test_escapes_and_shapes_are_those_of_the_rfc(value, written):
    assert jcs(value).decode() == written


@pytest.mark.parametrize(
    "value",
    [SAFE_INTEGER + 1, -SAFE_INTEGER - 1, float("nan"), float("inf"), "\ud83d", b"x", {1: 2}],
)
def test_what_has_no_canonical_bytes_is_refused(value):
    with pytest.raises((ValueError, TypeError)):
        jcs(value)


MEANINGS = [
    [None],
    [True],
    [False],
    [0],
    [1, Level.LOW],
    ["1", Decimal(1), Decimal("1.0"), Decimal("1.00"), Decimal("1E+0"), Decimal("0.1E+1")],
    ["0", Decimal("-0"), Decimal("0.00"), Decimal("0E+7"), Decimal("-0E-7")],
    ["100", Decimal(100), Decimal("1E+2"), Decimal("100.000")],
    ["María", unicodedata.normalize("NFD", "María"), Name.MARIA],
    ["red", Colour.RED],
    ["1.5", Colour.PRICE],
    ["2026-11-18", date(2026, 11, 18)],
    [
        "2026-11-13T08:00:00.000000Z",
        datetime(2026, 11, 13, 8, 0, tzinfo=UTC),
        datetime(2026, 11, 13, 9, 0, tzinfo=timezone(timedelta(hours=1))),
    ],
    [UUID_TEXT, UUID(UUID_TEXT), UUID(UUID_TEXT.upper())],
    [["605.00", "EUR"], Money(Decimal(605)), Money(Decimal("605.00")), ("605.00", "EUR")],
    [3, Count(3)],
    [
        {"concepto": "Logo", "precio": "500"},
        {"precio": Decimal("500.00"), "concepto": "Logo"},
        Line("Logo", Decimal(500)),
    ],
    [[1, 2], (1, 2)],
    [[2, 1]],
    [{}],
    [[]],
    [""],
    ["Ⅳ"],
    ["IV"],
    ["ﬁ"],
    ["fi"],
]


@pytest.mark.parametrize("spellings", MEANINGS, ids=lambda spellings: repr(spellings[0])[:30])
def test_every_spelling_of_one_meaning_is_one(spellings):
    assert len({jcs(normal(value)) for value in spellings}) == 1


def test_no_two_meanings_share_a_spelling():
    written = [jcs(normal(spellings[0])) for spellings in MEANINGS]
    assert len(set(written)) == len(MEANINGS)


REFUSED = [
    1.0, 0.1 + 0.2, float("nan"), float("inf"), b"bytes", bytearray(b"x"), {1, 2}, object(),
    2**53, -(2**53), datetime(2026, 10, 19), Decimal("NaN"), Decimal("Infinity"),  # noqa: DTZ001 - that is the case
    "\ud83d", {"\ud83d": 1}, {1: "a"}, {None: 1}, {("a",): 1}, [1.5], {"a": {"b": 2.5}},
    {"é": 1, "e\u0301": 2}, complex(1), range(3), iter([]), Line, {"a": b""},
]  # fmt: skip


@pytest.mark.parametrize("value", REFUSED, ids=lambda value: type(value).__name__)
def test_what_has_no_single_spelling_is_refused(value):
    with pytest.raises(NotCanonical):
        normal(value)


def test_text_is_normalised_in_a_key_and_kept_as_it_is_in_storage():
    nfd = unicodedata.normalize("NFD", "María")
    assert normal(nfd) == "María" != nfd
    assert sha256_text(nfd) != sha256_text("María")
    assert compact(nfd) == f'"{nfd}"'


def test_a_digest_is_over_an_array_with_its_label():
    assert digest("a", "b") != digest("ab") != digest("", "ab")
    assert digest("a", "b", "c") != digest("a", "bc") != digest("a", ["b", "c"])
    assert digest("l", None) != digest("l") != digest("l", "")
    # SHA-256 of ["semel.key.v1","x"], taken with sha256sum.
    assert digest("semel.key.v1", "x") == (
        "ffd6d77a2312a65e7d3d1f633fd56a6eeee33a454ca037bed6d8a71d4f96b711"
    )


@pytest.mark.parametrize(
    ("parts", "missing"),
    [
        (["a", "b"], False),
        ([0, False], False),
        ([[], {}], False),
        (["a", None], True),
        (["a", ""], True),
        (["a", " \t\n\u00a0\u2003"], True),
        ([], False),
    ],
)
def test_a_part_that_is_missing_or_blank_is_seen(parts, missing):
    assert blank(parts) is missing


@pytest.mark.parametrize(
    "name",
    ["an instant before the calendar", "an instant after the calendar", "a Decimal of a gigabyte",
     "a Decimal of as much nothing", "a Decimal that signals"],
)  # fmt: skip
def test_what_cannot_be_written_out_is_refused_by_its_type(name):
    with pytest.raises(NotCanonical):
        normal(ANYTHING[name]())


@pytest.mark.parametrize("name", ANYTHING)
def test_the_total_writer_never_raises_and_leaves_a_marker(name):
    written = total(ANYTHING[name]())
    assert len(written.encode()) <= 600
    ((marker, what),) = json.loads(written).items()
    assert marker in {"unserializable", "too_large"}
    # Which is enough to say what it was.
    assert isinstance(what, str if marker == "unserializable" else int)


def test_the_total_writer_is_tried_with_forty_kinds_of_values_and_more():
    assert len(ANYTHING) > 40
    plain = total(ANYTHING["an object whose class will not say its name"]())
    assert plain == '{"unserializable":"Nameless"}'
    assert (
        total(ANYTHING["a class with a long name"]())
        == f'{{"unserializable":"{chr(0xFFFD) * 160}"}}'
    )
    assert total(ANYTHING["a hundred megabytes of text"]()) == '{"too_large":100000002}'
    assert total("x" * (RESULT_BYTES - 2)) == f'"{"x" * (RESULT_BYTES - 2)}"'


def test_the_total_writer_keeps_what_fits_and_counts_bytes_not_letters():
    assert total({"a": Decimal("1.50"), "b": [None]}) == '{"a":"1.5","b":[null]}'
    assert total("ñ" * 10, cap=22) == '"' + "ñ" * 10 + '"'
    assert total("ñ" * 10, cap=21) == '{"too_large":22}'


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@REPEATABLE
@given(JSONS)
def test_the_total_writer_writes_json_of_whatever_it_is_given(value):
    json.loads(total(value))


@REPEATABLE
@given(JSONS)
def test_what_is_normal_stays_as_it_is(value):
    try:
        once = normal(value)
    except NotCanonical:
        return
    assert normal(once) == once
    # And reading it back from storage changes nothing.
    assert jcs(normal(json.loads(compact(once)))) == jcs(once)


HALVES = st.text(st.characters(codec=None), max_size=6)
STORED = st.recursive(
    st.none() | st.booleans() | st.integers() | HALVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HALVES, inner, max_size=4),
    max_leaves=12,
)


@settings(REPEATABLE, max_examples=1000)
@given(STORED)
def test_what_is_stored_is_the_text_that_the_standard_library_would_write(value):
    written = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert compact(value) == written
    try:
        back = kept(written)
    except ValueError:
        # Half a character, which no database keeps; `jcs` refuses it as well.
        assert "surrogates" in _why_not(written)
    else:
        assert back == value or any(abs(one) >= 1 << 63 for one in _integers(value))


def _why_not(text):
    with pytest.raises(UnicodeEncodeError) as no:
        text.encode()
    return str(no.value)


def _integers(value):
    match value:
        case bool():
            return []
        case int():
            return [value]
        case list():
            return [one for part in value for one in _integers(part)]
        case dict():
            return _integers(list(value.values()))
    return []


def test_what_json_has_no_word_for_is_not_stored_as_if_it_had():
    for strange in (date(2026, 10, 19), Line("Diseño", Decimal(1)), Decimal(1), object()):
        with pytest.raises(TypeError):
            compact(strange)


def test_text_that_is_no_json_is_not_read():
    for text in ("", "{", '{"a":NaN}', "[1,]"):
        with pytest.raises(ValueError, match=r"."):
            kept(text)


EASY = [[], [None, "a", "ñ", "\0", 0, -(2**53) + 1], ["x" * 1000], ["\U0001f600"]]
ODD = [
    ["\ud83d"],
    [2**53],
    [-(2**63)],
    [1.0],
    [True],
    [b"a"],
    [["a"]],
    [{"a": 1}],
    [Level.LOW],
    [Name.MARIA],
]


class Subclass(str):
    """Its methods may do anything."""

    __slots__ = ()


@pytest.mark.parametrize("values", EASY, ids=str)
def test_what_every_column_holds_is_told_at_once(values):
    assert are_easy(values)


@pytest.mark.parametrize("values", [*ODD, [Subclass("a")]], ids=repr)
def test_of_whatever_is_odd_it_is_not_told_at_once(values):
    assert not are_easy(values)
    assert not are_easy(["a", *values, None])


@given(st.lists(st.none() | st.integers() | st.text() | st.text(st.characters())))
def test_what_is_told_at_once_is_whole(values):
    if are_easy(values):
        assert all(is_whole(value) for value in values if isinstance(value, str))
        assert all(abs(value) < 2**53 for value in values if isinstance(value, int))
