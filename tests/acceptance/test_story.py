"""The story: ten scenes, judged by another program; and that the judge can say no.

It is played once on each store, and every test of this file looks at the worlds that it left.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import semel_facturas
import stores
from semel_facturas.story import director
from semel_facturas.story.judge.ledger import DATABASE, at
from semel_facturas.story.place import Databases, Files, Place
from semel_facturas.story.scenes import SCENES

HERE = Path(semel_facturas.__file__).parent / "story"


@pytest.fixture(scope="module")
def stories(tmp_path_factory) -> Path:
    """The folder of the stories that were played, which the workers of a session share."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "the story"


@pytest.fixture
def server(tmp_path) -> str:
    """Where this test's store is; the databases of the story's worlds are beside it."""
    return stores.url(tmp_path / "books.db", "story")


@pytest.fixture
def played(stories, server) -> "tuple[Path, dict[str, Any]]":
    """A story's folder, and what it said; the first test that asks plays it."""
    home = stories / stores.kind()
    home.mkdir(parents=True, exist_ok=True)
    said = home / "said.json"
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            db = ["--db", server] if stores.kind() == "postgres" else []
            done = subprocess.run(
                [sys.executable, "-m", "semel.cli", "demo", "--story", "--json",
                 "--store", stores.kind(), "--home", str(home), *db],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            told = {"status": done.returncode, "out": done.stdout, "err": done.stderr}
            said.write_text(json.dumps(told), encoding="utf-8")
    return home / "story", json.loads(said.read_text(encoding="utf-8"))


@pytest.fixture
def kept(server, tmp_path) -> Iterator[Place]:
    """Where copies of worlds are made."""
    yield Files() if stores.kind() == "sqlite" else Databases(server)
    drop(tmp_path)


def drop(folder: Path) -> None:
    """Drop the databases of the worlds in a folder."""
    notes = list(folder.rglob(DATABASE))
    if notes:
        with psycopg.connect(os.environ[stores.SERVER], autocommit=True) as admin:
            for note in notes:
                admin.execute(f"DROP DATABASE IF EXISTS {note.read_text()} WITH (FORCE)".encode())


def test_ten_scenes_hold(played):
    _, done = played
    lines = done["out"].splitlines()
    assert done["status"] == 0, done["out"] + done["err"]
    assert lines[-1] == "story: 10 scenes, 10 held"
    scenes = [json.loads(line) for line in lines[:-1]]
    assert [(scene["scene"], scene["held"]) for scene in scenes] == [
        (number, True) for number in range(1, 11)
    ]
    assert all(sorted(scene) == ["checks", "held", "name", "scene"] for scene in scenes)


def judge(number: int, folder: Path, kept: Place) -> dict[str, bool]:
    done = subprocess.run(
        [sys.executable, "-m", "judge", str(number), str(folder)],
        capture_output=True,
        text=True,
        env=kept.everywhere(),
        cwd=HERE,
        check=False,
    )
    checks = json.loads(done.stdout)
    assert done.returncode == (0 if all(checks.values()) else 1)
    return checks


def copied(story: Path, number: int, copy: Path, kept: Place) -> Path:
    """The worlds of a scene that was played, in another folder."""
    scene = copy / f"scene-{number}"
    for world in sorted((story / scene.name).iterdir()):
        kept.copy(world, scene / world.name)
    return scene


def edit(kept: Place, world: Path, sql: str) -> None:
    stores.rows(kept.environment(world)["SEMEL_DB"], sql)


def second_mail(kept: Place, folder: Path) -> None:
    mail = folder / "calm" / "mail"
    shutil.copy(mail / "00000001.eml", mail / "00000002.eml")


@pytest.mark.only_on("sqlite", "the judge is one program for both, and asks the same of both")
@pytest.mark.parametrize(
    ("number", "doctor"),
    [
        (1, second_mail),
        (1, lambda _, f: (f / "calm" / "mail" / "00000001.eml").unlink()),
        (1, lambda k, f: edit(k, f / "killed", "DELETE FROM semel_events WHERE kind = 'taken_over'")),
        (2, lambda k, f: edit(k, f / "loop", "DELETE FROM invoice_lines")
         or edit(k, f / "loop", "DELETE FROM invoices")),
        (3, lambda _, f: (f / "press" / "mail" / "00000001.eml").unlink()),
    ],
)  # fmt: skip
def test_a_doctored_world_does_not_pass(played, kept, tmp_path, number, doctor):
    scene = copied(played[0], number, tmp_path / "copy", kept)
    assert all(judge(number, scene, kept).values())
    doctor(kept, scene)
    assert not all(judge(number, scene, kept).values())


def break_scene(story: Path, kept: Place, copy: Path, broken: int) -> None:
    """The director hands the judge a copy that a third program has doctored, and of no other."""
    world = copied(story, broken, copy, kept)
    for scene in SCENES:
        if scene.number != broken:
            other = world.with_name(f"scene-{scene.number}")
            assert director._doctored(scene, other, kept) == other
            continue
        judged = director._doctored(scene, world, kept)
        assert judged != world
        assert all(judge(broken, world, kept).values())
        assert not all(judge(broken, judged, kept).values())


@pytest.mark.only_on("sqlite", "on PostgreSQL three of them show that the copy is a database")
@pytest.mark.parametrize("broken", range(1, 11))
def test_with_a_broken_scene_exactly_that_one_does_not_hold(
    played, kept, tmp_path, monkeypatch, broken
):
    monkeypatch.setenv("SEMEL_STORY_BREAK", str(broken))
    break_scene(played[0], kept, tmp_path / "copy", broken)


@pytest.mark.only_on("postgres", "on SQLite each of the ten is broken")
@pytest.mark.parametrize("broken", [2, 6, 9])
def test_a_broken_scene_is_a_copy_of_its_databases(played, kept, tmp_path, monkeypatch, broken):
    monkeypatch.setenv("SEMEL_STORY_BREAK", str(broken))
    break_scene(played[0], kept, tmp_path / "copy", broken)


@pytest.mark.only_on("postgres", "it is about databases")
def test_the_worlds_of_a_server_are_databases_and_no_file_says_how_to_get_there(played, server):
    notes = sorted(played[0].rglob(DATABASE))
    assert len(notes) > 10
    for note in notes:
        url = at(server, note.read_text())
        assert stores.rows(url, "SELECT count(*) > 0 FROM organizations") == [(True,)]
        # A world that somebody is connected to cannot be copied, as other tests do with these.
        stores.hang_up(url)
        assert not (note.parent / "books.db").exists()
    text = b"".join(path.read_bytes() for path in played[0].rglob("*") if path.is_file())
    assert b"postgresql://" not in text
    assert b"k1:" not in text


@pytest.mark.no_store
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
