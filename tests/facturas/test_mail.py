"""Handing a message over: what is certain, and what is not, at every point of the conversation."""

import asyncio
import socket
from contextlib import suppress

import aiosmtplib
import pytest
from facturas_smtp import (
    CUT,
    DEADLINE,
    HANG,
    MESSAGE,
    RECIPIENT,
    SENDER,
    TRACE,
    WAIT,
    kept,
    run,
    scripted,
    send,
    send_until,
)

from semel.errors import InDoubt, NotDone
from semel_facturas.mail import Mailer, MailRefused
from semel_facturas.sink import Behaviour

pytestmark = pytest.mark.no_store

pytestmark = pytest.mark.no_store


def test_an_accepted_message_is_on_disk_byte_for_byte_with_the_envelope_of_the_caller(
    sink, tmp_path
):
    assert run(send(sink.url)) == "250 2.0.0 queued as 00000001"
    assert kept(tmp_path) == [TRACE + MESSAGE]
    assert [file.name for file in (tmp_path / "mail").iterdir()] == ["00000001.eml"]


def test_b41_no_answer_after_the_dot_is_in_doubt_and_the_message_may_be_there(sink, tmp_path):
    sink.behaviour.hang = True
    with pytest.raises(InDoubt):
        run(send_until(sink.url, sink.hanging))
    assert kept(tmp_path) == [TRACE + MESSAGE]


def test_a_slow_answer_within_the_deadline_is_a_success(sink):
    sink.behaviour.hang = True

    async def patient() -> str:
        sending = asyncio.create_task(send(sink.url))
        assert await asyncio.to_thread(sink.hanging.wait, WAIT)
        sink.release()
        return await sending

    assert run(patient()).startswith("250 ")


@pytest.mark.parametrize(("cut", "files"), [("before storing", 0), ("after storing", 1)])
def test_b41_a_connection_cut_after_the_dot_is_in_doubt(sink, tmp_path, cut, files):
    sink.behaviour.cut = cut
    with pytest.raises(InDoubt):
        run(send(sink.url))
    assert len(kept(tmp_path)) == files


@pytest.mark.parametrize(
    ("behaviour", "code", "temporary"),
    [
        (Behaviour(at_connect=421), 421, True),
        (Behaviour(at_connect=554), 554, False),
        (Behaviour(at_rcpt=451), 451, True),
        (Behaviour(at_rcpt=550), 550, False),
        (Behaviour(after_data=452), 452, True),
        (Behaviour(after_data=554), 554, False),
    ],
)
def test_b42_a_refusal_is_certain_and_4xx_is_temporary(sink, tmp_path, behaviour, code, temporary):
    sink.behaviour = behaviour
    with pytest.raises(MailRefused) as refused:
        run(send(sink.url))
    assert (refused.value.code, refused.value.temporary) == (code, temporary)
    assert refused.value.text
    assert str(code) in str(refused.value)
    assert kept(tmp_path) == []
    sink.behaviour = Behaviour()
    assert run(send(sink.url)).startswith("250 ")


