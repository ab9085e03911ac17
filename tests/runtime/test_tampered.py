"""B07 (2): what is stored is edited between the question and the yes, one field after the other."""

import asyncio

import psycopg
import pytest
from app import ANA
from notas_bench import armed, crear, enviar, firmar, guion, opened, told

import stores

# Each field of the three tables, what it is edited to, and what then becomes of the yes:
#   refused    "tampered": the plan ends, and nothing has run
#   lost       the token is nobody's, or the question does not stand any more
#   table      the database's own constraints refuse the edit
#   as shown   the field decides nothing of what runs; exactly what was shown happens
EDITS = {
    "semel_plans": {
        "org": ("o-2", "table"),
        "plan": ("p_other", "table"),
        "kind": ("undo", "table"),
        "parent": ("p_other", "table"),
        "undone_by": ("p_other", "table"),
        "person": ("luis", "refused"),
        "conversation": ("c-9", "refused"),
        "message": ("m-9", "as shown"),
        "sentence": ("otra cosa", "as shown"),
        "locale": ("en", "as shown"),
        "state": ("ended", "table"),
        "reason": ("finished", "table"),
        "risk": (0, "as shown"),
        "why": ("further_plan", "as shown"),
        "version": (2, "refused"),
        "epoch": (7, "as shown"),
        "at": (1, "table"),
        "round": (2, "as shown"),
        "stall": (2, "as shown"),
        "owner": ("somebody", "table"),
        "resume_after": ("2020-01-01T00:00:00.000000Z", "table"),
        "cancelled_at": ("2026-10-19T08:00:00.000000Z", "refused"),
        "digest": ("0" * 64, "refused"),
        "seal": ("0" * 64, "refused"),
        "kid": ("k9", "refused"),
        "created_at": ("2020-01-01T00:00:00.000000Z", "as shown"),
        "expires_at": ("2020-01-01T00:00:00.000000Z", "as shown"),
        "ended_at": ("2026-10-19T08:00:00.000000Z", "table"),
        "look_after": ("2026-10-19T08:00:00.000000Z", "table"),
        "not_before": ("2026-10-19T08:00:00.000000Z", "table"),
        "not_after": ("2026-10-19T08:00:00.000000Z", "refused"),
        "unless": ("pagada", "refused"),
        "subject_kind": ("nota", "as shown"),
        "subject_id": ("n-1", "as shown"),
        "head": ("k1:1:" + "0" * 64, "as shown"),
    },
    "semel_steps": {
        "org": ("o-2", "table"),
        "plan": ("p_other", "table"),
        "position": (9, "refused"),
        "action": ("carta.enviar", "refused"),
        "action_version": (2, "refused"),
        "effect": ("opaque", "refused"),
        "input": ('{"importe":"6050","texto":"Logo","urgente":true}', "refused"),
        "preview": ("{}", "refused"),
        "facts_digest": ("0" * 64, "refused"),
        "risk": (0, "refused"),
        "state": ("done", "table"),
        "reason": ("failed", "table"),
        "detail": ("hecho", "as shown"),
        "result": ("not even JSON", "refused"),
        "later": ("[]", "refused"),
        "similar": ("[]", "refused"),
        "changed": ("[]", "as shown"),
        "round": (2, "as shown"),
        "resolution": ("happened", "table"),
        "resolved_by": ("luis", "table"),
        "started_at": ("2020-01-01T00:00:00.000000Z", "as shown"),
        "ended_at": ("2020-01-01T00:00:00.000000Z", "as shown"),
    },
    "semel_confirmations": {
        "org": ("o-2", "table"),
        "id": ("another", "refused"),
        "token_hash": ("0" * 64, "lost"),
        "nonce": (b"n" * 24, "refused"),
        "kid": ("k9", "refused"),
        "question": ("undo", "refused"),
        "plan": ("p_other", "table"),
        "version": (2, "refused"),
        "epoch": (7, "refused"),
        "digest": ("0" * 64, "refused"),
        "person": ("luis", "lost"),
        "conversation": ("c-9", "lost"),
        "expires_at": ("2030-01-01T00:00:00.000000Z", "refused"),
        "mac": ("0" * 64, "refused"),
        "created_at": ("2020-01-01T00:00:00.000000Z", "as shown"),
        "used_at": ("2026-10-19T08:00:00.000000Z", "lost"),
        "press": ("another", "as shown"),
        "revoked_at": ("2026-10-19T08:00:00.000000Z", "lost"),
    },
}
ONE_BY_ONE = [(table, field) for table, fields in EDITS.items() for field in fields]


