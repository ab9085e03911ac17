"""How a file is kept: settings, disk, rights. Nothing tells a copy from the original."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from semel.domain.finding import Finding, Level
from semel.storage import migrate
from semel.storage.migrate import Migration
from semel.storage.sqlite.connection import connect
from semel.storage.sqlite.upgrade import lacking

MOUNTS = Path("/proc/self/mountinfo")
REMOTE = frozenset(
    {
        *("afs", "ceph", "cifs", "davfs", "fuse.davfs", "fuse.glusterfs", "fuse.rclone"),
        *(
            "fuse.s3fs",
            "fuse.sshfs",
            "glusterfs",
            "lustre",
            "ncpfs",
            "nfs",
            "nfs4",
            "smb3",
            "smbfs",
        ),
    }
)
"""File systems of other machines, on which SQLite's locks and its WAL do not hold."""

FULL = 2
VERSION_MIN = (3, 37)

FENCING = "A fence was begun here and is not through. Run `semel fence --restored` again."


def fence(connection: sqlite3.Connection) -> Finding:
    """Whether a fence was begun and is not through; of a copy nothing else can be told."""
    known = "SELECT 1 FROM sqlite_master WHERE name = 'semel_database'"
    if connection.execute(known).fetchone() is None:
        return Finding("place", Level.OK, "There are no tables yet.")
    row = connection.execute("SELECT fencing FROM semel_database WHERE id = 1").fetchone()
    if row is not None and row["fencing"]:
        return Finding("place", Level.OFF, FENCING)
    return Finding(
        "place", Level.OK, "A file does not know where it is: after putting back a copy, run"
        " `semel fence --restored`.",
    )  # fmt: skip


def examine(path: Path, connection: sqlite3.Connection) -> list[Finding]:
    """Everything that can be said of a file at once, before an engine sends anything."""
    with closing(connect(path, create=False, read_only=True)) as fresh:
        durable = _durable(fresh)
    return [
        _version(sqlite3.sqlite_version_info),
        durable,
        _disk(file_system(path.absolute(), _mounts())),
        fence(connection),
        _rights(path),
    ]


def _version(version: Sequence[int]) -> Finding:
    name = f"SQLite is {'.'.join(map(str, version))}"
    if tuple(version) < VERSION_MIN:
        return Finding("version", Level.STOP, f"{name}, and semel needs 3.37 or newer. Upgrade it.")
    return Finding("version", Level.OK, f"{name}.")


def _durable(connection: sqlite3.Connection) -> Finding:
    mode, sync = (
        connection.execute(f"PRAGMA {name}").fetchone()[name]
        for name in ("journal_mode", "synchronous")
    )
    if mode == "wal" and sync >= FULL:
        return Finding("durability", Level.OK, "What is answered is on the disk (WAL, FULL).")
    return Finding(
        "durability", Level.OFF,
        f"journal_mode is {mode} and synchronous is {sync}: a power cut may take what was answered,"
        " and what was sent would be sent again. semel sets wal and 2; find out who changes it.",
        durability=True,
    )  # fmt: skip


def _mounts() -> str:
    try:
        return MOUNTS.read_text("utf-8", "replace")
    except OSError:
        return ""


def file_system(path: Path, mounts: str) -> str | None:
    """The kind of file system that a path is on, by the kernel's table (proc(5), mountinfo)."""
    found: tuple[int, str] | None = None
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        parts, kinds = before.split(), after.split()
        if len(parts) < 5 or not kinds:
            continue
        # Of what is mounted over another, the last line counts.
        point = Path(parts[4].encode().decode("unicode_escape"))
        deep = len(point.parts)
        if path.is_relative_to(point) and (found is None or deep >= found[0]):
            found = deep, kinds[0]
    return found[1] if found else None


def _disk(kind: str | None) -> Finding:
    if kind in REMOTE:
        return Finding(
            "disk", Level.OFF,
            f"The file is on another machine's disk ({kind}), where SQLite's locks do not hold: two"
            " programs could each send the same. Put it on a local disk.",
            durability=True,
        )  # fmt: skip
    if kind in {"tmpfs", "ramfs"}:
        return Finding(
            "disk", Level.WARN, f"The file is in memory ({kind}): when the machine stops, all is"
            " lost, and what was sent with it. Put it on a disk.",
        )  # fmt: skip
    return Finding("disk", Level.OK, "The file is on a local disk.")


def _rights(path: Path) -> Finding:
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        return Finding(
            "rights", Level.WARN, f"Others may use the file (mode {mode:04o}), which holds people's"
            f" names and words. Run `chmod 600 {path.name}`.",
        )  # fmt: skip
    return Finding("rights", Level.OK, "Only its owner may read the file.")


def schema(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> Finding:
    """Whether the tables are those of this program."""
    return migrate.examined(lambda: lacking(connection, migrations))
