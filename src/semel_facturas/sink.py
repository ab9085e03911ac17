"""A mail server that keeps every message in a folder and tells nobody: for the demo and for tests.

It speaks real SMTP on the loopback interface only, and can be told to go wrong at any point.
"""

import argparse
import asyncio
import os
import signal
import sys
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from aiosmtpd.smtp import SMTP, Envelope, Session

SUFFIX = ".eml"
START_SECONDS = 10
"""A listener is up in milliseconds; after this it never will be."""


@dataclass(slots=True)
class Behaviour:
    """What goes wrong. It may be changed while the sink runs, and is read at each event.

    Attributes:
        at_connect: greet with this code, 421 for example, and close.
        at_rcpt: refuse every recipient with this code.
        after_data: refuse the message with this code after its final dot; it is not stored.
        cut: close the connection after the final dot, before or after the message is stored.
        hang: store the message and answer only after ``Sink.release``.
    """

    at_connect: int | None = None
    at_rcpt: int | None = None
    after_data: int | None = None
    cut: Literal["before storing", "after storing"] | None = None
    hang: bool = False


class Folder:
    """One file per accepted message, numbered in the order of acceptance.

    A number is one more than the highest there, so that names sort like time and a sink that is
    started again goes on; equal messages are two files.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        stems = (file.stem for file in path.glob(f"*{SUFFIX}"))
        self._next = 1 + max((int(stem) for stem in stems if stem.isdecimal()), default=0)

    def keep(self, content: bytes) -> Path:
        """Store *content*; when this returns it survives a crash."""
        part, final = self._reserve()
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.rename(final)
        directory = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
        return final

    def _reserve(self) -> tuple[Path, Path]:
        """A name that no other sink on this folder has: made first, then looked for as final."""
        while True:
            part = self.path / f"{self._next:08d}.part"
            final = part.with_suffix(SUFFIX)
            self._next += 1
            try:
                part.touch(exist_ok=False)
            except FileExistsError:
                continue
            if not final.exists():
                return part, final
            part.unlink()


class Sink:
    """A listening sink, while its ``with`` block runs; it has a thread and a loop of its own.

    Attributes:
        behaviour: what goes wrong, now.
        hanging: set when a message was stored whose answer waits for ``release``.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.behaviour = Behaviour()
        self.hanging = threading.Event()
        self._folder = Folder(folder)
        self._port = port
        self._stop = asyncio.Event()
        self._released = asyncio.Event()
        self._thread = threading.Thread(target=self._main, name="mail sink", daemon=True)
        self._started: Future[asyncio.AbstractEventLoop] = Future()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"smtp://127.0.0.1:{self._port}"

    def release(self) -> None:
        """Let every answer go that hangs, now and later."""
        self._started.result().call_soon_threadsafe(self._released.set)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.result(START_SECONDS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._started.result().call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _main(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:
            if self._started.done():
                raise
            self._started.set_exception(error)

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Conversation(self, loop), "127.0.0.1", self._port)
        self._port = server.sockets[0].getsockname()[1]
        self._started.set_result(loop)
        try:
            await self._stop.wait()
        finally:
            server.close()

    async def accept(self, server: SMTP, envelope: Envelope) -> str:
        """Take a message after its final dot: on disk first, then 250."""
        behaviour = self.behaviour
        if behaviour.after_data is not None:
            return f"{behaviour.after_data} the message is not taken"
        if behaviour.cut == "before storing":
            await _cut(server)
        kept = self._folder.keep(_delivered(envelope))
        if behaviour.cut == "after storing":
            await _cut(server)
        if behaviour.hang:
            self.hanging.set()
            await self._released.wait()
        return f"250 2.0.0 queued as {kept.stem}"


class Hooks:
    """What aiosmtpd calls, by the names it looks for."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    async def handle_RCPT(  # noqa: N802 - aiosmtpd looks for this name
        self,
        _server: SMTP,
        _session: Session,
        envelope: Envelope,
        recipient: str,
        _options: list[str],
    ) -> str:
        """Take a recipient, or refuse it."""
        if self._sink.behaviour.at_rcpt is not None:
            return f"{self._sink.behaviour.at_rcpt} the recipient is not taken"
        envelope.rcpt_tos.append(recipient)
        return "250 2.1.5 recipient taken"

    async def handle_DATA(  # noqa: N802 - aiosmtpd looks for this name
        self, server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        """Take the message, or not."""
        return await self._sink.accept(server, envelope)


class Conversation(SMTP):
    """One client's conversation."""

    def __init__(self, sink: Sink, loop: asyncio.AbstractEventLoop) -> None:
        # Without a name the library would ask the resolver, which may take seconds.
        super().__init__(Hooks(sink), hostname="localhost", ident="semel sink", loop=loop)
        self._sink = sink

    async def _handle_client(self) -> None:
        code = self._sink.behaviour.at_connect
        if code is None:
            await super()._handle_client()
        else:
            await self.push(f"{code} not now")
            if self.transport is not None:
                self.transport.close()


def _delivered(envelope: Envelope) -> bytes:
    """The message below its envelope, as a final delivery writes it (RFC 5321 4.4, RFC 9228)."""
    trace = [f"Return-Path: <{envelope.mail_from}>\r\n"]
    trace += [f"Delivered-To: {recipient}\r\n" for recipient in envelope.rcpt_tos]
    return "".join(trace).encode("ascii") + (envelope.original_content or b"")


async def _cut(server: SMTP) -> None:
    if isinstance(server.transport, asyncio.WriteTransport):
        server.transport.abort()
    # The library cancels this conversation once it sees the connection gone.
    await asyncio.get_running_loop().create_future()


def main() -> None:
    """Run a sink until SIGTERM or SIGINT."""
    options = argparse.ArgumentParser(description="Keep every e-mail in a folder.")
    options.add_argument("--folder", type=Path, required=True)
    options.add_argument("--port", type=int, default=0)
    given = options.parse_args()
    # Blocked before any thread starts, so that the signal waits for sigwait and interrupts nothing.
    ends = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    try:
        with Sink(given.folder, given.port) as sink:
            sys.stdout.write(f"ready {sink.url}\n")
            sys.stdout.flush()
            signal.sigwait(ends)
    except OSError as error:
        sys.exit(f"The mail sink cannot listen on port {given.port}: {error}")


if __name__ == "__main__":
    main()