@pytest.mark.parametrize(("table", "field"), ONE_BY_ONE, ids=".".join)
def test_b07_2_an_edited_field_is_refused_or_decides_nothing(tmp_path, table, field):
    value, expected = EDITS[table][field]

    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("Logo", urgente=True), firmar("$1"), enviar("$2"))
            where = "WHERE position = 1" if table == "semel_steps" else ""
            if expected == "table":
                with pytest.raises(stores.REFUSED):
                    bench.sql(f'UPDATE {table} SET "{field}" = ? {where}', value)
                return
            bench.sql(f'UPDATE {table} SET "{field}" = ? {where}', value)
            outcome = await engine.person(ANA).confirm(ask.token)
            ran = [bench.notes(), bench.mundo.letters]
            if expected == "as shown":
                assert told(outcome) == ("Report", "finished")
                assert ran[0] == ["Logo"]
                assert [letter.split(" ", 1)[1] for letter in ran[1]] == ["Logo 500"]
                return
            assert ran == [[], []]
            # However often it is pressed.
            outcomes = [outcome] + [await engine.person(ANA).confirm(ask.token) for _ in range(2)]
            assert bench.notes() == bench.mundo.letters == []
            if expected == "refused":
                assert told(outcome) == ("Refused", "tampered")
            else:
                assert all(told(each)[0] in {"Refused", "Ask"} for each in outcomes)

    asyncio.run(main())


def test_every_field_of_the_three_tables_is_in_the_list(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, _):
            for table, fields in EDITS.items():
                assert stores.columns(bench.path, table) == list(fields)

    asyncio.run(main())


def test_a_lowered_risk_of_a_plan_does_not_spare_the_typed_words(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            notes = [await bench.note(engine) for _ in range(3)]
            ask = await bench.asked(engine, ("nota.borrar_muchas", {"notas": notes}))
            bench.sql("UPDATE semel_plans SET risk = 0")
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Refused", "words")
            assert len(bench.notes()) == 3
            # And a message that is a yes to the lowered risk is none either.
            await engine.person(ANA).says("sí")
            assert len(bench.notes()) == 3

    asyncio.run(main())


@pytest.mark.parametrize("state", ["used", "revoked", "expired"])
def test_a_question_that_is_made_to_stand_again_runs_nothing_twice(tmp_path, state):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("Logo", urgente=True))
            if state == "used":
                await engine.person(ANA).confirm(ask.token)
            elif state == "revoked":
                await bench.asked(engine, crear("Web", urgente=True))
            else:
                bench.move(minutes=11)
                await engine.sweep()
            before = bench.notes()
            bench.sql("UPDATE semel_confirmations SET used_at = NULL, revoked_at = NULL")
            outcome = await engine.person(ANA).confirm(ask.token)
            assert told(outcome)[0] in {"Refused", "Report"}
            assert outcome.replayed == (told(outcome)[0] == "Report")
            assert bench.notes() == before

    asyncio.run(main())


@pytest.mark.parametrize("field", ["input", "preview", "facts_digest", "action", "risk"])
def test_a_step_edited_after_the_yes_is_refused_before_it_begins(tmp_path, field):
    value = EDITS["semel_steps"][field][0]

    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("a", urgente=True), crear("b", urgente=True))

            def edit(name):
                if name == "commit:local:after" and bench.notes() == ["a"]:
                    bench.sql(f"UPDATE semel_steps SET {field} = ? WHERE position = 2", value)

            with armed(edit):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "refused")
            assert bench.notes() == ["a"]
            assert bench.steps() == [("done", None), ("not_done", "not_reached")]
            assert bench.events(ask.view.plan)[-2:] == ["tampered", "ended"]

    asyncio.run(main())


def test_an_outside_step_edited_after_the_yes_is_never_marked(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine, "Logo")
            other = await bench.note(engine, "Otra")
            ask = await bench.asked(engine, enviar(note))
            bench.carta.prepares = lambda: bench.sql(
                "UPDATE semel_steps SET input = ?", f'{{"nota":"{other}"}}'
            )
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "refused")
            assert bench.mundo.sends == bench.counts()["semel_attempts"] == 0

    asyncio.run(main())


@pytest.mark.parametrize("field", ["preview", "result"])
@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "null", "\0", '{"importe":{"type":"money","value":["x","EUR"]}}',
     '{"facts":{"n":{"type":"money","value":["x","EUR"]}}}', '{"facts":7,"id":{}}',
     '{"importe":{"type":"date","value":"x"}}', "9" * 5_000],
)  # fmt: skip
def test_a_plan_whose_stored_facts_are_spoilt_can_still_be_looked_at(tmp_path, field, text):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, crear("Logo", urgente=True))
            await engine.person(ANA).confirm(ask.token)
            try:
                bench.sql(f"UPDATE semel_steps SET {field} = ?", text)
            except psycopg.DataError:
                # No text there holds this character.
                assert text == "\0"
                return
            person = engine.person(ANA)
            seen = [await person.status(ask.view.plan), await person.confirm(ask.token)]
            assert [told(outcome) for outcome in seen] == [("Report", "finished")] * 2
            assert len(await person.plans()) == 1
            for outcome in seen:
                assert outcome.card("es").text()
                assert outcome.for_model("en").says

    asyncio.run(main())


def test_the_events_of_a_plan_are_chained_each_to_the_one_before(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, guion(), enviar(await bench.note(engine)))
            await engine.person(ANA).confirm(ask.token)
            shown = await engine.person(ANA).show(ask.view.plan)
            assert [event["seq"] for event in shown.events] == list(range(1, len(shown.events) + 1))
            assert len({event["digest"] for event in shown.events}) == len(shown.events)

    asyncio.run(main())
