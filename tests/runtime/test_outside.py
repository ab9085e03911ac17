"""An outside step: its mark before the send, one send, and what the send proved."""

import asyncio
import json
from decimal import Decimal

import pytest
from app import ANA
from notas_bench import act, armed, crear, enviar, firmar, opened, told, until

from semel import Made, Opaque, Who
from semel.errors import Unreachable
from semel.facts import Text
from semel.runtime import engine as engine_module
from semel.runtime import proof
from semel.testing import interrupt_at, recorded

IN_DOUBT = [("in_doubt", None), ("not_done", "not_reached")]


async def asked(bench, engine, *more, message="m-1"):
    """A letter, and a step after it."""
    note = await bench.note(engine)
    return await bench.asked(engine, enviar(note), *(more or [firmar("$1")]), message=message)


def test_a_definite_refusal_is_not_done_and_the_rest_was_not_reached(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.mundo.goes = "refuse"
            ask = await asked(bench, engine)
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "failed")
            assert bench.steps() == [("not_done", "refused"), ("not_done", "not_reached")]
            assert report.view.steps[0].detail == "Buzón lleno (550)."
            assert bench.sql("SELECT outcome, detail FROM semel_attempts") == [
                ("refused", "Buzón lleno (550).")
            ]  # fmt: skip
            assert bench.mundo.letters == []
            assert bench.mundo.sends == 1

    asyncio.run(main())


@pytest.mark.parametrize("goes", ["break", "break before", "exit", "odd", None, b"sent", Made])
def test_whatever_else_comes_back_after_the_mark_is_in_doubt(tmp_path, goes):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.mundo.goes = goes
            ask = await asked(bench, engine)
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "in_doubt")
            assert bench.steps() == IN_DOUBT
            ((outcome, returned),) = bench.sql("SELECT outcome, returned_at FROM semel_attempts")
            assert outcome == "unknown"
            assert returned
            told_last = ["step_started", "noted", "step_in_doubt", "ended"]
            assert bench.events(ask.view.plan)[-4:] == told_last
            # It is not sent again by itself, whoever asks and however long after.
            sent = list(bench.mundo.letters)
            for _ in range(3):
                bench.move(hours=5)
                await engine.sweep()
                await engine.person(ANA).confirm(ask.token)
            assert bench.mundo.sends == 1
            assert bench.mundo.letters == sent
            assert bench.steps() == IN_DOUBT

    asyncio.run(main())


