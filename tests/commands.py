"""The commands of tests: a process of its own each, forked from one that has imported them.

Importing takes half a second of a core, and the tests start hundreds. That a command begins from
nothing as well is what the examples of README.md show, where the installed program starts each.
"""

import atexit
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from semel_facturas.story.nursery import Child, Nursery


@cache
def _nursery() -> Nursery:
    one = Nursery("semel.cli", "semel_facturas", "semel_facturas.sink", "semel.storage.postgres")
    atexit.register(one.close)
    return one


def started(*arguments: str, env: Mapping[str, str], cwd: Path | None = None) -> Child:
    """Start `semel` with a command line and the whole of its environment."""
    return _nursery().start("semel.cli", *arguments, env=env, cwd=cwd)


def done(
    *arguments: str, env: Mapping[str, str], cwd: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run `semel` to its end, with nothing to read; what it printed."""
    with started(*arguments, env=env, cwd=cwd) as process:
        out, err = process.communicate()
    return subprocess.CompletedProcess(arguments, process.wait(), out.decode(), err.decode())


def shown(
    *arguments: str, env: Mapping[str, str], cwd: Path, timeout: float
) -> "subprocess.CompletedProcess[str]":
    """Run `semel` to its end; what a terminal would have shown of it, errors and all."""
    started = _nursery().start("semel.cli", *arguments, env=env, cwd=cwd, errors=subprocess.STDOUT)
    with started as process:
        out, _ = process.communicate(timeout=timeout)
    return subprocess.CompletedProcess(arguments, process.wait(), out.decode())
