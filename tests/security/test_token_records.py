"""Records edited in the store: each field of a question, its plan and its steps, taken from another.

A test with made-up values stands beside the engine's own (B07, second part). Here every value is a
real one: another record's, with a good MAC of its own.
"""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from app import ANA, KEYS, LUIS
from notas_bench import Bench, crear, opened, told

import stores
from semel import Ask, Engine, Keyring, Who
from semel.domain.consent import token_hash

ELSEWHERE = Who("o-1", "ana", "c-2", "es")
DONE = ("Report", "finished")


async def other_conversation(bench: Bench, engine: Engine) -> Ask:
    return await bench.asked(engine, crear("Ajena", urgente=True), message="m-0", who=ELSEWHERE)


async def other_person(bench: Bench, engine: Engine) -> Ask:
    return await bench.asked(engine, crear("Ajena", urgente=True), message="m-0", who=LUIS)


async def older_question(bench: Bench, engine: Engine) -> Ask:
    return await bench.asked(engine, crear("Ajena", urgente=True), message="m-0")


async def used_question(bench: Bench, engine: Engine) -> Ask:
    ask = await older_question(bench, engine)
    await engine.person(ANA).confirm(ask.token)
    return ask


async def refused_question(bench: Bench, engine: Engine) -> Ask:
    ask = await older_question(bench, engine)
    await engine.person(ANA).says("no")
    return ask


Donor = Callable[[Bench, Engine], Awaitable[Ask]]
DONORS: list[Donor] = [
    other_conversation,
    other_person,
    older_question,
    used_question,
    refused_question,
]
TABLES = {"semel_confirmations": "id", "semel_plans": "plan", "semel_steps": "plan"}
# What decides nothing of what runs: with it edited, exactly what was shown may still run.
HARMLESS = {
    "semel_confirmations": {"created_at", "press"},
    "semel_plans": {
        "message", "sentence", "locale", "risk", "why", "epoch", "round", "stall", "owner",
        "resume_after", "created_at", "expires_at", "head",
    },
    "semel_steps": {"detail", "started_at", "ended_at"},
}  # fmt: skip


def key_of(bench: Bench, table: str, ask: Ask) -> object:
    """The row's key: the plan's number, or the id of the plan's question."""
    text = f"SELECT {TABLES[table]} FROM {table} WHERE plan = ?"
    return bench.sql(text, ask.view.plan)[0][0]


def transplant(bench: Bench, table: str, column: str, donor: Ask, ask: Ask) -> bool:
    """Give *ask*'s row the donor's value; False when it has that already or the table says no."""
    find = f'SELECT "{column}" FROM {table} WHERE {TABLES[table]} = ?'
    theirs, mine = key_of(bench, table, donor), key_of(bench, table, ask)
    value = bench.sql(find, theirs)[0][0]
    if bench.sql(find, mine)[0][0] == value:
        return False
    if column == "token_hash":  # it is unique, so the donor's row has to let go of it
        bench.sql(f"UPDATE {table} SET token_hash = ? WHERE id = ?", "f" * 64, theirs)
    try:
        text = f'UPDATE {table} SET "{column}" = ? WHERE {TABLES[table]} = ?'
        bench.sql(text, value, mine)
    except stores.REFUSED:
        return False
    return True


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("donor", DONORS, ids=lambda donor: donor.__name__)
def test_a_field_of_another_record_runs_nothing_that_was_not_shown(tmp_path, donor, table):
    edits = 0

    async def main():
        nonlocal edits
        home = tmp_path / "columns"
        home.mkdir()
        async with opened(home) as (bench, _):
            names = stores.columns(bench.path, table)
        for column in names:
            world = tmp_path / column
            world.mkdir()
            async with opened(world) as (bench, engine):
                other = await donor(bench, engine)
                ask = await bench.asked(engine, crear("Logo", urgente=True))
                before = bench.notes()
                if not transplant(bench, table, column, other, ask):
                    continue
                edits += 1
                for who in (ELSEWHERE, LUIS, ANA, ANA):
                    outcome = await engine.person(who).confirm(ask.token)
                ran = [texto for texto in bench.notes() if texto not in before]
                assert ran == (["Logo"] if column in HARMLESS[table] else []), column
                if ran:
                    assert told(outcome) == DONE
                else:
                    assert outcome.for_model("es").status not in {"done", "running"}

    asyncio.run(main())
    # A donor that differs in nothing would prove nothing.
    assert edits >= 2


@pytest.mark.parametrize("donor", DONORS, ids=lambda donor: donor.__name__)
def test_a_token_opens_its_own_question_only_wherever_its_hash_is_put(tmp_path, donor):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            other = await donor(bench, engine)
            ask = await bench.asked(engine, crear("Logo", urgente=True))
            before = bench.notes()
            ids = [key_of(bench, "semel_confirmations", each) for each in (other, ask)]
            text = "UPDATE semel_confirmations SET token_hash = ? WHERE id = ?"
            bench.sql(text, "f" * 64, ids[0])
            bench.sql(text, token_hash(other.token), ids[1])
            bench.sql(text, token_hash(ask.token), ids[0])
            for token in (other.token, ask.token):
                for who in (ANA, ELSEWHERE, LUIS):
                    await engine.person(who).confirm(token)
            assert bench.notes() == before

    asyncio.run(main())


@pytest.mark.parametrize("mac", ["", "0" * 64, "upper", "none"])
def test_a_mac_that_is_stripped_or_respelled_is_none(tmp_path, mac):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("Logo", urgente=True))
            if mac == "none":
                with pytest.raises(stores.REFUSED):
                    bench.sql("UPDATE semel_confirmations SET mac = NULL")
                return
            stored = bench.sql("SELECT mac FROM semel_confirmations")[0][0]
            value = stored.upper() if mac == "upper" else mac
            bench.sql("UPDATE semel_confirmations SET mac = ?", value)
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Refused", "tampered")
            # The right one put back is too late: it was refused for good.
            bench.sql("UPDATE semel_confirmations SET mac = ?", stored)
            await engine.person(ANA).confirm(ask.token)
            assert bench.notes() == []
            assert bench.plans() == [("ended", "refused")]

    asyncio.run(main())


@pytest.mark.parametrize("kid", ["k2", "k1 ", "K1", "", "gone"])
@pytest.mark.parametrize("table", ["semel_confirmations", "semel_plans"])
def test_a_kid_that_names_another_key_opens_nothing(tmp_path, table, kid):
    async def main():
        bench = Bench(tmp_path)
        two = Keyring((*KEYS.keys, ("k2", b"2" * 32)))
        async with bench.engine(keys=two) as engine:
            ask = await bench.asked(engine, crear("Logo", urgente=True))
            bench.sql(f"UPDATE {table} SET kid = ?", kid)
            for _ in range(2):
                await engine.person(ANA).confirm(ask.token)
            assert bench.notes() == []
            assert bench.plans() == [("ended", "refused")]

    asyncio.run(main())
