"""A throw-away environment for each peer, with its exact version, where git does not look."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from compare.registry import ROOT, Peer

CACHE: Final = ROOT / "build" / "compare"
INSTALL_SECONDS: Final = 600.0
"""How long an installation may take: it is a download, and a slow one is no failure."""

FILES = """\
import importlib.metadata, sys
files = importlib.metadata.distribution(sys.argv[1]).files or []
print(sum(file.suffix in {".py", ".so"} for file in files))
"""
"""Says how many files of a package Python could import."""


class Missing(Exception):
    """There is nothing of this peer that could be run here; the message is for the table."""


def python_of(peer: Peer, cache: Path = CACHE) -> Path:
    """The Python of the peer's environment, which is made when it is not there yet.

    Raises:
        Missing: the peer does not install, or has no module.
    """
    if not peer.requires:
        return Path(sys.executable)
    python = installed(peer.requires, cache)
    package = peer.requires[0].partition("==")[0].partition("[")[0]
    files = _run([str(python), "-P", "-c", FILES, package]).strip()
    if not int(files):
        raise Missing("installs, and brings no Python module")
    return python


def installed(requires: Sequence[str], cache: Path = CACHE) -> Path:
    """The Python of an environment with these packages.

    Raises:
        Missing: they do not install here.
    """
    digest = hashlib.sha256(json.dumps([sys.version, *requires]).encode()).hexdigest()[:12]
    folder = cache / "env" / f"{requires[0].partition('==')[0].partition('[')[0]}-{digest}"
    python = folder / "bin" / "python"
    if not (folder / "whole").exists():
        shutil.rmtree(folder, ignore_errors=True)
        uv = _uv()
        _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
        _run([uv, "pip", "install", "--quiet", "--python", str(python), *requires])
        (folder / "whole").touch()
    return python


def _uv() -> str:
    found = Path(sys.executable).with_name("uv")
    return str(found) if found.exists() else shutil.which("uv") or "uv"


def _run(command: Sequence[str]) -> str:
    outside = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    try:
        done = subprocess.run(  # noqa: S603 - uv, and a Python that it has made
            command,
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
            check=False,
            env=outside,
        )
    except (OSError, subprocess.TimeoutExpired) as no:
        raise Missing("does not install here") from no
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise Missing("does not install here")
    return done.stdout
