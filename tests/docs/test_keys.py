"""The vectors of docs/keys.md: by the library, by a second implementation, and on the page itself.

The second implementation is written from the page alone and uses nothing of semel: keys_second.py.
"""

import json
import re
from base64 import b64decode
from datetime import datetime

import pytest
from keys_cases import (
    PAGE,
    RING,
    SECOND,
    SHAPES,
    VECTORS,
    act_key,
    confirmation,
    of,
    parsed,
    plan_row,
    rows,
    same,
    terms,
)
from keys_second import Refused

from semel import Who
from semel.domain import canonical, consent, key
from semel.domain.keyring import hkdf
from semel.domain.plan import StepState
from semel.facts import instant_text, read_facts, store_facts
from semel.runtime import chain, record, undo
from semel.runtime.look import Stored


@of("refused")
def test_what_the_page_refuses_is_refused_by_both(v):
    assert parsed(v["text"]) == v["code"]
    with pytest.raises(Refused) as refused:
        for action, given in SECOND.read(v["text"]):
            SECOND.inputs(action, given, SHAPES)
    assert str(refused.value) == v["code"]


@of("blank")
def test_a_key_with_a_blank_part_is_refused_by_both(v):
    plan = VECTORS["act"][0]["plan"]
    with pytest.raises(canonical.NotCanonical):
        act_key({**v, "plan": plan})
    with pytest.raises(Refused):
        SECOND.act({**v, "plan": plan}, SHAPES)


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
    parts = SECOND.act(v, SHAPES)
    assert SECOND.jcs(parts).decode() == v["canonical"]
    assert SECOND.digest(*parts) == v["key"]


@of("act")
def test_a_stored_input_is_the_same_by_both(v):
    assert [step.stored for step in parsed(v["plan"])] == v["stored"]
    again = [
        SECOND.stored(SECOND.inputs(action, given, SHAPES)[1])
        for action, given in SECOND.read(v["plan"])
    ]
    assert again == v["stored"]


@pytest.mark.parametrize("names", VECTORS["act_equal"], ids=lambda names: names[0])
def test_equal_meaning_has_one_key(names):
    assert len(same("act", names, "key")) == 1


@pytest.mark.parametrize("names", VECTORS["act_different"], ids=lambda names: names[0])
def test_another_meaning_has_another_key(names):
    assert len(same("act", names, "key")) == len(names)


@of("later_keys")
def test_the_key_of_what_is_planned_for_later_is_the_same_by_both(v):
    (step,) = parsed(v["plan"])
    at = instant_text(datetime.fromisoformat(v["not_before"]))
    assert key.later_key(v["org"], step.name, step.canonical, at) == v["key"]
    parts = SECOND.later_key(v, SHAPES)
    assert SECOND.jcs(parts).decode() == v["canonical"]
    assert SECOND.digest(*parts) == v["key"]


def test_one_thing_at_one_instant_is_planned_once():
    assert len(same("later_keys", ["base", "spelled otherwise"], "key")) == 1
    others = ["base", "an hour later", "other input"]
    assert len(same("later_keys", others, "key")) == len(others)


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


@of("send")
def test_the_key_of_a_send_is_the_same_by_both(v):
    assert key.send_key(v["step"], v["attempt"]) == v["key"]
    assert SECOND.jcs(SECOND.send(v)).decode() == v["canonical"]
    assert SECOND.digest(*SECOND.send(v))[:32] == v["key"]


@of("facts")
def test_the_digest_of_facts_is_the_same_by_both(v):
    facts, refs = read_facts(v["facts"]), [consent.RefFact(*ref) for ref in v["references"]]
    where = [v[name] for name in ("org", "plan", "position", "action_version")]
    assert consent.facts_digest(*where, store_facts(facts), refs) == v["digest"]
    assert SECOND.jcs(SECOND.facts(v)).decode() == v["canonical"]
    assert SECOND.digest(*SECOND.facts(v)) == v["digest"]


@pytest.mark.parametrize("names", VECTORS["facts_equal"], ids=lambda names: names[0])
def test_what_is_volatile_changes_no_digest(names):
    assert len(same("facts", names, "digest")) == 1


@pytest.mark.parametrize("names", VECTORS["facts_different"], ids=lambda names: names[0])
def test_what_is_material_changes_the_digest(names):
    assert len(same("facts", names, "digest")) == len(names)


