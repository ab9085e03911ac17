"""The second post's opening: a time-out after the effect, and the same call again. One e-mail."""

import asyncio
import sys
from email import message_from_bytes
from pathlib import Path

import pytest
from dudas import CARTA, crear, does, opened, told

import semel_facturas
import stores
from semel import SAFE, Ask, DidNot, Engine, SendAnyway, Who
from semel.domain.key import step_key
from semel_facturas.sink import Behaviour, Sink

sys.path.insert(0, str(Path(__file__).parents[1] / "facturas"))
from facturas_smtp import CUT, HANG, MovableLoop, run, scripted

WHO = Who("carmona-demo", "ana", "main", "es")
HERE = Who("o-1", "ana", "c-1", "en")
WANTS = (
    "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela por correo"
)
IN_DOUBT = ("Report", "in_doubt")
DONE = ("Report", "finished")
GIVES_UP = 29
"""Seconds after which the client has given up of itself, shortly before its deadline of thirty."""
STORED = 30
"""Seconds that a test waits for a real server, which takes milliseconds."""


@pytest.fixture
def sink(tmp_path):
    with Sink(tmp_path / "mail") as sink:
        yield sink
        sink.release()


def mails(folder):
    return [
        message_from_bytes(path.read_bytes()) for path in sorted((folder / "mail").glob("*.eml"))
    ]


def url(folder) -> str:
    return stores.url(folder / "books.db", "facturas")


async def asked(folder, smtp) -> tuple[Engine, Ask]:
    """The application at work with a mail server, and a plan that asks."""
    engine = semel_facturas.open(url(folder), home=folder, smtp=smtp)
    await engine.start(sweeps=False)
    await semel_facturas.seed(engine)
    ask = await semel_facturas.ask(engine, WHO, WANTS, message="m-1")
    assert isinstance(ask, Ask)
    return engine, ask


async def time_passes(hanging):
    """Once the server has the message and is silent, let the client's deadline pass."""
    assert await asyncio.to_thread(hanging.wait, STORED)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, MovableLoop)
    loop.moved += GIVES_UP


async def given_up(folder, sink):
    """The yes whose e-mail the server took and did not answer for: in doubt."""
    sink.behaviour = Behaviour(hang=True)
    engine, ask = await asked(folder, sink.url)
    yes = asyncio.create_task(engine.person(WHO).confirm(ask.token))
    await time_passes(sink.hanging)
    report = await yes
    assert told(report) == IN_DOUBT
    return engine, ask, report


def test_b41_an_answer_after_the_client_has_given_up_is_one_mail_and_a_doubt_for_ever(
    tmp_path, sink
):
    async def main():
        engine, ask, report = await given_up(tmp_path, sink)
        plan = ask.view.plan
        sink.release()  # 250, to somebody who has gone
        sink.behaviour = Behaviour()
        key = step_key(WHO.org, plan, 3, 1)
        # The model reads the same call's answer, and has nothing to repeat.
        for _ in range(3):
            again = await semel_facturas.ask(engine, WHO, WANTS, message="m-1")
            assert (told(again), again.replayed) == (IN_DOUBT, True)
            model = again.for_model("es")
            assert (model.status, model.next) == ("in_doubt", "wait_person")
            yes = await engine.person(WHO).confirm(ask.token)
            assert (told(yes), yes.replayed) == (IN_DOUBT, True)
            await engine.sweep()
        text = report.card("es").text()
        assert "maria@carmona.example" in text
        assert key in text
        (mail,) = mails(tmp_path)
        assert str(mail["Message-ID"]).startswith(f"<{key}@")
        assert [str(step.state) for step in report.view.steps] == ["done", "done", "in_doubt"]
        await engine.stop()

    run(main())


def test_b41_a_person_may_have_it_sent_again_under_the_same_message_id(tmp_path, sink):
    async def main():
        engine, ask, _ = await given_up(tmp_path, sink)
        sink.behaviour = Behaviour()
        person, plan = engine.person(WHO), ask.view.plan
        # It may still arrive, so a mere "it did not" does not count.
        epoch = (await person.status(plan)).view.epoch
        refused = await person.resolve(plan, 3, DidNot(epoch, settled=True))
        assert told(refused) == ("Refused", "not_settled")
        assert told(await person.resolve(plan, 3, SendAnyway("sí"))) == ("Refused", "send_words")
        assert len(mails(tmp_path)) == 1
        report = await person.resolve(plan, 3, SendAnyway("ENVIAR OTRA VEZ"))
        assert told(report) == DONE
        first, second = mails(tmp_path)
        assert first["Message-ID"] == second["Message-ID"]
        assert first.get_payload() == second.get_payload()
        kinds = [row["kind"] for row in (await person.show(plan)).events]
        assert kinds.count("possible_duplicate") == 1
        await engine.stop()

    run(main())


