"""The judge sees through bad peers, which are run as the others are: processes, signals, a ledger."""

import itertools
import sys
from pathlib import Path

import pytest
from compare.judge import Phase, Told, is_lie, judged
from compare.play import cell
from compare.scenarios import SCENARIOS
from compare.stage import Broken, Stage, played

from compare import scenarios

pytestmark = pytest.mark.no_store

HERE = Path(__file__).parent
NUMBERS = itertools.count()


@pytest.fixture(autouse=True)
def no_lease(monkeypatch):
    """A peer that has no lease is not waited for."""
    monkeypatch.setattr(scenarios, "LATER_SECONDS", 0)


def play(folder: Path, peer: str, scenario: str, answer_seconds: float = 20):
    place = folder / str(next(NUMBERS))
    place.mkdir()
    stage = Stage(
        command=[sys.executable, "-S", "-P", str(HERE / "bad_peer.py"), "--variant", peer],
        environment={"PYTHONPATH": str(HERE.parents[1]), "PYTHONDONTWRITEBYTECODE": "1"},
        folder=place,
        order="order",
        lease=0.0,
        answer_seconds=answer_seconds,
    )
    with played(stage):
        return SCENARIOS[scenario].play(stage)


def verdict(folder: Path, peer: str, scenario: str, answer_seconds: float = 20):
    return judged([play(folder, peer, scenario, answer_seconds)])


def flags(found) -> set[str]:
    return {name for name in ("duplicate", "lie", "blocked") if getattr(found, name)}


def test_a_peer_that_claims_once_is_called_nothing_bad(tmp_path):
    found = verdict(tmp_path, "claims", "threads")
    assert found.text == "1: 1 × result, 9 × `taken`"
    assert flags(found) == set()


def test_a_peer_that_sends_twice_is_called_a_duplicate(tmp_path):
    found = verdict(tmp_path, "sends_twice", "timed_out")
    assert found.text.startswith("first 1: `TimeoutError`; again **3**: result")
    assert flags(found) == {"duplicate"}


def test_a_peer_that_claims_nothing_does_it_for_every_process(tmp_path):
    found = verdict(tmp_path, "claims_nothing", "processes")
    assert found.text == "**12**: 12 × result; callers hold different results"
    assert flags(found) == {"duplicate"}


@pytest.mark.parametrize(
    ("peer", "says"),
    [
        ("makes_up", "result (**a lie**: no effect gave it)"),
        ("returns_nothing", "result (**a lie**: no effect gave it)"),
    ],
)
def test_a_peer_that_returns_what_came_out_of_nothing_is_called_a_liar(tmp_path, peer, says):
    found = verdict(tmp_path, peer, "timed_out")
    assert found.text.endswith(f"again **2**: {says}")
    assert flags(found) == {"duplicate", "lie"}


def test_a_peer_that_says_done_of_what_never_happened_is_called_a_liar(tmp_path):
    found = verdict(tmp_path, "says_done", "killed_before")
    lie = "`already_applied` (**a lie**: it never happened)"
    assert found.text == f"at once 0: {lie}; after the lease 0: {lie}"
    assert flags(found) == {"lie"}


def test_a_peer_that_denies_what_it_did_is_called_a_liar(tmp_path):
    found = verdict(tmp_path, "denies", "threads")
    assert found.text == "**10**: 10 × `aborted` (**a lie**: it had happened)"
    assert flags(found) == {"duplicate", "lie"}


def test_the_same_words_are_no_lie_when_it_has_happened(tmp_path):
    found = verdict(tmp_path, "says_done", "killed_after")
    assert found.text == "at once 1: `already_applied`; after the lease 1: `already_applied`"
    assert flags(found) == set()


def test_a_peer_that_hangs_is_called_blocked(tmp_path):
    found = verdict(tmp_path, "hangs", "threads", answer_seconds=1)
    assert "10 × blocked" in found.text
    assert "blocked" in flags(found)


def test_a_holder_that_was_stopped_goes_on_and_does_it_again(tmp_path):
    found = verdict(tmp_path, "claims_nothing", "stopped")
    assert found.text == "**2**: holder result, rival result; callers hold different results"


def test_a_holder_that_is_stopped_keeps_its_claim(tmp_path):
    assert verdict(tmp_path, "claims", "stopped").text == "1: holder result, rival `taken`"


def test_a_world_that_remembers_the_key_does_it_once(tmp_path):
    found = verdict(tmp_path, "remembers_keys", "threads")
    assert found.text == "1: 10 × result"
    assert flags(found) == set()


def test_a_holder_that_never_enters_its_body_is_no_run(tmp_path):
    with pytest.raises(Broken, match="never entered"):
        play(tmp_path, "breaks", "stopped", answer_seconds=0.5)


def test_a_peer_that_cannot_be_set_up_is_no_run(tmp_path):
    stage = Stage(
        command=[sys.executable, "-c", "raise SystemExit('no such store')"],
        environment={},
        folder=tmp_path,
        order="order",
        lease=0.0,
        answer_seconds=1.0,
    )
    with pytest.raises(Broken, match=r"caller was not ready.*no such store"), played(stage):
        stage.start("caller")


def result(value: str | None, caller: str = "caller") -> Told:
    return Told(caller, "result", "result", value, done=True)


def test_a_result_is_true_only_when_an_effect_gave_it():
    assert not is_lie(result("a.0"), ["a.0", "b.0"])
    assert is_lie(result("c.0"), ["a.0"])
    assert is_lie(result(None), ["a.0"])
    assert not is_lie(Told("caller", "said", "running"), [])


def test_what_is_said_is_judged_by_what_there_was_when_it_was_said():
    early = Told("rival", "said", "aborted", denied=True, there=0)
    late = Told("rival", "said", "aborted", denied=True, there=1)
    assert [is_lie(one, ["a.0"]) for one in (early, late)] == [False, True]
    done = [Told("rival", "said", "done", done=True, there=there) for there in (0, 1)]
    assert [is_lie(one, ["a.0"]) for one in done] == [True, False]
    told = judged([(Phase("", ("a.0",), (done[0],)),)])
    assert told.text == "1: `done` (**a lie**: it had not happened yet)"


def test_runs_that_differ_show_their_range():
    once = (Phase("", ("a.0",), (result("a.0"), Told("caller", "raised", "Taken"))),)
    twice = (Phase("", ("a.0", "a.1"), (result("a.0"), result("a.0"))),)
    assert judged([once, twice, once]).text == "**1–2**: 1–2 × result, 0–1 × `Taken`"


def test_runs_that_differ_in_words_show_each_of_them():
    def run(word: str):
        told = (result("a.0", "holder"), Told("rival", "raised", word))
        return (Phase("", ("a.0",), told),)

    found = judged([run("Taken"), run("Late"), run("Taken")])
    assert found.text == "1: holder result, rival `Taken` or `Late`"


def test_a_cell_of_which_one_run_could_not_be_played_says_nothing_else():
    whole = (Phase("", ("a.0",), (result("a.0"),)),)
    assert cell([whole, None, whole]).text == "not played"
