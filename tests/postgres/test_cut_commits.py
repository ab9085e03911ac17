"""A COMMIT whose line is cut, on either side of the server and of its answer: 0 wrong answers."""

import os

import pytest
from cut_lives import KINDS, cut_all
from cutting import MODES

import stores
from semel.runtime import resolve

pytestmark = pytest.mark.only_on("postgres", "a file has no line to cut")

CUTS = int(os.environ.get("SEMEL_CUTS", "4"))
"""Of each kind of transaction, in all ways together; `make cuts` makes 100."""


def test_a_cut_commit_changes_nothing_that_is_done_or_told(tmp_path, monkeypatch):
    # The other side needs no rest between two sends here.
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    with monkeypatch.context() as inside:
        tally = cut_all(tmp_path, os.environ[stores.SERVER], CUTS, inside.setenv)
    assert tally.wrong == []
    assert set(KINDS) == {kind for kind, _ in tally.made}
    for kind in KINDS:
        each = [tally.made[kind, mode] for mode in MODES]
        assert sum(each) >= CUTS, (kind, each)
        assert min(each) >= CUTS // 4, (kind, each)
    print(f"cuts: {sum(tally.made.values())} of {len(KINDS)} kinds in {tally.lives} lives, 0 wrong")
