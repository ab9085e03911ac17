"""``python -m bench``: how fast semel is beside the same work without it.

One row at a time, so that rows share nothing; ``--all`` runs every row in turn, several times, and
prints a table. Exit: 0 done, 1 a row did something else than it said, 2 it was asked wrongly or
cannot run here.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench import every, pages, places
from bench.load import Amount
from bench.one import ROWS, Asked, Mismatch, run
from bench.rows import LOADS, Unusable

LOADS_TOLD = """loads:
  W1    a protected call with a fresh key: one effect (an INSERT of about 100 bytes) and its record
  W1r   its replay, over 256 keys that were filled before
  W2    a plan of four steps that nobody is asked about, one effect each

rows:
  semel-pg, semel-sqlite  engine.once for W1 and W1r, engine.agent.act for W2; tasks on uvloop
  guard-pg, guard-sqlite  a Local tool behind @guard.once as code calls it, W1 and W1r; threads
  told-pg, told-sqlite    the same, and its answer in words, as a model has it; tasks on uvloop
  raw-psycopg             claim, effect, result in one transaction; a connection for each caller
  raw-sqlite              the sqlite3 module, WAL, synchronous=FULL, a lock, one commit a call

Each row counts its effects in the database afterwards, and fails when they are not what the calls
say. It prints the settings that decide whether a commit is on disk, and does not run where one may
be lost (SEMEL_UNSAFE_DURABILITY=1 runs it all the same).
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    told = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure one row, or all of them in turn.",
        epilog=LOADS_TOLD,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    told.add_argument("--row", choices=sorted(ROWS), help="which row")
    told.add_argument("--load", choices=LOADS, default="W1", help="which load (default: W1)")
    told.add_argument("--callers", type=_many, default=1, help="how many at once (default: 1)")
    how = told.add_mutually_exclusive_group()
    how.add_argument("--seconds", type=_seconds, help="for how long (default: 2)")
    how.add_argument("--calls", type=_many, help="or how many calls")
    told.add_argument("--db", metavar="URL", help="the database; by default one of its own")
    told.add_argument("--json", action="store_true", help="one JSON object on a line")
    told.add_argument("--all", action="store_true", help="every row in turn, and a table")
    told.add_argument("--pages", action="store_true", help="how soon a card is seen, in Chromium")
    told.add_argument("--rounds", type=_many, default=3, help="with --all: how often (default: 3)")
    told.add_argument("--only", choices=("sqlite", "pg"), help="with --all: one database")
    return told


def _many(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 1_000_000:
        raise ValueError(text)
    return number


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 3600:
        raise ValueError(text)
    return seconds


_many.__name__ = "number of 1 and more"
_seconds.__name__ = "number of seconds, up to an hour"


def main(words: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    told = parser()
    given = told.parse_args(words)
    try:
        if given.all:
            if given.row:
                told.error("--all runs every row; --row is for one of them.")
            seconds = given.seconds or every.SECONDS
            return every.run(given.rounds, seconds, given.only, given.db)
        if given.pages:
            return pages.run()
        if not given.row:
            told.error("say which row, --row, or --all.")
        amount = Amount(calls=given.calls or 0, seconds=given.seconds or 2.0)
        with _url(given.row, given.db) as url:
            found = run(Asked(given.row, given.load, given.callers, amount, url))
    except Unusable as no:
        sys.stderr.write(f"{no}\n")
        return 2
    except Mismatch as no:
        sys.stderr.write(f"The effects are not what the calls say: {no}\n")
        return 1
    sys.stdout.write(f"{json.dumps(found)}\n" if given.json else _told(found))
    return 0


def _told(found: dict[str, object]) -> str:
    return "".join(f"{name:<17}{value}\n" for name, value in found.items())


@contextmanager
def _url(row: str, given: str | None) -> Iterator[str]:
    """The database of a row: what was given, or one that is gone afterwards."""
    wants = "pg" if every.is_postgres(row) else "sqlite"
    if given is not None:
        yield places.checked(wants, given)
        return
    with places.folder() as folder:
        if wants == "sqlite":
            yield f"sqlite:///{folder}/bench.db"
            return
        with places.server(folder) as server:
            yield server


if __name__ == "__main__":
    sys.exit(main())
