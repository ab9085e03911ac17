"""What a yes is bound to: keys, questions, their tokens, and the order in which they are judged."""

import hashlib
import hmac
import re
from dataclasses import fields, replace
from itertools import product

import pytest

from semel.domain.consent import (
    CONFIRM_TTL,
    UNDO_TTL,
    Confirmation,
    Question,
    Verdict,
    expiry,
    judge,
    token_hash,
    token_of,
    undo_expiry,
)
from semel.domain.keyring import Keyring, Purpose, hkdf
from semel.domain.plan import Who
from semel.errors import CatalogError

OLD, NEW = ("k1", b"1" * 32), ("k2", b"2" * 32)
RING = Keyring((NEW, OLD))
ANA = Who("o-1", "ana", "c-1", "es")
NOW, LATER = "2026-10-19T08:00:00.000000Z", "2026-10-19T08:10:00.000000Z"
HASH = "a" * 64


def put(kind=Question.CONFIRM, epoch=3):
    """A question as it is put: sealed."""
    bare = Confirmation(
        org="o-1", id="q-1", nonce=b"n" * 24, kid="k2", question=kind, plan="p_1", version=1,
        epoch=epoch, digest=HASH, person="ana", conversation="c-1", expires_at=LATER, mac="",
    )  # fmt: skip
    return replace(bare, mac=bare.mac_by(RING))


def question(**changes):
    """A question that somebody has edited after it was sealed."""
    return replace(put(), **changes)


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
    "epoch": 4, "digest": "b" * 64, "person": "luis", "conversation": "c-2",
    "question": "retry", "expires_at": "2030-01-01T00:00:00.000000Z", "mac": "0" * 64,
}  # fmt: skip


@pytest.mark.parametrize("field", EDITS)
def test_an_edit_of_any_bound_field_is_tampering(field):
    edited = question(**{field: EDITS[field]})
    assert judged(edited) is Verdict.TAMPERED
    # Whoever presents it: that he is a stranger to it is not looked at first.
    assert judged(edited, Who("o-1", "luis", "c-2")) is Verdict.TAMPERED


def test_the_seal_covers_every_field_but_the_two_that_change():
    covered = {field.name for field in fields(Confirmation)} - {"used_at", "press", "revoked_at"}
    assert covered == {*EDITS}
    for field in covered - {"mac"}:
        # Even the key's id, though another key would make another MAC of the same bytes.
        assert question(**{field: EDITS[field]}).sealed() != question().sealed()
    assert question(used_at=NOW, revoked_at=NOW, mac="").sealed() == question().sealed()


@pytest.mark.parametrize(("asked", "answered"), list(product(Question, repeat=2)))
def test_a_question_of_one_kind_answers_none_of_another(asked, answered):
    expected = Verdict.GOOD if asked is answered else Verdict.MISMATCH
    assert judge(put(asked), RING, ANA, answered, HASH, NOW) is expected
    # Nor does the row become a question of another kind by being called one.
    renamed = replace(put(asked), question=answered)
    assert judge(renamed, RING, ANA, answered, HASH, NOW) is (
        Verdict.GOOD if asked is answered else Verdict.TAMPERED
    )


def test_there_are_three_kinds_of_question():
    assert [str(kind) for kind in Question] == ["confirm", "retry", "undo"]


def test_an_offer_is_of_the_epoch_it_was_made_in():
    assert put(epoch=3).mac != put(epoch=4).mac
    assert judged(put(epoch=4)) is Verdict.GOOD
    for kind, epoch in product(Question, (0, 2, 4, 30)):
        old = replace(put(kind), epoch=epoch)
        assert judge(old, RING, ANA, kind, HASH, NOW) is Verdict.TAMPERED


def test_two_numbers_of_a_question_never_run_into_each_other():
    assert question(version=1, epoch=12).sealed() != question(version=11, epoch=2).sealed()
    assert question(version=2, epoch=1).sealed() != question(version=1, epoch=2).sealed()


def test_a_plan_that_is_no_longer_the_one_shown_is_tampering_unless_it_was_shown_anew():
    assert judged(question(), shown="b" * 64) is Verdict.TAMPERED
    assert judged(question(used_at=NOW), shown="b" * 64) is Verdict.TAMPERED
    assert judged(question(revoked_at=NOW), shown="b" * 64) is Verdict.REVOKED


@pytest.mark.parametrize("text", ["", "ñ", "\0", "💥" * 64, "A" * 10_000])
def test_whatever_somebody_writes_into_a_row_is_tampering_and_no_accident(text):
    for field in ("mac", "digest", "kid", "person", "expires_at", "plan"):
        assert judged(question(**{field: text})) is Verdict.TAMPERED
    assert judged(put(), shown=text) is Verdict.TAMPERED


@pytest.mark.parametrize("keys", [Keyring((OLD,)), Keyring((("k2", b"9" * 32),))])
def test_a_retired_or_replaced_key_verifies_nothing(keys):
    assert judged(question(), keys=keys) is Verdict.TAMPERED


def test_a_question_stands_ten_minutes_and_what_was_done_can_be_taken_back_for_an_hour():
    assert (CONFIRM_TTL.total_seconds(), UNDO_TTL.total_seconds()) == (600, 3600)
    assert expiry(NOW) == LATER
    assert undo_expiry(NOW) == "2026-10-19T09:00:00.000000Z"
    assert undo_expiry("2026-12-31T23:00:00.000001Z") == "2027-01-01T00:00:00.000001Z"
    assert expiry("2026-12-31T23:55:00.000001Z") == "2027-01-01T00:05:00.000001Z"