@of("later")
def test_the_digest_of_what_is_planned_for_later_is_the_same_by_both(v):
    facts, refs = read_facts(v["facts"]), [consent.RefFact(*ref) for ref in v["references"]]
    when = [v["not_before"], v["not_after"], v["unless"]]
    given = SECOND.later(v)[4]
    about = (v["action"], v["action_version"], when, given)
    found = consent.later_digest(*about, store_facts(facts), refs)
    assert found == v["digest"]
    assert SECOND.jcs(SECOND.later(v)).decode() == v["canonical"]
    assert SECOND.digest(*SECOND.later(v)) == v["digest"]


def test_what_is_planned_for_later_is_covered_but_for_what_is_volatile_and_the_ids():
    assert len(same("later", ["by reference", "another id, another number"], "digest")) == 1
    others = ["by reference", "by a record", "no end", "other amount"]
    assert len(same("later", others, "digest")) == len(others)


@of("undo")
def test_the_digest_of_a_step_that_takes_back_is_the_same_by_both(v):
    done = rows(VECTORS["plan"]["steps"])[0]._replace(
        position=v["of"], state=StepState.DONE, result=json.dumps({"undo": v["data"]}),
    )  # fmt: skip
    parent = plan_row({**VECTORS["plan"], **VECTORS["seal"][0]["terms"]}, "k1", "s")
    (back,) = undo._rows(Stored(parent, (done,), "t"), v["plan"])
    assert (back.position, back.input, back.facts_digest) == (
        v["position"],
        v["input"],
        v["digest"],
    )
    assert SECOND.stored({"of": v["of"], "data": v["data"]}) == v["input"]
    assert SECOND.jcs(SECOND.undo(v)).decode() == v["canonical"]
    assert SECOND.digest(*SECOND.undo(v)) == v["digest"]


def test_the_digest_of_a_plan_is_the_same_by_both():
    v = VECTORS["plan"]
    assert consent.plan_digest(v["org"], v["plan"], rows(v["steps"])) == v["digest"]
    assert SECOND.jcs(SECOND.plan(v)).decode() == v["canonical"]
    assert SECOND.digest(*SECOND.plan(v)) == v["digest"]
    for name in ("input", "preview", "later", "similar"):
        texts = [step[name] for step in v["steps"]]
        assert [text and SECOND.sha256(text.encode()) for text in texts] == v[f"{name}_sha256"]
        for text in filter(None, texts):
            assert canonical.compact(json.loads(text)) == SECOND.stored(json.loads(text)) == text


@of("derived_keys")
def test_a_derived_key_is_the_same_by_both(v):
    secret = b64decode(VECTORS["signing_keys"][v["kid"]])
    assert hkdf(secret, v["info"].encode()).hex() == v["key"]
    assert SECOND.derived(secret, v["info"]).hex() == v["key"]


@of("seal")
def test_a_seal_is_the_same_by_both(v):
    plan = {**VECTORS["plan"], **v["terms"]}
    who = Who(plan["org"], plan["person"], plan["conversation"])
    sealed = consent.seal_plan(RING, v["kid"], who, plan["plan"], plan["digest"], terms(plan))
    assert sealed == v["seal"]
    assert SECOND.jcs(SECOND.seal(plan)).decode() == v["canonical"]
    assert SECOND.mac(v["kid"], "semel.plan.v1", SECOND.seal(plan)).hex() == v["seal"]
    assert consent.plan_intact(RING, plan_row(plan, v["kid"], v["seal"]), rows(plan["steps"]))


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

        def send(self, statement, **params):
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


@pytest.mark.parametrize("told", [None, '[[["plan"],{"state":"asking"}]]', "[]"])
def test_an_event_that_tells_of_rows_and_the_end_of_a_chain_are_the_same_by_both(told):
    v = VECTORS["events"][0]
    before = VECTORS["first_event"]["sha256"]
    parts = [v[name] for name in ("org", "plan", "seq", "at", "kind", "position")]
    more = [] if told is None else [SECOND.sha256(told.encode())]
    theirs = SECOND.digest(*SECOND.event(v, before), *more)
    assert chain.link(before, *parts, v["body_sha256"], told) == theirs
    for kid in ("k1", "k2"):
        mac = SECOND.mac(kid, "semel.chain.v1", [v["org"], v["plan"], 1, theirs]).hex()
        end = chain.Link(1, theirs)
        assert chain.signed(RING, kid, v["org"], v["plan"], end) == f"{kid}:1:{mac}"


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
