"""The two databases of the tests: one text for a test, run on SQLite and on PostgreSQL.

A test, or its bench, asks ``stores.url(path, app)`` where its database is. On SQLite that is the
file itself; on PostgreSQL a database that belongs to the path for as long as the test lasts, and
is written down beside it (``books.db.url``), so that a child process that knows the path finds it.

An *app* is the name of a set of migrations: databases are used again by later tests of the same
app, migrated as they are and emptied of their rows. What has changed tables is thrown away.
"""

import os
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus

from semel import placed

SERVER = "SEMEL_TEST_SERVER"
"""Where the session's PostgreSQL server is; set by conftest.py, and inherited by children."""
REDIS = "SEMEL_TEST_REDIS"
"""Where the worker's Redis server is; set by tests/guarded/conftest.py."""
UNSAFE = "SEMEL_UNSAFE_DURABILITY"
"""Set for the tests' server, which loses what it has answered when the power goes."""
KIND = "SEMEL_TEST_STORE"
"""The current test's kind of store, for children that make databases of their own."""
JOURNAL = "SEMEL_TEST_JOURNAL"
"""The file in which the current test's databases are noted."""
TEMPLATES = "SEMEL_TEST_TEMPLATES"
"""A folder of SQLite files that have their tables and no rows; a test that may not have one of them
from the beginning has no folder."""
HERE = Path(__file__).parent
TABLES: dict[str, Path | None] = {
    "bare": None,
    "facturas": HERE.parent / "src" / "semel_facturas" / "books",
    "notas": HERE / "runtime" / "sql",
    "pedidos": HERE / "doubt" / "sql",
}
"""Where an app's migrations are, for those that many tests have."""
SETTINGS: dict[str, str | int | bool] = {
    # Nobody cuts the power of a test's server; the tests of durability start one of their own.
    "fsync": False,
    "synchronous_commit": False,
    "full_page_writes": False,
    "wal_level": "minimal",
    "max_wal_senders": 0,
    "max_connections": 500,
    "jit": False,
}
KEYS = "k1:MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTE="
"""What SEMEL_KEYS holds on PostgreSQL, where there is no key file: ``b"1" * 32``, as in benches."""
CHANGES = re.compile(r"\b(create|alter|drop|truncate|semel_schema)\b", re.IGNORECASE)
KEPT_MAX = 24
"""How many databases of an app a process keeps for later tests, each with an open session."""
GONE_SECONDS = 5.0
"""How long a session may take to go away after its client did, on a machine with much to do."""

ROWIDS = """
CREATE SCHEMA stores;
CREATE FUNCTION stores.number() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE made record;
BEGIN
    FOR made IN SELECT objid::regclass AS name FROM pg_event_trigger_ddl_commands()
                 WHERE object_type = 'table' AND object_identity ~ '^public[.]semel_(plans|attempts|confirmations)$'
                   AND command_tag = 'CREATE TABLE' LOOP
        EXECUTE format('ALTER TABLE %s ADD COLUMN rowid BIGINT GENERATED ALWAYS AS IDENTITY', made.name);
    END LOOP;
END $$;
CREATE EVENT TRIGGER number ON ddl_command_end EXECUTE FUNCTION stores.number();
"""
"""Numbers the rows of tables that tests read in the order of their making, as SQLite does by itself."""

HEAD = re.compile(r"'[^':]+:\d+:[0-9a-f]{64}'")
"""Where a plan's events end, as a dump has it."""

REFUSED = (sqlite3.IntegrityError, psycopg.IntegrityError)
"""What a constraint says when it refuses a row."""

MINE = "stores"
"""What this module's own sessions are called; they may be left when a test ends."""

_lines: "dict[tuple[int, str], psycopg.Connection[Any]]" = {}
_free: dict[tuple[str, str], list[str]] = {}
_spoiled: set[str] = set()
_known: set[Path] = set()
_copied: dict[Path, dict[str, bytes]] = {}
_made = 0
_owner = os.getpid()


