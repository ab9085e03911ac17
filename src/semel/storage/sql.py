"""Named statements from ``.sql`` files.

A file holds statements that each begin with a line ``-- name --`` and a sentence that says why the
statement is there. ``invoices.sql`` with ``-- take_number --`` gives ``invoices.take_number``.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from semel.errors import CatalogError

NAME = re.compile(r"^-- ([a-z_]+) --$", re.MULTILINE)
# A statement that ends or nests a transaction takes the commit out of the engine's hands.
CONTROL = re.compile(
    r"^\s*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|START|PREPARE|ATTACH|DETACH|PRAGMA|VACUUM|SET)\b",
    re.IGNORECASE,
)


def load(folder: Path) -> Mapping[str, str]:
    """Read every ``.sql`` file of *folder* (not of its subfolders).

    Returns:
        Statement by name, ``file.name``.

    Raises:
        CatalogError: a statement lacks its name or sentence, or controls the transaction.
    """
    statements: dict[str, str] = {}
    for path in sorted(folder.glob("*.sql")):
        parts = NAME.split(path.read_text(encoding="utf-8"))
        for name, body in zip(parts[1::2], parts[2::2], strict=True):
            statements[f"{path.stem}.{name}"] = _checked(f"{path.name}: {name}", body)
    if not statements:
        raise CatalogError(f"No named statement was found in {folder.name}/*.sql.")
    return statements


def _checked(where: str, body: str) -> str:
    lines = [line for line in body.strip().splitlines() if line.strip()]
    if not lines or not lines[0].startswith("-- "):
        raise CatalogError(f"{where}: a statement begins with a comment that says why it is there.")
    sql = (
        "\n".join(line for line in lines if not line.lstrip().startswith("--")).strip().rstrip(";")
    )
    if not sql or ";" in re.sub(r"'[^']*'", "", sql):
        raise CatalogError(f"{where}: one name stands for exactly one statement.")
    if CONTROL.match(sql):
        raise CatalogError(f"{where}: a statement may not control the transaction.")
    return sql
