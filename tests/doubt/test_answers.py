"""What a person says of a step in doubt: who may, with which id, and what follows from it."""

import asyncio

import pytest
from dudas import (
    CARTA,
    RESERVA,
    SETTLED,
    Banco,
    Process,
    at_once,
    beside,
    crear,
    does,
    elsewhere,
    firmar,
    opened,
    run,
    told,
)
from pedidos import ANA, LUIS, OUTSIDE, Carta, Nota

from semel import DidNot, Happened, LookAgain, Made, Opaque, Preview
from semel.facts import Text
from semel.testing import interrupt_at


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    at_once(monkeypatch)


class Copia(
    Carta, name="carta.copiar", effect=Opaque(deadline=30, delivery_bound=60), makes=Nota,
    allow="cartas",
):  # fmt: skip
    """Send a letter whose answer is a new note; what comes after may refer to it."""

    def preview(self, i, ctx):
        return Preview(text=Text(i.nota.row.text), makes=i.nota.row)

    async def run(self, i, ctx, prepared):
        return Made(id=await self.afuera.send("carta.enviar", ctx.key, i.nota.id))


def with_copia(folder) -> Banco:
    banco = Banco(folder)
    banco.actions["carta.copiar"] = Copia(banco.afuera)
    return banco


async def doubtful(banco, engine, *steps, goes="lost"):
    """A first step in doubt; its plan's number."""
    banco.afuera.goes |= dict.fromkeys(OUTSIDE, goes)
    banco.afuera.goes |= {f"{action}?": "dark" for action in OUTSIDE}
    ask = await banco.asked(engine, *steps)
    assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "in_doubt")
    return ask.view.plan


@pytest.mark.parametrize("action", OUTSIDE)
@pytest.mark.parametrize("id", [None, "r-77"])
def test_it_happened_is_taken_at_any_time_with_an_id_or_without(tmp_path, action, id):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, does(action, await banco.note(engine)), crear())
            report = await engine.person(ANA).resolve(plan, 1, Happened(id))
            assert told(report) == ("Report", "failed")
            assert banco.steps() == [("done", None), ("not_done", "not_reached")]
            step = report.view.steps[0]
            assert (step.id, step.resolution, step.resolved_by) == (id, "happened", "ana")
            assert banco.events()[-3:] == ["step_done", "answered", "proved_late"]
            # Nothing refers to it, so the rest may be done; what happened is not done again.
            banco.afuera.goes = {}
            assert told(await engine.person(ANA).retry(report.retry_token)) == (
                "Report",
                "finished",
            )
            assert banco.arrived(action) == 1
            # What a person says ends the doubt; it is no ground for taking anything back.
            assert (await engine.person(ANA).status(plan)).undo_token is None

    run(main())


@pytest.mark.parametrize(
    ("id", "why", "rest"),
    [
        ("the note", ("Report", "failed"), "not_reached"),
        (None, ("Report", "failed"), "unknown_reference"),
        ("nobody's", ("Refused", "unknown_record"), None),
        ("", ("Refused", "unknown_record"), None),
        ("a\0b", ("Refused", "unknown_record"), None),
        ("x" * 100_000, ("Refused", "unknown_record"), None),
        ("another's", ("Refused", "unknown_record"), None),
    ],
)
def test_its_record_must_be_there_and_without_one_what_refers_to_it_cannot_be_done(
    tmp_path, id, why, rest
):
    async def main():
        banco = with_copia(tmp_path)
        async with banco.engine() as engine:
            note = await banco.note(engine)
            banco.sql("INSERT INTO notas VALUES ('o-2', 'theirs', 'Suya', 0, 1, '', 0)")
            ids = {"the note": note, "another's": "theirs"}
            steps = does("carta.copiar", note), firmar("$1"), crear(), firmar(note)
            plan = await doubtful(banco, engine, *steps)
            report = await engine.person(ANA).resolve(plan, 1, Happened(ids.get(id, id)))
            assert told(report) == why
            if rest is None:
                assert banco.steps() == [("in_doubt", None)] + [("not_done", "not_reached")] * 3
                assert banco.events()[-1] == "ended"
                return
            assert banco.steps() == [
                ("done", None), ("not_done", rest), ("not_done", "not_reached"),
                ("not_done", "not_reached"),
            ]  # fmt: skip
            # With the record the rest goes on from it; without, nobody knows what to do it to.
            assert bool(report.retry_token) == (id == "the note")
            if id == "the note":
                assert banco.sql("SELECT kind, id FROM semel_effects") == [("nota", note)]
                banco.afuera.goes = {}
                await engine.person(ANA).retry(report.retry_token)
                assert banco.sql("SELECT signed FROM notas WHERE id = ?", note) == [(2,)]

    run(main())


def _raises(error):
    def find(self, ctx, id):
        raise error

    return find


@pytest.mark.parametrize("error", [ValueError("x"), StopIteration(), RecursionError(), KeyError(1)])
def test_a_record_that_cannot_be_looked_for_is_refused_and_changes_nothing(
    tmp_path, monkeypatch, error
):
    async def main():
        banco = with_copia(tmp_path)
        async with banco.engine() as engine:
            note = await banco.note(engine)
            plan = await doubtful(banco, engine, does("carta.copiar", note), firmar("$1"))
            before = banco.sql("SELECT * FROM semel_events"), banco.steps()
            with monkeypatch.context() as patched:
                patched.setattr(Nota, "find", _raises(error))
                async with asyncio.timeout(30):
                    answer = await engine.person(ANA).resolve(plan, 1, Happened(note))
            assert told(answer)[0] == "Refused"
            assert (banco.sql("SELECT * FROM semel_events"), banco.steps()) == before
            assert told(await engine.person(ANA).resolve(plan, 1, Happened(note)))[0] == "Report"

    run(main())