def kind() -> str:
    """The current test's kind of store, ``sqlite`` or ``postgres``."""
    return os.environ.get(KIND, "sqlite")


def begin(kind: str, journal: Path) -> dict[str, str]:
    """Begin a test, or a program that runs many: what the environment has to hold.

    Args:
        kind: the kind of its stores.
        journal: a file in which it and its children note the databases that they were given.
    """
    _known.clear()
    journal.write_bytes(b"")
    return {KIND: kind, JOURNAL: str(journal)} | (
        {"SEMEL_KEYS": KEYS, UNSAFE: "1"} if kind == "postgres" else {}
    )


def given() -> dict[Path, tuple[str, str]]:
    """The paths that the current test, or a child of it, was given a database for.

    Returns:
        Path to the database's name on PostgreSQL, else an empty text, and its app.
    """
    lines = Path(os.environ[JOURNAL]).read_text(encoding="utf-8").splitlines()
    return {Path(path): (name, app) for name, app, path in (one.split("\t", 2) for one in lines)}


def url(path: Path, app: str) -> str:
    """Where the database is that belongs to a path."""
    path = path.absolute()
    if kind() == "redis":
        # One server for all tests of a worker: each has an organization of its own in it.
        _note_down(path, "", app)
        return os.environ[REDIS]
    if kind() == "sqlite":
        if TEMPLATES in os.environ and app in TABLES and path not in _known:
            _begin_with_tables(path, app)
        _note_down(path, "", app)
        return f"sqlite:///{path}"
    name = named(path) or _publish(path, app)
    return _at(name)


def _begin_with_tables(path: Path, app: str) -> None:
    """Put a copy of an app's empty tables where a test's database will be; as on PostgreSQL, it
    does not make them itself."""
    if path.exists() or path in given():
        return
    template = Path(os.environ[TEMPLATES]) / f"{app}.db"
    if not template.exists():
        mine = template.with_name(f"{app}.{os.getpid()}")
        store = placed.store(f"sqlite:///{mine}", app=TABLES[app])
        store.migrate()
        store.close()
        mine.replace(template)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    copy = path.with_name(f"{path.name}.{os.getpid()}.copy")
    shutil.copy(template, copy)
    with suppress(FileExistsError):
        os.link(copy, path)
    copy.unlink()


def _note_down(path: Path, name: str, app: str) -> None:
    if path in _known or JOURNAL not in os.environ:
        return
    _known.add(path)
    with Path(os.environ[JOURNAL]).open("a", encoding="utf-8") as journal:
        # One write of less than a page: lines of several processes do not mix.
        journal.write(f"{name}\t{app}\t{path}\n")


def keys() -> Mapping[str, str]:
    """What an environment must hold for an engine to start: nothing on SQLite."""
    return {} if kind() == "sqlite" else {"SEMEL_KEYS": KEYS, UNSAFE: "1"}


def environment() -> dict[str, str]:
    """What a child with an environment of its own needs, to be in the same kind of store."""
    names = (KIND, SERVER, REDIS, JOURNAL, TEMPLATES, "SEMEL_KEYS", UNSAFE)
    return {name: os.environ[name] for name in names if name in os.environ}


def named(path: Path) -> str | None:
    """The PostgreSQL database that belongs to a path, if there is one."""
    with suppress(FileNotFoundError):
        return _note(path).read_text(encoding="utf-8")
    return None


def forget(path: Path) -> None:
    """Give a path's database back before the test ends, for tests that make hundreds."""
    path = path.absolute()
    name, app = given().get(path, ("", ""))
    still = named(path)
    _note(path).unlink(missing_ok=True)
    _known.discard(path)
    if name and still in {name, None}:
        _note_down(path, "", app)
        _known.discard(path)
        _give_back(name, app)


def forget_all() -> None:
    """Give every database back, at the end of a test."""
    for name, app in set(given().values()):
        if name:
            _give_back(name, app)


