"""How a server is set, and whether this database is where it was: what keeps outside steps off.

A database is known by three numbers: its server's, its own and its table's. A copy that was put
back elsewhere has others. The server's timeline goes up by one when a standby is promoted, and when
a server was recovered to a point in time; the second loses what came after, and is told by the
target that is set for it. A copy of the server's own files cannot be told from the server.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semel.domain.finding import Finding, Level
from semel.storage.postgres import setting
from semel.storage.postgres.connection import Connection, translated

SEEN = """
SELECT (SELECT system_identifier FROM pg_control_system())
       || '/' || (SELECT oid FROM pg_database WHERE datname = current_database())
       || '/' || coalesce(to_regclass('semel_database')::oid, 0) AS place,
       CASE WHEN NOT pg_is_in_recovery() THEN
         ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint
       END AS timeline
"""
"""Where a connection leads to."""

LOOK = """
SELECT current_setting('server_version_num')::int AS version,
       (SELECT jsonb_object_agg(name, setting) FROM pg_settings WHERE name IN
         ('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names',
          'autovacuum', 'default_transaction_read_only', 'recovery_target', 'recovery_target_lsn',
          'recovery_target_name', 'recovery_target_time', 'recovery_target_xid')) AS settings,
       (SELECT count(*) FROM pg_stat_replication AS r
         WHERE coalesce(r.state, 'streaming') <> 'backup'
           AND NOT EXISTS (SELECT 1 FROM pg_replication_slots AS s WHERE s.active_pid = r.pid
                            AND (s.temporary OR s.slot_type = 'logical'))) AS standbys,
       pg_is_in_recovery() AS recovering,
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS super
"""
"""How the server and this role are set. A base backup and a logical copy are no standby."""

ROW = "SELECT place, timeline, fencing FROM semel_database WHERE id = 1"

FIRST = """
INSERT INTO semel_database (id, generation, place, timeline, fencing)
VALUES (1, 1, %(place)s, %(timeline)s, 0) ON CONFLICT (id) DO NOTHING
"""

NEWER = """
UPDATE semel_database SET timeline = %(timeline)s, timeline_since = %(now)s
 WHERE id = 1 AND timeline < %(timeline)s
"""
"""Another server goes on, with another clock: what was marked before is sent again by no key."""

ARRIVED = """
INSERT INTO semel_database (id, generation, place, timeline, timeline_since, fencing)
VALUES (1, 1, %(place)s, %(timeline)s, %(now)s, 0)
ON CONFLICT (id) DO UPDATE SET place = excluded.place, timeline = excluded.timeline,
       timeline_since = excluded.timeline_since
"""

NOW = """
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS now
"""

TARGETS = ("", "_lsn", "_name", "_time", "_xid")

MOVED = (
    "This database is not where it was when it was last opened: it looks like a copy that was put"
    " back, and what came after the copy was made may have been sent already. Run `semel fence"
    " --restored`; or `semel fence --moved` if it was moved and nothing was lost."
)
BACK = (
    "This server was recovered to a point in time (recovery_target{target} is set), and what came"
    " after it may have been sent already. Run `semel fence --restored`; or `semel fence --moved`"
    " if nothing was lost."
)
PROMOTED = (
    "Another server goes on from here: what was marked before is not sent again by its key, since"
    " the clocks may differ."
)
FENCING = "A fence was begun here and is not through. Run `semel fence --restored` again."


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a connection leads to; no timeline where the server only follows another one."""

    place: str
    timeline: int | None


def seen(connection: Connection) -> Seen:
    """Where a connection leads to."""
    with translated():
        row = connection.execute(SEEN).fetchone()
    return Seen("", None) if row is None else Seen(row["place"], row["timeline"])


def arrive(connection: Connection, now: str | None = None) -> None:
    """Write down that this is the database's place.

    Args:
        connection: a connection to it.
        now: what a test's clock shows; without it the server's own is asked.
    """
    here = seen(connection)
    with translated():
        connection.execute(ARRIVED, _noted(connection, here, now))


def place(
    connection: Connection, here: Seen, settings: Mapping[str, str], now: str | None
) -> Finding:
    """Whether this database is where it was; a first place, and a new timeline, are noted."""
    if here.place.endswith("/0"):
        return Finding("place", Level.OK, "There are no tables yet.")
    with translated():
        row = connection.execute(ROW).fetchone()
        if (row is None or row["place"] is None) and here.timeline is not None:
            first = FIRST if row is None else ARRIVED
            connection.execute(first, _noted(connection, here, now))
            row = connection.execute(ROW).fetchone()
        if row is None:
            return Finding("place", Level.OK, "Nothing is known of the database's place yet.")
        if row["fencing"]:
            return Finding("place", Level.OFF, FENCING)
        if row["place"] != here.place:
            return Finding("place", Level.OFF, MOVED)
        if here.timeline is None or here.timeline == row["timeline"]:
            return Finding("place", Level.OK, "The database is where it was.")
        target = next((one for one in TARGETS if settings.get(f"recovery_target{one}")), None)
        if here.timeline < row["timeline"]:
            return Finding("place", Level.OFF, MOVED)
        if target is not None:
            return Finding("place", Level.OFF, BACK.format(target=target))
        connection.execute(NEWER, _noted(connection, here, now))
    return Finding("place", Level.OK, PROMOTED)


def _noted(connection: Connection, here: Seen, now: str | None) -> Mapping[str, Any]:
    if now is None:
        row = connection.execute(NOW).fetchone()
        now = row["now"] if row else None
    return {"place": here.place, "timeline": here.timeline, "now": now}


def examine(connection: Connection, now: str | None = None) -> tuple[Seen, list[Finding]]:
    """Everything that can be said of a server at once, before an engine sends anything.

    Args:
        connection: a connection to it.
        now: what a test's clock shows; without it the server's own is asked.
    """
    here = seen(connection)
    with translated():
        row = connection.execute(LOOK).fetchone() or {}
    settings: Mapping[str, str] = row["settings"]
    return here, [
        setting.version(row["version"]),
        setting.durable(settings),
        setting.standby(settings, row["standbys"]),
        place(connection, here, settings, now),
        setting.writes(settings, recovering=row["recovering"]),
        setting.vacuum(settings),
        setting.role(is_super=row["super"]),
    ]
