"""Keys, fuzzed: equal for equal meanings, different for different ones, as an oracle reads them.

`respelled` draws meanings, writes each in many ways and reads every writing back without semel;
the keys come from the road that a model's words take.
"""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from draws import Draw
from keyed_app import ANA, Borrador, Core, Linea, actions
from respelled import as_object, as_text, changed, draw_plan, nfd, read_plan, write_plan, write_text

import counts
from semel import Invalid, Who
from semel.catalog import Catalog
from semel.domain.canonical import NotCanonical, normal
from semel.domain.consent import plan_digest
from semel.domain.key import LABEL, Layer, act_key, key
from semel.domain.plan import StepRow, StepState
from semel.inputs import spell
from semel.runtime.propose import Call, parse

pytestmark = pytest.mark.no_store

CHUNKS = 8  # so that two processes share them


CORE = Core(Catalog(actions()))


def call_of(plan, who=ANA, message="m-1"):
    return parse(CORE, who, message, None, plan)


def key_of(plan, who=ANA, message="m-1"):
    call = call_of(plan, who, message)
    assert isinstance(call, Call), (call.problems, plan)
    return call.key


def forms(d, node, text):
    """What may reach the engine for one text: itself, its bytes, or what a framework parsed."""
    return d.pick([lambda: text, text.encode, lambda: bytearray(text.encode()),
                   lambda: as_object(d, node)])()  # fmt: skip


def respelled(d, plan, who, message):
    """One spelling of a call: what it means by the oracle, its key, and how it was written."""
    node = write_plan(d, plan)
    text = as_text(d, node)
    person = Who(*(write_text(d, part) for part in who), locale=d.pick(["es", "en"]))
    derived = key_of(forms(d, node, text), person, write_text(d, message))
    return (tuple(map(nfd, who)), nfd(message), read_plan(text)), derived, text


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_plan_has_one_key_for_each_meaning(chunk):
    each = counts.of("R19") // CHUNKS
    key_by_meaning, counted, differed = {}, 0, 0
    for number in range(each):
        d = Draw("plans", chunk, number)
        plan = draw_plan(d)
        who = [d.text(4) + d.pick("abc") for _ in range(3)]
        message = f"m-{d.text(4)}"
        meaning, derived, text = respelled(d, plan, who, message)
        # The generator says that it is the same plan; the oracle and the key agree.
        assert respelled(d, plan, who, message)[:2] == (meaning, derived), (chunk, number)
        if number % 2:
            # Of a change the oracle alone decides whether it changed what is meant.
            other, its, _ = respelled(d, changed(d, plan), who, message)
            differed += other != meaning
        else:
            # The same text of another person, in another place, or for another message.
            parts = [*who, message]
            parts[d.below(4)] += d.pick(["x", "´", "\0", ":"])
            other, its = (*parts, meaning), key_of(text, Who(*parts[:3]), parts[3])
        assert (other == meaning) == (its == derived), (chunk, number)
        key_by_meaning |= {meaning: derived, other: its}
        counted += 1
    counts.ran("R19", counted)
    assert counted >= each
    assert differed > each / 2 * 0.5
    # And no two of all the meanings of this chunk share a key.
    assert len(set(key_by_meaning.values())) == len(key_by_meaning) > 1.5 * each


def test_the_oracle_tells_meanings_apart_and_every_spelling_is_used():
    texts, ways = set(), Counter()
    d = Draw("oracle")
    for _ in range(300):
        node = write_plan(d, draw_plan(d))
        text = as_text(d, node)
        texts.add(text)
        for way in ("e-", "E+", "\\u", "+05:30", "-03:30", "Z", "urn:uuid:", ".00", "-0", '"$1"'):
            ways[way] += way in text
    assert len(texts) == 300
    assert all(ways.values()), ways
    one, other = (read_plan(json.dumps([{"action": "thing.make", "input": {
        "price": 1, "name": "a", "tags": tags}}])) for tags in (["a", "b"], ["b", "a"]))  # fmt: skip
    assert one != other


