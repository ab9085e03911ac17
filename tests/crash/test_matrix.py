"""The kill matrix at smoke counts, and that it can fail."""

import re
import subprocess
import sys
from pathlib import Path

MATRIX = Path(__file__).with_name("matrix.py")


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(MATRIX), *arguments], capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    return done.stdout.splitlines()[-1]


def test_a_sample_of_points_of_every_plan_is_survived():
    line = run("--sample", "25", "--seed", "7")
    found = re.fullmatch(r"crash: (\d+) runs of (\d+), 0 duplicates, 0 false, 0 lost", line)
    assert found, line
    assert found.group(1) == found.group(2)
    # Four plans in two processes at least, 25 points of each but the short one.
    assert int(found.group(1)) >= 150


def test_the_matrix_sees_a_duplicate_a_false_answer_and_a_lost_plan(tmp_path):
    sys.path.insert(0, str(MATRIX.parent))
    from scenarios import judged  # noqa: PLC0415 - found beside the matrix

    db = tmp_path / "world.db"
    _world(db, "finished", {1: "done", 2: "done"})
    assert judged(db, {1: 1, 2: 1}, 2).duplicates == ()
    assert judged(db, {1: 1, 2: 2}, 2).duplicates
    assert judged(db, {1: 1, 2: 0}, 2).false
    _world(db, "in_doubt", {1: "done", 2: "not_done"})
    assert judged(db, {1: 1, 2: 1}, 2).false
    _world(db, None, {1: "done", 2: "started"})
    assert judged(db, {1: 1, 2: 1}, 2).lost


def _world(db: Path, reason: str | None, steps: dict[int, str]) -> None:
    import sqlite3  # noqa: PLC0415 - only this helper writes a database by hand

    db.unlink(missing_ok=True)
    books = sqlite3.connect(db)
    books.execute("CREATE TABLE semel_plans (plan, state, reason)")
    books.execute("CREATE TABLE semel_steps (position, state)")
    state = "ended" if reason else "running"
    books.execute("INSERT INTO semel_plans VALUES ('p_1', ?, ?)", (state, reason))
    books.executemany("INSERT INTO semel_steps VALUES (?, ?)", list(steps.items()))
    books.commit()
    books.close()
