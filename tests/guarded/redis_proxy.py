"""A proxy before a Redis server that cuts a line at an EXEC: before it arrives, or before its answer."""

import socket
import threading
from contextlib import suppress
from typing import Self


class Proxy:
    """``with Proxy(port) as proxy``: ``proxy.url`` is the same server, through it."""

    def __init__(self, port: int) -> None:
        self._behind = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._lines: list[socket.socket] = []
        self.cuts: list[str] = []
        """How the next EXECs are cut, ``before`` or ``answer``; taken from the front."""
        self.made = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._listening.getsockname()[1]}/0"

    def __enter__(self) -> Self:
        self._start(self._serve)
        return self

    def __exit__(self, *_: object) -> None:
        for line in (self._listening, *self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()
        for thread in self._threads:
            thread.join(10)

    def _start(self, work, *given) -> None:
        thread = threading.Thread(target=work, args=given, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._behind))
                self._lines += [client, server]
                cut = threading.Event()
                self._start(self._up, client, server, cut)
                self._start(self._down, server, client, cut)

    def _up(self, client: socket.socket, server: socket.socket, cut: threading.Event) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                how = self.cuts.pop(0) if b"EXEC" in data and self.cuts else None
                if how == "before":
                    break
                if how == "answer":
                    cut.set()
                server.sendall(data)
        self._end(client, server)

    def _down(self, server: socket.socket, client: socket.socket, cut: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if cut.is_set():
                    # The server has done it, and nobody hears of it.
                    self.made += 1
                    break
                client.sendall(data)
        self._end(client, server)

    def _end(self, *lines: socket.socket) -> None:
        for line in lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
