"""The story: ten scenes, judged by another program; and that the judge can say no."""

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import semel_facturas
from semel_facturas.story import director
from semel_facturas.story.scenes import SCENES

JUDGE = Path(semel_facturas.__file__).parent / "story" / "judge.py"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    home = tmp_path_factory.mktemp("the story")
    done = subprocess.run(
        [sys.executable, "-m", "semel.cli", "demo", "--story", "--json", "--home", str(home)],
        capture_output=True,
        text=True,
        check=False,
    )
    return home / "story", done


def test_ten_scenes_hold(played):
    _, done = played
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert lines[-1] == "story: 10 scenes, 10 held"
    scenes = [json.loads(line) for line in lines[:-1]]
    assert [(scene["scene"], scene["held"]) for scene in scenes] == [
        (number, True) for number in range(1, 11)
    ]
    assert all(sorted(scene) == ["checks", "held", "name", "scene"] for scene in scenes)


def judge(number: int, folder: Path) -> dict[str, bool]:
    done = subprocess.run(
        [sys.executable, str(JUDGE), str(number), str(folder)],
        capture_output=True,
        text=True,
        env={},
        check=False,
    )
    checks = json.loads(done.stdout)
    assert done.returncode == (0 if all(checks.values()) else 1)
    return checks


def edit(folder: Path, world: str, sql: str) -> None:
    books = sqlite3.connect(folder / world / "books.db")
    books.execute(sql)
    books.commit()
    books.close()


def second_mail(folder: Path) -> None:
    mail = folder / "calm" / "mail"
    shutil.copy(mail / "00000001.eml", mail / "00000002.eml")


@pytest.mark.parametrize(
    ("number", "doctor"),
    [
        (1, second_mail),
        (1, lambda f: (f / "calm" / "mail" / "00000001.eml").unlink()),
        (1, lambda f: edit(f, "killed", "DELETE FROM semel_events WHERE kind = 'taken_over'")),
        (2, lambda f: edit(f, "loop", "DELETE FROM semel_keys")
         or edit(f, "loop", "UPDATE semel_plans SET plan = plan || 'x'")),
        (3, lambda f: (f / "press" / "mail" / "00000001.eml").unlink()),
    ],
)  # fmt: skip
def test_a_doctored_world_does_not_pass(played, tmp_path, number, doctor):
    folder, _ = played
    copy = tmp_path / "world"
    shutil.copytree(folder / f"scene-{number}", copy)
    assert all(judge(number, copy).values())
    doctor(copy)
    assert not all(judge(number, copy).values())


@pytest.mark.parametrize("broken", range(1, 11))
def test_with_a_broken_scene_exactly_that_one_does_not_hold(played, tmp_path, monkeypatch, broken):
    """The director hands the judge a copy that a third program has doctored, and of no other."""
    folder, _ = played
    copy = tmp_path / "story"
    shutil.copytree(folder / f"scene-{broken}", copy / f"scene-{broken}")
    monkeypatch.setenv("SEMEL_STORY_BREAK", str(broken))
    for scene in SCENES:
        world = copy / f"scene-{scene.number}"
        judged = director._doctored(scene, world)
        if scene.number != broken:
            assert judged == world
            continue
        assert judged != world
        assert all(judge(broken, world).values())
        assert not all(judge(broken, judged).values())


def test_a_folder_that_the_story_did_not_make_is_left_alone(tmp_path):
    precious = tmp_path / "story" / "precious"
    precious.parent.mkdir()
    precious.write_text("mine")
    done = subprocess.run(
        [sys.executable, "-m", "semel.cli", "demo", "--story", "--home", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert precious.read_text() == "mine"
