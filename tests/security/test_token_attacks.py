# Longer than 300 lines: the list of attacks is read as one list.
"""S3 to S5 and S12: whatever is presented in a token's place, by whomever, whenever: 0 effects."""

import asyncio
import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from urllib.parse import quote

import pytest
from app import ANA, EVA, LUIS
from notas_bench import Bench, crear, enviar, opened, reprice, told

import counts
from semel import Ask, Engine, Keyring, Outcome, Refused, Who
from semel.domain.consent import TOKEN_PREFIX, token_hash
from semel.domain.report import Refusal

RISKY = crear("Logo", urgente=True)
DONE = ("Report", "finished")
NOBODY = "smlc_" + "A" * 32
STRANGERS = {
    "another person": LUIS,
    "another conversation": Who("o-1", "ana", "c-2", "es"),
    "another organization": Who("o-2", "ana", "c-1", "es"),
    "another person of another organization": EVA,
    "nobody at all": Who("", "", "", ""),
    "the person in capitals": Who("o-1", "ANA", "c-1", "es"),
    "the person with a space": Who("o-1", "ana ", "c-1", "es"),
    "the conversation as a prefix": Who("o-1", "ana", "c-", "es"),
    "a pattern": Who("o-1", "%", "%", "es"),
}


def read(outcome: Outcome) -> bytes:
    """Everything that anybody gets to read of an outcome, in both languages."""
    told = [
        [outcome.for_model(locale).plain(), outcome.card(locale).text()] for locale in ("es", "en")
    ]
    return json.dumps([told, repr(outcome)], ensure_ascii=False).encode()


async def nobody(engine: Engine) -> Outcome:
    """What a token that never was gets to hear."""
    return await engine.person(ANA).confirm(NOBODY)


def none_like(outcome: Outcome, answer: Outcome) -> bool:
    """Whether two answers cannot be told apart, byte for byte."""
    return outcome == answer and read(outcome) == read(answer)


def one_flip(token: str) -> Iterator[str]:
    """The token with the case of one letter changed, for each of them."""
    for at, letter in enumerate(token):
        if letter.swapcase() != letter:
            yield token[:at] + letter.swapcase() + token[at + 1 :]


def one_off(token: str) -> Iterator[str]:
    """The token with one character replaced, at each place."""
    for at, letter in enumerate(token):
        yield token[:at] + ("A" if letter != "A" else "B") + token[at + 1 :]


def body(token: str) -> str:
    return token.removeprefix(TOKEN_PREFIX)


LOOK_ALIKES = {"s": "ѕ", "m": "ｍ", "l": "ӏ", "c": "с", "_": "＿"}
STRINGS: dict[str, Callable[[str], list[str]]] = {
    "guessed": lambda t: [NOBODY, "smlc_" + "0" * 32, "smlc_", "yes", "true", "1", "*", "%", ""],
    "truncated": lambda t: [t[:end] for end in range(len(t))] + [t[at:] for at in range(1, 6)],
    "extended": lambda t: [t + "A", "A" + t, t + "=", t + t, t + "\0", t + "\n", t + "&x=1"],
    "case changed": lambda t: [t.upper(), t.lower(), t.swapcase(), *one_flip(t)],
    "one character off": lambda t: list(one_off(t)),
    "reversed": lambda t: [t[::-1], TOKEN_PREFIX + body(t)[::-1]],
    "whitespace": lambda t: [
        mark.join(parts)
        for mark in (" ", "\t", "\n", "\r\n", "\u00a0", "\u200b", "\ufeff", "\u3000")
        for parts in (("", t), (t, ""), (t[:9], t[9:]))
    ],
    "look-alike": lambda t: [
        t.replace(letter, other, 1) for letter, other in LOOK_ALIKES.items()
    ]
    + ["".join(chr(ord(letter) + 0xFEE0) for letter in t)],
    "combined": lambda t: [t + "\u0301", t[0] + "\u0301" + t[1:], "\u202e" + t, t + "\ufe0f"],
    "other encoding": lambda t: [
        quote(t, safe="").replace("_", "%5F"),
        f"%73{t[1:]}",
        t.encode().hex(),
        urlsafe_b64decode(body(t)).hex(),
        urlsafe_b64encode(t.encode()).decode(),
        body(t).replace("-", "+").replace("_", "/") + "=",
        body(t),
        TOKEN_PREFIX + urlsafe_b64decode(body(t)).hex(),
        f'"{t}"',
        f"Bearer {t}",
        f"?token={t}",
        str(t.encode()),
    ],
    "as stored": lambda t: [token_hash(t), TOKEN_PREFIX + token_hash(t)],
    "hostile": lambda t: [
        "' OR 1=1 --", "x" * 10_000, t * 300, "\ud83d", t + "\ud83d", "\0" * 32, "smlc_" + "\0" * 32,
        "../../key", "{{token}}", "%s%n", "$1",
    ],
}  # fmt: skip


