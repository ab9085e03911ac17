"""docs/compare.md holds what was found with the scripts as they are, and is written by the program."""

import re
import subprocess
from pathlib import Path

import pytest
from compare.__main__ import main
from compare.environments import CACHE
from compare.registry import HERE, ROOT, Peer, Row, peers
from compare.report import BEGIN, END, PAGE, Cell, Found, NoPlace, pasted, read, table, write
from compare.scenarios import SCENARIOS

pytestmark = pytest.mark.no_store

PEERS = peers()
ROWS = [(peer, row) for peer in PEERS for row in peer.rows]
RUN = [(peer, row) for peer, row in ROWS if not peer.waits]


def name(found: object) -> str:
    return found.name if isinstance(found, Peer) else str(getattr(found, "variant", found))


@pytest.mark.parametrize(("peer", "row"), RUN, ids=name)
def test_the_table_was_found_with_the_scripts_as_they_are(peer, row):
    kept = read().get(peer.key(row))
    anew = f'`make compare ONLY="{peer.name}"` finds this row anew, `make compare` finds all'
    assert kept is not None, f"{peer.key(row)} was never run: {anew}."
    assert kept.sha256 == peer.sha256(row), (
        f"The scripts of {peer.key(row)}, or what all scripts share, were changed after its cells"
        f" were found: {anew}."
    )
    assert kept.missing or [*kept.cells] == [*SCENARIOS]
    assert kept.missing or kept.repeats >= 3


def test_the_page_shows_what_was_kept():
    page = PAGE.read_text("utf-8")
    assert pasted(page, [*table(PEERS, read())]) == page, "`make compare` writes the page anew."


def test_every_script_is_a_peer_s_and_every_peer_has_its_script():
    scripts = {path.stem for path in (HERE / "peers").glob("*.py")} - {"__init__"}
    assert scripts == {peer.script for peer in PEERS if peer.script}


def test_every_peer_has_its_exact_version():
    for peer in PEERS:
        assert all(re.fullmatch(r"[\w-]+(\[[\w,]+\])?==[\d.]+", one) for one in peer.requires)
    assert len({peer.key(row) for peer, row in ROWS}) == len(ROWS) > 20


def test_environments_are_made_where_git_does_not_look():
    asked = ["git", "-C", str(ROOT), "check-ignore", "--quiet", str(CACHE / "env" / "x")]
    assert subprocess.run(asked, check=False).returncode == 0


def page(inside: str = "\n") -> str:
    return f"# Before\n\n{BEGIN}{inside}{END}\n\nAfter.\n"


def test_lines_are_pasted_between_the_marks_and_nowhere_else():
    once = pasted(page(), ["| a |"])
    assert once == page("\n\n| a |\n\n")
    assert pasted(once, ["| b |"]) == page("\n\n| b |\n\n")


@pytest.mark.parametrize("text", ["", BEGIN, END, f"{END}\n{BEGIN}", page() + BEGIN, page() + END])
def test_a_page_without_its_two_marks_is_left_alone(text):
    with pytest.raises(NoPlace):
        pasted(text, [])


PEER = Peer("peer", "semel", ("peer==1.2",), "SQLite", (Row("plain", "`it`"), Row("probed", "")))


def found(text: str, **flags: bool) -> Found:
    one = Found.begun(PEER, PEER.rows[0], "SQLite", 3)
    one.cells["threads"] = Cell(text, **{"duplicate": 0, "lie": 0, "blocked": 0, **flags})
    return one


def test_a_row_that_was_not_run_is_blank():
    lines = [*table([PEER], {"peer/plain": found("1: a|b")})]
    assert f"| peer 1.2 | 1: a\\|b{' | ' * len(SCENARIOS)}".rstrip() in [x.rstrip() for x in lines]
    assert f"| peer 1.2, probed (not run yet){' | ' * 7}".rstrip() in [
        x[:-1].rstrip() for x in lines
    ]


def test_a_peer_that_could_not_be_run_is_named_with_its_reason():
    none = Found.missing_row(PEER, PEER.rows[0], "does not install here")
    assert any(
        line.startswith("| peer 1.2: does not install here |")
        for line in table([PEER], {"peer/plain": none})
    )


def test_rows_are_counted_by_what_is_wrong_with_them():
    rows = {"peer/plain": found("", duplicate=True), "peer/probed": found("", lie=True)}
    assert next(table([PEER], rows)) == (
        "2 ways of using these peers were run: 1 repeat the effect in some column, 1 tell a lie,"
        " and 0 leave a caller without an answer."
    )


def test_what_is_kept_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "kept.json"
    rows = {"peer/plain": found("1: result", duplicate=True)}
    write(rows, path)
    assert read(path) == rows
    assert read(tmp_path / "none.json") == {}


def test_a_digest_is_of_one_row_and_of_what_it_is_run_on():
    plain, probed = PEER.rows
    other = Peer("peer", "semel", ("peer==1.3",), "SQLite", PEER.rows)
    assert len({PEER.sha256(plain), PEER.sha256(probed), other.sha256(plain)}) == 3


def test_list_names_every_peer_with_its_version(capsys):
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [[peer.name, peer.version] for peer in PEERS]


def test_a_peer_that_is_not_listed_is_refused_with_a_sentence(capsys):
    with pytest.raises(SystemExit) as no:
        main(["--only", "temporal"])
    assert no.value.code == 2
    assert "there is no peer called temporal; --list names them." in capsys.readouterr().err


def test_help_says_what_is_done_to_a_peer(capsys):
    with pytest.raises(SystemExit) as done:
        main(["--help"])
    assert done.value.code == 0
    told = capsys.readouterr().out
    for word in (*SCENARIOS, "--only", "--list", "--repeats", "blocked"):
        assert word in told


def test_every_row_says_how_its_peer_is_used():
    assert [peer.key(row) for peer, row in ROWS if peer.script and not row.how] == []
    assert Path(HERE / "peers.toml").read_text("utf-8").count("[[peer]]") == len(PEERS)
