"""The doctor: a third program, which edits a copy of a scene's world so that it must not hold.

It writes one lie for each scene, straight into the books or the mail folder, as somebody would who
wants the judge to be believed without looking. It imports nothing of semel.
"""

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path


def sql(folder: Path, *statements: str) -> None:
    """Write into the books of a world, past every rule of the program."""
    note = folder / "database"
    if note.exists():
        import psycopg  # noqa: PLC0415 - whoever keeps the books in a file may not have it

        with psycopg.connect(os.environ["SEMEL_DB"], dbname=note.read_text()) as server:
            for statement in statements:
                server.execute(statement.encode())
        return
    books = sqlite3.connect(folder / "books.db")
    try:
        for statement in statements:
            books.execute(statement)
        books.commit()
    finally:
        books.close()


def second_mail(world: Path) -> None:
    """The customer got the same message twice."""
    first = min((world / "mail").glob("*.eml"))
    shutil.copy(first, first.with_name("00000099.eml"))


def no_mail(world: Path) -> None:
    """The message that is said to be sent is nowhere."""
    for mail in (world / "mail").glob("*.eml"):
        mail.unlink()


ANOTHER_DRAFT = (
    "INSERT INTO invoices SELECT org, 'doctored', contact, 'draft', 1, NULL, NULL, NULL, NULL, "
    "due_date, base, vat, total, created_at, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL "
    "FROM invoices LIMIT 1"
)

LIES: dict[int, Callable[[Path], None]] = {
    1: lambda scene: second_mail(scene / "calm"),
    2: lambda scene: sql(scene / "loop", ANOTHER_DRAFT),
    3: lambda scene: no_mail(scene / "press"),
    4: lambda scene: sql(
        scene / "missing", "INSERT INTO invoice_series VALUES ('carmona-demo', '2026', 1, NULL)"
    ),
    5: lambda scene: sql(scene / "twice", "UPDATE semel_plans SET why = NULL"),
    6: lambda scene: second_mail(scene / "refused"),
    7: lambda scene: second_mail(scene / "after"),
    8: lambda scene: sql(
        scene / "cancelled",
        "UPDATE semel_steps SET reason = 'not_reached' WHERE reason = 'cancelled'",
    ),
    9: lambda scene: sql(scene / "undone", "UPDATE expenses SET deleted_at = NULL"),
    10: lambda scene: sql(
        scene / "moved", "UPDATE semel_plans SET reason = 'failed' WHERE reason = 'stale'"
    ),
}


def main() -> None:
    """Doctor the world of one scene: its number, and the folder with the copy."""
    LIES[int(sys.argv[1])](Path(sys.argv[2]))


if __name__ == "__main__":
    main()
