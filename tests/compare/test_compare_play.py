"""Peers are played from what is installed, and what cannot be is said plainly."""

import sys
from pathlib import Path

import pytest
from compare.environments import Missing, installed, python_of
from compare.play import Asked, cell, play
from compare.registry import Peer, Row

from compare import environments
from compare import play as playing

pytestmark = pytest.mark.no_store

OURS = "../../tests/compare"
"""Where the scripts of these tests are, seen from those of the peers."""


@pytest.fixture
def no_uv(monkeypatch) -> None:
    """Whatever is to be installed is refused."""
    monkeypatch.setattr(environments, "_uv", lambda: "/bin/false")


@pytest.fixture
def said(monkeypatch, tmp_path) -> list[str]:
    """What is told while it goes on; the runs' folders are in the test's own."""
    monkeypatch.setattr(playing, "CACHE", tmp_path)
    return []


def peer(script: str, variant: str, *requires: str) -> Peer:
    return Peer("peer", script, requires, "SQLite", (Row(variant, "`it`"),))


def test_a_peer_that_does_not_install_is_named_and_the_rest_goes_on(no_uv, said):
    found = play(Asked([peer("semel", "plain", "peer==1.2")], 3, ["threads"]), said.append)
    row = found["peer/plain"]
    assert (row.missing, row.cells, row.version) == ("does not install here", {}, "1.2")
    assert said == ["peer: does not install here\n"]


def test_an_installation_that_failed_is_not_taken_for_whole(no_uv, tmp_path):
    for _ in range(2):
        with pytest.raises(Missing):
            installed(["peer==1.2"], tmp_path)
    assert [*tmp_path.rglob("whole")] == []


def test_a_peer_without_requirements_is_this_checkout():
    assert python_of(peer("semel", "Opaque")) == Path(sys.executable)


def test_a_package_that_python_cannot_import_has_no_module(monkeypatch, tmp_path):
    monkeypatch.setattr(environments, "installed", lambda requires, cache: Path(sys.executable))
    monkeypatch.setattr(environments, "FILES", "print(0)")
    with pytest.raises(Missing, match="brings no Python module"):
        python_of(peer("semel", "plain", "peer==1.2"), tmp_path)


def test_a_scenario_is_played_as_often_as_asked_and_leaves_nothing_behind(said, tmp_path):
    asked = Asked([peer(f"{OURS}/bad_peer", "claims")], 2, ["timed_out"], at_once=2)
    found = play(asked, said.append)
    told = found["peer/claims"].cells["timed_out"]
    assert told.text == "first 1: `TimeoutError`; again 1: `taken`"
    assert found["peer/claims"].repeats == 2
    assert [*(tmp_path / "run").iterdir()] == []


def test_a_script_that_is_never_ready_is_not_played_and_says_so(said):
    found = play(Asked([peer(f"{OURS}/conftest", "plain")], 1, ["threads"]), said.append)
    assert found["peer/plain"].cells["threads"].text == "not played"
    assert "caller was not ready" in said[0]
    assert cell([None]).text == "not played"
