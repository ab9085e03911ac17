"""A yes covers what was shown, and what the person may do: both are looked at again."""

import asyncio
from decimal import Decimal

import pytest
from app import ANA, LUIS
from notas_bench import act, armed, crear, deny, enviar, firmar, opened, reprice, told

from semel import Ask, Refused
from semel.domain.consent import Difference
from semel.domain.report import Refusal
from semel.facts import Money, Text

RISKY = crear("Logo", urgente=True)
DONE = ("Report", "finished")


def test_b07_3_facts_that_changed_ask_anew_with_both_figures_and_another_token(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine, "Logo", "605.00")
            ask = await bench.asked(engine, firmar(note), enviar(note))
            await engine.write(reprice(note, "1605.00"))
            changed = await engine.person(ANA).confirm(ask.token)
            assert isinstance(changed, Ask)
            assert changed.view.plan == ask.view.plan
            assert changed.token
            assert changed.token != ask.token
            euros = Money(Decimal("605.00")), Money(Decimal("1605.00"))
            assert set(changed.changed) == {
                Difference(1, "aviso", None, Text("Importe alto")),
                Difference(1, "importe", *euros),
                Difference(2, "importe", *euros),
            }
            assert changed.view.steps[0].facts["importe"] == euros[1]
            text = changed.card("es").text()
            assert "605,00" in text
            assert "1.605,00" in text
            assert bench.sql("SELECT version FROM semel_plans") == [(2,)]
            # The old token is dead, and the same call shows the new one.
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Refused", "revoked")
            again = await act(engine, firmar(note), enviar(note))
            assert (again.token, again.view) == (changed.token, changed.view)
            assert bench.mundo.letters == []
            assert told(await engine.person(ANA).confirm(changed.token)) == DONE
            assert bench.mundo.letters[0].endswith("Logo 1605.00")

    asyncio.run(main())


def test_a_changed_question_stands_ten_minutes_of_its_own(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, firmar(note))
            bench.move(minutes=9)
            await engine.write(reprice(note, "501"))
            changed = await engine.person(ANA).confirm(ask.token)
            bench.move(minutes=9)
            assert told(await engine.person(ANA).confirm(changed.token)) == DONE

    asyncio.run(main())


def test_a_record_touched_without_a_visible_change_asks_again_too(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, firmar(note))
            await engine.write(reprice(note, "500"))
            changed = await engine.person(ANA).confirm(ask.token)
            assert isinstance(changed, Ask)
            assert changed.token != ask.token
            assert changed.changed == ()

    asyncio.run(main())


def test_what_is_volatile_changes_without_a_question(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            first, second = await bench.note(engine), await bench.note(engine)
            ask = await bench.asked(engine, firmar(first))
            other = await bench.asked(engine, firmar(second), who=LUIS)
            assert told(await engine.person(LUIS).confirm(other.token)) == DONE
            # The folio shown was 1; it is 2 by now, and was said to be only the next one.
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert bench.sql("SELECT id, folio FROM notas ORDER BY folio") == [
                (second, 1), (first, 2)
            ]  # fmt: skip

    asyncio.run(main())


def test_a_plan_that_cannot_be_previewed_any_more_is_stale_and_says_so(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, firmar(note))
            await engine.write(lambda tx: tx.run("notas.delete", org="o-1", id=note))
            stale = await engine.person(ANA).confirm(ask.token)
            assert told(stale) == ("Report", "stale")
            assert bench.steps() == [("not_done", "stale")]
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Refused", "revoked")

    asyncio.run(main())


def test_a_preview_that_breaks_at_the_yes_consumes_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, ("nota.guion", {}))
            before = bench.dump()
            sound = bench.guion.preview_is

            def broken(i, ctx):
                raise ConnectionError

            bench.guion.preview_is = broken
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Refused", "broken")

            def slow(i, ctx):
                bench.move(seconds=6)
                return sound(i, ctx)

            bench.guion.preview_is = slow
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Refused", "broken")
            assert bench.dump() == before
            bench.guion.preview_is = sound
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE

    asyncio.run(main())


def test_a_right_taken_away_before_the_yes_refuses_and_consumes_nothing(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, RISKY, firmar(note))
            await engine.write(deny("ana", "notas.firmar"))
            for _ in range(2):
                refused = await engine.person(ANA).confirm(ask.token)
                assert isinstance(refused, Refused)
                assert (refused.why, refused.detail) == (Refusal.FORBIDDEN, "notas.firmar")
            assert bench.notes() == ["Logo"]
            await engine.write(
                lambda tx: tx.run(
                    "permisos.allow", org="o-1", person="ana", permission="notas.firmar"
                )
            )
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE

    asyncio.run(main())


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_right_taken_away_after_the_yes_stops_before_the_step_that_needs_it(tmp_path, after):
    rights = ["notas.crear", "notas.firmar", "cartas.enviar"]

    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY, firmar("$1"), enviar("$2"))
            passed = []

            def revoke(name):
                # Before step 1: right after the yes; before step n: right after step n - 1.
                if name in {"commit:confirm:after", "commit:local:after"}:
                    passed.append(name)
                    if len(passed) == after + 1:
                        text = "INSERT INTO negados VALUES ('o-1', 'ana', ?)"
                        bench.sql(text, rights[after])

            with armed(revoke):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "failed")
            reached = [("done", None)] * after + [("not_done", "forbidden")]
            assert bench.steps() == reached + [("not_done", "not_reached")] * (2 - after)
            assert bench.mundo.letters == []

    asyncio.run(main())


def test_a_right_taken_away_while_a_letter_is_prepared_stops_it_before_its_mark(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, enviar(note))
            bench.carta.prepares = lambda: bench.sql(
                "INSERT INTO negados VALUES ('o-1', 'ana', 'cartas.enviar')"
            )
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "failed")
            assert bench.steps() == [("not_done", "forbidden")]
            assert bench.counts()["semel_attempts"] == bench.mundo.sends == 0

    asyncio.run(main())


async def bulk(bench, engine, count):
    notes = [await bench.note(engine, f"Nota {n}") for n in range(count)]
    return await bench.asked(engine, ("nota.borrar_muchas", {"notas": notes}))


@pytest.mark.parametrize(
    "words", [None, "", "sí", "2", "borrar 2", "BORRAR 33", "¿borrar?", "x" * 99]
)
def test_a_bulk_delete_wants_its_typed_words_and_consumes_nothing_without_them(tmp_path, words):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bulk(bench, engine, 3)
            refused = await engine.person(ANA).confirm(ask.token, words)
            assert (refused.why, refused.plan) == (Refusal.WORDS, ask.view.plan)
            assert len(bench.notes()) == 3
            assert told(await engine.person(ANA).confirm(ask.token, "BORRAR 3")) == DONE
            assert bench.notes() == []

    asyncio.run(main())


@pytest.mark.parametrize("words", ["3", "borrar", "Delete", "ESBORRAR 3", " «borrar 3» "])
def test_the_typed_words_are_the_count_or_the_word_for_deleting(tmp_path, words):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bulk(bench, engine, 3)
            assert told(await engine.person(ANA).confirm(ask.token, words)) == DONE

    asyncio.run(main())


def test_two_records_need_no_typed_words(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bulk(bench, engine, 2)
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE

    asyncio.run(main())
