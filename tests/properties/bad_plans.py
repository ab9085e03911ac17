"""Plans that are none, each with the code of what is wrong with it."""

import json

MEGABYTE = 1_000_000


def step(action="thing.make", **given):
    return {"action": action, "input": {"price": 1, "name": "a", **given}}


def erase(id="F-1"):
    return {"action": "factura.borrar", "input": {"id": id}}


def text(value='"a"', name="name"):
    """A plan of one good step, with one value written as it stands here."""
    return f'{{"steps":[{{"action":"thing.make","input":{{"price":1,"name":"a","note":"b","{name}":{value}}}}}]}}'


def free(value):
    return f'[{{"action":"factura.crear_borrador","input":{{"cliente":"c","lineas":[],"libre":{value}}}}}]'


LONG = 1024 * 1024 - 200  # as long as a text may be, with a plan around it
GOOD = [step()]
OTHER = {"action": "other.make", "input": {"id": "1"}}
PLANS = {
    "not JSON": ("make a thing, please", "not_json"),
    "an empty text": ("", "not_json"),
    "no bytes": (b"", "not_json"),
    "a plan cut off": (json.dumps(GOOD)[:-2], "not_json"),
    "two plans": (json.dumps(GOOD) * 2, "not_json"),
    "a trailing comma": ('{"steps":[],}', "not_json"),
    "single quotes": ("{'steps':[]}", "not_json"),
    "a comment": ("[] // nothing", "not_json"),
    "a mark before it": ("\ufeff" + json.dumps(GOOD), "not_json"),
    "bytes that are not UTF-8": (b'[{"action":"\xff"}]', "not_utf8"),
    "Latin-1": ('["María"]'.encode("latin-1"), "not_utf8"),
    "UTF-16": ('["María"]'.encode("utf-16"), "not_utf8"),
    "a raw half character": (text('"\ud83d"', "colour"), "half_character"),
    "an escaped half character": (text(r'"\udc00"', "colour"), "half_character"),
    "halves the wrong way round": (text(r'"\udc4d\ud83d"', "colour"), "half_character"),
    "half a character in a name": (text('"a"', r"\ud800"), "half_character"),
    "half a character in bytes": (text('"\ud83d"').encode("utf-8", "surrogatepass"), "not_utf8"),
    "a name twice": (text('"b"'), "duplicate_name"),
    "a name twice, escaped": (text('"b"', r"n\u0061me"), "duplicate_name"),
    "steps twice": ('{"steps":[],"steps":[]}', "duplicate_name"),
    "NaN": (text("NaN", "quantity"), "not_a_number"),
    "infinity": (text("-Infinity", "quantity"), "not_a_number"),
    "1e400": (text("1e400", "quantity"), "number_too_large"),
    "-1e400": (text("-1e400", "count"), "number_too_large"),
    "1e-400": (text("1e-400", "quantity"), "number_too_large"),
    "2^53": (text(str(2**53), "count"), "number_too_large"),
    "a number of 5,000 digits": (text("9" * 5_000, "count"), "number_too_large"),
    "a fraction of 5,000 digits": (text(f"1.{'1' * 5_000}", "quantity"), "number_too_large"),
    "an amount that is true": (text("true", "quantity"), "bad_value"),
    "an amount in exponents": (text('"1e5"', "quantity"), "bad_value"),
    "a number where text belongs": ([step(note=1)], "bad_value"),
    "a text that is too long": ([step(note="x" * 10_001)], "bad_value"),
    "null where nothing is optional": ([step(urgent=None)], "bad_value"),
    "an instant without a zone": ([step(at="2026-10-19T10:00")], "not_canonical"),
    "an instant after the calendar": ([step(at="9999-12-31T23:59-01:00")], "not_canonical"),
    "an instant before the calendar": ([step(at="0001-01-01T00:00+01:00")], "not_canonical"),
    "2^53 in text": ([step(count="9007199254740992")], "not_canonical"),
    "two names of one spelling": ([step(labels={"\u00e9": "", "e\u0301": ""})], "not_canonical"),
    "no steps": ({"steps": []}, "no_steps"),
    "nothing": ({}, "no_steps"),
    "steps that are none": ({"steps": {"1": step()}}, "no_steps"),
    "eleven steps": (GOOD * 11, "too_many_steps"),
    "ten thousand steps": ([erase(str(n)) for n in range(3_000)], "too_many_steps"),
    "ten thousand empty steps": ([{}] * 10_000, "too_many_steps"),
    "ten thousand steps in full": (json.dumps([erase()] * 10_000), "too_long"),
    "a step that is none": (["thing.make"], "step_shape"),
    "a step without an input": ([{"action": "thing.make"}], "step_shape"),
    "an action that is no text": ([{"action": 5, "input": {}}], "step_shape"),
    "an input that is no object": ([{"action": "thing.make", "input": []}], "input_not_object"),
    "an unknown action": ([{"action": "thing.sell", "input": {}}], "unknown_action"),
    "an action of a megabyte": ([{"action": "x" * LONG, "input": {}}], "unknown_action"),
    "an unknown field": ([step(key="k-1")], "unknown_field"),
    "an unknown field further in": ([step(size={"height": 1})], "unknown_field"),
    "an unknown field of a megabyte": ([step(**{"x" * LONG: 1})], "unknown_field"),
    "a field beside the input": ([{**step(), "id": "call_1"}], "unknown_field"),
    "a field beside the steps": ({"steps": GOOD, "confirmed": True}, "unknown_field"),
    "a field that is missing": ([{"action": "thing.make", "input": {}}], "missing_field"),
    "19,000 unknown fields": ([step(**{f"x{n}": 1 for n in range(19_000)})], "bad_value"),
    "19,000 wrong values": ([step(days=["x"] * 19_000)], "bad_value"),
    "a reference forward": ([step(thing="$2"), step()], "reference_forward"),
    "a reference to itself": ([step(thing="$1")], "reference_forward"),
    "a reference to nowhere": ([step(thing="$99")], "reference_forward"),
    "a reference to what makes nothing": ([erase(), step(thing="$1")], "reference_makes_nothing"),
    "a reference to another kind": ([OTHER, step(thing="$1")], "reference_wrong_kind"),
    "a reference inside a list": ([step(parts=[{"price": 1, "name": "a", "of": "$1"}])],
                                  "reference_forward"),
    "a reference that is malformed": ([step(), step(thing="$one")], "reference_malformed"),
    "a reference that is no text": ([step(thing=1)], "bad_value"),
    "a record that is not there": ([step(thing="nobody")], "record_not_found"),
    "fifty megabytes of text": ("[" + " " * 50 * MEGABYTE + "]", "too_long"),
    "fifty megabytes of bytes": (b"[" + b" " * 50 * MEGABYTE + b"]", "too_long"),
    "fifty megabytes in an object": ([step(note="x" * 50 * MEGABYTE)], "too_long"),
    "ten thousand levels of text": ("[" * 10_000 + "]" * 10_000, "too_deep"),
    "ten thousand levels of objects": ('{"a":' * 10_000 + "1" + "}" * 10_000, "too_deep"),
    "ten thousand levels that never end": ("[" * 10_000, "too_deep"),
    "a megabyte of lists": (free(f"[{'[],' * (LONG // 3)}1]"), "too_long"),
    "a megabyte of numbers": (free(f"[{'1.5,' * (LONG // 4)}1]"), "too_long"),
    "a megabyte of names": (
        free(f"{{{','.join(f'{chr(34)}{n:x}{chr(34)}:1' for n in range(90_000))}}}"), "too_long"),
    "a megabyte of text": (text(f'"{"x" * LONG}"', "colour"), "bad_value"),
    "a megabyte of emoji": (text(f'"{"😀" * (LONG // 4)}"', "colour"), "bad_value"),
    "a megabyte of one number": (text(f"1.{'0' * LONG}", "count"), "number_too_large"),
    "a string that never ends": ('"' + "x" * LONG, "not_json"),
    "quotes that never end": ('"' + '\\"' * 60_000, "not_json"),
    "backslashes that never end": ('"' + "\\" * LONG, "not_json"),
    "a megabyte of quotes": ('"' * LONG, "not_json"),
}  # fmt: skip
