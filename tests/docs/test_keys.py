"""The vectors of docs/keys.md: by the library, by a second implementation, and on the page itself.

The second implementation is written from the page alone and uses nothing of semel; it stands in
`Second`, so that a reader in another language finds all of it in one place.
"""

import hashlib
import hmac
import json
import re
import unicodedata
from base64 import b64decode, urlsafe_b64encode
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from uuid import UUID

import pytest

from semel import Action, Input, Kind, Line, Local, Made, Number, Preview, Ref
from semel.catalog import Catalog, Parsed
from semel.domain import canonical, consent, key, proposal
from semel.domain.action import Risk
from semel.domain.plan import StepRow, StepState
from semel.facts import instant_text, read_facts
from semel.runtime import record

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/keys.md").read_text(encoding="utf-8")
VECTORS = json.loads((ROOT / "tests/data/key_vectors.json").read_text(encoding="utf-8"))


class Refused(Exception):
    """What is read has no meaning; the code says why."""


class Second:
    """The page, once more, as a program."""

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
        if abs(int(digits)) >= 2**53:
            raise Refused("number_too_large")
        return int(digits)

    def _number(self, digits):
        number = Decimal(digits)
        small, large = Decimal("1e-30"), Decimal("1e31")
        in_range = small <= abs(number) < large if number else abs(number.as_tuple().exponent) <= 30
        if not in_range:
            raise Refused("number_too_large")
        return number

    def _constant(self, _):
        raise Refused("not_a_number")

    def _step(self, step):
        if not isinstance(step, dict) or not isinstance(step.get("action"), str):
            raise Refused("step_shape")
        if "input" not in step:
            raise Refused("step_shape")
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

    def checked(self, value, holds):
        if not holds:
            raise Refused("bad_value")
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
        if abs(value) >= 2**53:
            raise Refused("not_canonical")
        return value

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

    def uuid7(self, milliseconds, random):
        value = (milliseconds % 2**48) * 2**80 + int.from_bytes(random, "big")
        value = value & ~(0b1111 << 76) | 0b0111 << 76
        value = value & ~(0b11 << 62) | 0b10 << 62
        return self.grouped(f"{value:032x}")

    # 7. to 9. Stored text, facts, plan

    def stored(self, value):
        return self._json(value, lambda name: [ord(letter) for letter in name])

    def facts(self, v):
        material = {
            name: {"type": fact["type"], "value": fact["value"]}
            for name, fact in v["facts"].items()
            if not fact.get("volatile")
        }
        where = [v["org"], v["plan"], v["position"], v["action_version"]]
        return ["semel.facts.v1", *where, material, v["references"]]

    def plan(self, v):
        steps = [
            [
                *[step[name] for name in ("position", "action", "action_version", "effect")],
                *[self.sha256(step[name].encode()) for name in ("input", "preview")],
                *[step[name] for name in ("facts_digest", "risk")],
            ]
            for step in v["steps"]
        ]
        return ["semel.plan.v1", v["org"], v["plan"], steps]

    # 10. to 12. Signing keys, seal, question, token

    def derived(self, secret, purpose):
        extracted = hmac.digest(bytes(32), secret, "sha256")
        return hmac.digest(extracted, purpose.encode() + b"\x01", "sha256")

    def mac(self, kid, purpose, parts):
        secret = b64decode(VECTORS["signing_keys"][kid])
        return hmac.digest(self.derived(secret, purpose), self.jcs(parts), "sha256")

    def question(self, v):
        names = ("org", "id", "nonce", "kid", "question", "plan", "version", "digest", "person")
        names = (*names, "conversation", "expires_at")
        return ["semel.confirmation.v1", *[v[name] for name in names]]

    def token(self, v):
        mac = self.mac(v["kid"], "semel.token.v1", [v["org"], v["id"], v["nonce"]])
        return "smlc_" + urlsafe_b64encode(mac[:24]).decode().rstrip("=")

    # 13. Events

    def event(self, v, before):
        parts = [v[name] for name in ("org", "plan", "seq", "at", "kind", "position")]
        return ["semel.event.v1", before, *parts, self.sha256(v["body"].encode())]


SECOND = Second()


class Thing(Kind[str], name="thing"):
    def find(self, ctx, id):
        return id

    def key(self, row):
        return row

    def version(self, row):
        return "1"

    def label(self, row):
        return row


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Adding(Input):
    name: Line
    price: Number
    quantity: Number = Decimal(1)
    day: date | None = None


class Labelling(Input):
    thing: Ref[Thing]
    tags: list[str] = []
    urgent: bool = False
    count: int = 0
    at: datetime | None = None
    uid: UUID | None = None
    colour: Colour = Colour.RED


class Unseen(Action):
    """An action of the vectors; it is parsed and never run."""

    will = did = {"es": "Hacer", "en": "Do"}

    def preview(self, i, ctx):
        return Preview()

    def run(self, i, ctx):
        return Made()


class Add(Unseen, name="thing.add", effect=Local(), makes=Thing, allow="all"):
    """Add a thing."""

    Input = Adding


