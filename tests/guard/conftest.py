"""The command as a person has it: a real process, in a folder of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def scan(tmp_path: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    def run(*arguments: str, width: int = 100) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, "-m", "semel.cli", "scan", *arguments],
            cwd=tmp_path,
            env=os.environ | {"COLUMNS": str(width), "PYTHONUTF8": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        return done

    return run
