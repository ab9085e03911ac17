"""What a nursery starts is a process like any other, though it was forked."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from semel_facturas.story.nursery import Nursery

pytestmark = pytest.mark.no_store

TELLS = """
import json, os, sys
print(json.dumps([os.getpid(), os.getcwd(), dict(os.environ), sys.argv[1:], sys.stdin.read()]))
print("to the errors", file=sys.stderr)
sys.exit(3)
"""
WAITS = """
print("ready", flush=True)
input()
"""
FALLS = """
raise ValueError("it fell")
"""


@pytest.fixture
def nursery(tmp_path, monkeypatch):
    for name, text in (("tells", TELLS), ("waits", WAITS), ("falls", FALLS)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    with Nursery("json") as one:
        yield one


def test_it_has_what_it_was_given_and_is_told_apart(nursery, tmp_path):
    seen = set()
    for _ in range(2):
        with nursery.start("tells", "a", b"\xff", env={"A": "á"}, cwd=tmp_path) as child:
            out, err = child.communicate(b"in\n" * 100_000)
        pid, cwd, env, arguments, read = json.loads(out)
        assert (child.returncode, err) == (3, b"to the errors\n")
        assert (cwd, env, arguments) == (str(tmp_path), {"A": "á"}, ["a", "\udcff"])
        assert len(read) == 300_000
        assert pid == child.pid
        seen.add(pid)
    assert len(seen) == 2
    assert os.getpid() not in seen


def test_it_can_be_killed_and_says_so_and_it_can_be_waited_for(nursery, tmp_path):
    with nursery.start("waits", env={}, cwd=tmp_path) as killed:
        assert killed.stdout.readline() == b"ready\n"
        assert killed.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            killed.communicate(timeout=0)
        killed.send_signal(signal.SIGKILL)
        assert killed.wait() == killed.poll() == -signal.SIGKILL
    killed.send_signal(signal.SIGKILL)
    with nursery.start("waits", env={}, cwd=tmp_path) as freed:
        assert freed.communicate(b"on\n")[0] == b"ready\n"
        assert freed.returncode == 0


def test_it_falls_as_a_program_falls(nursery, tmp_path):
    with nursery.start("falls", env={}, cwd=tmp_path) as child:
        _, err = child.communicate()
    assert child.returncode == 1
    assert err.splitlines()[-1] == b"ValueError: it fell"


def test_a_nursery_that_ends_leaves_nobody(tmp_path):
    with Nursery() as one:
        with one.start("this", env=os.environ) as child:
            out, _ = child.communicate()
        assert b"Namespaces are one honking great idea" in out
        pid = one._process.pid
    assert one._process.returncode == 0
    assert sys.platform != "linux" or not Path(f"/proc/{pid}").exists()
