"""The other side of an outside action: it counts, and refuses or cuts the line when it is told to.

:class:`Outside` only counts and decides, for a client that is handed over as an object;
:class:`HttpOutside` and :class:`SmtpOutside` are real listeners on loopback.
"""

import json
import socketserver
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler
from typing import Self
from urllib.parse import unquote


class Mood(StrEnum):
    """How the other side takes a request."""

    TAKES = "takes"
    REFUSES = "refuses"
    """For good: the same request will be refused again."""
    BUSY = "busy"
    """For now: it asks to come back later."""


class Cut(ConnectionResetError):
    """The line was cut instead of an answer."""

    def __init__(self) -> None:
        super().__init__("The line was cut.")


class Outside:
    """Counts what it is asked and what it takes.

    A fake of one's own subclasses it and calls :meth:`ask` when a request begins, :meth:`take` when
    it would take it, and :meth:`say` before each of its answers.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.mood = Mood.TAKES
        self.cut: int | None = None
        """The answer instead of which the line is cut, from 1; None, and all are given."""
        self.asked = 0
        """Requests that have begun."""
        self.said = 0
        """Answers that were due."""
        self.taken: list[bytes] = []
        """The requests that were taken, as they came."""
        self.told = False
        """Whether an answer was given after a request was taken: whoever has it knows it was."""
        self._closed: set[bytes] = set()

    def begin(self, mood: Mood = Mood.TAKES, cut: int | None = None) -> None:
        """Count from nothing, in this mood."""
        with self._lock:
            self.mood, self.cut, self.told = mood, cut, False
            self.asked = self.said = 0
            self.taken = []
            self._closed = set()

    def ask(self) -> None:
        """A request begins."""
        with self._lock:
            self.asked += 1

    def take(self, request: bytes) -> bool:
        """Take a whole request, unless the mood or a closed key is against it."""
        with self._lock:
            if self.mood is not Mood.TAKES or any(key in request for key in self._closed):
                return False
            self.taken.append(request)
            return True

    def say(self) -> None:
        """An answer is due.

        Raises:
            Cut: the line is cut instead.
        """
        with self._lock:
            self.said += 1
            if self.said == self.cut:
                raise Cut
            self.told = bool(self.taken)

    def find(self, keys: Iterable[str]) -> int | None:
        """The number, from 1, of the first request taken that holds one of *keys*; or None."""
        wanted = [key.encode() for key in keys]
        with self._lock:
            for number, request in enumerate(self.taken, start=1):
                if any(key in request for key in wanted):
                    return number
        return None

    def close_key(self, key: str) -> None:
        """Take no request with this key from here on; what was taken stays."""
        with self._lock:
            self._closed.add(key.encode())


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, far: Outside, handler: type[socketserver.BaseRequestHandler]) -> None:
        self.far = far
        super().__init__(("127.0.0.1", 0), handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A line that was cut, here or there, is what this is for; nothing is printed."""


class _Listening(Outside):
    _handler: type[socketserver.BaseRequestHandler]
    _scheme: str

    def __init__(self) -> None:
        super().__init__()
        self._server = _Server(self, self._handler)
        self.port: int = self._server.server_address[1]
        self.url = f"{self._scheme}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes = b""


class _HttpHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        far = self.server.far
        far.ask()
        length = int(self.headers.get("Content-Length") or 0)
        request = f"{self.requestline}\r\n{self.headers}".encode() + self.rfile.read(length)
        if far.take(request):
            self._answer(_Answer(200, json.dumps({"id": str(len(far.taken))}).encode()))
        else:
            self._answer(_Answer(503 if far.mood is Mood.BUSY else 422))

    def do_PUT(self) -> None:
        self.do_POST()

    def do_PATCH(self) -> None:
        self.do_POST()

    def do_GET(self) -> None:
        number = self.server.far.find([self._named()])
        found = number is not None
        body = json.dumps({"id": str(number)}).encode() if found else b""
        self._answer(_Answer(200 if found else 404, body))

    def do_DELETE(self) -> None:
        self.server.far.close_key(self._named())
        self._answer(_Answer(204))

    def _named(self) -> str:
        """What the last part of the path or the query names."""
        return unquote(self.path.replace("=", "/").rpartition("/")[2])

    def _answer(self, answer: _Answer) -> None:
        self.close_connection = True
        self.server.far.say()
        self.send_response(answer.status)
        if answer.status == 503:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


class HttpOutside(_Listening):
    """A service that speaks HTTP: it takes POST, PUT and PATCH to any path, and numbers them.

    It answers ``{"id": "1"}``. ``GET …/KEY`` (or ``?key=KEY``) looks whether a request that holds
    this key was taken: 200 or 404; ``DELETE …/KEY`` closes it. It refuses with 422, and when it is
    busy with 503 and ``Retry-After: 0``.
    """

    _handler = _HttpHandler
    _scheme = "http"


class _SmtpHandler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        self._say("220 hello")
        while line := self.rfile.readline():
            if not self._heard(line[:4].upper().strip()):
                return

    def _heard(self, command: bytes) -> bool:
        far = self.server.far
        match command:
            case b"MAIL":
                far.ask()
                self._say("250 ok")
            case b"RCPT" if far.mood is not Mood.TAKES:
                self._say("451 busy" if far.mood is Mood.BUSY else "550 no")
            case b"DATA":
                self._say("354 go on")
                self._say("250 taken" if far.take(self._message()) else "554 no")
            case b"QUIT":
                # Nobody need wait for this one, so it is no answer that is counted.
                self.wfile.write(b"221 bye\r\n")
                return False
            case _:
                self._say("250 ok")
        return True

    def _message(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in {b"", b".\r\n"}:
            lines.append(line)
        return b"".join(lines)

    def _say(self, reply: str) -> None:
        self.server.far.say()
        self.wfile.write(f"{reply}\r\n".encode())


class SmtpOutside(_Listening):
    """A mail server: it takes every message.

    It refuses a recipient with 550, and when it is busy with 451.
    """

    _handler = _SmtpHandler
    _scheme = "smtp"
