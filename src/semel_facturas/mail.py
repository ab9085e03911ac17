"""One attempt to hand a message to a mail server.

SMTP cannot be asked whether a message arrived (RFC 5321), so what matters is *when* it fails:

    connect  EHLO  MAIL  RCPT │ DATA  body  dot ········· 250
    ── certainly not sent ────┤ refused (4xx, 5xx): not sent │ sent
                              └ anything else: in doubt ─────┘
"""

import asyncio
import re
from urllib.parse import urlsplit

import aiosmtplib

from semel import InDoubt, NotDone

from .books.writing import address, one_line
from .message import compose

__all__ = ["MailRefused", "Mailer", "compose"]

WIRE = re.compile(rb"([\x01-\x09\x0b\x0c\x0e-\x7f]{0,998}\r\n)+")
"""What SMTP carries without extensions: 7-bit lines of at most 998 octets that end in CRLF."""
REPLY_LENGTH = 500
"""As much of a reply as is kept; RFC 5321 4.5.3.1.5 allows lines of 512."""


class MailRefused(NotDone):
    """The message was not sent, for certain.

    Attributes:
        code: the server's reply code, or None when there was no reply.
        text: what the server or the network said.
        temporary: whether the same message may pass later (RFC 5321 4.2.1: 4yz, not 5yz).
    """

    def __init__(self, code: int | None, text: str, *, temporary: bool) -> None:
        self.code = code
        self.text = one_line(text)[:REPLY_LENGTH]
        self.temporary = temporary
        if code is None:
            words = {
                "es": f"El servidor de correo no se pudo usar: {self.text}",
                "en": f"The mail server could not be used: {self.text}",
            }
        else:
            words = {
                "es": f"El servidor de correo rechazó el mensaje: {code} {self.text}",
                "en": f"The mail server refused the message: {code} {self.text}",
            }
        super().__init__(words)


class Mailer:
    """Hands messages to one mail server, each over a connection of its own and once.

    A connection shared by several messages would need a reconnect, and that is a hidden retry.
    """

    def __init__(self, url: str) -> None:
        """Take the server from ``smtp://host:port``.

        Raises:
            ValueError: the address has another form.
        """
        parts = urlsplit(url)
        if parts.scheme != "smtp" or not parts.hostname or not parts.port or parts.username:
            raise ValueError("The mail server is written smtp://host:port.")
        self._host = parts.hostname
        self._port = parts.port

    async def send(self, message: bytes, *, sender: str, recipient: str, deadline: float) -> str:
        """Hand *message* over within *deadline* seconds, to exactly the envelope given.

        Returns:
            The server's reply, which proves that it took the message.

        Raises:
            NotDone: an address or the message cannot be carried; nothing left this process.
            MailRefused: certainly not sent.
            InDoubt: the message may have been sent; nothing proves it either way.
        """
        envelope = address(sender), address(recipient)
        if not WIRE.fullmatch(message):
            raise NotDone(
                {
                    "es": "El mensaje tiene líneas que SMTP no transporta.",
                    "en": "The message has lines that SMTP does not carry.",
                }
            )
        client = aiosmtplib.SMTP(
            hostname=self._host,
            port=self._port,
            local_hostname="[127.0.0.1]",  # RFC 5321 4.1.3: a literal where there is no name
            timeout=None,  # one deadline for the whole conversation, below
            start_tls=False,
        )
        written = answered = False
        try:
            async with asyncio.timeout(deadline):
                await _open(client, *envelope)
                written = True
                reply = await client.data(message)
                answered = True
        except aiosmtplib.SMTPResponseException as no:
            answered = 400 <= no.code <= 599
            if answered:
                raise MailRefused(no.code, no.message, temporary=no.code < 500) from no
            raise _unproven(written, no) from no
        except Exception as error:
            raise _unproven(written, error) from error
        finally:
            _end(client, answered=answered)
        return one_line(f"{reply.code} {reply.message}")[:REPLY_LENGTH]


async def _open(client: aiosmtplib.SMTP, sender: str, recipient: str) -> None:
    """Go up to DATA, which is certain to be written if the caller awaits nothing in between."""
    await client.connect()
    await client.ehlo()
    await client.mail(sender)
    await client.rcpt(recipient)
    if not client.is_connected:
        raise aiosmtplib.SMTPServerDisconnected("the connection was lost")


def _unproven(written: bool, error: Exception) -> NotDone | InDoubt:
    if written:
        return InDoubt(
            {
                "es": "El servidor de correo no confirmó el mensaje: puede que haya salido.",
                "en": "The mail server did not confirm the message: it may have been sent.",
            }
        )
    return MailRefused(None, str(error) or "it did not answer in time", temporary=True)


def _end(client: aiosmtplib.SMTP, *, answered: bool) -> None:
    """Close, after QUIT where the server has spoken its last word, without waiting for the answer.

    RFC 5321 4.1.1.10 would have us wait, but an error, a cancellation or the deadline in that wait
    could only lose the proof. What is not written yet is dropped: a mere close would still send it.
    """
    transport = client.transport
    if isinstance(transport, asyncio.WriteTransport):
        if answered and not transport.get_write_buffer_size():
            transport.write(b"QUIT\r\n")
        else:
            transport.abort()
    client.close()
