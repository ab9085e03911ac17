"""`semel mcp-guard` as a host starts it: a server behind it, real processes, pipes and ports."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ledger_server import Ledger
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

from semel.cli import main as semel

pytestmark = pytest.mark.no_store
HERE = Path(__file__).parent
DYING = str(HERE / "mcp_dying.py")
SERVER = (sys.executable, str(HERE / "ledger_server.py"))


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "SEMEL_HOME": str(home)}


def guarded(home: Path, *options: str, dies_at: str | None = None) -> StdioServerParameters:
    """What starts a guard over pipes, with the ledger's server behind it."""
    program = [DYING, dies_at] if dies_at else ["-m", "semel.cli"]
    words = [*program, "mcp-guard", *options, "--", *SERVER, str(home)]
    return StdioServerParameters(command=sys.executable, args=words, env=environment(home))


async def appended(one: Client, text: str) -> dict:
    result = await one.call_tool("append_line", {"text": text})
    return result.structured_content


@pytest.mark.parametrize(
    ("point", "mode", "lines", "ends"),
    [
        # The ledger's own tool kills the guard that is waiting for it.
        (None, "auto", 1, "in_doubt"),
        ("call:send:after", "legacy", 1, "in_doubt"),
    ],
)
def test_a_guard_dies_and_the_next_one_tells_the_truth(
    tmp_path, point, mode, lines, ends, monkeypatch, capsys
):
    ledger = Ledger(tmp_path)

    async def main():
        ledger.goes("well" if point else "kills")
        async with Client(guarded(tmp_path, dies_at=point), mode=mode) as one:
            with pytest.raises(MCPError):
                await appended(one, "a")
        ledger.goes("well")
        async with Client(guarded(tmp_path), mode=mode) as one:
            first = await one.call_tool("append_line", {"text": "a"})
            again = (one.call_tool("append_line", {"text": "a"}) for _ in range(4))
            for result in (first, *await asyncio.gather(*again)):
                told = json.loads(result.content[0].text)["status"] if result.is_error else "done"
                assert told == ends
            # Another call is not touched by it, and what reads goes through.
            assert (await appended(one, "b"))["line"] == "b"
            assert not (await one.call_tool("read_lines", {})).is_error
        assert ledger.lines.count("a") == lines
        assert ledger.lines.count("b") == 1

    asyncio.run(main())
    # A person finds out, and says so.
    monkeypatch.setenv("SEMEL_DB", f"sqlite:///{tmp_path / 'guard.db'}")
    assert semel(["calls", "--json"]) == 1
    (call,) = json.loads(capsys.readouterr().out)
    assert (call["tool"], call["state"]) == ("append_line", "in_doubt")
    # Nobody has said by when it has arrived or never will, so "it did not" does not count.
    assert semel(["calls", call["job"], "--did-not"]) == 1
    assert semel(["calls", call["job"], "--happened"]) == 0
    assert semel(["calls"]) == 0


@contextmanager
def started(home: Path, *words: str) -> "Iterator[tuple[str, subprocess.Popen[str]]]":
    """A process that prints its address as the last word of a line."""
    with subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(home),
    ) as process:  # fmt: skip
        try:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            yield line.split()[-1], process
        finally:
            process.kill()


def test_over_http_before_and_behind(tmp_path):
    ledger = Ledger(tmp_path)

    async def main(url: str) -> None:
        async with Client(url, mode="auto") as one, Client(url, mode="legacy") as other:
            await asyncio.gather(*(appended(each, "a") for each in (one, other) * 3))

    before = ["-m", "semel.cli", "mcp-guard", "--port", "0", "--url"]
    with (
        started(tmp_path, *SERVER[1:], str(tmp_path), "http") as (behind, _),
        started(tmp_path, *before, behind) as (url, process),
    ):
        asyncio.run(main(url))
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 1
        assert "Traceback" not in process.stderr.read()
    assert ledger.lines == ["a"]


def test_a_first_policy_is_printed_and_can_be_read_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SEMEL_HOME", str(tmp_path))
    assert semel(["mcp-guard", "--print-policy", "--", *SERVER, str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    rules = [line.partition("  #")[0] for line in printed.splitlines() if " = " in line]
    assert rules == [
        'delete_line = "ask"', 'pay = "ask"', 'append_line = "once"', 'frobnicate = "once"',
        'read_lines = "read"',
    ]  # fmt: skip
    policy = tmp_path / "policy.toml"
    policy.write_text(printed, encoding="utf-8")
    again = ["mcp-guard", "--policy", str(policy), "--print-policy", "--", *SERVER, str(tmp_path)]
    assert semel(again) == 0
    assert rules == [line for line in capsys.readouterr().out.splitlines() if " = " in line]
    # A rule that is misspelled is not passed over.
    policy.write_text(printed.replace("delete_line", "delete_lines"), encoding="utf-8")
    assert semel(again) == 2
    said = "semel: The policy names delete_lines, which the server does not have.\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ((), "stands before one server"),
        (("--url", "http://127.0.0.1:1/mcp", "--", "x"), "stands before one server"),
        (("--session", " ", "--", "x"), "not blank"),
        (("--", "no-such-program-anywhere"), "no-such-program-anywhere could not be reached"),
        (("--", "true"), "could not be reached"),
        (("--url", "http://127.0.0.1:1/mcp"), "could not be reached"),
        (("--policy", "nowhere.toml", "--", "x"), "nowhere.toml could not be read"),
    ],
)
def test_what_cannot_be_guarded_is_said_in_one_sentence(tmp_path, monkeypatch, capsys, more, says):
    monkeypatch.setenv("SEMEL_HOME", str(tmp_path))
    assert semel(["mcp-guard", *more]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("semel: ")
    assert says in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