@pytest.mark.parametrize("attack", STRINGS)
def test_a_string_that_is_not_the_token_is_nobodys_and_consumes_nothing(tmp_path, attack):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            strings = [text for text in STRINGS[attack](ask.token) if text != ask.token]
            assert strings
            before, answer = bench.dump(), await nobody(engine)
            assert told(answer) == ("Refused", "not_found")
            for text in strings:
                assert none_like(await engine.person(ANA).confirm(text), answer), text
            assert bench.dump() == before
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert (await engine.person(ANA).confirm(ask.token)).replayed
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


class Anything(str):
    """A text that says it is equal to every other one."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


TYPES = [
    None, True, False, 0, 1, -1, 10**40, 1.5, float("nan"), b"smlc_", b"", bytearray(b"x"), [], {},
    (), ["smlc_"], {"token": "smlc_"}, {"$ne": None}, set(), object(), type, len, Ellipsis,
    Anything("smlc_anything"),
]  # fmt: skip


def test_what_is_no_text_is_no_token(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            before, answer = bench.dump(), await nobody(engine)
            inside = [[ask.token], {"token": ask.token}, (ask.token,), ask.token.encode()]
            for odd in [*TYPES, *inside]:
                assert none_like(await engine.person(ANA).confirm(odd), answer), odd
            assert bench.dump() == before
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE

    asyncio.run(main())


def test_however_many_random_tokens_find_nothing(tmp_path):
    number = counts.of("S3.random") // 2
    tries = 0

    async def main():
        nonlocal tries
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
            before, answer = bench.dump(), await nobody(engine)
            person = engine.person(ANA)
            for start in range(0, number, 500):
                drawn = (hashlib.sha256(b"%d" % n).digest() for n in range(start, start + 500))
                guesses = [TOKEN_PREFIX + urlsafe_b64encode(raw[:24]).decode() for raw in drawn]
                found = await asyncio.gather(*map(person.confirm, guesses))
                assert all(outcome == answer for outcome in found)
                tries += len(found)
            assert bench.dump() == before
            assert told(await person.confirm(ask.token)) == DONE

    asyncio.run(main())
    counts.ran("S3.random", tries)
    assert tries >= number


# What may have become of a question, and what its own person is told when they press it then.
async def asking(bench: Bench, engine: Engine) -> Ask:
    return await bench.asked(engine, RISKY)


async def used(bench: Bench, engine: Engine) -> Ask:
    ask = await asking(bench, engine)
    await engine.person(ANA).confirm(ask.token)
    return ask


async def expired(bench: Bench, engine: Engine) -> Ask:
    ask = await asking(bench, engine)
    bench.move(seconds=600, milliseconds=1)
    return ask


async def swept(bench: Bench, engine: Engine) -> Ask:
    ask = await expired(bench, engine)
    await engine.sweep()
    return ask


async def superseded(bench: Bench, engine: Engine) -> Ask:
    ask = await asking(bench, engine)
    await bench.asked(engine, crear("Web", urgente=True))
    return ask


async def cancelled(bench: Bench, engine: Engine) -> Ask:
    ask = await asking(bench, engine)
    await engine.person(ANA).says("no")
    return ask


async def older_version(bench: Bench, engine: Engine) -> Ask:
    note = await bench.note(engine)
    ask = await bench.asked(engine, enviar(note))
    await engine.write(reprice(note, "5000"))
    assert isinstance(await engine.person(ANA).confirm(ask.token), Ask)
    return ask


async def tampered(bench: Bench, engine: Engine) -> Ask:
    ask = await asking(bench, engine)
    bench.sql("UPDATE semel_confirmations SET mac = ?", "0" * 64)
    return ask


async def refused(bench: Bench, engine: Engine) -> Ask:
    ask = await tampered(bench, engine)
    await engine.person(ANA).confirm(ask.token)
    return ask


async def retired(bench: Bench, engine: Engine) -> Ask:
    ask = await asking(bench, engine)
    engine._core.keys = Keyring((("k2", b"2" * 32),))
    return ask


State = Callable[[Bench, Engine], Awaitable[Ask]]
STATES: dict[State, tuple[str, str | None]] = {
    asking: DONE,
    used: DONE,
    expired: ("Refused", "expired"),
    swept: ("Refused", "expired"),
    superseded: ("Refused", "revoked"),
    cancelled: ("Refused", "revoked"),
    older_version: ("Refused", "revoked"),
    tampered: ("Refused", "tampered"),
    refused: ("Report", "refused"),
    retired: ("Refused", "tampered"),
}


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_s12_whatever_became_of_a_token_strangers_get_one_answer(tmp_path, state):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await state(bench, engine)
            answer = await nobody(engine)
            before = bench.dump("semel_events")
            for name, who in STRANGERS.items():
                for _ in range(2):
                    found = await engine.person(who).confirm(ask.token)
                    assert none_like(found, answer), name
                assert told(await engine.person(who).says("sí")) == ("Refused", "nothing_pending")
                # Whoever may look at others' plans is still not shown their button.
                for face in (engine.person(who).status, lambda p, w=who: engine.agent.status(w, p)):
                    assert getattr(await face(ask.view.plan), "token", None) is None
            # Not one of them used, ended, or revoked anything.
            assert bench.dump("semel_events") == before
            mine = await engine.person(ANA).confirm(ask.token)
            assert told(mine) == STATES[state]
            effects = [*bench.notes(), *bench.mundo.letters]
            expected = {asking: ["Logo"], used: ["Logo"], older_version: ["Logo"]}
            assert effects == expected.get(state, [])
            assert await nobody(engine) == answer

    asyncio.run(main())


def test_a_question_expires_by_the_millisecond_for_good(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await expired(bench, engine)
            for back in (0, -1, -300):
                bench.move(seconds=back)
                gone = await engine.person(ANA).confirm(ask.token)
                assert told(gone)[0] == "Refused"
                assert gone.plan == ask.view.plan
            assert bench.notes() == []

    asyncio.run(main())


@asynccontextmanager
async def running(bench: Bench, engine: Engine):
    """A plan in mid-send: its token, and the press that waits for it."""
    bench.mundo.goes = "hang"
    ask = await bench.asked(engine, enviar(await bench.note(engine)))
    press = asyncio.create_task(engine.person(ANA).confirm(ask.token))
    await bench.mundo.hanging.wait()
    yield ask, press
    bench.mundo.released.set()
    await press


def test_a_token_used_while_its_plan_runs_is_no_second_run_and_no_news_to_strangers(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine), bench.engine() as other:
            async with running(bench, engine) as (ask, press):
                answer = await nobody(engine)
                before = bench.dump("semel_events")
                again = [
                    asyncio.create_task(each.person(ANA).confirm(ask.token))
                    for each in (engine, other, engine)
                ]
                for who in STRANGERS.values():
                    assert none_like(await engine.person(who).confirm(ask.token), answer)
                assert bench.dump("semel_events") == before
                assert not press.done()
                assert bench.mundo.sends == 1
            assert told(await press) == DONE
            for repeated in await asyncio.gather(*again):
                assert told(repeated) == DONE
                assert repeated.replayed
            assert bench.mundo.sends == len(bench.mundo.letters) == 1

    asyncio.run(main())


def test_a_token_used_twice_at_once_by_its_person_and_by_strangers_runs_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine), bench.engine() as other:
            for number in range(20):
                texto = f"Nota {number:02d}"
                ask = await bench.asked(engine, crear(texto, urgente=True), message=texto)
                presses = [
                    each.person(who).confirm(ask.token)
                    for each in (engine, other)
                    for who in (LUIS, ANA, EVA, ANA)
                ]
                answers = await asyncio.gather(*presses)
                mine = [one for one in answers if not isinstance(one, Refused)]
                assert {told(one) for one in mine} == {DONE}
                assert [one.replayed for one in mine].count(False) == 1
                theirs = [one for one in answers if isinstance(one, Refused)]
                assert len(theirs) == len(mine) == 4
                assert {one.why for one in theirs} == {Refusal.NOT_FOUND}
                assert len(bench.notes()) == number + 1

    asyncio.run(main())


def test_the_newer_versions_token_works_where_the_older_one_does_not(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            old = await older_version(bench, engine)
            new = await engine.person(ANA).status(old.view.plan)
            assert new.token != old.token
            for _ in range(2):
                gone = await engine.person(ANA).confirm(old.token)
                assert told(gone) == ("Refused", "revoked")
            assert bench.mundo.sends == 0
            assert told(await engine.person(ANA).confirm(new.token)) == DONE
            assert [letter.split()[-1] for letter in bench.mundo.letters] == ["5000"]
            # Once its plan has run, the older one is still no way to it.
            assert told(await engine.person(ANA).confirm(old.token)) == ("Refused", "revoked")

    asyncio.run(main())
