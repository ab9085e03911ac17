"""S15: whoever edits, deletes or adds a row without the signing key is named by `audit verify`."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from app import ANA, KEYS, LUIS
from forger import KEYS as TABLES
from forger import Forger, Place, drawn, flipped, forging
from notas_bench import Bench, act, crear, enviar, firmar, opened

import counts
from semel import Engine, Keyring
from semel.domain.canonical import sha256_text
from semel.domain.doubt import Happened
from semel.domain.edited import Audit, Why
from semel.runtime.chain import FIRST, Link, link, signed

RISKY = crear("Logo", urgente=True)
UNCOVERED = {
    ("semel_plans", "stall"): "how often in a row nobody got on with it decides when to give up",
    ("semel_plans", "owner"): "which process runs it at this moment",
    ("semel_plans", "resume_after"): "when another process may take it over",
    ("semel_plans", "look_after"): "when a doubt is looked at next",
}
"""Columns that an edit of is not noticed: none says anything of what happened or was agreed."""


async def world(bench: Bench, engine: Engine) -> None:
    """Plans in every state: done, in doubt, answered, retried, asking, superseded, expired, refused."""
    person = engine.person(ANA)
    note = await bench.note(engine)

    async def sent(goes: str, *steps: Any) -> Any:
        bench.mundo.goes = goes
        ask = await bench.asked(engine, *steps, message=goes)
        outcome = await person.confirm(ask.token)
        bench.mundo.goes = "ok"
        return outcome

    whole = await bench.asked(engine, RISKY, firmar("$1"), enviar("$2"), message="whole")
    await person.confirm(whole.token)
    await person.confirm(whole.token)
    await act(engine, crear("Sola"), message="safe")
    doubt = await sent("break", enviar(note))
    await person.resolve(doubt.view.plan, 1, Happened("letter-9"))
    await sent("break before", enviar(note), crear("Nunca", urgente=True))
    failed = await sent("refuse", enviar(note))
    assert failed.retry_token is not None
    await person.retry(failed.retry_token)
    late = await bench.asked(engine, RISKY, message="late")
    bench.move(minutes=11)
    await person.confirm(late.token)
    await bench.asked(engine, crear("Vieja", urgente=True), message="old")
    await bench.asked(engine, crear("Nueva", urgente=True), message="new")
    await bench.asked(engine, crear("Vieja", urgente=True), message="old")
    other = await bench.asked(engine, RISKY, message="his", who=LUIS)
    await person.confirm(other.token)
    await engine.person(LUIS).says("no")


def cells(forger: Forger, table: str) -> Iterator[tuple[Place, str]]:
    for place in forger.rows(table):
        for column in place.cells:
            yield place, column


def named(found: Audit, table: str, *names: tuple[str, str]) -> bool:
    """Whether an audit names the row, by what it was called or by what it is called now."""
    return any(one.table == table and (one.plan, one.row) in names for one in found.edited)


def audited(tmp_path, attack) -> None:
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await world(bench, engine)
            # What is due by now is done by now: a sweep of the engine's own writes nothing later.
            for _ in range(3):
                await engine.sweep()
            whole = await engine.operator.audit()
            assert whole.edited == ()
            assert (whole.plans, whole.blanked) == (bench.counts()["semel_plans"], 0)
            assert whole.events == bench.counts()["semel_events"]
            with forging(bench.path) as forger:
                await attack(bench, engine, forger)
            assert (await engine.operator.audit()).edited == ()

    asyncio.run(main())


def test_an_edited_cell_is_named_whichever_it_is(tmp_path):
    number = counts.of("S15.cells") // 2
    done = 0
    missed: set[tuple[str, str]] = set()
    tried: set[tuple[str, str]] = set()

    async def attack(bench: Bench, engine: Engine, forger: Forger):
        nonlocal done
        every = [(table, place, name) for table in TABLES for place, name in cells(forger, table)]
        # Each column once, then more of their rows and bytes.
        first = list({(table, name): (table, place, name) for table, place, name in every}.values())
        more = [every[drawn("cell", n, len(every))] for n in range(number - len(first))]
        for at, (table, place, column) in enumerate(first + more):
            value = flipped(place.cells[column], drawn("byte", at, 200))
            if column in TABLES[table] and isinstance(value, int):
                # Beyond its neighbours, whose places are taken.
                value += 50
            if place.cells[column] is None and column == "position":
                value = 1
            with forger.edited(place, column, value) as now:
                found = await engine.operator.audit()
            names = {(one.plan, one.name) for one in (place, now)}
            tried.add((table, column))
            done += 1
            if not named(found, table, *names):
                missed.add((table, column))

    audited(tmp_path, attack)
    assert missed == UNCOVERED.keys()
    assert len(tried) >= 110
    counts.ran("S15.cells", done)
    assert done >= number


BROKEN = ("", "[", "[[]]", "7", "{}", '[[["plan"],{"epoch+":"x"}]]', '[[["sky"],{}]]')
"""What an event cannot tell: no JSON, another shape, of no row."""


def test_an_event_that_tells_nothing_readable_is_named_and_no_audit_ends_there(tmp_path):
    async def attack(bench: Bench, engine: Engine, forger: Forger):
        moved = bench.sql("SELECT plan FROM semel_plans WHERE reason = 'superseded' ORDER BY plan")
        assert moved
        for place in forger.rows("semel_events"):
            # A key that has moved is told by the events of the plan that it led to before.
            texts = BROKEN if (place.plan,) in moved else BROKEN[:2]
            for text in texts:
                with forger.edited(place, "told", text):
                    found = await engine.operator.audit()
                assert named(found, "semel_events", (place.plan, place.name))
                assert {one.plan for one in found.edited} == {place.plan}
                # Who has no signing key can make the chain anew, and not its end's signature.
                cells = {**place.cells, "told": text}
                await _made_anew(engine, forger, place, cells)

    audited(tmp_path, attack)


async def _made_anew(engine: Engine, forger: Forger, place: Place, cells: dict[str, Any]) -> None:
    chain = [one for one in forger.rows("semel_events") if one.plan == place.plan]
    chain.sort(key=lambda one: one.cells["seq"])
    if chain[-1].name != place.name:
        return
    before = chain[-2].cells["digest"] if len(chain) > 1 else FIRST
    parts = [cells[c] for c in ("org", "plan", "seq", "at", "kind", "position", "body_digest")]
    end = link(before, *parts, cells["told"])
    with forger.edited(place, "told", cells["told"]) as now, forger.edited(now, "digest", end):
        found = await engine.operator.audit()
    assert {(one.plan, one.why) for one in found.edited} == {(place.plan, Why.UNSIGNED)}


def test_a_deleted_row_is_named_whichever_it_is(tmp_path):
    number = counts.of("S15.deleted") // 2
    done = 0
    offers: list[str] = []

    async def attack(bench: Bench, engine: Engine, forger: Forger):
        nonlocal done
        every = [place for table in TABLES for place in forger.rows(table)]
        order = sorted(range(len(every)), key=lambda n: drawn("row", n, 1_000_000))
        every = [every[n] for n in order]
        # One of each table at the least.
        first = list({place.table: place for place in every}.values())
        rest = [place for place in every if not any(place is one for one in first)]
        for place in (first + rest)[:number]:
            with forger.deleted(place):
                found = await engine.operator.audit()
            done += 1
            if not named(found, place.table, (place.plan, place.name)):
                assert place.table == "semel_confirmations", place
                offers.append(place.cells["question"])

    audited(tmp_path, attack)
    # An offer that nobody took is written with no event, and is derived again when it is shown.
    assert set(offers) <= {"retry", "undo"}
    counts.ran("S15.deleted", done)
    assert done >= number


def test_an_added_row_is_named(tmp_path):
    async def attack(bench: Bench, engine: Engine, forger: Forger):
        new = {
            "semel_steps": {"position": 9},
            "semel_attempts": {"id": "forged"},
            "semel_keys": {"key": "f" * 64},
            "semel_effects": {"id": "forged"},
        }
        for table, change in new.items():
            place = forger.rows(table)[0]
            more = Place(table, {**place.cells, **change})
            with forger.added(more):
                found = await engine.operator.audit()
            (one,) = found.edited
            assert (one.table, one.row, one.why) == (table, more.name, Why.ADDED)
        last = forger.rows("semel_events")[-1].cells
        seq = last["seq"] + 1
        parts = [last["org"], last["plan"], seq, last["at"], "step_done", 1, last["body_digest"]]
        end = link(last["digest"], *parts, None)
        made = {**last, "seq": seq, "kind": "step_done", "position": 1, "told": None, "digest": end}
        with forger.added(Place("semel_events", made)):
            (one,) = (await engine.operator.audit()).edited
        assert (one.row, one.why) == (f"event {seq}", Why.ADDED)
        question = forger.rows("semel_confirmations")[0]
        forged = {**question.cells, "id": "f", "token_hash": "f" * 64}
        with forger.added(Place("semel_confirmations", forged)):
            (one,) = (await engine.operator.audit()).edited
        assert one.row == "question f"

    audited(tmp_path, attack)


def test_events_that_are_cut_off_are_missing_each_by_its_number(tmp_path):
    async def attack(bench: Bench, engine: Engine, forger: Forger):
        plan = forger.rows("semel_events")[0].plan
        events = [place for place in forger.rows("semel_events") if place.plan == plan]
        for keep in range(len(events)):
            for place in events[keep:]:
                forger.delete(place)
            found = await engine.operator.audit()
            for place in events[keep:]:
                forger.add(place)
            gone = [f"event {number}" for number in range(keep + 1, len(events) + 1)]
            assert [one.row for one in found.edited] == gone
            assert {one.why for one in found.edited} == {Why.MISSING}

    audited(tmp_path, attack)


def test_a_chain_that_is_written_anew_has_no_signature(tmp_path):
    async def attack(bench: Bench, engine: Engine, forger: Forger):
        (plan, *_) = [p.plan for p in forger.rows("semel_events") if p.cells["kind"] == "confirmed"]
        before = [place for place in forger.rows("semel_events") if place.plan == plan]
        end = FIRST
        forged = []
        for place in before:
            row = dict(place.cells)
            if row["kind"] == "confirmed":
                row["body"] = row["body"].replace("ana", "eva")
                row["body_digest"] = sha256_text(row["body"])
            parts = [row[c] for c in ("org", "plan", "seq", "at", "kind", "position")]
            end = link(end, *parts, row["body_digest"], row["told"])
            forged.append(Place("semel_events", {**row, "digest": end}))
        (itself,) = [place for place in forger.rows("semel_plans") if place.plan == plan]
        for old, new in zip(before, forged, strict=True):
            forger.delete(old)
            forger.add(new)
        other = Keyring((("k1", b"9" * 32),))
        made = signed(other, "k1", itself.cells["org"], plan, Link(len(forged), end))
        for head in (itself.cells["head"], made, None, "", "k1:9", "k1::", "k1:x:y"):
            with forger.edited(itself, "head", head):
                (one,) = (await engine.operator.audit()).edited
            assert (one.table, one.plan, one.why) == ("semel_plans", plan, Why.UNSIGNED), head
        for old, new in zip(before, forged, strict=True):
            forger.delete(new)
            forger.add(old)

    audited(tmp_path, attack)


def test_every_change_of_a_state_is_told_by_exactly_one_event(tmp_path):
    changes = 0

    async def attack(bench: Bench, engine: Engine, forger: Forger):
        nonlocal changes
        states: dict[tuple[str, ...], str] = {}
        rows = "SELECT plan, seq, told FROM semel_events ORDER BY plan, seq"
        for plan, _, told in forger.run(rows):
            for name, cells in json.loads(told or "[]"):
                if "state" not in cells:
                    continue
                of = [(plan, *map(str, name))]
                if name[0] == "steps":
                    of = [
                        one
                        for one in states
                        if one[:2] == (plan, "step") and states[one] == name[1]
                    ]
                for row in of:
                    # Told twice, it would be told of a row that is so already.
                    assert states.get(row) != cells["state"], (row, cells)
                    states[row] = cells["state"]
                    changes += 1
            for name, _ in json.loads(told or "[]"):
                if name[0] == "step":
                    states.setdefault((plan, *map(str, name)), "waiting")
        for place in forger.rows("semel_plans"):
            assert states[place.plan, "plan"] == place.cells["state"]
        for place in forger.rows("semel_steps"):
            row = place.plan, "step", str(place.cells["position"])
            assert states[row] == place.cells["state"]

    audited(tmp_path, attack)
    assert changes > 40


def test_a_blanked_body_is_counted_and_is_no_edit(tmp_path):
    async def attack(bench: Bench, engine: Engine, forger: Forger):
        bodies = [place for place in forger.rows("semel_events") if place.cells["body"] != "{}"]
        for place in bodies:
            forger.run(
                "UPDATE semel_events SET body = NULL WHERE plan = ? AND seq = ?",
                place.plan, place.cells["seq"],
            )  # fmt: skip
        found = await engine.operator.audit()
        assert (found.edited, found.blanked) == ((), len(bodies))

    audited(tmp_path, attack)


@pytest.mark.parametrize("keys", ["rotated", "retired"])
def test_an_audit_needs_the_keys_that_were_signed_with(tmp_path, keys):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await world(bench, engine)
        both = Keyring((("k2", b"2" * 32), *KEYS.keys))
        new = Keyring(both.keys[:1])
        async with bench.engine(keys=both if keys == "rotated" else new) as engine:
            found = await engine.operator.audit()
            plans = {one.plan for one in found.edited}
            if keys == "rotated":
                assert found.edited == ()
            else:
                assert len(plans) == found.plans
                assert {one.why for one in found.edited} == {Why.NO_KEY}
                assert {one.of for one in found.edited} == {"k1"}

    asyncio.run(main())