def rows(where: Path | str, text: str, *params: Any) -> list[tuple[Any, ...]]:
    """Run any SQL from outside, as somebody who goes round the program would.

    Args:
        where: a path that has a database, or a database's URL.
        text: SQL with ``?`` for each parameter, or with ``:name`` for those of one mapping.
        params: what stands for them.
    """
    with connected(where) as connection:
        if isinstance(connection, sqlite3.Connection):
            given: Any = params[0] if params and isinstance(params[0], Mapping) else params
            return connection.execute(text, given).fetchall()
        if CHANGES.search(text):
            _spoiled.add(connection.info.dbname)
        return execute(connection, text, *params)


def execute(
    connection: "psycopg.Connection[Any]", text: str, *params: Any
) -> list[tuple[Any, ...]]:
    """Run a statement that is written as for :func:`rows` on a PostgreSQL connection."""
    if params and isinstance(params[0], Mapping):
        done = connection.execute(_named_params(text), params[0])
    else:
        done = connection.execute(_marked(text) if params else text, params or None)
    return done.fetchall() if done.description else []


@contextmanager
def connected(where: Path | str) -> "Iterator[sqlite3.Connection | psycopg.Connection[Any]]":
    """A connection of a test's own, on which each statement is committed at once."""
    if isinstance(where, Path):
        name = named(where.absolute())
        where = f"sqlite:///{where}" if name is None else _at(name)
    if where.startswith("sqlite:"):
        path = where.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            yield connection
    else:
        yield from _lent(where)


def _lent(where: str) -> "Iterator[psycopg.Connection[Any]]":
    """This process's line to a database, which stays open; it is left as it was found."""
    line = _line(where)
    try:
        yield line
    finally:
        idle = not line.closed and line.info.transaction_status is TransactionStatus.IDLE
        try:
            if idle:
                line.execute("RESET ALL")
        except psycopg.OperationalError:
            idle = False
        if not idle:
            hang_up(where)


def _line(where: str) -> "psycopg.Connection[Any]":
    line = _lines.get((os.getpid(), where))
    with suppress(psycopg.OperationalError):
        # Its database may have been dropped, and made anew under the same name.
        if line is not None:
            line.execute("SELECT 1")
    if line is None or line.closed or line.broken:
        # Making one costs more than most tests' statements do.
        line = psycopg.connect(where, autocommit=True, application_name=MINE)
        _lines[os.getpid(), where] = line
    return line


def hang_up(where: str) -> None:
    """Close this process's line to a database, before somebody else wants it for himself."""
    line = _lines.pop((os.getpid(), where), None)
    if line is not None:
        line.close()


def hang_up_all() -> None:
    """Close every line of this process, at its end."""
    for owner, where in [*_lines]:
        if owner == os.getpid():
            hang_up(where)


def no_power_cut(engine: Any) -> None:
    """Let the disk take its time, in a test of many commits in which no power is cut.

    The session's PostgreSQL server is like that for everybody.
    """
    if kind() == "sqlite":
        engine._core.store._connection.execute("PRAGMA synchronous = OFF")


def tables(where: Path | str) -> list[str]:
    """The tables of a database, semel's and the application's."""
    if _is_sqlite(where):
        text = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    else:
        text = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
    return [name for (name,) in rows(where, text)]


def columns(where: Path | str, table: str, type: str | None = None) -> list[str]:
    """The columns of a table, in order; those of one type, ``TEXT``, when it is given."""
    if _is_sqlite(where):
        text = "SELECT name, type FROM pragma_table_info(?)"
    else:
        text = (
            "SELECT column_name, upper(data_type) FROM information_schema.columns"
            " WHERE table_name = ? AND column_name <> 'rowid' ORDER BY ordinal_position"
        )
    return [name for name, its in rows(where, text, table) if type in {None, its}]


def whole(path: Path) -> list[bytes] | list[str]:
    """The database as it is: on SQLite the bytes of its files, on PostgreSQL each row of each table.

    PostgreSQL's files change with what is only looked at, and with what is taken back.
    """
    if not _is_sqlite(path):
        return dump(path)
    wal = path.with_name(f"{path.name}-wal")
    return [file.read_bytes() for file in (path, wal)]


