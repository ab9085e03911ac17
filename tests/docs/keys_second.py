"""The page docs/keys.md once more, as a program that uses nothing of semel.

A reader in another language finds all of it in one place: ``Second``, in the order of the page.
"""

import hashlib
import hmac
import json
import re
import unicodedata
from base64 import b64decode, urlsafe_b64encode
from datetime import UTC, date, datetime
from decimal import Decimal


class Refused(Exception):
    """What is read has no meaning; the code says why."""


class Second:
    """The page, section by section.

    Args:
        keys: the signing keys, in base64, by their ids.
    """

    def __init__(self, keys):
        self.keys = keys

    # 1. Reading what a model wrote

    def read(self, text):
        depth = 0
        for mark in re.findall(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text, re.DOTALL):
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(mark, 0)
            if depth > 32:
                raise Refused("too_deep")
        try:
            value = json.loads(
                text,
                object_pairs_hook=self._members,
                parse_int=self._whole,
                parse_float=self._number,
                parse_constant=self._constant,
            )
        except json.JSONDecodeError:
            raise Refused("not_json") from None
        if isinstance(value, dict):
            if set(value) - {"steps"}:
                raise Refused("unknown_field")
            value = value.get("steps")
        if not isinstance(value, list) or not value:
            raise Refused("no_steps")
        if len(value) > 10:
            raise Refused("too_many_steps")
        return [self._step(step) for step in value]

    def _members(self, pairs):
        names = [name for name, _ in pairs]
        if len(set(names)) != len(names):
            raise Refused("duplicate_name")
        for text in [*names, *[value for _, value in pairs]]:
            if isinstance(text, str) and any(0xD800 <= ord(letter) < 0xE000 for letter in text):
                raise Refused("half_character")
        return dict(pairs)

    def _whole(self, digits):
        return self.checked(int(digits), abs(int(digits)) < 2**53, "number_too_large")

    def _number(self, digits):
        number = Decimal(digits)
        small, large = Decimal("1e-30"), Decimal("1e31")
        in_range = small <= abs(number) < large if number else abs(number.as_tuple().exponent) <= 30
        return self.checked(number, in_range, "number_too_large")

    def _constant(self, _):
        raise Refused("not_a_number")

    def _step(self, step):
        shaped = isinstance(step, dict) and isinstance(step.get("action"), str) and "input" in step
        self.checked(step, shaped, "step_shape")
        if set(step) - {"action", "input"}:
            raise Refused("unknown_field")
        return step["action"], step["input"]

    # 2. One spelling for one meaning

    def inputs(self, action, given, shapes):
        """The canonical input, and the one that is stored."""
        if action not in shapes:
            raise Refused("unknown_action")
        fields = shapes[action]
        if set(given) - {name for name, *_ in fields}:
            raise Refused("unknown_field")
        normal, stored = {}, {}
        for name, kind, *default in fields:
            if name not in given and not default:
                raise Refused("missing_field")
            value = given.get(name, default[0] if default else None)
            stored[name] = self.value(kind, value)
            normal[name] = self.nfc(stored[name]) if "text" in kind else stored[name]
            if kind == "reference":
                normal[name] = self.nfc(stored[name])
        return normal, stored

    def value(self, kind, value):
        if kind.endswith("?"):
            return None if value is None else self.value(kind[:-1], value)
        if kind == "list of text":
            return [self.value("text", item) for item in value]
        if kind.startswith("one of "):
            return self.checked(value, value in kind.removeprefix("one of ").split(", "))
        return getattr(self, f"field_{kind}")(value)

    def checked(self, value, holds, code="bad_value"):
        if not holds:
            raise Refused(code)
        return value

    def nfc(self, value):
        if isinstance(value, list):
            return [self.nfc(item) for item in value]
        return unicodedata.normalize("NFC", value)

    def field_text(self, value):
        return self.checked(value, isinstance(value, str))

    field_reference = field_text

    def field_decimal(self, value):
        if isinstance(value, str):
            plain = value.strip()
            self.checked(value, re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", plain) and len(plain) <= 40)
            value = Decimal(plain)
        self.checked(value, isinstance(value, int | Decimal) and not isinstance(value, bool))
        text = f"{Decimal(value):f}"
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        return "0" if text == "-0" else text

    def field_integer(self, value):
        if isinstance(value, str):
            value = int(self.checked(value, re.fullmatch("-?[0-9]+", value)))
        whole = isinstance(value, int | Decimal) and not isinstance(value, bool)
        value = int(self.checked(value, whole and value == int(value)))
        return self.checked(value, abs(value) < 2**53, "not_canonical")

    def field_boolean(self, value):
        return self.checked(value, isinstance(value, bool))

    def field_date(self, value):
        return date.fromisoformat(value).isoformat()

    def field_instant(self, value):
        at = datetime.fromisoformat(value)
        if at.tzinfo is None:
            raise Refused("not_canonical")
        at = at.astimezone(UTC)
        day = f"{at.year:04}-{at.month:02}-{at.day:02}"
        return f"{day}T{at.hour:02}:{at.minute:02}:{at.second:02}.{at.microsecond:06}Z"

    def field_uuid(self, value):
        digits = value.lower().replace("-", "")
        self.checked(value, re.fullmatch("[0-9a-f]{32}", digits))
        return self.grouped(digits)

    def grouped(self, digits):
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    # 3. Canonical bytes

    def jcs(self, value):
        return self._json(value, lambda name: name.encode("utf-16-be")).encode()

    def _json(self, value, order):
        match value:
            case None:
                return "null"
            case bool():
                return "true" if value else "false"
            case int():
                return str(value)
            case str():
                return f'"{"".join(map(self._letter, value))}"'
            case list():
                return f"[{','.join(self._json(item, order) for item in value)}]"
        members = [
            f"{self._json(name, order)}:{self._json(value[name], order)}"
            for name in sorted(value, key=order)
        ]
        return f"{{{','.join(members)}}}"

    def _letter(self, letter):
        short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f"}
        if letter in short or letter == "\r":
            return short.get(letter, "\\r")
        return letter if letter >= " " else f"\\u{ord(letter):04x}"

    def sha256(self, data):
        return hashlib.sha256(data).hexdigest()

    def digest(self, *parts):
        return self.sha256(self.jcs(list(parts)))

    # 4. to 6. Keys and ids

    def act(self, vector, shapes):
        who = [vector[part] for part in ("org", "person", "conversation", "message")]
        if any(not part.strip() for part in who):
            raise Refused("not_canonical")
        plan = [
            [action, self.inputs(action, given, shapes)[0]]
            for action, given in self.read(vector["plan"])
        ]
        return ["semel.key.v1", "act", *map(self.nfc, who), plan]

    def later_key(self, vector, shapes):
        ((action, given),) = self.read(vector["plan"])
        spelled = self.inputs(action, given, shapes)[0]
        at = self.field_instant(vector["not_before"])
        return ["semel.key.v1", "later", self.nfc(vector["org"]), action, spelled, at]

    def send(self, vector):
        return ["semel.send.v1", vector["step"], vector["attempt"]]

    def uuid7(self, milliseconds, random):
        value = (milliseconds % 2**48) * 2**80 + int.from_bytes(random, "big")
        value = value & ~(0b1111 << 76) | 0b0111 << 76
        value = value & ~(0b11 << 62) | 0b10 << 62
        return self.grouped(f"{value:032x}")

    # 7. to 9. Stored text, facts, plan

    def stored(self, value):
        return self._json(value, lambda name: [ord(letter) for letter in name])

    def material(self, facts):
        return {
            name: {"type": fact["type"], "value": fact["value"]}
            for name, fact in facts.items()
            if not fact.get("volatile")
        }

    def facts(self, v):
        where = [v["org"], v["plan"], v["position"], v["action_version"]]
        return ["semel.facts.v1", *where, self.material(v["facts"]), v["references"]]

    def later(self, v):
        when = [v["not_before"], v["not_after"], v["unless"]]
        given = {
            name: None if name in {path for path, *_ in v["references"]} else value
            for name, value in json.loads(v["input"]).items()
        }
        facts = self.material(v["facts"])
        action = [v["action"], v["action_version"]]
        return ["semel.later.v1", *action, when, given, facts, v["references"]]

    def undo(self, v):
        return ["semel.undo.v1", v["org"], v["plan"], v["position"], v["input"]]

    def plan(self, v):
        steps = [
            [
                *[step[name] for name in ("position", "action", "action_version", "effect")],
                *[self.sha256(step[name].encode()) for name in ("input", "preview")],
                *[step[name] for name in ("facts_digest", "risk")],
                *[step[name] and self.sha256(step[name].encode()) for name in ("later", "similar")],
            ]
            for step in v["steps"]
        ]
        return ["semel.plan.v1", v["org"], v["plan"], steps]

    # 10. to 12. Signing keys, seal, question, token

    def derived(self, secret, purpose):
        extracted = hmac.digest(bytes(32), secret, "sha256")
        return hmac.digest(extracted, purpose.encode() + b"\x01", "sha256")

    def mac(self, kid, purpose, parts):
        secret = b64decode(self.keys[kid])
        return hmac.digest(self.derived(secret, purpose), self.jcs(parts), "sha256")

    def seal(self, v):
        names = ("org", "person", "conversation", "plan", "digest", "kind", "parent")
        return [v[name] for name in (*names, "not_before", "not_after", "unless")]

    def question(self, v):
        names = ("org", "id", "nonce", "kid", "question", "plan", "version", "epoch", "digest")
        names = (*names, "person", "conversation", "expires_at")
        return ["semel.confirmation.v1", *[v[name] for name in names]]

    def token(self, v):
        mac = self.mac(v["kid"], "semel.token.v1", [v["org"], v["id"], v["nonce"]])
        return "smlc_" + urlsafe_b64encode(mac[:24]).decode().rstrip("=")

    # 13. Events

    def event(self, v, before):
        parts = [v[name] for name in ("org", "plan", "seq", "at", "kind", "position")]
        return ["semel.event.v1", before, *parts, self.sha256(v["body"].encode())]