def split(d, text, parts):
    """*text* cut into so many parts, at places that chance chooses; by chance one is empty."""
    places = range(1, len(text)) if d.below(8) else [*range(len(text) + 1), 0]
    cuts = sorted(d.shuffled(places)[: parts - 1])
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@pytest.mark.parametrize("parts", [2, 4])
def test_ten_thousand_splits_of_text_over_parts_share_a_key_only_when_they_are_equal(parts):
    judged = refused = equal = 0
    d = Draw("splits", parts)
    while judged < 10_000:
        text = d.text(parts + 4, least=parts + 2)
        one, two = split(d, text, parts), split(d, text, d.pick([parts, parts, parts + 1]))
        keys = []
        for cut in (one, two):
            if all(part.strip() for part in cut):
                keys.append(key(Layer.ACT, "o", *cut))
                continue
            refused += 1
            with pytest.raises(NotCanonical):
                key(Layer.ACT, "o", *cut)
        if len(keys) == 2:
            judged += 1
            same = [*map(nfd, one)] == [*map(nfd, two)]
            equal += same
            assert (keys[0] == keys[1]) == same, (one, two)
    assert min(refused, equal, judged - equal) > 200


@pytest.mark.parametrize("separator", [*':/|,;"\\', "\0", "\x1f", '","', "\u2028"])
def test_no_separator_joins_the_parts_of_two_people(separator):
    plan = [["a", {}]]
    keys = {
        act_key(f"o{separator}1", "ana", "c", "m", plan),
        act_key("o", f"1{separator}ana", "c", "m", plan),
        act_key("o", "1", f"ana{separator}c", "m", plan),
        act_key("o", "1", "ana", f"c{separator}m", plan),
        act_key(f"o{separator}1{separator}ana", "c", "m", "x", plan),
    }
    assert len(keys) == 5


LOGO = {"concepto": "Logo", "precio": "500.00", "iva": "21"}
WEB = {"concepto": "Web", "precio": "900.00", "iva": "21"}


def draft(**given):
    return [{"action": "factura.crear_borrador",
             "input": {"cliente": "c-1", "lineas": [LOGO], **given}}]  # fmt: skip


def codes(plan):
    found = call_of(plan)
    assert isinstance(found, Invalid), found
    return [problem.code for problem in found.problems]


def stored_digest(call):
    """The plan's digest over what is stored of its steps."""
    rows = [
        StepRow(
            position=position, action=step.name, action_version=1, effect="local",
            input=step.stored, preview="{}", facts_digest="0" * 64, risk=0,
            state=StepState.WAITING, reason=None, detail=None, result=None,
        )
        for position, step in enumerate(call.steps, start=1)
    ]  # fmt: skip
    return plan_digest("o-1", "p_1", rows)


def test_b14_shuffled_names_are_one_key_and_lists_keep_their_order():
    given = {"cliente": "c-1", "lineas": [LOGO]}
    shuffled = {
        "lineas": [{"iva": "21", "precio": "500.00", "concepto": "Logo"}],
        "cliente": "c-1",
    }
    plans = [[{"action": "factura.crear_borrador", "input": each}] for each in (given, shuffled)]
    first, second = map(call_of, plans)
    assert first.key == second.key
    assert stored_digest(first) == stored_digest(second)
    # A database that keeps names in an order of its own gives the same back.
    stored = json.loads(first.steps[0].stored)
    by_length = dict(sorted(stored.items(), key=lambda member: (len(member[0]), member[0])))
    third = call_of([{"action": "factura.crear_borrador", "input": by_length}])
    assert third.key == first.key
    assert stored_digest(third) == stored_digest(first)
    assert key_of(draft(lineas=[LOGO, WEB])) != key_of(draft(lineas=[WEB, LOGO]))


def test_b15_quantities_have_one_key_and_what_is_no_quantity_is_refused():
    def quantity(text):
        line = json.dumps({**LOGO, "cantidad": "@"}).replace('"@"', text)
        return json.dumps(draft(lineas=["@"])).replace('"@"', line)

    assert len({key_of(quantity(text)) for text in ("1", "1.0", '"1"', '"1.00"')}) == 1
    assert codes(quantity("true")) == ["bad_value"]
    assert codes(quantity("NaN")) == ["not_a_number"]
    assert codes(quantity("1e400")) == ["number_too_large"]
    assert key_of(quantity("-0")) == key_of(quantity("0")) != key_of(quantity("1"))
    # A float is read by its shortest text, and has to fit the digits that the field declares.
    assert key_of(draft(lineas=[{**LOGO, "precio": 0.3}])) == key_of(
        draft(lineas=[{**LOGO, "precio": "0.30"}])
    )
    assert codes(draft(lineas=[{**LOGO, "precio": 0.1 + 0.2}])) == ["bad_value"]