@pytest.mark.parametrize("id", ["x" * 200, "", "\n", "\u202e"])
def test_what_is_typed_as_an_id_of_the_other_side_is_kept_as_it_is(tmp_path, id):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, does(CARTA, await banco.note(engine)), crear())
            report = await engine.person(ANA).resolve(plan, 1, Happened(id))
            assert told(report) == ("Report", "failed")
            assert report.view.steps[0].id == id
            assert "\u202e" not in report.card("es").text()
            assert await engine.person(ANA).show(plan)

    run(main())


@pytest.mark.parametrize(
    "id", ["\ud83d", "x" * 201, "x" * 2_000_000, "a\0b"], ids=["half", "long", "huge", "nul"]
)
def test_what_no_record_is_called_is_refused_and_nothing_is_written(tmp_path, id):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, does(CARTA, await banco.note(engine)), crear())
            before = banco.sql("SELECT * FROM semel_events")
            answer = await engine.person(ANA).resolve(plan, 1, Happened(id))
            assert told(answer) == ("Refused", "unknown_record")
            assert banco.sql("SELECT * FROM semel_events") == before
            assert banco.steps()[0] == ("in_doubt", None)

    run(main())


@pytest.mark.parametrize("answer", [Happened("r-1"), DidNot(2, settled=True)], ids=repr)
def test_the_same_answer_twice_or_at_once_is_taken_once(tmp_path, answer):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            plan = await doubtful(banco, engine, does(CARTA, await banco.note(engine)), crear())
            banco.clock.move(seconds=SETTLED)
            ((epoch,),) = banco.sql("SELECT epoch FROM semel_plans")
            given = answer if isinstance(answer, Happened) else DidNot(epoch, settled=True)
            answers = await asyncio.gather(
                *(engine.person(ANA).resolve(plan, 1, given) for _ in range(5)),
                *(engine.person(LUIS).resolve(plan, 1, given) for _ in range(5)),
            )
            answers += [await engine.person(ANA).resolve(plan, 1, given) for _ in range(3)]
            assert {told(one) for one in answers} == {("Report", "failed")}
            assert banco.events().count("answered") == 1
            assert banco.events().count("proved_late") == 1
            assert banco.sql("SELECT epoch FROM semel_plans") == [(epoch + 1,)]

    run(main())


@pytest.mark.parametrize("then", ["proof first", "answer first"])
@pytest.mark.parametrize("answer", [Happened("r-1"), LookAgain()], ids=repr)
def test_an_answer_that_races_a_late_proof_leaves_one_record_of_it(tmp_path, then, answer):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.impatient()
            note = await banco.note(engine)
            plan = await doubtful(banco, engine, does(CARTA, note), crear(), goes="hang")

            async def say():
                async with beside(banco, Process("other")) as other:
                    await other.person(ANA).resolve(plan, 1, answer)

            # The one waits at the door of its transaction while the other one goes through.
            if then == "answer first":
                with interrupt_at("send:after", lambda: elsewhere(say())):
                    await banco.release(engine)
            else:
                await banco.release(engine)
                await say()
            happened = then == "answer first" and isinstance(answer, Happened)
            assert banco.steps() == [("done", None), ("not_done", "not_reached")]
            assert banco.attempts() == ["made"]
            assert banco.events().count("step_done") == banco.events().count("proved_late") == 1
            assert ("answered" in banco.events()) == happened
            step = (await engine.person(ANA).status(plan)).view.steps[0]
            assert step.id == ("r-1" if happened else f"{CARTA}:{banco.keys()[0]}")
            assert banco.arrived(CARTA) == 1

    run(main())


@pytest.mark.parametrize("answer", ["happened", "did not", "refused"])
def test_what_a_person_resolved_is_no_ground_for_taking_back_what_was_done(tmp_path, answer):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[CARTA] = "refuse" if answer == "refused" else "gone"
            ask = await banco.asked(engine, crear(), does(CARTA, "$1"))
            person = engine.person(ANA)
            report = await person.confirm(ask.token)
            banco.clock.move(seconds=SETTLED)
            if answer == "happened":
                report = await person.resolve(ask.view.plan, 2, Happened())
            elif answer == "did not":
                report = await person.did_not(ask.view.plan, 2)
            assert report.view.steps[0].state == "done"
            # The note could be taken back; a proof says so of the letter, a person's word does not.
            assert bool(report.undo_token) == (answer == "refused")

    run(main())


def test_looking_again_tells_a_person_what_is_known_and_changes_nothing_by_itself(tmp_path):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            note = await banco.note(engine)
            plan = await doubtful(banco, engine, does(RESERVA, note), crear(), goes="gone")
            events = banco.events()
            for _ in range(3):
                answer = await engine.person(ANA).resolve(plan, 1, LookAgain())
                assert told(answer) == ("Report", "in_doubt")
            assert banco.events() == events
            assert banco.calls()["look"] == 4

    run(main())
