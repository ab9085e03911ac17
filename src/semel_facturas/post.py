"""Where e-mails go: a mail server, or the sink that this process brings along."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from semel_facturas.mail import Mailer

if TYPE_CHECKING:
    from semel_facturas.sink import Sink


class ServerPost:
    """Hands messages to the mail server of a ``smtp://host:port`` URL."""

    def __init__(self, url: str) -> None:
        self._mailer = Mailer(url)

    async def send(self, message: bytes, *, sender: str, recipient: str, deadline: float) -> str:
        """Hand a message over; the server's reply."""
        return await self._mailer.send(
            message, sender=sender, recipient=recipient, deadline=deadline
        )


class LocalPost:
    """Without an account anywhere: a real listener on loopback that keeps messages as files.

    It starts with the first message and ends with the engine.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._starting = threading.Lock()
        self._mailer: Mailer | None = None
        self._sink: Sink | None = None

    async def send(self, message: bytes, *, sender: str, recipient: str, deadline: float) -> str:
        """Hand a message to the local sink; its reply."""
        return await self._open().send(
            message, sender=sender, recipient=recipient, deadline=deadline
        )

    def _open(self) -> Mailer:
        with self._starting:
            if self._mailer is None:
                # Late, so that `python -m semel_facturas.sink` finds its module not yet imported.
                from semel_facturas.sink import Sink  # noqa: PLC0415 - said above

                self._sink = Sink(self._folder)
                self._sink.__enter__()
                self._mailer = Mailer(self._sink.url)
            return self._mailer

    def close(self) -> None:
        """Stop listening."""
        with self._starting:
            if self._sink is not None:
                self._sink.__exit__(None, None, None)
            self._sink = self._mailer = None