@pytest.mark.parametrize("phase", ["CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "BODY"])
@pytest.mark.parametrize(
    ("code", "temporary"), [(421, True), (450, True), (503, False), (554, False)]
)
def test_b42_a_reply_that_refuses_is_certain_in_every_phase(phase, code, temporary):
    async def scene() -> None:
        async with scripted(**{phase: f"{code}-first line\r\n{code} second\tline"}) as server:
            with pytest.raises(MailRefused) as refused:
                await send(server.url)
            assert (refused.value.code, refused.value.temporary) == (code, temporary)
            assert refused.value.text == "first line second line"
            await server.gone.wait()
            assert server.connections == 1
            assert "BODY" not in server.heard or phase == "BODY"

    run(scene())


@pytest.mark.parametrize("phase", ["CONNECT", "EHLO", "MAIL", "RCPT"])
@pytest.mark.parametrize("trouble", [CUT, HANG, "nonsense", "299 what"])
def test_b41_before_data_any_trouble_is_certainly_not_sent(phase, trouble):
    async def scene() -> None:
        async with scripted(**{phase: trouble}) as server:
            hung = trouble == HANG
            with pytest.raises(MailRefused) as refused:
                await (send_until(server.url, server.hanging) if hung else send(server.url))
            assert (refused.value.code, refused.value.temporary) == (None, True)
            assert refused.value.text
            assert server.connections == 1
            assert "DATA" not in server.heard

    run(scene())


@pytest.mark.parametrize("phase", ["DATA", "BODY"])
@pytest.mark.parametrize("trouble", [CUT, HANG, "nonsense", "299 what"])
def test_b41_after_data_any_trouble_is_in_doubt(phase, trouble):
    async def scene() -> None:
        async with scripted(**{phase: trouble}) as server:
            hung = trouble == HANG
            with pytest.raises(InDoubt):
                await (send_until(server.url, server.hanging) if hung else send(server.url))
            assert server.connections == 1

    run(scene())


def test_nobody_listening_is_certainly_not_sent():
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        with pytest.raises(MailRefused) as refused:
            run(send(f"smtp://127.0.0.1:{reserved.getsockname()[1]}"))
    assert (refused.value.code, refused.value.temporary) == (None, True)


@pytest.mark.parametrize("trouble", [CUT, "554 no", "nonsense"])
def test_trouble_at_quit_does_not_take_a_success_back(trouble):
    async def scene() -> None:
        async with scripted(QUIT=trouble) as server:
            assert await send(server.url) == "250 taken"
            await server.gone.wait()
            assert server.heard == ["CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "BODY", "QUIT"]

    run(scene())


def test_x09_every_message_has_a_connection_of_its_own_and_none_is_sent_again():
    async def scene() -> None:
        async with scripted() as server:
            mailer = Mailer(server.url)
            for _ in range(3):
                await mailer.send(MESSAGE, sender=SENDER, recipient=RECIPIENT, deadline=DEADLINE)
            assert server.connections == 3
            assert server.heard.count("BODY") == 3

    run(scene())


@pytest.mark.parametrize("phase", ["CONNECT", "RCPT", "DATA", "BODY"])
def test_a_cancellation_passes_through_and_hangs_up(phase):
    async def scene() -> None:
        async with scripted(**{phase: HANG}) as server:
            sending = asyncio.create_task(send(server.url))
            assert await asyncio.to_thread(server.hanging.wait, WAIT)
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            assert server.connections == 1

    run(scene())


@pytest.mark.parametrize(
    ("early", "outcome"),
    [(b"", InDoubt), (b"552 too big\r\n", MailRefused)],
    ids=["deadline", "refused"],
)
def test_nothing_more_leaves_once_the_outcome_is_told(early, outcome):
    # More than the socket buffers hold, so that the final dot cannot have left yet.
    message = b"Subject: x\r\n\r\n" + (b"x" * 70 + b"\r\n") * 300_000

    async def scene() -> None:
        got = bytearray()
        halfway, told, read = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def stop_reading(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 hello\r\n")
            for reply in (b"250 ok", b"250 ok", b"250 ok", b"354 go on"):
                await reader.readline()
                writer.write(reply + b"\r\n")
            await reader.readline()
            writer.write(early)
            halfway.set()
            await told.wait()
            with suppress(ConnectionResetError):
                while chunk := await reader.read(1 << 20):
                    got.extend(chunk)
            writer.transport.abort()
            read.set()

        listener = await asyncio.start_server(stop_reading, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        sending = asyncio.create_task(send(f"smtp://127.0.0.1:{port}", message))
        await halfway.wait()
        if not early:
            asyncio.get_running_loop().moved += DEADLINE + 1
        with pytest.raises(outcome):
            await sending
        told.set()
        await read.wait()
        assert b"\r\n.\r\n" not in got
        listener.close()

    run(scene())


def test_a_connection_lost_just_before_data_is_certainly_not_sent(sink, tmp_path, monkeypatch):
    rcpt = aiosmtplib.SMTP.rcpt

    async def then_gone(client: aiosmtplib.SMTP, recipient: str) -> object:
        reply = await rcpt(client, recipient)
        client.close()
        return reply

    monkeypatch.setattr(aiosmtplib.SMTP, "rcpt", then_gone)
    with pytest.raises(MailRefused) as refused:
        run(send(sink.url))
    assert (refused.value.code, refused.value.temporary) == (None, True)
    assert kept(tmp_path) == []


BAD_ADDRESSES = [
    "maria@carmona.example\r\nRCPT TO:<otro@nadie.example>", "maria@carmona.example\n", "a\0@b.example",
    "María <maria@carmona.example>", "<maria@carmona.example>", "maria@carmona.example,otro@nadie.example",
    "maria@carmona.example SIZE=1", "maría@carmona.example", "maria@cármona.example", "maria", "", "@b.example",
    "a@", '"a b"@c.example', "a..b@c.example", ".a@c.example", "a@b..example", "a@b@c.example", "a" * 250 + "@b.example",
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD_ADDRESSES)
@pytest.mark.parametrize("side", ["sender", "recipient"])
def test_x10_nothing_but_an_address_reaches_the_envelope(bad, side):
    async def scene() -> None:
        async with scripted() as server:
            envelope = {"sender": SENDER, "recipient": RECIPIENT} | {side: bad}
            with pytest.raises(NotDone):
                await Mailer(server.url).send(MESSAGE, deadline=DEADLINE, **envelope)
            assert server.connections == 0

    run(scene())


@pytest.mark.parametrize(
    "message",
    [b"", b"a", b"a\nb\r\n", b"a\rb\r\n", b"a\r\n.\nMAIL FROM:<x@y>\r\n", b"a\0b\r\n", "ñ\r\n".encode(), b"a" * 999 + b"\r\n"],
)  # fmt: skip
def test_x10_only_the_lines_that_smtp_carries_leave(sink, tmp_path, message):
    with pytest.raises(NotDone):
        run(send(sink.url, message))
    assert kept(tmp_path) == []


@pytest.mark.parametrize(
    "url", ["", "localhost:25", "smtp://", "smtp://localhost", "smtps://h:465", "smtp://u:p@h:25"]
)
def test_the_server_is_given_as_host_and_port(url):
    with pytest.raises(ValueError, match="smtp://host:port"):
        Mailer(url)
