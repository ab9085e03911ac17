"""The world as the judge reads it: the books by SQL on either database, the mail, the answers."""

import email
import email.policy
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import Any

DATABASE = "database"
"""The file in a world's home that names its database, when that is one of a server's."""


class Unreadable(Exception):
    """The books could not be read; the sentence says why."""


def at(server: str, name: str) -> str:
    """The URL of a database of that name on the server that a URL leads to."""
    place, _, options = server.partition("?")
    place = re.sub(r"^(postgres(?:ql)?://[^/]*).*", rf"\1/{name}", place)
    return f"{place}?{options}" if options else place


def rows(url: str, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Read the books, without semel.

    Raises:
        Unreadable: they are not there, or do not hold that.
    """
    if url.startswith("sqlite:///"):
        path = url.removeprefix("sqlite:///")
        try:
            books = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            try:
                return books.execute(sql, values).fetchall()
            finally:
                books.close()
        except sqlite3.Error as no:
            raise Unreadable(f"{type(no).__name__}: {no}") from no
    import psycopg  # noqa: PLC0415 - whoever keeps the books in a file may not have it

    try:
        with psycopg.connect(url) as server:
            text = sql.replace("%", "%%").replace("?", "%s")
            return server.execute(text.encode(), values).fetchall()
    except psycopg.Error as no:
        # What the driver says of a connection may hold its address.
        raise Unreadable(type(no).__name__) from no


@dataclass(slots=True)
class World:
    """One home: its books, its mail, its answers."""

    home: Path
    answers: list[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        text = (self.home / "answers.json").read_text(encoding="utf-8")
        self.answers = json.loads(text)

    @property
    def environment(self) -> Mapping[str, str]:
        """Where its books are, as ``semel`` is told."""
        note = self.home / DATABASE
        if not note.exists():
            return {"SEMEL_DB": f"sqlite:///{self.home / 'books.db'}"}
        name = note.read_text(encoding="utf-8")
        given = {key: value for key, value in os.environ.items() if key.startswith("SEMEL_")}
        return given | {"SEMEL_DB": at(given["SEMEL_DB"], name)}

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Read the books, without semel."""
        return rows(self.environment["SEMEL_DB"], sql, *values)

    def mails(self) -> list[EmailMessage]:
        """The messages that the sink accepted."""
        found = []
        for path in sorted((self.home / "mail").glob("*.eml")):
            message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            if isinstance(message, EmailMessage):
                found.append(message)
        return found

    def recipients(self) -> list[str]:
        """To whom the accepted messages went, as the mail server saw it."""
        return [str(mail["Delivered-To"]) for mail in self.mails()]

    def show(self, plan: str) -> dict[str, Any]:
        """What the terminal says about a plan."""
        home = str(self.home)
        command = [sys.executable, "-m", "semel.cli", "show", plan, "--json", "--home", home]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=self.environment, cwd=home
        )
        value: dict[str, Any] = json.loads(done.stdout)
        return value

    def said(self, do: str) -> list[dict[str, Any]]:
        """The answers to one kind of task, in order."""
        return [a["answer"] for a in self.answers if a["task"]["do"] == do and "answer" in a]
