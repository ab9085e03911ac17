"""The terminal as a person has it: real processes, a home of their own, nothing from outside."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

import commands
import stores
from semel_facturas.story.nursery import Child


@dataclass
class Terminal:
    home: Path

    @property
    def books(self) -> Path:
        return self.home / "books.db"

    @property
    def store(self) -> dict[str, str]:
        """What the environment says of the database: nothing, where it is the home's own file."""
        url = stores.url(self.books, "facturas")
        return {"SEMEL_DB": url, **stores.keys()} if stores.kind() == "postgres" else {}

    def start(self, *arguments: str, env: dict[str, str] | None = None) -> Child:
        environment = {"PATH": os.environ["PATH"], "SEMEL_HOME": str(self.home)} | self.store
        return commands.started(*arguments, env=environment | (env or {}))

    def run(self, *arguments: str, stdin: bytes = b"", **options) -> tuple[int, str, str]:
        with self.start(*arguments, **options) as process:
            out, err = process.communicate(stdin)
        text = (out.decode(), err.decode())
        assert "Traceback" not in text[0] + text[1], text
        return process.returncode, *text

    def json(self, *arguments: str, stdin: bytes = b"") -> dict:
        code, out, err = self.run(*arguments, "--json", stdin=stdin)
        assert out, err
        value = json.loads(out)
        if isinstance(value, dict):
            value["exit"] = code
        return value


@pytest.fixture
def terminal(tmp_path) -> Terminal:
    # A path with a space, since people have them.
    return Terminal(tmp_path / "a home")


@pytest.fixture
def seeded(terminal) -> Terminal:
    assert terminal.run("seed")[0] == 0
    return terminal
