"""A real PgBouncer before a server, in transaction mode, with fewer sessions than clients."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from semel.testing._programs import as_somebody, free_port, give

SESSIONS = 3
"""Of the server, for all clients together: each transaction may have another one."""
SECONDS = 20.0
"""How long it may take to come up."""


def program() -> str:
    """Where PgBouncer is."""
    found = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert found, "PgBouncer is not installed; .ci/run installs it."
    return found


@contextmanager
def pooled(folder: Path, url: str) -> Iterator[str]:
    """The same server, through a pooler that lends its sessions for a transaction each."""
    behind, port = urlsplit(url), free_port()
    folder.mkdir()
    (folder / "users").write_text(f'"{behind.username}" ""\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host={behind.hostname} port={behind.port}\n"
        "[pgbouncer]\nlisten_addr = 127.0.0.1\nunix_socket_dir =\nauth_type = trust\n"
        f"listen_port = {port}\nauth_file = {folder / 'users'}\npool_mode = transaction\n"
        f"default_pool_size = {SESSIONS}\nmax_client_conn = 200\nserver_check_delay = 0\n"
        f"logfile = {folder / 'log'}\nignore_startup_parameters = extra_float_digits\n"
    )
    give(folder)
    for path in folder.iterdir():
        give(path)
    through = urlunsplit(behind._replace(netloc=f"{behind.username}@127.0.0.1:{port}"))
    command = [*as_somebody(), program(), "-q", str(folder / "pgbouncer.ini")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        try:
            limit = time.monotonic() + SECONDS
            while not _answers(through):
                assert running.poll() is None, running.stderr.read()
                assert time.monotonic() < limit, "PgBouncer does not come up."
            yield through
        finally:
            running.terminate()


def _answers(url: str) -> bool:
    try:
        with psycopg.connect(url, autocommit=True, prepare_threshold=None) as db:
            return db.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False
