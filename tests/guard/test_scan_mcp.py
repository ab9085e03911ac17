"""Asking a real server for its list, whatever it does with the question."""

import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from semel.guard.scan import mcp
from semel.guard.scan.tool import ScanError

pytestmark = pytest.mark.no_store

SERVER = Path(__file__).with_name("scan_server.py")


def command(how: str) -> str:
    return shlex.join([sys.executable, str(SERVER), how])


@pytest.mark.parametrize("how", ["well", "greets", "stateless"])
def test_every_page_of_a_list_is_read(how) -> None:
    found = mcp.scan(command(how))
    assert [tool.name for tool in found][:2] == ["search_contacts", "send_email"]
    assert len(found) == 3
    assert found[1].read_only is True


def test_a_cursor_that_comes_again_ends_the_list() -> None:
    assert len(mcp.scan(command("circles"))) == 2


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("dies", "closed its output before"),
        ("garbage", "closed its output before"),
        ("hangs", "gave no answer in 0.5 s"),
        ("floods", "prints too much"),
        ("endless", "more than 100 pages"),
        ("no list", "does not list its tools"),
    ],
)
def test_a_server_that_does_not_answer_is_a_sentence_and_ends(how, why) -> None:
    began = time.monotonic()
    seconds = 0.5 if how == "hangs" else 60
    with pytest.raises(ScanError, match=why):
        mcp.scan(command(how), seconds)
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "no command"),
        ("   ", "no command"),
        ("'", "could not be read"),
        ("semel-no-such-program", "could not be started"),
        ("/", "could not be started"),
    ],
)
def test_a_command_that_cannot_be_run_is_a_sentence(line, why) -> None:
    with pytest.raises(ScanError, match=why):
        mcp.scan(line)


def test_what_a_server_started_ends_with_it(tmp_path) -> None:
    # A child of the server, which would live for an hour, holds a pipe of ours.
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    script = f"(echo up; exec sleep 3600) > {shlex.quote(str(tmp_path / 'pipe'))} & wait"
    with pytest.raises(ScanError, match="gave no answer"):
        mcp.scan(shlex.join(["sh", "-c", script]), 1)
    os.set_blocking(end, True)
    with os.fdopen(end) as pipe:
        assert pipe.read() == "up\n"


@pytest.mark.parametrize(
    "listed", [[], [None], [{"name": ""}], [{"name": ["x"]}], [{"description": "x"}], ["x", 7]]
)
def test_what_is_no_tool_is_left_out(listed) -> None:
    assert mcp.tools(listed) == ()


def test_a_tool_of_odd_form_is_still_one() -> None:
    (tool,) = mcp.tools(
        [{"name": "x", "description": 7, "inputSchema": [], "annotations": {"readOnlyHint": "yes"}}]
    )
    assert (tool.description, tool.parameters, tool.read_only) == ("", (), None)
