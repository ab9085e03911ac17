"""Whether the process that owns a plan is dead: said only of one that certainly runs no more."""

import ctypes
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from contenders import Child, start

from semel import machine
from semel.machine import ThisProcess

pytestmark = pytest.mark.no_store

NOBODY = 65534


@dataclass
class Other:
    """A child that has said who it is, and lives until it is told to go."""

    child: Child[None]
    identity: str
    keep: int
    reaped: bool = False

    @property
    def pid(self) -> int:
        return self.child.pid

    def kill(self) -> None:
        """Kill it, and wait until it is dead without reaping it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)

    def reap(self) -> None:
        os.waitpid(self.pid, 0)
        self.reaped = True


@contextmanager
def other() -> Iterator[Other]:
    """Another process, that waits."""
    said, says = os.pipe()
    keeps, keep = os.pipe()

    def work() -> None:
        os.write(says, ThisProcess().identity.encode())
        os.close(says)
        os.read(keeps, 1)

    child = start(work, said, keep)
    for handle in (says, keeps):
        os.close(handle)
    with os.fdopen(said) as pipe:
        identity = pipe.read()
    process = Other(child, identity, keep)
    try:
        yield process
    finally:
        os.close(keep)
        if not process.reaped:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
            process.reap()
        os.close(child.pipe)


def parts(identity: str) -> list[str]:
    """Host, boot, process namespace, number, start."""
    return identity.split(":")


def with_part(identity: str, at: int, value: str) -> str:
    changed = parts(identity)
    changed[at] = value
    return ":".join(changed)


def test_a_living_process_is_not_dead_itself_and_its_parent_included():
    me = ThisProcess()
    assert not me.is_dead(me.identity)
    assert len(parts(me.identity)) == 5
    assert parts(me.identity)[3] == str(os.getpid())
    with other() as process:
        assert parts(process.identity)[3] == str(process.pid)
        assert not me.is_dead(process.identity)
        # A stopped one runs on when it is let go: it is alive.
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        assert not me.is_dead(process.identity)
        os.kill(process.pid, signal.SIGCONT)
        assert not me.is_dead(process.identity)


def test_a_killed_process_is_dead_before_and_after_it_is_reaped():
    me = ThisProcess()
    with other() as process:
        process.kill()
        assert Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2][0] == "Z"
        assert me.is_dead(process.identity)
        process.reap()
        assert not Path(f"/proc/{process.pid}").exists()
        assert me.is_dead(process.identity)


def test_a_process_that_ended_by_itself_is_dead():
    me = ThisProcess()
    with other() as process:
        os.write(process.keep, b".")
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert me.is_dead(process.identity)


def test_the_same_number_with_another_start_is_somebody_else():
    me = ThisProcess()
    with other() as process:
        started = int(parts(process.identity)[4])
        for start_time in (started - 1, started + 1, 10**15):
            assert me.is_dead(with_part(process.identity, 4, str(start_time)))
        assert not me.is_dead(process.identity)
    assert me.is_dead(with_part(me.identity, 4, "1"))


def test_a_process_that_could_not_read_its_own_start_is_judged_by_its_end_alone(monkeypatch):
    me = ThisProcess()
    with monkeypatch.context() as patch:
        patch.setattr(machine, "_started", lambda pid: None)
        blind = ThisProcess().identity
    assert parts(blind)[4] == "0"
    assert not me.is_dead(blind)
    with other() as process:
        unread = with_part(process.identity, 4, "0")
        assert not me.is_dead(unread)
        process.kill()
        assert me.is_dead(unread)
        process.reap()
        assert me.is_dead(unread)


def test_another_host_boot_or_namespace_cannot_be_judged_from_here():
    me = ThisProcess()
    with other() as process:
        process.kill()
        process.reap()
        assert me.is_dead(process.identity)
        for at, value in (
            (0, "elsewhere"),
            (1, "another-boot"),
            (1, ""),
            (2, "4026530000"),
            (2, ""),
        ):
            assert not me.is_dead(with_part(process.identity, at, value))
        assert not me.is_dead(f"x:{process.identity}")
        assert not me.is_dead(process.identity.upper())
        assert not me.is_dead(process.identity.replace(":", ";"))


def test_what_is_no_identity_is_nobody_known_to_be_dead():
    me = ThisProcess()
    place = ":".join(parts(me.identity)[:3])
    garbage = ["", ":", "::::", "somebody", "p_1", "\0", "x" * 10_000, place, f"{place}:", "1:1"]
    garbage += [
        f"{place}:{pid}:1" for pid in ("", "-1", "1.0", " 1", "0x1", "self", "²", "١", "1\n")
    ]
    garbage += [f"{place}:{pid}:1" for pid in ("0", "9" * 30, "9" * 5000, str(2**63))]
    garbage += [f"{place}:{os.getpid()}:{start}" for start in ("", "-1", "soon", "1.5", "١", "²")]
    for text in garbage:
        assert not me.is_dead(text), text


def test_a_forked_child_is_somebody_else_and_so_is_its_child():
    me = ThisProcess()
    mine = me.identity

    def grandchild() -> str:
        return me.identity

    def child() -> tuple[str, str, bool, bool]:
        own = me.identity
        return own, start(grandchild).value(), me.is_dead(own), me.is_dead(mine)

    own, inner, own_dead, mine_dead = start(child).value()
    assert len({mine, own, inner}) == 3
    assert (own_dead, mine_dead) == (False, False)
    assert me.is_dead(own)
    assert me.is_dead(inner)
    assert me.identity == mine
    assert ThisProcess().identity == mine


def test_a_process_of_another_user_that_may_not_be_signalled_is_alive():
    me = ThisProcess()
    parent = me.identity

    def unprivileged() -> tuple[bool, bool, int]:
        with suppress(OSError):  # an ordinary user is one already
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        try:
            os.kill(1, 0)
            may = True
        except PermissionError:
            may = False
        first = ":".join([*parts(parent)[:3], "1", str(machine._started(1) or 0)])
        return me.is_dead(parent) or me.is_dead(first), may, os.geteuid()

    dead, may, user = start(unprivileged).value()
    assert not dead
    assert may == (user in {0, Path("/proc/1").stat().st_uid})


@pytest.mark.parametrize(("start_time", "dead"), [(None, False), ("12345", False), ("99999", True)])
def test_of_a_process_that_may_not_be_signalled_only_its_start_tells(monkeypatch, start_time, dead):
    def refuse(pid: int, number: int) -> None:
        raise PermissionError

    me = ThisProcess()
    theirs = with_part(with_part(me.identity, 3, "4242"), 4, "12345")
    monkeypatch.setattr(machine.os, "kill", refuse)
    # None: /proc may hide the processes of others altogether.
    monkeypatch.setattr(machine, "_started", lambda pid: start_time)
    assert me.is_dead(theirs) is dead


def test_where_proc_is_missing_nobody_is_known_to_be_dead(monkeypatch):
    with other() as process:
        process.kill()
        process.reap()
        monkeypatch.setattr(machine, "_read", lambda path: "")
        blind = ThisProcess()
        assert not blind.is_dead(process.identity)
        assert not blind.is_dead(blind.identity)


@pytest.mark.parametrize("name", ["plain", "a b", "a) Z 1 (b", ") X 1 2 3", "((("])
def test_a_process_may_be_called_anything(name):
    def named() -> tuple[str, bool]:
        Path("/proc/self/comm").write_text(name[:15])
        renamed = ThisProcess()
        return renamed.identity, renamed.is_dead(renamed.identity)

    child = start(named)
    identity, dead = child.value()
    assert not dead
    assert int(parts(identity)[4]) > 0
    assert ThisProcess().is_dead(identity)


def test_a_process_whose_first_thread_has_ended_still_runs():
    """Its leader is a zombie then, while its other threads may write whatever they like."""
    said, says = os.pipe()
    keeps, keep = os.pipe()

    def work() -> None:
        def last() -> None:
            os.write(says, ThisProcess().identity.encode() + b"\n")
            os.read(keeps, 1)
            os._exit(0)

        threading.Thread(target=last).start()
        # The thread that is the process's first one ends; pthread_exit takes no others along.
        ctypes.CDLL(None).pthread_exit(None)

    child = start(work, said, keep)
    for handle in (says, keeps):
        os.close(handle)
    try:
        with os.fdopen(said) as pipe:
            identity = pipe.readline().strip()
        stat = Path(f"/proc/{child.pid}/stat")
        while stat.read_text().rpartition(") ")[2][0] != "Z":
            os.sched_yield()
        assert not ThisProcess().is_dead(identity)
    finally:
        os.close(keep)
        os.waitpid(child.pid, 0)
        os.close(child.pipe)
    assert ThisProcess().is_dead(identity)
