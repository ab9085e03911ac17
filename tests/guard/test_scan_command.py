"""`semel scan` as it is typed."""

import json
import shlex
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.no_store

SERVER = Path(__file__).with_name("scan_server.py")
TOOLS = """
@tool
def get_invoice(id: str): return requests.post("https://api.example/" + id)
@tool
def enviar_correo(to: str): ...
@tool
def list_things(): return db.execute("SELECT * FROM things")
"""


def test_a_table_the_first_to_protect_and_the_line(scan, tmp_path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    done = scan("tools.py")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert [line.split()[0] for line in lines[1:4]] == [
        "enviar_correo",
        "get_invoice",
        "list_things",
    ]
    assert lines[-1] == "scan: 3 tools, 2 to protect (1 message, 1 read that writes, 1 read)"
    assert lines[-2] == "    @guard.once(effect=Opaque())"
    assert lines[-3] == "Add this line right above `def`, at tools.py:5:"


def test_the_same_as_one_json_value(scan, tmp_path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "bad.py").write_text("def f(:")
    done = scan(".", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert told["unread"] == ["bad.py was not read: invalid syntax (line 1)."]
    assert told["first"] == {
        "tool": "enviar_correo", "line": "@guard.once(effect=Opaque())", "place": "tools.py:5"
    }  # fmt: skip
    assert [(one["tool"], one["class"], one["line"] is None) for one in told["tools"]] == [
        ("enviar_correo", "message", False),
        ("get_invoice", "read_writes", False),
        ("list_things", "read", True),
    ]


def test_where_nothing_needs_protection_it_says_so(scan, tmp_path) -> None:
    (tmp_path / "tools.py").write_text("def total(x: int) -> int:\n    return sum(x)\n")
    done = scan("tools.py")
    assert done.returncode == 0
    assert "No tool needs protection" in done.stdout
    assert "No function is marked as a tool" in done.stdout
    assert json.loads(scan("tools.py", "--json").stdout)["first"] is None


def test_an_openapi_document(scan, tmp_path) -> None:
    document = {
        "paths": {
            "/charges": {"post": {"parameters": [{"name": "Idempotency-Key", "in": "header"}]}}
        }
    }
    (tmp_path / "api.json").write_text(json.dumps(document))
    done = scan("--openapi", "api.json")
    assert done.returncode == 0
    assert "    @guard.once(effect=Keyed(ttl=3600))" in done.stdout
    assert "above the function that calls it" in done.stdout
    assert "header Idempotency-Key" in done.stdout


def test_hostile_names_stay_on_their_line(scan) -> None:
    server = shlex.join([sys.executable, str(SERVER), "well"])
    done = scan("--mcp", server)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Protect send_email first" in done.stdout
    assert "belongs to nobody" not in done.stdout
    told = scan("--mcp", server, "--json").stdout
    for text in (done.stdout, told):
        assert all(letter.isprintable() or letter == "\n" for letter in text)
        assert len(text) < 5_000


def test_hostile_names_in_source_and_files(scan, tmp_path) -> None:
    (tmp_path / "a\u001b[2J\u202e.py").write_text("def f(:")
    (tmp_path / "b.py").write_text(
        "@mcp.tool(name='send\\x1b[2J\\u202e\\n" + "x" * 9_000 + "')\ndef f(x): ...\n"
    )
    for done in (scan("."), scan(".", "--json"), scan("a\u001b[2J.py")):
        assert all(letter.isprintable() or letter == "\n" for letter in done.stdout + done.stderr)
        assert len(done.stdout) < 3_000


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "one of the arguments MODULE --mcp --openapi is required"),
        (["x", "--mcp", "y"], "not allowed with argument"),
        (["nowhere.py"], "semel: There is no file nowhere.py."),
        (["no.module"], "semel: There is no source of a module no.module"),
        (["--openapi", "nowhere.json"], "semel: The file nowhere.json could not be read"),
        (["--mcp", "no-such-server"], "semel: The server no-such-server could not be started"),
        (["--mcp", "true"], "semel: The server closed its output"),
    ],
)
def test_bad_input_is_a_sentence_and_a_usage_error(scan, arguments, why) -> None:
    done = scan(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr


def test_the_help_shows_the_three_ways(scan) -> None:
    done = scan("--help")
    assert done.returncode == 0
    assert all(
        way in done.stdout for way in ("MODULE", "--mcp COMMAND", "--openapi FILE", "exit status")
    )


def test_it_needs_no_application_and_makes_no_file(scan, tmp_path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    scan("tools.py")
    assert [path.name for path in tmp_path.iterdir()] == ["tools.py"]