def test_b15_large_ids_differ_as_text_and_accents_are_one_key_with_their_bytes_kept():
    numbers = (9007199254740993, 9007199254740992)
    assert [codes(draft(libre=number)) for number in numbers] == [["number_too_large"]] * 2
    ids = [[{"action": "factura.borrar", "input": {"id": str(number)}}] for number in numbers]
    assert key_of(ids[0]) != key_of(ids[1])
    calls = [call_of(draft(cliente=name)) for name in ("Mar\u00eda", "Mari\u0301a")]
    assert calls[0].key == calls[1].key
    kept = [json.loads(call.steps[0].stored)["cliente"] for call in calls]
    assert kept == ["Mar\u00eda", "Mari\u0301a"]
    again = [
        call_of([{"action": s.name, "input": json.loads(s.stored)}]) for c in calls for s in c.steps
    ]
    assert {call.key for call in again} == {calls[0].key}


def test_b16_absent_is_its_default_null_is_not_and_types_say_what_is_equal():
    assert key_of(draft()) == key_of(draft(avisar_cliente=False))
    assert key_of(draft()) != key_of(draft(avisar_cliente=True))
    assert codes(draft(avisar_cliente=None)) == ["bad_value"]
    instants = ["2026-11-13T09:00+01:00", "2026-11-13T08:00Z"]
    assert len({key_of(draft(avisar_el=at)) for at in instants}) == 1
    assert codes(draft(avisar_el="2026-11-13T09:00")) == ["not_canonical"]
    assert len({key_of(draft(libre=free)) for free in (123, "123", [123], ["123"], None)}) == 5
    assert key_of(draft(vence="2026-11-18")) != key_of(draft(vence=None)) == key_of(draft())


def test_b16_objects_are_spelled_by_their_type_or_refused_and_never_by_str():
    text = "0192f3a1-7c2b-7000-8000-0123456789ab"
    assert normal(UUID(text)) == normal(text) == text
    assert normal(date(2026, 11, 18)) == "2026-11-18"

    @dataclass
    class Same:
        cliente: str
        lineas: list[dict[str, Any]]

    model = spell(Borrador(cliente="c-1", lineas=[Linea(**LOGO)]))
    line = {"concepto": "Logo", "precio": Decimal(500), "iva": Decimal(21), "cantidad": Decimal(1)}
    equal = normal(Same("c-1", [line]))
    assert {name: normal(model)[name] for name in ("cliente", "lineas")} == equal
    for value in (b"x", datetime(2026, 11, 18), 1.5, object(), {1, 2}):  # noqa: DTZ001 - that is the case
        with pytest.raises(NotCanonical):
            normal(value)
        if value != 1.5:
            assert codes(draft(libre=value)) == ["not_json"]


def test_b17_what_differs_in_anything_differs_in_its_key():
    erase, send = (
        [{"action": f"factura.{verb}", "input": {"id": "F-1"}}] for verb in ("borrar", "enviar")
    )
    keys = [
        key_of(erase), key_of(send), key_of(erase + send), key_of(send + erase),
        key_of(erase, Who("o-2", "ana", "c-1")), key_of(erase, Who("o-1", "eva", "c-1")),
        key_of(erase, Who("o-1", "ana", "c-2")), key_of(erase, message="m-2"),
        # Another kind of call with the same parts.
        key("confirm", "o-1", "ana", "c-1", "m-1", [["factura.borrar", {"id": "F-1"}]]),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert keys[0] == act_key("o-1", "ana", "c-1", "m-1", [["factura.borrar", {"id": "F-1"}]])
    assert keys[0] == key(
        Layer.ACT, "o-1", "ana", "c-1", "m-1", [["factura.borrar", {"id": "F-1"}]]
    )
    assert LABEL == "semel.key.v1"
