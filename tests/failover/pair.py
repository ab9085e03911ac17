"""A primary and a standby, the primary killed and the standby promoted when it is asked for.

Both are made once and kept; each run works on copies of their folders, so that it begins with a
primary whose standby has all of it.
"""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from semel.testing import Postgres, postgres
from semel.testing._programs import as_somebody, children, free_port, give, run

STANDBY = "sb"
BOTH = {
    "wal_level": "replica",
    "max_wal_senders": 5,
    "hot_standby": "on",
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_buffers": "16MB",
    "max_connections": 60,
}


@dataclass
class Pair:
    """Two servers, of which one is the primary."""

    primary: Postgres
    standby: Postgres

    @property
    def url(self) -> str:
        """Both, for whoever wants the one that takes writes (PGTARGETSESSIONATTRS)."""
        hosts = ",".join(f"127.0.0.1:{one.port}" for one in (self.primary, self.standby))
        return f"postgresql://semel@{hosts}/postgres"

    def fail_over(self) -> None:
        """The primary's machine is lost, and the standby takes its place."""
        self.primary.kill()
        self.promote()

    def promote(self) -> None:
        with connected(self.standby) as line:
            assert line.execute("SELECT pg_promote(true, 60)").fetchone() == (True,)

    def receivers(self) -> list[int]:
        """The standby's processes."""
        process = self.standby._process
        assert process is not None
        return [process.pid, *children(process.pid)]

    def freeze(self) -> None:
        """The standby is away: it hears nothing, and nobody is told."""
        for pid in self.receivers():
            os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """The standby is back."""
        for pid in reversed(self.receivers()):
            os.kill(pid, signal.SIGCONT)

    def waiting(self, but: int = 0) -> int:
        """A session of the primary that waits for the standby at its COMMIT; not that one."""
        asked = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> %s"
        with connected(self.primary) as line:
            while True:
                found = line.execute(asked, [but]).fetchone()
                if found:
                    return int(found[0])
                line.execute("SELECT pg_sleep(0.005)")

    def cut_short(self) -> int:
        """Do what nobody should: end such a wait by hand. The session that waited."""
        pid = self.waiting()
        with connected(self.primary) as line:
            line.execute("SELECT pg_cancel_backend(%s)", [pid])
        return pid


def connected(server: Postgres) -> "psycopg.Connection[Any]":
    """A line to one of them, whether or not it takes writes."""
    return psycopg.connect(server.url, autocommit=True, target_session_attrs="any")


def make(folder: Path) -> None:
    """Make both, once: the standby from a base backup of the primary."""
    first, second = folder / "primary", folder / "standby"
    with postgres(first, **BOTH) as server:
        second.mkdir(mode=0o700, parents=True)
        give(second)
        run(
            *as_somebody(), str(server.bin / "pg_basebackup"), "--pgdata", str(second / "data"),
            "--checkpoint=fast", "--dbname", server.url,
        )  # fmt: skip
    signs = second / "data" / "standby.signal"
    signs.touch(mode=0o600)
    give(signs)


@contextmanager
def pair(made: Path, folder: Path, *, synchronous: bool = True) -> Iterator[Pair]:
    """A primary and its standby, as copies of those in *made*; both run while the block does."""
    for name in ("primary", "standby"):
        shutil.copytree(made / name, folder / name, symlinks=True)
    port = free_port()
    named = STANDBY if synchronous else ""
    info = f"host=127.0.0.1 port={port} user=semel application_name={STANDBY}"
    with (
        postgres(folder / "primary", port=port, **BOTH, synchronous_standby_names=named) as primary,
        # Once promoted it has no standby of its own to wait for.
        postgres(
            folder / "standby", **BOTH, synchronous_standby_names="", primary_conninfo=info
        ) as standby,
    ):
        both = Pair(primary, standby)
        _in_step(both, "sync" if synchronous else "async")
        yield both


def _in_step(both: Pair, state: str) -> None:
    with connected(both.primary) as line:
        asked = (
            "SELECT count(*) FROM pg_stat_replication WHERE sync_state = %s AND state = 'streaming'"
        )
        while not line.execute(asked, [state]).fetchone()[0]:
            line.execute("SELECT pg_sleep(0.01)")
