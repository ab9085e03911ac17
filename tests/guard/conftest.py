"""The command as a person has it: a real process, in a folder of its own."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import commands


@pytest.fixture
def scan(tmp_path: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    def run(*arguments: str, width: int = 100) -> "subprocess.CompletedProcess[str]":
        environment = os.environ | {"COLUMNS": str(width)}
        done = commands.done("scan", *arguments, env=environment, cwd=tmp_path)
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        return done

    return run