class Label(Unseen, name="thing.label", effect=Local(), makes=Thing, allow="all"):
    """Label a thing."""

    Input = Labelling


CATALOG = Catalog([Add(), Label()])
RING = consent.Keyring(
    tuple((kid, b64decode(text)) for kid, text in VECTORS["signing_keys"].items())
)


def parsed(text):
    """A plan as the library reads it: its parsed steps, or the code of what is wrong."""
    read = proposal.read(text)
    if read.problems:
        return read.problems[0].code
    steps = [CATALOG.parse(name, given, "step") for name, given in read.steps]
    wrong = [step[0].code for step in steps if not isinstance(step, Parsed)]
    return wrong[0] if wrong else steps


def act_key(vector):
    steps = parsed(vector["plan"])
    plan = [[step.name, step.canonical] for step in steps]
    who = [vector[part] for part in ("org", "person", "conversation", "message")]
    return key.act_key(*who, plan)


def rows(steps):
    return [
        StepRow(
            **{**step, "risk": Risk(step["risk"])},
            state=StepState.WAITING, reason=None, detail=None, result=None,
        )
        for step in steps
    ]  # fmt: skip


def confirmation(v):
    names = ("org", "id", "kid", "plan", "version", "digest", "person", "conversation")
    return consent.Confirmation(
        **{name: v[name] for name in names},
        nonce=bytes.fromhex(v["nonce"]),
        question=consent.Question(v["question"]),
        expires_at=v["expires_at"],
        mac=v["mac"],
    )


def of(section):
    """Run a test once for each vector of a section."""
    found = VECTORS[section]
    names = [str(v.get("name", number)) for number, v in enumerate(found, start=1)]
    return pytest.mark.parametrize("v", found, ids=names)


def same(section, names, field):
    return {v[field] for v in VECTORS[section] if v["name"] in names}


@of("refused")
def test_what_the_page_refuses_is_refused_by_both(v):
    assert parsed(v["text"]) == v["code"]
    with pytest.raises(Refused) as refused:
        for action, given in SECOND.read(v["text"]):
            SECOND.inputs(action, given, VECTORS["shapes"])
    assert str(refused.value) == v["code"]


@of("blank")
def test_a_key_with_a_blank_part_is_refused_by_both(v):
    plan = VECTORS["act"][0]["plan"]
    with pytest.raises(canonical.NotCanonical):
        act_key({**v, "plan": plan})
    with pytest.raises(Refused):
        SECOND.act({**v, "plan": plan}, VECTORS["shapes"])


@of("jcs")
def test_canonical_bytes_are_the_same_by_both(v):
    expected = v["canonical"].encode()
    assert canonical.jcs(v["value"]) == SECOND.jcs(v["value"]) == expected
    assert SECOND.sha256(expected) == v["sha256"]


@of("instants")
def test_an_instant_has_one_text_by_both(v):
    at = datetime.fromisoformat(v["written"])
    assert instant_text(at) == SECOND.field_instant(v["written"]) == v["instant"]


@of("act")
def test_the_key_of_a_proposal_is_the_same_by_both(v):
    assert act_key(v) == v["key"]
    parts = SECOND.act(v, VECTORS["shapes"])
    assert SECOND.jcs(parts).decode() == v["canonical"]
    assert SECOND.digest(*parts) == v["key"]


@of("act")
def test_a_stored_input_is_the_same_by_both(v):
    assert [step.stored for step in parsed(v["plan"])] == v["stored"]
    again = [
        SECOND.stored(SECOND.inputs(action, given, VECTORS["shapes"])[1])
        for action, given in SECOND.read(v["plan"])
    ]
    assert again == v["stored"]


@pytest.mark.parametrize("names", VECTORS["act_equal"], ids=lambda names: names[0])
def test_equal_meaning_has_one_key(names):
    assert len(same("act", names, "key")) == 1


@pytest.mark.parametrize("names", VECTORS["act_different"], ids=lambda names: names[0])
def test_another_meaning_has_another_key(names):
    assert len(same("act", names, "key")) == len(names)


@of("uuid7")
def test_an_id_is_the_same_by_both(v):
    random = bytes.fromhex(v["random"])
    assert key.uuid7(v["milliseconds"], random) == v["uuid"]
    assert SECOND.uuid7(v["milliseconds"], random) == v["uuid"]


@of("step")
def test_the_key_of_a_step_is_the_same_by_both(v):
    parts = [v[name] for name in ("org", "plan", "position", "round")]
    assert key.step_key(*parts) == v["key"]
    assert SECOND.jcs(["semel.step.v1", *parts]).decode() == v["canonical"]
    assert SECOND.digest("semel.step.v1", *parts)[:32] == v["key"]


@of("facts")
def test_the_digest_of_facts_is_the_same_by_both(v):
    facts, refs = read_facts(v["facts"]), [consent.RefFact(*ref) for ref in v["references"]]
    where = [v[name] for name in ("org", "plan", "position", "action_version")]
    assert consent.facts_digest(*where, facts, refs) == v["digest"]
    assert SECOND.jcs(SECOND.facts(v)).decode() == v["canonical"]
    assert SECOND.digest(*SECOND.facts(v)) == v["digest"]


