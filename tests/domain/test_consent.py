"""What a yes is bound to: keys, seals, tokens, the order of judgement, and what has changed."""

import hashlib
import hmac
import re
from dataclasses import fields, replace
from decimal import Decimal
from itertools import product

import pytest

from semel.domain.action import Risk
from semel.domain.consent import (
    Confirmation,
    Difference,
    Keyring,
    Purpose,
    Question,
    RefFact,
    Verdict,
    differences,
    expiry,
    facts_digest,
    hkdf,
    judge,
    plan_digest,
    plan_intact,
    seal_plan,
    token_hash,
    token_of,
)
from semel.domain.plan import StepRow, StepState, Who
from semel.errors import CatalogError
from semel.facts import Count, Money, Text

OLD, NEW = ("k1", b"1" * 32), ("k2", b"2" * 32)
RING = Keyring((NEW, OLD))
ANA = Who("o-1", "ana", "c-1", "es")
NOW, LATER = "2026-10-19T08:00:00.000000Z", "2026-10-19T08:10:00.000000Z"
HASH = "a" * 64


def question(**changes):
    bare = Confirmation(
        org="o-1", id="q-1", nonce=b"n" * 24, kid="k2", question=Question.CONFIRM, plan="p_1",
        version=1, digest=HASH, person="ana", conversation="c-1", expires_at=LATER, mac="",
    )  # fmt: skip
    sealed = replace(bare, mac=bare.mac_by(RING))
    return replace(sealed, **changes)


def judged(confirmation, who=ANA, now=NOW, shown=HASH, keys=RING):
    return judge(confirmation, keys, who, Question.CONFIRM, shown, now)


def test_hkdf_is_that_of_rfc_5869_with_an_empty_salt_and_one_block():
    secret, info = b"\x0b" * 22, b"semel.token.v1"
    extracted = hmac.new(b"\0" * 32, secret, hashlib.sha256).digest()
    assert hkdf(secret, info) == hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()
    # Test case 3 of the RFC: no salt, no info; its first block.
    assert hkdf(secret, b"").hex() == (
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
    )


def test_a_key_for_one_purpose_signs_nothing_for_another():
    macs = {RING.mac("k2", purpose, b"same") for purpose in Purpose}
    assert len(macs) == len(Purpose)
    assert RING.mac("k1", Purpose.TOKEN, b"x") != RING.mac("k2", Purpose.TOKEN, b"x")
    assert RING.mac("k3", Purpose.TOKEN, b"x") is None


@pytest.mark.parametrize(
    "keys", [(), (("k1", b"short"),), (("k1", b"1" * 31),), (OLD, ("k1", b"3" * 32))]
)
def test_a_keyring_without_sound_keys_is_refused(keys):
    with pytest.raises(CatalogError):
        Keyring(keys)


def test_a_keyring_prints_the_names_of_its_keys_only():
    for text in (repr(RING), str(RING), f"{RING}"):
        assert text == "Keyring(k2, k1)"
    assert RING.newest == "k2"


def test_a_token_is_derived_and_the_same_each_time():
    token = token_of(RING, question())
    assert token == token_of(RING, question())
    assert re.fullmatch(r"smlc_[A-Za-z0-9_-]{32}", token)
    assert token_hash(token) == hashlib.sha256(token.encode()).hexdigest()
    others = [
        question(id="q-2"),
        question(org="o-2"),
        question(nonce=b"m" * 24),
        question(kid="k1"),
    ]
    assert len({token, *(token_of(RING, other) for other in others)}) == 5
    assert token_of(Keyring((OLD,)), question()) is None


def test_the_record_does_not_print_what_a_token_could_be_made_of_the_ring():
    assert token_of(RING, question())[5:] not in repr(question())


@pytest.mark.parametrize(
    ("changes", "who", "now", "verdict"),
    [
        ({}, ANA, NOW, Verdict.GOOD),
        ({}, Who("o-1", "ana", "c-1", "en"), NOW, Verdict.GOOD),
        ({}, Who("o-1", "luis", "c-1"), NOW, Verdict.MISMATCH),
        ({}, Who("o-1", "ana", "c-2"), NOW, Verdict.MISMATCH),
        ({}, Who("o-2", "ana", "c-1"), NOW, Verdict.MISMATCH),
        ({}, ANA, "2026-10-19T08:09:59.999999Z", Verdict.GOOD),
        ({}, ANA, LATER, Verdict.EXPIRED),
        ({}, ANA, "2026-10-19T08:10:00.001000Z", Verdict.EXPIRED),
        ({"used_at": NOW}, ANA, NOW, Verdict.USED),
        ({"revoked_at": NOW}, ANA, NOW, Verdict.REVOKED),
    ],
)
def test_a_token_is_judged(changes, who, now, verdict):
    assert judged(question(**changes), who, now) is verdict


