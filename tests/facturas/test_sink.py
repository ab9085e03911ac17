"""The sink: every accepted message is one file, on disk before the answer."""

import os
import signal
import stat
import subprocess
import sys

import pytest
from facturas_smtp import (
    MESSAGE,
    TRACE,
    WAIT,
    kept,
    run,
    send,
)

from semel_facturas.sink import Folder, Sink

pytestmark = pytest.mark.no_store

pytestmark = pytest.mark.no_store


def test_x08_the_same_message_accepted_twice_is_two_files_in_the_order_of_acceptance(
    sink, tmp_path
):
    first = MESSAGE.replace(b"Hola", b"Uno")
    run(send(sink.url, first))
    run(send(sink.url))
    run(send(sink.url))
    assert kept(tmp_path) == [TRACE + first, TRACE + MESSAGE, TRACE + MESSAGE]


def test_a_sink_that_is_started_again_goes_on_and_overwrites_nothing(tmp_path):
    with Sink(tmp_path / "mail") as one:
        run(send(one.url))
    (tmp_path / "mail" / "00000002.part").touch()
    with Sink(tmp_path / "mail") as two, Sink(tmp_path / "mail") as three:
        assert run(send(two.url)) == "250 2.0.0 queued as 00000003"
        assert run(send(three.url)) == "250 2.0.0 queued as 00000004"
    assert kept(tmp_path) == [TRACE + MESSAGE] * 3


def test_a_port_that_is_taken_is_said(tmp_path):
    with Sink(tmp_path) as sink, pytest.raises(OSError, match="in use"):
        Sink(tmp_path, int(sink.url.rpartition(":")[2])).__enter__()


PROGRAM = [sys.executable, "-W", "error", "-m", "semel_facturas.sink"]


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_the_sink_runs_as_a_program_until_it_is_told_to_end(tmp_path, end):
    command = [*PROGRAM, "--folder", str(tmp_path / "mail")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        ready, url = program.stdout.readline().split()
        assert run(send(url)).startswith("250 ")
        os.kill(program.pid, end)
        rest, errors = program.communicate(timeout=WAIT)
    assert (ready, rest, errors, program.returncode) == ("ready", "", "", 0)
    assert kept(tmp_path) == [TRACE + MESSAGE]


def test_the_program_says_that_its_port_is_taken(sink, tmp_path):
    command = [*PROGRAM, "--folder", str(tmp_path), "--port", sink.url.rpartition(":")[2]]
    failed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WAIT)
    assert failed.returncode == 1
    assert failed.stderr.startswith("The mail sink cannot listen on port")


def test_a_message_is_on_disk_before_its_name_is_and_before_the_answer(tmp_path, monkeypatch):
    done = []
    fsync = os.fsync

    def noted(file: int) -> None:
        names = sorted(path.suffix for path in tmp_path.iterdir())
        done.append(("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file", names))
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    assert Folder(tmp_path).keep(MESSAGE).read_bytes() == MESSAGE
    assert done == [("file", [".part"]), ("folder", [".eml"])]
