"""Numbered migrations, forward only: ``0001_name.sql``, ``0002_name.sql``, …"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from semel.domain.finding import Finding, Level
from semel.errors import CatalogError, SchemaNewer

FILE = re.compile(r"([0-9]{4})_([a-z0-9_]+)\.sql")


SCHEMA = {
    "sqlite": """CREATE TABLE IF NOT EXISTS semel_schema (
    component TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (component, number)) STRICT""",
    "postgres": """CREATE TABLE IF NOT EXISTS semel_schema (
    component TEXT NOT NULL, number BIGINT NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (component, number))""",
}
"""The table that notes which migrations a database has, by dialect."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of a schema's history."""

    component: str
    """Whose tables: ``semel`` or ``app``."""
    number: int
    name: str
    sql: str

    @property
    def title(self) -> str:
        """What it is called where migrations are listed: ``semel 0001 nouns``."""
        return f"{self.component} {self.number:04d} {self.name}"


def load(component: str, folder: Path) -> list[Migration]:
    """Read the migrations of *folder*, in order.

    Raises:
        CatalogError: a file's name is not ``0001_name.sql``, or a number is missing.
    """
    found: list[Migration] = []
    for path in sorted(folder.glob("*.sql")):
        match = FILE.fullmatch(path.name)
        if match is None:
            raise CatalogError(f"{path.name}: a migration is called 0001_name.sql.")
        text = path.read_text(encoding="utf-8")
        found.append(Migration(component, int(match.group(1)), match.group(2), text))
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise CatalogError(f"{folder.name}: migrations are numbered 0001, 0002, … without a gap.")
    return found


def statements(dialect: str, migrations: Sequence[Migration]) -> list[str]:
    """Everything that *migrations* do, statement by statement, with the notes that they are done.

    Each ends with a semicolon at the end of a line, and holds no other such place, so that the
    whole can be cut there again.
    """
    found = [f"{SCHEMA[dialect]};"]
    for migration in migrations:
        text = re.sub(r";[ \t]*$", ";", migration.sql, flags=re.MULTILINE)
        parts = [f"{part.strip()};" for part in text.split(";\n") if part.strip()]
        parts[0] = f"-- semel {migration.number:04d} {migration.name}\n{parts[0]}"
        found += [part.replace(";;", ";") for part in parts]
        note = f"'{migration.component}', {migration.number}, '{migration.name}'"
        found.append(f"INSERT INTO semel_schema (component, number, name) VALUES ({note});")  # noqa: S608 - names of our own files
    return found


def missing(known: Sequence[Migration], applied: Sequence[tuple[str, int, str]]) -> list[Migration]:
    """The migrations that a database still lacks.

    Args:
        known: this program's migrations, in order.
        applied: the database's ``(component, number, name)`` of each.

    Raises:
        SchemaNewer: the database has a migration that this program does not know, or knows by
            another name: before the first release a migration may still be written anew.
    """
    mine = {(migration.component, migration.number, migration.name) for migration in known}
    components = {migration.component for migration in known}
    if any(one not in mine for one in applied if one[0] in components):
        raise SchemaNewer
    return [m for m in known if (m.component, m.number, m.name) not in set(applied)]


def examined(lacking: Callable[[], Sequence[Migration]]) -> Finding:
    """Whether a database's tables are those of this program.

    Args:
        lacking: asks the database which migrations it lacks.
    """
    try:
        found = lacking()
    except SchemaNewer as no:
        return Finding("schema", Level.STOP, str(no))
    if found:
        names = ", ".join(one.title for one in found)
        return Finding(
            "schema", Level.WARN, f"The database lacks tables of this program ({names}). They are"
            " made when an engine opens, or by `semel migrate`.",
        )  # fmt: skip
    return Finding("schema", Level.OK, "The tables are those of this program.")
