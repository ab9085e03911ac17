"""The program of a nursery: it imports what it is told, and forks itself for each request.

It has one thread, so that a fork of it is whole. Between it and each program is a process that
waits for the program's end and tells of it, to whoever asked.
"""

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

LENGTH = 4
"""A request begins with its length, in so many bytes, and with it come the files."""
FILES = 4
"""What a program begins with: its input, its output, its errors, and where its end is told."""


def serve(line: socket.socket, modules: Sequence[str]) -> None:
    """Import, and fork for each request until the line is closed; in a child, be that program."""
    # The children belong to whoever asked: an interrupt from the keyboard is theirs.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in modules:
        importlib.import_module(module)
    # What is here by now is never collected, and so stays shared.
    gc.collect()
    gc.freeze()
    while True:
        head, files, _, _ = socket.recv_fds(line, LENGTH, FILES)
        if not head:
            return
        body = _read(line, int.from_bytes(head))
        if os.fork() == 0:
            line.close()
            if not _keep(files):
                _be(json.loads(body), files)
            return
        for file in files:
            os.close(file)
        _bury()


def _bury() -> None:
    """Reap whoever has ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _read(line: socket.socket, length: int) -> bytes:
    body = b""
    while len(body) < length:
        body += line.recv(length - len(body))
    return body


def _keep(files: Sequence[int]) -> bool:
    """Fork the program and tell of its end; whether this is the process that did so."""
    pid = os.fork()
    end = files[-1]
    if pid == 0:
        os.close(end)
        return False
    for file in files[:-1]:
        os.close(file)
    os.write(end, b"%d\n" % pid)
    _, status = os.waitpid(pid, 0)
    os.write(end, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _be(task: Mapping[str, Any], files: Sequence[int]) -> None:
    """Become the program."""
    for number, file in enumerate(files[:-1]):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(task["env"])
    time.tzset()
    os.chdir(task["cwd"])
    sys.path[0] = task["cwd"]
    # As Python has them where the environment names no language.
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape")
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[1:] = task["arguments"]
    runpy.run_module(task["module"], run_name="__main__", alter_sys=True)


def main() -> None:
    """Serve whoever started this, on the line with the number of its first argument."""
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
