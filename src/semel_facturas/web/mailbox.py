"""The mailbox: what the local sink has accepted for an organization, read from its folder."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from pathlib import Path

from semel.facts import instant_text

NAME = re.compile(r"[0-9]{8,12}\.eml", re.ASCII)
SIZE_MAX = 1024 * 1024
"""Bytes of a message that is read: ours have two thousand, and a page is no file server."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A message that was accepted, by its envelope and its headers."""

    file: str
    sender: str
    to: str
    subject: str
    message_id: str
    at: datetime

    @property
    def key(self) -> str:
        """The part of its Message-ID that is the step's key."""
        return self.message_id.partition("@")[0]

    def fields(self) -> dict[str, object]:
        """It as JSON."""
        return {
            "file": self.file,
            "to": self.to,
            "from": self.sender,
            "subject": self.subject,
            "message_id": self.message_id,
            "at": instant_text(self.at),
            "accepted": True,
        }


@dataclass(frozen=True, slots=True)
class Opened:
    """A message with its text, and whole."""

    mail: Mail
    text: str
    raw: str


@dataclass(frozen=True, slots=True)
class Mailbox:
    """The folder of the sink; a message there never changes, so each is read once."""

    folder: Path
    _known: dict[str, Mail] = field(default_factory=dict)

    def sent_by(self, address: str) -> list[Mail]:
        """The messages of one sender, the newest first; others' are not there."""
        mails = [mail for mail in self._all() if mail.sender.lower() == address.lower()]
        return sorted(mails, key=lambda mail: mail.file, reverse=True)

    def opened(self, file: str, address: str) -> Opened | None:
        """One message of a sender, with its text; None for every other name."""
        path = self.folder / file
        if not NAME.fullmatch(file) or not path.is_file():
            return None
        message, content = _parsed(path)
        mail = _mail(file, message, path)
        if mail.sender.lower() != address.lower():
            return None
        return Opened(mail, _text(message), content.decode("utf-8", "replace"))

    def _all(self) -> Iterator[Mail]:
        if not self.folder.is_dir():
            return
        for path in self.folder.iterdir():
            if not NAME.fullmatch(path.name) or not path.is_file():
                continue
            if path.name not in self._known:
                self._known[path.name] = _mail(path.name, _parsed(path)[0], path)
            yield self._known[path.name]


def _parsed(path: Path) -> tuple[EmailMessage, bytes]:
    with path.open("rb") as file:
        content = file.read(SIZE_MAX)
    return message_from_bytes(content, _class=EmailMessage, policy=policy.default), content


def _mail(file: str, message: EmailMessage, path: Path) -> Mail:
    # The first lines are the envelope, which the sink wrote; what a message says of itself may lie.
    return Mail(
        file=file,
        sender=_header(message, "Return-Path").strip("<> "),
        to=_header(message, "Delivered-To"),
        subject=_header(message, "Subject"),
        message_id=_header(message, "Message-ID").strip("<> "),
        at=_at(message, path),
    )


def _header(message: EmailMessage, name: str) -> str:
    try:
        return str(message.get(name, ""))
    except (ValueError, IndexError, AttributeError):
        # The library's parser of headers fails on some that others have bent.
        return ""


def _at(message: EmailMessage, path: Path) -> datetime:
    try:
        at = parsedate_to_datetime(_header(message, "Date"))
    except (ValueError, TypeError, OverflowError):
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def _text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    if body is None:
        return ""
    content = body.get_payload(decode=True)
    return content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
