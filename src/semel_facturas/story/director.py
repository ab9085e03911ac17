"""The director: plays the scenes, hands each world to the judge, and counts."""

import json as jsonlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from semel_facturas.story.nursery import Nursery
from semel_facturas.story.place import Place, place
from semel_facturas.story.scenes import SCENES
from semel_facturas.story.script import Scene
from semel_facturas.story.stage import Stage, StoryBroken

MARK = ".semel-story"
"""A folder with this file in it was made by the story, and may be made anew by it."""


IMPORTED = ("semel_facturas.application", "semel_facturas.sink", "semel.testing")
"""What each actor imports."""

HERE = Path(__file__).parent
"""Where the judge and the doctor are, which are programs of their own."""


def story(home: Path, *, lang: str, json: bool, store: str = "sqlite", db: str = "") -> int:
    """Play every scene in a fresh world under ``home/story``.

    Args:
        home: where the worlds are made; books that are already there are left alone.
        lang: language of what is said.
        json: one JSON object per scene instead of the narration.
        store: ``sqlite`` or ``postgres``: where the worlds keep their books.
        db: a PostgreSQL server for them, by the URL of any of its databases; without one the story
            brings its own.

    Returns:
        0 when every scene held, else 1.

    Raises:
        StorageError: there is no server, or it does not let the story make its databases.
    """
    folder = _fresh(home.absolute() / "story")
    held = 0
    driver = ["semel.storage.postgres"] if store == "postgres" else []
    with place(store, db, folder) as kept, Nursery(*IMPORTED, *driver) as nursery:
        for scene in SCENES:
            stage = Stage(folder / f"scene-{scene.number}", kept, nursery)
            result = _scene(scene, stage, lang, quiet=json)
            held += result["held"]
            if json:
                print(jsonlib.dumps(result, ensure_ascii=False), flush=True)
    # The last line is fixed, in every language.
    print(f"story: {len(SCENES)} scenes, {held} held", flush=True)
    return 0 if held == len(SCENES) else 1


def _fresh(folder: Path) -> Path:
    if folder.exists() and not (folder / MARK).exists():
        raise FileExistsError(17, "it was not made by the story; name another --home", str(folder))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
    return folder


def _scene(scene: Scene, stage: Stage, lang: str, *, quiet: bool) -> dict[str, Any]:
    def say(text: str) -> None:
        if not quiet:
            print("\n".join(f"   {line}" for line in text.splitlines()), flush=True)

    if not quiet:
        print(f"\n{scene.number}. {scene.name[lang]}\n", flush=True)
    try:
        scene.play(stage, lang, say)
        checks = _judged(scene, _doctored(scene, stage.folder, stage.place), stage.place)
    except (StoryBroken, subprocess.CalledProcessError) as no:
        checks = {str(no): False}
    if not quiet:
        print()
        for name, good in checks.items():
            print(f"   {'✓' if good else '✗'} {name}", flush=True)
    held = bool(checks) and all(checks.values())
    return {"scene": scene.number, "name": scene.name[lang], "held": held, "checks": checks}


def _doctored(scene: Scene, folder: Path, kept: Place) -> Path:
    """The world that is judged: with ``SEMEL_STORY_BREAK`` a copy that a third program has edited.

    Whoever doubts the judge sees it say no to exactly that scene.
    """
    if os.environ.get("SEMEL_STORY_BREAK") != str(scene.number):
        return folder
    copy = folder.with_name(f"{folder.name}-doctored")
    for world in sorted(folder.iterdir()):
        kept.copy(world, copy / world.name)
    command = [sys.executable, str(HERE / "doctor.py"), str(scene.number), str(copy)]
    subprocess.run(command, env=kept.everywhere(), check=True)
    return copy


def _judged(scene: Scene, folder: Path, kept: Place) -> dict[str, bool]:
    """Ask the judge: a program of its own, told where the books are and nothing else."""
    done = subprocess.run(
        [sys.executable, "-m", "judge", str(scene.number), str(folder)],
        capture_output=True,
        text=True,
        env=kept.everywhere(),
        cwd=HERE,
        check=False,
    )
    if not done.stdout.strip():
        return {f"the judge could speak ({done.stderr.strip()[-200:]})": False}
    checks: dict[str, bool] = jsonlib.loads(done.stdout)
    return checks