def counts(where: Path | str) -> dict[str, int]:
    """How many rows each table has."""
    each = " UNION ALL ".join(f"SELECT '{t}', count(*) FROM {t}" for t in tables(where))
    return {str(name): count for name, count in rows(where, each)}


def dump(where: Path | str, *but: str) -> list[str]:
    """Everything in the database, a line a row, without the tables named in *but*.

    Without the events it is without where they end, too.
    """
    lines = _dumped(where, *but)
    return [HEAD.sub("NULL", line) for line in lines] if "semel_events" in but else lines


def _dumped(where: Path | str, *but: str) -> list[str]:
    if _is_sqlite(where):
        with connected(where) as connection:
            assert isinstance(connection, sqlite3.Connection)
            return [line for line in connection.iterdump() if not any(one in line for one in but)]
    lines = []
    for table in tables(where):
        for row in rows(where, f'SELECT * FROM "{table}"'):
            line = f"INSERT INTO {table} VALUES ({', '.join(map(_shown, row))})"
            if not any(one in line for one in but):
                lines.append(line)
    return sorted(lines)


def _shown(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else "NULL" if value is None else repr(value)


def _is_sqlite(where: Path | str) -> bool:
    if isinstance(where, Path):
        return named(where.absolute()) is None
    return where.startswith("sqlite:")


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.url")


def _at(name: str) -> str:
    return re.sub(r"/\w+$", f"/{name}", os.environ[SERVER])


def _publish(path: Path, app: str) -> str:
    """Write down which database belongs to *path*; of two that do it at once, the first counts."""
    name = _take(app)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mine = path.with_name(f"{path.name}.{os.getpid()}.url")
    mine.write_text(name, encoding="utf-8")
    try:
        os.link(mine, _note(path))
    except FileExistsError:
        _give_back(name, app)
        return _note(path).read_text(encoding="utf-8")
    finally:
        mine.unlink()
    _known.discard(path)
    _note_down(path, name, app)
    return name


def _take(app: str) -> str:
    global _made, _owner  # noqa: PLW0603 - the pool of this process
    if _owner != os.getpid():
        # A forked child has its parent's pool in hand, and must not lend out of it.
        _owner, _made = os.getpid(), 0
        _free.clear()
    pool = _free.get((os.environ[SERVER], app))
    if pool:
        return pool.pop()
    _made += 1
    name = f"t{os.getpid()}_{_made}_{app}"
    with psycopg.connect(os.environ[SERVER], autocommit=True) as admin:
        # Where the server knows how people sort, its databases do, unlike SQLite.
        sorted_by_people = admin.execute(
            "SELECT 1 FROM pg_collation WHERE collname = 'en-US-x-icu'"
        ).fetchone()
        how = " TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
        admin.execute(f"CREATE DATABASE {name}{how if sorted_by_people else ''}")
    if app != "things":  # the contract's own rows are compared whole
        with psycopg.connect(_at(name), autocommit=True) as mine:
            mine.execute(ROWIDS)
    return name


def _give_back(name: str, app: str) -> None:
    pool = _free.setdefault((os.environ[SERVER], app), [])
    # What children have made is given back here as well: a pool only grows by that.
    if len(pool) < KEPT_MAX and name not in _spoiled and _emptied(name):
        pool.append(name)
        return
    _spoiled.discard(name)
    hang_up(_at(name))
    _line(os.environ[SERVER]).execute(f"DROP DATABASE {name} WITH (FORCE)")


def _emptied(name: str) -> bool:
    """Delete the rows of all tables; False when somebody still holds some."""
    with connected(_at(name)) as mine:
        assert isinstance(mine, psycopg.Connection)
        # Without the triggers and foreign keys, which refuse exactly this.
        mine.execute("SET session_replication_role = replica; SET lock_timeout = '5s'")
        found = mine.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            " AND tablename <> 'semel_schema'"
        ).fetchall()
        identities = mine.execute(
            "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'"
        ).fetchall()
        parts = [sql.SQL("DELETE FROM {}").format(sql.Identifier(t)) for (t,) in found]
        parts += [
            sql.SQL("ALTER SEQUENCE {} RESTART").format(sql.Identifier(s)) for (s,) in identities
        ]
        try:
            if parts:
                mine.execute(sql.SQL("; ").join(parts))
        except psycopg.errors.LockNotAvailable:
            return False
    return True