def test_the_order_of_the_checks_is_tampered_mismatch_used_expired_revoked():
    stranger = Who("o-1", "luis", "c-1")
    for used, revoked, late, strange, forged in product([False, True], repeat=5):
        if used and revoked:
            continue
        confirmation = question(
            used_at=NOW if used else None,
            revoked_at=NOW if revoked else None,
            **({"version": 9} if forged else {}),
        )
        verdict = judged(confirmation, stranger if strange else ANA, LATER if late else NOW)
        expected = next(
            (
                name
                for holds, name in [
                    (forged, Verdict.TAMPERED),
                    (strange, Verdict.MISMATCH),
                    (used, Verdict.USED),
                    (late, Verdict.EXPIRED),
                    (revoked, Verdict.REVOKED),
                ]
                if holds
            ),
            Verdict.GOOD,
        )
        assert verdict is expected


EDITS = {
    "org": "o-2", "id": "q-2", "nonce": b"m" * 24, "kid": "k1", "plan": "p_2", "version": 2,
    "digest": "b" * 64, "person": "luis", "conversation": "c-2",
    "question": "retry", "expires_at": "2030-01-01T00:00:00.000000Z", "mac": "0" * 64,
}  # fmt: skip


@pytest.mark.parametrize("field", EDITS)
def test_an_edit_of_any_bound_field_is_tampering(field):
    edited = question(**{field: EDITS[field]})
    assert judged(edited) is Verdict.TAMPERED
    # Whoever presents it: that he is a stranger to it is not looked at first.
    assert judged(edited, Who("o-1", "luis", "c-2")) is Verdict.TAMPERED


def test_the_seal_covers_every_field_but_the_two_that_change():
    covered = {field.name for field in fields(Confirmation)} - {"used_at", "revoked_at"}
    assert covered == {*EDITS}
    for field in covered - {"mac"}:
        # Even the key's id, though another key would make another MAC of the same bytes.
        assert question(**{field: EDITS[field]}).sealed() != question().sealed()
    assert question(used_at=NOW, revoked_at=NOW, mac="").sealed() == question().sealed()


def test_a_question_of_one_kind_answers_none_of_another():
    assert judge(question(), RING, ANA, "retry", HASH, NOW) is Verdict.MISMATCH


def test_a_plan_that_is_no_longer_the_one_shown_is_tampering_unless_it_was_shown_anew():
    assert judged(question(), shown="b" * 64) is Verdict.TAMPERED
    assert judged(question(used_at=NOW), shown="b" * 64) is Verdict.TAMPERED
    assert judged(question(revoked_at=NOW), shown="b" * 64) is Verdict.REVOKED


@pytest.mark.parametrize("keys", [Keyring((OLD,)), Keyring((("k2", b"9" * 32),))])
def test_a_retired_or_replaced_key_verifies_nothing(keys):
    assert judged(question(), keys=keys) is Verdict.TAMPERED


def test_a_question_stands_ten_minutes():
    assert expiry(NOW) == LATER
    assert expiry("2026-12-31T23:55:00.000001Z") == "2027-01-01T00:05:00.000001Z"


STEP = StepRow(
    1, "nota.crear", 1, "local", '{"a":1}', "{}", HASH, Risk.SAFE, StepState.WAITING,
    None, None, None,
)  # fmt: skip
STEP_EDITS = {
    "position": 2, "action": "nota.otra", "action_version": 2, "effect": "opaque",
    "input": '{"a": 1}', "preview": "{ }", "facts_digest": "b" * 64, "risk": Risk.CONFIRM,
}  # fmt: skip
LIVE = {"state": StepState.DONE, "reason": None, "detail": "x", "result": "{}"}


def test_the_plans_digest_covers_each_step_byte_for_byte_and_not_what_becomes_of_it():
    digests = {plan_digest("o-1", "p_1", [replace(STEP, **{k: v})]) for k, v in STEP_EDITS.items()}
    digests |= {plan_digest("o-2", "p_1", [STEP]), plan_digest("o-1", "p_2", [STEP])}
    digests |= {plan_digest("o-1", "p_1", [STEP, STEP]), plan_digest("o-1", "p_1", [])}
    whole = plan_digest("o-1", "p_1", [STEP])
    assert len(digests) == len(STEP_EDITS) + 4
    assert whole not in digests
    for field, value in LIVE.items():
        assert plan_digest("o-1", "p_1", [replace(STEP, **{field: value})]) == whole
    assert {field.name for field in fields(StepRow)} == {*STEP_EDITS, *LIVE}