@pytest.mark.parametrize("phase", ["CONNECT", "EHLO", "MAIL", "RCPT"])
@pytest.mark.parametrize("trouble", [CUT, HANG, "451 later", "421 busy", "550 no"])
def test_b41_b42_before_data_it_is_certainly_not_sent_and_the_retry_sends_one(
    tmp_path, sink, phase, trouble
):
    async def main():
        async with scripted(**{phase: trouble}) as server:
            engine, ask = await asked(tmp_path, server.url)
            yes = asyncio.create_task(engine.person(WHO).confirm(ask.token))
            if trouble == HANG:
                await time_passes(server.hanging)
            report = await yes
            assert told(report) == ("Report", "failed")
            step = report.view.steps[2]
            assert (str(step.state), str(step.reason)) == ("not_done", "refused")
            if trouble[0].isdigit():
                assert trouble[:3] in (step.detail or "")
            # The invoice stands, and what is left is offered.
            assert [str(one.state) for one in report.view.steps[:2]] == ["done", "done"]
            await engine.stop()
        assert mails(tmp_path) == []
        books = url(tmp_path)
        engine = semel_facturas.open(books, home=tmp_path, smtp=sink.url)
        await engine.start(sweeps=False)
        again = await engine.person(WHO).retry(report.retry_token)
        assert told(again) == DONE
        (mail,) = mails(tmp_path)
        assert str(mail["Message-ID"]).startswith(f"<{step_key(WHO.org, ask.view.plan, 3, 2)}@")
        assert again.view.steps[1].id == report.view.steps[1].id
        await engine.stop()

    run(main())


@pytest.mark.parametrize("body", [CUT, HANG, "451 later", "250 taken"])
def test_b41_after_the_dot_only_an_answer_proves_anything(tmp_path, body):
    async def main():
        async with scripted(BODY=body) as server:
            engine, ask = await asked(tmp_path, server.url)
            yes = asyncio.create_task(engine.person(WHO).confirm(ask.token))
            if body == HANG:
                await time_passes(server.hanging)
            ends = {"451 later": ("Report", "failed"), "250 taken": DONE}
            assert told(await yes) == ends.get(body, IN_DOUBT)
            for _ in range(3):
                await engine.person(WHO).confirm(ask.token)
                await semel_facturas.ask(engine, WHO, WANTS, message="m-1")
                await engine.sweep()
            # One conversation, whatever became of it.
            assert server.connections == 1
            await engine.stop()

    run(main())


@pytest.mark.parametrize("calls", [1, 2, 5])
@pytest.mark.parametrize("when", ["while it is sent", "after it was proven"])
def test_a_caller_that_timed_out_after_the_effect_calls_again_and_there_is_one(
    tmp_path, calls, when
):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.actions[CARTA].asks = SAFE
            banco.afuera.goes[CARTA] = "hang"
            note = await banco.note(engine)
            call = {"steps": [{"action": n, "input": i} for n, i in (does(CARTA, note), crear())]}

            def act():
                return asyncio.create_task(engine.agent.act(HERE, call, message="m-1"))

            # The loop that called gives up, and its tool call with it; the send is on its way.
            first = act()
            await banco.afuera.hanging.wait()
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            again = [act() for _ in range(calls)] if when == "while it is sent" else []
            await asyncio.sleep(0)
            await banco.release(engine)
            again += [act() for _ in range(calls)] if when == "after it was proven" else []
            answers = await asyncio.gather(*again)
            assert {(told(one), one.replayed) for one in answers} == {(DONE, True)}
            assert {one.for_model("en").status for one in answers} == {"already_done"}
            assert banco.calls()["send"] == banco.arrived(CARTA) == 1
            assert banco.sql("SELECT count(*) FROM notas WHERE text = 'Nueva'") == [(1,)]
            assert banco.sql("SELECT count(*) FROM semel_plans") == [(1,)]

    asyncio.run(main())