def left() -> list[str]:
    """What sessions of the test's databases do, when some are left after their clients have gone."""
    names = [name for name, _ in given().values() if name]
    if not names:
        return []
    limit = time.monotonic() + GONE_SECONDS
    admin = _line(os.environ[SERVER])
    while True:
        found = admin.execute(
            "SELECT application_name, state, left(query, 200) FROM pg_stat_activity"
            " WHERE datname = ANY(%s) AND backend_type = 'client backend'"
            " AND application_name <> %s",
            [names, MINE],
        ).fetchall()
        if not found or time.monotonic() > limit:
            return [" ".join(map(str, row)) for row in found]
        admin.execute("SELECT pg_sleep(0.005)")


def written(path: Path) -> int:
    """How much has been written to a path's database; it grows with what becomes of its plans."""
    name = named(path.absolute())
    if name is None:
        wal = path.with_name(f"{path.name}-wal")
        return wal.stat().st_size if wal.exists() else 0
    return int(rows(path, "SELECT count(*) FROM semel_events")[0][0])


def copies(source: Path, target: Path) -> None:
    """Copy a folder with its databases, for tests that make hundreds of worlds of one."""
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.url"))
    for note in sorted(source.glob("*.url")):
        _copy(note.with_suffix(""), target / note.stem)


def _copy(source: Path, target: Path) -> None:
    """Give *target* a PostgreSQL database with the rows of *source*'s."""
    forget(target)
    # A database is called t, a process, a number, and its app.
    url(target, str(named(source)).split("_", 2)[2])
    if source not in _copied:
        with connected(source) as books:
            names = [
                name for name in tables(source) if name not in ("semel_schema", "semel_database")
            ]
            _copied[source] = {name: _copied_out(books, name) for name in names}
    with connected(target) as books:
        assert isinstance(books, psycopg.Connection)
        if not tables(target):
            # A new one: it gets its tables as well, and is copied as a whole.
            name, pattern = str(named(target.absolute())), str(named(source.absolute()))
            for other in (name, pattern):
                hang_up(_at(other))
            admin = _line(os.environ[SERVER])
            admin.execute(f"DROP DATABASE {name}")
            admin.execute(f"CREATE DATABASE {name} TEMPLATE {pattern}")
            with connected(target) as copy:
                # A world of its own, and no copy that was put back.
                if "semel_database" in tables(target):
                    execute(copy, "DELETE FROM semel_database")
            return
        books.execute("SET session_replication_role = replica")
        for name, rows_of_it in _copied[source].items():
            if rows_of_it:
                with books.cursor().copy(
                    sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(name))
                ) as into:
                    into.write(rows_of_it)


def _copied_out(books: Any, table: str) -> bytes:
    with books.cursor().copy(sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))) as out:
        return b"".join(out)


def blocked(path: Path) -> int:
    """How many sessions of a path's database wait for another one; on SQLite none ever do."""
    name = named(path.absolute())
    if name is None:
        return 0
    text = "SELECT count(*) FROM pg_stat_activity WHERE datname = ? AND wait_event_type = 'Lock'"
    return int(rows(os.environ[SERVER], text, name)[0][0])


@lru_cache(1000)
def _marked(text: str) -> str:
    return text.replace("%", "%%").replace("?", "%s")


@lru_cache(1000)
def _named_params(text: str) -> str:
    return re.sub(r"(?<![:\w]):(\w+)", r"%(\1)s", text.replace("%", "%%"))
