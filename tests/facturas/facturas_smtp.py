"""A loop whose clock a test moves, and a mail server that answers by a script."""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from semel_facturas.mail import Mailer

T = TypeVar("T")

SENDER = "facturas@carmona-demo.example"
RECIPIENT = "maria@carmona.example"
MESSAGE = (
    b"Message-ID: <k@carmona-demo.example>\r\nTo: otra@nadie.example\r\n\r\nHola\r\n.\r\n..fin\r\n"
)
TRACE = f"Return-Path: <{SENDER}>\r\nDelivered-To: {RECIPIENT}\r\n".encode()
DEADLINE = 60.0
WAIT = 30.0
CUT = "cut"
HANG = "hang"


class MovableLoop(asyncio.SelectorEventLoop):
    """A loop that can be told that time has passed."""

    moved = 0.0

    def time(self) -> float:
        return super().time() + self.moved


def run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=MovableLoop) as runner:
        return runner.run(work)


def kept(folder: Path) -> list[bytes]:
    """The messages in a sink's folder, in the order of their names."""
    return [file.read_bytes() for file in sorted((folder / "mail").glob("*.eml"))]


async def send(url: str, message: bytes = MESSAGE) -> str:
    return await Mailer(url).send(message, sender=SENDER, recipient=RECIPIENT, deadline=DEADLINE)


async def send_until(url: str, hanging: threading.Event) -> str:
    """Send; once the server hangs, let the deadline pass."""
    sending = asyncio.create_task(send(url))
    assert await asyncio.to_thread(hanging.wait, WAIT)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, MovableLoop)
    loop.moved += DEADLINE + 1
    return await sending


class Scripted:
    """Answers each command by *script*: a reply, CUT, or HANG; the rest as a good server would."""

    def __init__(self, script: dict[str, str]) -> None:
        self.script = {
            "CONNECT": "220 hello", "EHLO": "250 hello", "MAIL": "250 ok", "RCPT": "250 ok",
            "DATA": "354 go on", "BODY": "250 taken", "QUIT": "221 bye",
        } | script  # fmt: skip
        self.url = ""
        self.connections = 0
        self.heard: list[str] = []
        self.hanging = threading.Event()
        self.gone = asyncio.Event()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            going = await self.answer("CONNECT", writer)
            while going and (line := await reader.readline()):
                command = line.split(b" ")[0].strip().decode().upper()
                going = await self.answer(command, writer)
                if going and command == "DATA" and self.script["DATA"].startswith("354"):
                    await reader.readline()
                    if self.script["BODY"] != CUT:
                        await reader.readuntil(b"\r\n.\r\n")
                    going = await self.answer("BODY", writer)
        finally:
            writer.transport.abort()
            self.gone.set()

    async def answer(self, command: str, writer: asyncio.StreamWriter) -> bool:
        self.heard.append(command)
        reply = self.script[command]
        if reply == CUT:
            return False
        if reply == HANG:
            self.hanging.set()
            # It is held here: nothing else would keep a silent conversation from being collected.
            self.silence = asyncio.get_running_loop().create_future()
            await self.silence
            reply = self.script[command]
        writer.write(reply.encode() + b"\r\n")
        await writer.drain()
        return command != "QUIT"


@asynccontextmanager
async def scripted(**script: str) -> AsyncIterator[Scripted]:
    server = Scripted(script)
    listener = await asyncio.start_server(server.converse, "127.0.0.1", 0)
    server.url = f"smtp://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listener.close()
