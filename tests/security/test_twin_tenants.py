"""S7: two organizations with equal books; whatever one asks about the other's, nothing is there."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import facturas_bench
from app import ANA, EVA
from facturas_bench import Facturas, borrador, emitir, enviar, plan
from notas_bench import crear, opened, told

import counts
import stores
from semel import Ask, Engine, Outcome, Who

DONE = ("Report", "finished")
OWNERS = {"carmona-demo": facturas_bench.ANA, "otra-demo": facturas_bench.EVA}


@dataclass
class Twin:
    """One organization's books after the same year as the other's."""

    org: str
    live: Ask
    used: str
    names: list[str]
    """Every text that its rows hold and that might name something."""


async def equal_year(facturas: Facturas, engine: Engine, org: str) -> tuple[Ask, str]:
    """A draft, an invoice issued and sent, an expense, a plan refused, one answered, one asking."""
    who = OWNERS[org]
    person = engine.person(who)
    first = await facturas.draft(engine, who, "d-1")
    await facturas.draft(engine, who, "d-2")
    used = await facturas.asked(engine, emitir(first), enviar("$1"), who=who, message="m-1")
    assert told(await person.confirm(used.token)) == DONE
    expense = {"concepto": "Papel", "importe": "12", "iva_incluido": False}
    assert told(await engine.agent.act(who, plan(("gasto.crear", expense)), message="m-2")) == DONE
    await facturas.asked(engine, enviar(first), who=who, message="m-3")
    assert told(await person.says("no")) == ("Report", "cancelled")
    second = facturas.sql("SELECT invoice FROM invoices WHERE org = ? AND state = 'draft'", org)
    live = await facturas.asked(engine, emitir(second[0][0]), who=who, message="m-4")
    return live, used.token


def names_of(facturas: Facturas, org: str) -> list[str]:
    """Ids, numbers, hashes, seals: the texts of an organization's rows that are one word."""
    found: set[str] = set()
    for table in stores.tables(facturas.path):
        columns = stores.columns(facturas.path, table, "TEXT")
        if "org" in columns:
            names = ", ".join(f'"{name}"' for name in columns)
            rows = facturas.sql(f"SELECT {names} FROM {table} WHERE org = ?", org)
            found |= {
                value
                for row in rows
                for value in row
                if value and re.fullmatch(r"[\w.:@-]+", value)
            }
    return sorted(found)


def made_up(name: str, real: set[str]) -> str:
    """A name of the same form that nothing has."""
    for letter in "0123456789abcdefghijklmnopqrstuvwxyz":
        other = name[:-1] + letter
        if other not in real:
            return other
    raise AssertionError(name)


def read(outcome: Outcome, name: str) -> bytes:
    """All that anybody reads of an outcome, but for the name that was asked for."""
    if isinstance(outcome, list) or outcome is None:
        return repr(outcome).encode()
    parts: list[Any] = [told(outcome), repr(outcome)]
    for locale in ("es", "en"):
        parts += [outcome.for_model(locale).plain(), outcome.card(locale).text()]
    return json.dumps(parts, ensure_ascii=False).replace(name, "·").encode()


Verb = Callable[[Engine, Who, str], Awaitable[Any]]


def act(engine: Engine, who: Who, *steps: facturas_bench.Step) -> Awaitable[Outcome]:
    return engine.agent.act(who, plan(*steps), message="m-9")


VERBS: dict[str, Verb] = {
    "agent.status": lambda engine, who, name: engine.agent.status(who, name),
    "status": lambda engine, who, name: engine.person(who).status(name),
    "show": lambda engine, who, name: engine.person(who).show(name),
    "confirm": lambda engine, who, name: engine.person(who).confirm(name),
    "issue": lambda engine, who, name: act(engine, who, emitir(name)),
    "send": lambda engine, who, name: act(engine, who, enviar(name)),
    "draft": lambda engine, who, name: act(engine, who, borrador(name)),
    "draft and issue": lambda engine, who, name: act(engine, who, borrador(name), emitir("$1")),
}


STRIDE = 9973
"""A prime: so many further on in a list of fewer, each of its members comes once."""


