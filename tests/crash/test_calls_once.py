"""A call under a key, killed at every point of it and of its recovery: done once, told the same."""

import asyncio
import shutil

import pytest
from calls_once import Once
from notas import open_notas

import stores
from semel.testing.crash import Point, Tally, Verdict, fork, matrix, undisturbed


class Every:
    """Each point of the run, and every fourth of each recovery."""

    def first(self, scenario: str, points: list[Point]) -> list[Point]:
        return points

    def again(self, scenario: str, killed: Point, points: list[Point]) -> list[Point]:
        return points[::4]


@pytest.fixture
def once(tmp_path) -> Once:
    async def make() -> None:
        async with open_notas(tmp_path / "template"):
            pass

    (tmp_path / "template").mkdir()
    assert fork(lambda: asyncio.run(make())) == 0
    return Once(tmp_path / "template")


def test_a_call_is_killed_at_every_point_and_again_in_what_follows(tmp_path, once):
    said: list[str] = []
    tally = matrix([once], Every(), tmp_path / "worlds", said.append)
    assert tally.held, said
    # Statements and the commit, before and after each, as often as the transaction is run.
    names = {
        f"{place}:{when}"
        for place in (
            "statement:keys.hold",
            "statement:calls.find",
            "app:notas.add",
            "app:notas.sign",
            "statement:calls.insert",
            "commit:once",
        )
        for when in ("before", "after")
    }
    assert tally.killed == names
    # Killed before the COMMIT, the next life passes all points; after it, none.
    assert tally.runs == len(names) + (len(names) - 1) * len(names) // 4


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ("INSERT INTO notas SELECT org, 'n-2', text, signed, version FROM notas", "duplicates"),
        ("DELETE FROM notas", "lost"),
        ("UPDATE semel_calls SET result = '\"n-9\"'", "false"),
        ("DELETE FROM semel_calls", "false"),
    ],
)
def test_the_judge_of_a_call_sees_a_doctored_world(tmp_path, once, change, finding):
    assert undisturbed(once, tmp_path / "world").verdict == Verdict()
    stores.rows(tmp_path / "world" / "notas.db", change)
    verdict = once.judge(tmp_path / "world")
    assert getattr(verdict, finding)
    shutil.rmtree(tmp_path / "world")


@pytest.mark.no_store
def test_a_tally_without_a_kill_of_a_call_says_so():
    assert "once" in Tally(killed={"commit:local:after"}).untouched()