@pytest.mark.parametrize("names", VECTORS["facts_equal"], ids=lambda names: names[0])
def test_what_is_volatile_changes_no_digest(names):
    assert len(same("facts", names, "digest")) == 1


@pytest.mark.parametrize("names", VECTORS["facts_different"], ids=lambda names: names[0])
def test_what_is_material_changes_the_digest(names):
    assert len(same("facts", names, "digest")) == len(names)


def test_the_digest_of_a_plan_is_the_same_by_both():
    v = VECTORS["plan"]
    assert consent.plan_digest(v["org"], v["plan"], rows(v["steps"])) == v["digest"]
    assert SECOND.jcs(SECOND.plan(v)).decode() == v["canonical"]
    assert SECOND.digest(*SECOND.plan(v)) == v["digest"]
    for name in ("input", "preview"):
        texts = [SECOND.sha256(step[name].encode()) for step in v["steps"]]
        assert texts == v[f"{name}_sha256"]


@of("derived_keys")
def test_a_derived_key_is_the_same_by_both(v):
    secret = b64decode(VECTORS["signing_keys"][v["kid"]])
    assert consent.hkdf(secret, v["info"].encode()).hex() == v["key"]
    assert SECOND.derived(secret, v["info"]).hex() == v["key"]


@of("seal")
def test_a_seal_is_the_same_by_both(v):
    plan = VECTORS["plan"]
    parts = [plan["org"], plan["plan"], plan["digest"]]
    assert consent.seal_plan(RING, v["kid"], *parts) == v["seal"]
    assert SECOND.jcs(parts).decode() == v["canonical"]
    assert SECOND.mac(v["kid"], "semel.plan.v1", parts).hex() == v["seal"]
    steps = rows(plan["steps"])
    assert consent.plan_intact(RING, v["kid"], plan["org"], plan["plan"], v["seal"], steps)


@of("confirmation")
def test_the_mac_of_a_question_is_the_same_by_both(v):
    assert confirmation(v).mac_by(RING) == v["mac"]
    parts = SECOND.question(v)
    assert SECOND.jcs(parts).decode() == v["canonical"]
    assert SECOND.mac(v["kid"], "semel.confirmation.v1", parts).hex() == v["mac"]


@of("confirmation")
def test_a_token_is_the_same_by_both(v):
    assert consent.token_of(RING, confirmation(v)) == SECOND.token(v) == v["token"]
    assert SECOND.jcs([v["org"], v["id"], v["nonce"]]).decode() == v["token_canonical"]
    assert consent.token_hash(v["token"]) == v["token_sha256"]
    assert SECOND.sha256(v["token"].encode()) == v["token_sha256"]


def test_the_chain_of_events_is_the_same_by_both():
    before = VECTORS["first_event"]["sha256"]
    assert record.FIRST == SECOND.sha256(b"semel.event.v1") == before
    for v in VECTORS["events"]:
        parts = [v[name] for name in ("org", "plan", "seq", "at", "kind", "position")]
        link = canonical.digest("semel.event.v1", before, *parts, v["body_sha256"])
        assert canonical.sha256_text(v["body"]) == v["body_sha256"]
        assert link == SECOND.digest(*SECOND.event(v, before)) == v["digest"]
        assert SECOND.jcs(SECOND.event(v, before)).decode() == v["canonical"]
        before = v["digest"]


def test_the_library_appends_the_events_of_the_vectors():
    written = []

    class Chain:
        def one(self, statement, **params):
            assert statement == "events.last"
            return written[-1] if written else None

        def run(self, statement, **params):
            assert statement == "events.append"
            written.append(params)

        def now(self):
            return datetime.strptime(self.at, "%Y-%m-%dT%H:%M:%S.%f%z")

    tx = Chain()
    for v in VECTORS["events"]:
        tx.at = v["at"]
        record.event(tx, v["org"], v["plan"], v["kind"], v["position"], **json.loads(v["body"]))
    assert [row["body"] for row in written] == [v["body"] for v in VECTORS["events"]]
    assert [row["digest"] for row in written] == [v["digest"] for v in VECTORS["events"]]


def test_the_page_and_the_vectors_have_the_same_digests():
    tables = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))
    digits = re.compile(r"\b[0-9a-f]{32,}\b")
    assert set(digits.findall(tables)) == set(digits.findall(json.dumps(VECTORS)))


def test_the_page_shows_the_canonical_bytes_and_the_tokens_of_the_vectors():
    shown = [
        v[field]
        for section in VECTORS.values()
        for v in (section if isinstance(section, list) else [section])
        if isinstance(v, dict)
        for field in ("canonical", "token_canonical", "token", "instant", "uuid")
        if field in v
    ]
    assert len(shown) > 70
    assert not [text for text in shown if text not in PAGE]
