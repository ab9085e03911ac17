"""A COMMIT whose line is cut, on either side of the server and of its answer: 0 wrong answers."""

import os

import pytest
from cut_lives import KINDS, Cuts, cut_all, live
from cutting import MODES, STALLED, Proxy
from lives import lives

import counts
import stores
from semel.runtime import resolve
from semel.storage.postgres import store
from semel.testing import postgres
from semel.testing.crash import Verdict

pytestmark = pytest.mark.only_on("postgres", "a file has no line to cut")


def test_a_cut_commit_changes_nothing_that_is_done_or_told(tmp_path, monkeypatch):
    # The other side needs no rest between two sends here.
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    # Of each kind, in all ways together.
    cuts = counts.of("R7") // len(KINDS)
    with monkeypatch.context() as inside:
        tally = cut_all(tmp_path, os.environ[stores.SERVER], cuts, inside.setenv)
    assert tally.wrong == []
    assert set(KINDS) == {kind for kind, _ in tally.made}
    for kind in KINDS:
        each = [tally.made[kind, mode] for mode in MODES]
        assert sum(each) >= cuts, (kind, each)
        assert min(each) >= cuts // len(MODES), (kind, each)
    counts.ran("R7", sum(tally.made.values()))
    print(f"cuts: {sum(tally.made.values())} of {len(KINDS)} kinds in {tally.lives} lives, 0 wrong")


def test_a_line_that_goes_silent_is_ended_by_the_server_and_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    monkeypatch.setattr(store, "LIMIT_SECONDS", 1.5)
    plan = next(life for life in lives(tmp_path) if life.name == "all-ok")
    direct = os.environ[stores.SERVER]
    # Before version 17 only the network's own limit ends such a line; by default this is a newer one.
    with postgres(tmp_path / "server", fsync="off") as server, Proxy(server.url) as proxy:
        assert server.version >= 17
        monkeypatch.setenv(stores.SERVER, proxy.url)
        _, plain = live(plan, tmp_path / "plain", lambda _: None)
        kinds = ("propose", "local", "mark")
        cuts = Cuts(proxy, 1, (STALLED,), kinds)
        verdict, heard = live(plan, tmp_path / "silent", cuts)
        for path in [*stores.given()]:
            stores.forget(path)
        monkeypatch.setenv(stores.SERVER, direct)
    assert (verdict, heard) == (Verdict(), plain)
    assert {kind for kind, _ in cuts.made} == {*kinds}