def test_the_order_of_steps_is_part_of_the_digest():
    other = replace(STEP, position=2, action="nota.otra")
    swapped = [replace(STEP, position=2), replace(other, position=1)]
    assert plan_digest("o-1", "p_1", [STEP, other]) != plan_digest("o-1", "p_1", swapped)


def test_a_seal_holds_for_the_steps_it_was_made_for_under_a_key_that_is_there():
    digest = plan_digest("o-1", "p_1", [STEP])
    seal = seal_plan(RING, "k1", "o-1", "p_1", digest)
    assert plan_intact(RING, "k1", "o-1", "p_1", seal, [STEP])
    assert plan_intact(Keyring((OLD,)), "k1", "o-1", "p_1", seal, [STEP])
    assert not plan_intact(RING, "k2", "o-1", "p_1", seal, [STEP])
    assert not plan_intact(RING, "k1", "o-2", "p_1", seal, [STEP])
    assert not plan_intact(RING, "k1", "o-1", "p_2", seal, [STEP])
    assert not plan_intact(RING, "k1", "o-1", "p_1", seal, [replace(STEP, risk=Risk.TYPED)])
    assert not plan_intact(Keyring((NEW,)), "k1", "o-1", "p_1", seal, [STEP])
    assert seal_plan(Keyring((NEW,)), "k1", "o-1", "p_1", digest) is None
    for forged in ("", "0" * 64, seal[:-1], seal.upper() + "x"):
        assert not plan_intact(RING, "k1", "o-1", "p_1", forged, [STEP])


TOTAL, NUMBER = Money(Decimal("605.00")), Text("2026-0001", volatile=True)
REF = RefFact("factura", "factura", "F-1", "3")


def digest_of(facts=None, refs=(REF,), position=1, version=1):
    facts = {"total": TOTAL, "numero": NUMBER} if facts is None else facts
    return facts_digest("o-1", "p_1", position, version, facts, refs)


def test_the_facts_digest_covers_what_is_material():
    whole = digest_of()
    others = {
        digest_of({"total": Money(Decimal("605.01")), "numero": NUMBER}),
        digest_of({"total": Money(Decimal(605), "JPY"), "numero": NUMBER}),
        digest_of({"total": Text("605.00"), "numero": NUMBER}),
        digest_of({"suma": TOTAL, "numero": NUMBER}),
        digest_of({"total": TOTAL, "numero": NUMBER, "n": Count(1)}),
        digest_of({}),
        digest_of(refs=()),
        digest_of(refs=(replace(REF, version="4"),)),
        digest_of(refs=(replace(REF, version=None),)),
        digest_of(refs=(replace(REF, id="F-2"),)),
        digest_of(refs=(replace(REF, kind="contacto"),)),
        digest_of(refs=(replace(REF, path="otra"),)),
        digest_of(refs=(REF, REF)),
        digest_of(position=2),
        digest_of(version=2),
    }
    assert len(others) == 15
    assert whole not in others


def test_what_is_volatile_is_no_part_of_the_facts_digest():
    assert digest_of({"total": TOTAL, "numero": Text("2026-0007", volatile=True)}) == digest_of()
    assert digest_of({"total": TOTAL}) == digest_of()
    assert digest_of({"numero": NUMBER, "total": Money(Decimal("605.0"))}) == digest_of()
    # Said of one that was material, it is a change.
    assert digest_of({"total": Money(Decimal(605), volatile=True)}) != digest_of()


def test_the_differences_are_the_material_facts_that_changed_by_name():
    shown = {"b": Count(1), "a": TOTAL, "same": Count(2), "n": NUMBER, "gone": Text("x")}
    now = {
        "b": Count(2), "a": TOTAL, "same": Count(2), "n": Text("2026-0002", volatile=True),
        "new": Text("y"), "v": Text("z", volatile=True),
    }  # fmt: skip
    assert differences(3, shown, now) == [
        Difference(3, "b", Count(1), Count(2)),
        Difference(3, "gone", Text("x"), None),
        Difference(3, "new", None, Text("y")),
    ]
    assert differences(1, shown, shown) == []
    turned = differences(1, {"n": NUMBER}, {"n": Text("2026-0001")})
    assert [difference.name for difference in turned] == ["n"]