def test_a_doubt_and_the_plans_end_are_one_commit(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.mundo.goes = "break"
            ask = await asked(bench, engine)
            seen = []

            def look(name):
                # While a transaction is open, whoever reads sees the last commit.
                seen.append((bench.steps()[0][0], bench.plans()[0]))

            with armed(look):
                await engine.person(ANA).confirm(ask.token)
            assert set(seen) == {
                ("waiting", ("asking", None)),
                ("waiting", ("running", None)),
                ("started", ("running", None)),
                ("in_doubt", ("ended", "in_doubt")),
            }

    asyncio.run(main())


def test_the_mark_is_on_disk_before_the_first_byte_leaves(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await asked(bench, engine)
            seen = []
            with interrupt_at("send:before", lambda: seen.append(bench.steps()[0])):
                await engine.person(ANA).confirm(ask.token)
            assert seen == [("started", None)]
            ((deadline, opened_at, sent_by),) = bench.sql(
                "SELECT deadline_at, opened_at, sent_by FROM semel_attempts WHERE position = 1"
            )
            assert (opened_at, deadline) == (
                "2026-10-19T08:00:00.000000Z", "2026-10-19T08:00:20.000000Z"
            )  # fmt: skip
            assert sent_by == engine._core.host.identity

    asyncio.run(main())


@pytest.mark.parametrize(
    "error",
    [ValueError(), KeyError(), TimeoutError(), ConnectionError(), RecursionError(), SystemExit(2)],
)
def test_preparing_that_fails_is_a_proof_that_nothing_happened(tmp_path, error):
    async def main():
        async with opened(tmp_path) as (bench, engine):

            def fails():
                raise error

            bench.carta.prepares = fails
            ask = await asked(bench, engine)
            with recorded() as passed:
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "failed")
            assert bench.steps() == [("not_done", "failed"), ("not_done", "not_reached")]
            assert bench.mundo.sends == bench.counts()["semel_attempts"] == 0
            assert "commit:mark:before" not in passed

    asyncio.run(main())


def test_facts_that_change_while_it_is_prepared_stop_it_before_its_mark(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await asked(bench, engine)
            bench.carta.prepares = lambda: bench.sql(
                "UPDATE notas SET importe = '6050', version = version + 1"
            )
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "stale")
            assert bench.steps() == [("not_done", "stale"), ("not_done", "not_reached")]
            assert bench.mundo.sends == 0

    asyncio.run(main())


def test_the_key_for_the_other_side_is_the_steps_own(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            ask = await bench.asked(engine, enviar(note), enviar(note))
            await engine.person(ANA).confirm(ask.token)
            keys = [letter.split(" ")[0] for letter in bench.mundo.letters]
            assert len(set(keys)) == 2
            assert all(len(key) == 32 and key.isalnum() for key in keys)

    asyncio.run(main())


async def past_the_deadline(bench, engine, then, **kinds):
    """A send that has not come back when its deadline passed, and goes on as *then* says."""
    bench.carta.effect = Opaque(deadline=0.02)
    bench.mundo.goes, bench.mundo.then = "hang", then
    ask = await asked(bench, engine, **kinds)
    report = await engine.person(ANA).confirm(ask.token)
    assert told(report) == ("Report", "in_doubt")
    assert bench.steps() == IN_DOUBT
    assert bench.sql("SELECT outcome, returned_at FROM semel_attempts") == [(None, None)]
    return ask


async def released(bench, engine):
    bench.mundo.released.set()
    await asyncio.wait(engine._core.background)


def test_a_send_past_its_deadline_is_in_doubt_and_a_late_proof_makes_it_done(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await past_the_deadline(bench, engine, "ok")
            ((epoch,),) = bench.sql("SELECT epoch FROM semel_plans")
            await released(bench, engine)
            assert bench.steps() == [("done", None), ("not_done", "not_reached")]
            assert bench.plans() == [("ended", "failed")]
            assert bench.events(ask.view.plan)[-2:] == ["step_done", "proved_late"]
            assert bench.sql("SELECT epoch FROM semel_plans") == [(epoch + 1,)]
            assert bench.counts()["semel_effects"] == 1
            report = await engine.person(ANA).confirm(ask.token)
            assert (report.replayed, report.view.steps[0].id) == (True, "letter-1")

    asyncio.run(main())


def test_a_late_proof_of_the_last_step_makes_the_whole_plan_done(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            bench.carta.effect = Opaque(deadline=0.02)
            bench.mundo.goes = "hang"
            ask = await bench.asked(engine, enviar(await bench.note(engine)))
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "in_doubt")
            await released(bench, engine)
            assert told(await engine.person(ANA).status(ask.view.plan)) == ("Report", "finished")
            assert len(bench.mundo.letters) == 1

    asyncio.run(main())


def test_a_late_refusal_of_the_only_send_makes_it_not_done(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await past_the_deadline(bench, engine, "refuse")
            await released(bench, engine)
            assert bench.steps() == [("not_done", "refused"), ("not_done", "not_reached")]
            assert bench.plans() == [("ended", "failed")]
            assert bench.events(ask.view.plan)[-2:] == ["step_not_done", "proved_late"]
            assert bench.mundo.letters == []

    asyncio.run(main())


def test_a_late_failure_proves_nothing_and_notes_that_the_send_came_back(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            await past_the_deadline(bench, engine, "break")
            await released(bench, engine)
            assert bench.steps() == IN_DOUBT
            assert bench.plans() == [("ended", "in_doubt")]
            ((outcome, returned),) = bench.sql("SELECT outcome, returned_at FROM semel_attempts")
            assert outcome == "unknown"
            assert returned

    asyncio.run(main())


def test_a_send_that_obeys_its_cancellation_is_in_doubt(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):

            async def obedient(i, ctx, prepared):
                await asyncio.Event().wait()

            bench.carta.run = obedient
            bench.carta.effect = Opaque(deadline=0.02)
            ask = await asked(bench, engine)
            assert told(await engine.person(ANA).confirm(ask.token)) == ("Report", "in_doubt")
            await until(lambda: not engine._core.background)
            assert bench.sql("SELECT outcome FROM semel_attempts") == [("unknown",)]

    asyncio.run(main())


def test_closing_the_engine_in_mid_send_is_a_doubt_not_a_loss(tmp_path, monkeypatch):
    async def main():
        monkeypatch.setattr(engine_module, "DRAIN_SECONDS", 0.02)
        async with opened(tmp_path) as (bench, engine):

            async def obedient(i, ctx, prepared):
                bench.mundo.hanging.set()
                await asyncio.Event().wait()

            bench.carta.run = obedient
            ask = await asked(bench, engine)
            yes = asyncio.create_task(engine.person(ANA).confirm(ask.token))
            await bench.mundo.hanging.wait()
            await engine.drain()
            assert told(await yes) == ("Report", "in_doubt")
            assert bench.steps() == IN_DOUBT

    asyncio.run(main())


@pytest.mark.parametrize("failures", [1, 2, 3, 4])
def test_a_proof_is_insisted_on_while_the_database_cannot_be_reached(
    tmp_path, monkeypatch, failures
):
    async def main():
        monkeypatch.setattr(proof, "INSIST_SECONDS", (0, 0, 0, 0))
        async with opened(tmp_path) as (bench, engine):
            ask = await asked(bench, engine)
            tries = []

            def unreachable(name):
                if name == "commit:made:before":
                    tries.append(name)
                    if len(tries) <= failures:
                        raise Unreachable

            with armed(unreachable):
                report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "finished")
            assert len(bench.mundo.letters) == 1
            assert len(tries) == failures + 1

    asyncio.run(main())


def test_a_proof_that_could_never_be_written_ends_in_doubt_and_is_not_sent_again(
    tmp_path, monkeypatch
):
    async def main():
        monkeypatch.setattr(proof, "INSIST_SECONDS", (0,))
        async with opened(tmp_path) as (bench, engine):
            ask = await asked(bench, engine)

            def unreachable(name):
                if name == "commit:made:before":
                    raise Unreachable

            with armed(unreachable):
                report = await engine.person(ANA).confirm(ask.token)
            # It is not known here any more whether it happened: that is said, and nothing is sent.
            assert told(report) == ("Report", "in_doubt")
            assert bench.plans() == [("ended", "in_doubt")]
            assert bench.steps() == IN_DOUBT
            assert len(bench.mundo.letters) == 1

    asyncio.run(main())


class Row(dict):
    """A row whose words cannot be had."""

    def __getitem__(self, name):
        raise RuntimeError(name)


def results():
    row = {"id": "n", "version": 1, "texto": "x"}
    yield "nothing at all", lambda note: Made()
    yield "an object to undo with", lambda note: Made(note, undo={"x": object()}, n=Text("1"))
    yield "bytes", lambda note: Made(note, undo={"pdf": b"%PDF"}, n=Text("1"))
    yield "a Decimal", lambda note: Made(note, undo={"total": Decimal("605.00")}, n=Text("1"))
    yield "twelve megabytes", lambda note: Made(note, n=Text("x" * 12_000_000))
    yield "twelve megabytes of undo", lambda note: Made(note, undo="x" * 12_000_000, n=Text("1"))
    yield "NUL", lambda note: Made(note, id="a\0b", n=Text("1\0"))
    yield "half a character", lambda note: Made(note, id="\ud83d", n=Text("1"), bad=Text("\ud83d"))
    yield "a fact that is none", lambda note: Made(note, n=Text("1"), total=Decimal(1))
    yield "a fact of the wrong type", lambda note: Made(note, n=Text("1"), bad=Text(5))
    yield "NaN", lambda note: Made(note, undo=float("nan"), n=Text("1"))
    yield "an id that is no text", lambda note: Made(note, id=7, n=Text("1"))
    yield "the same row twice", lambda note: Made(note, note, n=Text("1"))
    yield "a row with half a character", lambda note: Made({**row, "texto": "\ud83d"}, n=Text("1"))
    yield "a key with half a character", lambda note: Made({**row, "id": "\ud83d"}, n=Text("1"))
    yield "a row that raises", lambda note: Made(Row(row), n=Text("1"))
    yield "a row of no kind", lambda note: Made(object(), n=Text("1"))
    yield "a long label", lambda note: Made({**row, "texto": "x" * 2_000_000}, n=Text("1"))
    deep = []
    deep.append(deep)
    yield "a circle", lambda note: Made(note, undo=deep, n=Text("1"))


@pytest.mark.parametrize("what", dict(results()))
def test_b26_a_result_that_cannot_be_stored_is_done_once_and_reduced(tmp_path, what):
    made = dict(results())[what]

    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)

            async def sent(i, ctx, prepared):
                bench.mundo.write("sent")
                return made(i.nota.row)

            bench.carta.run = sent
            ask = await bench.asked(engine, enviar(note))
            report = await engine.person(ANA).confirm(ask.token)
            assert told(report) == ("Report", "finished")
            assert bench.mundo.letters == ["sent"]
            ((result,),) = bench.sql("SELECT result FROM semel_steps")
            assert len(result) <= 256 * 1024
            assert isinstance(json.loads(result), dict)
            # What can be kept is kept: the figure that the person waits for.
            if what not in {"nothing at all", "NUL", "twelve megabytes"}:
                assert report.view.steps[0].made == {"n": Text("1")}
            for label in bench.sql("SELECT label, id FROM semel_effects"):
                assert len(label[0]) <= 200
            again = await act(engine, enviar(note))
            assert again.replayed
            report.for_model("es")
            report.card("es").text()
            assert bench.mundo.letters == ["sent"]

    asyncio.run(main())


def test_what_is_read_by_another_person_holds_no_letter_of_it(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await asked(bench, engine, crear())
            await engine.person(ANA).confirm(ask.token)
            other = Who("o-2", "ana", "c-1")
            assert told(await engine.agent.status(other, ask.view.plan)) == (
                "Refused", "not_found"
            )  # fmt: skip

    asyncio.run(main())
