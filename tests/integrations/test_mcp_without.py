"""`semel mcp` where its library is not installed, and command lines that mean nothing."""

import sys

import pytest

from semel.cli import main

pytestmark = pytest.mark.no_store
AS_ANA = ("mcp", "--as", "ana@carmona-demo")


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith("semel.integrations.mcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(AS_ANA) == 2
    said = capsys.readouterr()
    assert said.err == "semel: MCP needs its library, in version 2: pip install 'semel[mcp]'.\n"
    assert said.out == ""


@pytest.mark.parametrize(
    "more",
    [
        ("--port", "65536"), ("--port", "-1"), ("--port", "http"), ("--port", "٣"),
        ("--same", "0"), ("--same", "-5"), ("--same", "soon"), ("--same", "1e99"),
        ("--message", "m-1"), ("--json",),
    ],
)  # fmt: skip
def test_a_command_line_that_means_nothing_ends_with_2(more, capsys):
    with pytest.raises(SystemExit) as end:
        main([*AS_ANA, *more])
    assert end.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_nobody_is_served_without_a_name(capsys):
    with pytest.raises(SystemExit) as end:
        main(["mcp"])
    assert end.value.code == 2
    assert "--as" in capsys.readouterr().err