def questions(twins: dict[str, Twin], shared: set[str]) -> Iterator[tuple[Who, str, str]]:
    """Who asks for which of the other's names with which verb."""
    for twin in twins.values():
        (other,) = (one for one in twins.values() if one is not twin)
        theirs = [name for name in other.names if name not in shared]
        assert len(theirs) > 40
        mine = OWNERS[twin.org]
        attackers = [
            mine,
            Who(twin.org, mine.person, "another", "es"),
            # Whoever the channel says it is: the other's person over here, and mine there.
            Who(twin.org, OWNERS[other.org].person, "main", "es"),
            Who(other.org, mine.person, "main", "es"),
            Who(other.org, "luis", "main", "es"),
        ]
        for who, name, verb in product(attackers, theirs, VERBS):
            # A token that is presented in its own organization is noted with its plan.
            if who.org != other.org or name not in (other.live.token, other.used):
                yield who, name, verb


def test_s7_every_verb_with_the_others_ids_finds_nothing_and_changes_nothing(tmp_path):
    number = counts.of("S7") // 2
    calls = 0

    async def main():
        nonlocal calls
        async with facturas_bench.opened(tmp_path) as (facturas, engine):
            twins = {}
            for org in OWNERS:
                live, used = await equal_year(facturas, engine, org)
                names = [*names_of(facturas, org), live.token, used]
                twins[org] = Twin(org, live, used, names)
            shared = set(twins["carmona-demo"].names) & set(twins["otra-demo"].names)
            # The same year, down to the numbers of the invoices.
            assert {"2026-0001", "m-1", "main", "finished"} <= shared
            real = {name for twin in twins.values() for name in twin.names}
            before = facturas.dump()
            asked = list(questions(twins, shared))
            for n in range(number):
                # Each verb, attacker and name is met before any is met again.
                turn, place = divmod(n, len(asked))
                who, name, verb = asked[(place * STRIDE + turn) % len(asked)]
                nothing = made_up(name, real)
                found = await VERBS[verb](engine, who, name)
                none = await VERBS[verb](engine, who, nothing)
                assert found is None or told(found)[0] in {"Refused", "Invalid"}
                assert read(found, name) == read(none, nothing), (verb, who, name)
                calls += 1
            assert facturas.dump() == before
            for twin in twins.values():
                await judge(facturas, engine, twin)

    asyncio.run(main())
    counts.ran("S7", calls)
    assert calls >= number


async def judge(facturas: Facturas, engine: Engine, twin: Twin) -> None:
    """Nobody saw the other's plans, nobody's token was spent, and each one's still works, once."""
    who = OWNERS[twin.org]
    mine = {
        plan for (plan,) in facturas.sql("SELECT plan FROM semel_plans WHERE org = ?", twin.org)
    }
    assert {view.plan for view in await engine.person(who).plans(10_000)} == mine
    strangers = [Who(twin.org, other.person, "main", "es") for other in OWNERS.values()
                 if other.org != twin.org]  # fmt: skip
    for stranger in strangers:
        assert await engine.person(stranger).plans() == []
        nobody = await engine.person(stranger).confirm("smlc_nobody")
        for token in (twin.live.token, twin.used):
            found = await engine.person(stranger).confirm(token)
            assert read(found, token) == read(nobody, token)
        assert told(await engine.person(stranger).says("sí")) == ("Refused", "nothing_pending")
    letters = len(facturas.letters())
    assert facturas.numbers(twin.org) == ["2026-0001"]
    for replayed in (False, True):
        done = await engine.person(who).confirm(twin.live.token)
        assert told(done) == DONE
        assert done.replayed is replayed
    assert facturas.numbers(twin.org) == ["2026-0001", "2026-0002"]
    assert len(facturas.letters()) == letters


def test_s7_one_name_in_two_organizations_is_two_people(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            twin = Who("o-2", "ana", "c-1", "es")
            assert (twin.person, twin.conversation) == (ANA.person, ANA.conversation)
            asks = {}
            for who in (ANA, twin, EVA):
                ask = await bench.asked(engine, crear("Logo", urgente=True), who=who)
                asks[who] = ask
            assert len({ask.token for ask in asks.values()}) == 3
            # Equal request, equal message, equal names: and three plans, each with its own answer.
            assert told(await engine.person(twin).says("no")) == ("Report", "cancelled")
            for who, ask in asks.items():
                for presser in asks:
                    if presser != who:
                        refused = await engine.person(presser).confirm(ask.token)
                        assert told(refused) == ("Refused", "not_found")
            assert told(await engine.person(ANA).confirm(asks[ANA].token)) == DONE
            assert bench.sql("SELECT org, texto FROM notas") == [("o-1", "Logo")]
            assert told(await engine.person(twin).status(asks[ANA].view.plan))[0] == "Refused"
            assert told(await engine.person(EVA).confirm(asks[EVA].token)) == DONE
            assert bench.sql("SELECT org FROM notas ORDER BY org") == [("o-1",), ("o-2",)]

    asyncio.run(main())
