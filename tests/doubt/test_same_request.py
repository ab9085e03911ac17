"""The same request: what would not be byte for byte what was sent before is not sent again."""

import asyncio
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pytest
from dudas import COBRO, at_once, crear, does, opened, told

IN_DOUBT = ("Report", "in_doubt")
DONE = ("Report", "finished")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


def other_bytes(banco, engine):
    """Its letters are numbered, so none is the same as the one before."""
    action = banco.actions[COBRO]
    prepare, count = action.prepare, iter(range(9))

    async def numbered(i, ctx):
        return await prepare(i, ctx) + str(next(count)).encode()

    action.prepare = numbered


def fails(banco, engine):
    """The second time it cannot be prepared."""
    action = banco.actions[COBRO]
    prepare, count = action.prepare, iter(range(9))

    async def once(i, ctx):
        if next(count):
            raise OSError("The template is gone.")
        return await prepare(i, ctx)

    action.prepare = once


def edited(banco, engine):
    """Somebody edits the note while the first send is on its way."""
    action = banco.actions[COBRO]
    run = action.run

    async def and_edited(i, ctx, prepared):
        banco.sql("UPDATE notas SET text = 'Otra', version = version + 1")
        return await run(i, ctx, prepared)

    action.run = and_edited


def denied(banco, engine):
    """The person may not any more by the time of the second."""
    action = banco.actions[COBRO]
    run = action.run

    async def and_denied(i, ctx, prepared):
        banco.sql("INSERT INTO negados VALUES ('o-1', 'ana', 'cartas')")
        return await run(i, ctx, prepared)

    action.run = and_denied


def prepares(make):
    """It prepares something else each time: the first send's number is 1, the second's 2."""

    def differs(banco, engine):
        count = iter(range(1, 9))

        async def prepare(i, ctx):
            return make(next(count))

        banco.actions[COBRO].prepare = prepare

    return differs


class Thing:
    """Something that nobody can look into."""

    def __init__(self, number):
        self.number = number


@dataclass
class Letter:
    body: bytes
    to: object


class Hostile(dict):
    def items(self):
        raise SystemError("no")


OTHERS = {
    "an object": Thing,
    "bytes in a form": lambda n: {"pdf": b"%PDF" + bytes([n]), "to": "x"},
    "a long text of one length": lambda n: str(n) * 400_000,
    "long bytes": lambda n: bytes([n]) * 400_000,
    "an accent, written in one and in two": lambda n: "\u00e9" if n == 1 else "e\u0301",
    "text and bytes": lambda n: "6131" if n == 1 else b"a1",
    "a dataclass": lambda n: Letter(b"x", Decimal(n)),
    "an object in a dataclass": lambda n: Letter(b"x", Thing(n)),
    "a number and its text": lambda n: [1] if n == 1 else ["1"],
    "a list and a tuple": lambda n: [1] if n == 1 else (1,),
    "one and true": lambda n: 1 if n == 1 else True,
    "names in another order": lambda n: {"a": 1, "b": 2} if n == 1 else {"b": 2, "a": 1},
    "what cannot be read": lambda n: Hostile(a=1),
    "a set": lambda n: {"a", "b"},
}
SAME = {
    "nothing": lambda n: None,
    "a form with bytes": lambda n: {"pdf": b"%PDF", "total": Decimal("1.10"), "to": ["a", None]},
    "a dataclass": lambda n: Letter(b"x" * 400_000, date(2026, 10, 19)),
    "text": lambda n: "\ud83d e\u0301" * 200_000,
    "a number": lambda n: 1.5,
}


@pytest.mark.parametrize("what", SAME)
def test_what_is_prepared_equal_is_the_same_request(tmp_path, what):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            prepares(SAME[what])(banco, engine)
            banco.afuera.goes[COBRO] = ["lost", "ok"]
            report = await banco.pressed(engine, does(COBRO, await banco.note(engine)), crear())
            assert told(report) == DONE
            assert banco.attempts() == ["unknown", "made"]
            assert banco.arrived(COBRO) == 1

    asyncio.run(main())


@pytest.mark.parametrize(
    "differs", [other_bytes, fails, edited, denied, *map(prepares, OTHERS.values())],
    ids=["other bytes", "fails", "edited", "denied", *OTHERS],
)  # fmt: skip
def test_what_would_not_be_the_same_request_is_not_sent_again(tmp_path, differs):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            differs(banco, engine)
            banco.afuera.goes[COBRO] = ["lost", "ok"]
            report = await banco.pressed(engine, does(COBRO, await banco.note(engine)), crear())
            assert told(report) == IN_DOUBT
            assert banco.attempts() == ["unknown"]
            assert banco.calls()["send"] == banco.arrived(COBRO) == 1

    asyncio.run(main())
