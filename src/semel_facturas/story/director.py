"""The director: plays the scenes, hands each world to the judge, and counts."""

import json as jsonlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from semel_facturas.story.scenes import SCENES
from semel_facturas.story.script import Scene
from semel_facturas.story.stage import StoryBroken

MARK = ".semel-story"
"""A folder with this file in it was made by the story, and may be made anew by it."""


def story(home: Path, *, lang: str, json: bool) -> int:
    """Play every scene in a fresh world under ``home/story``.

    Args:
        home: where the worlds are made; books that are already there are left alone.
        lang: language of what is said.
        json: one JSON object per scene instead of the narration.

    Returns:
        0 when every scene held, else 1.
    """
    folder = _fresh(home / "story")
    held = 0
    for scene in SCENES:
        result = _scene(scene, folder / f"scene-{scene.number}", lang, quiet=json)
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


def _scene(scene: Scene, folder: Path, lang: str, *, quiet: bool) -> dict[str, Any]:
    def say(text: str) -> None:
        if not quiet:
            print("\n".join(f"   {line}" for line in text.splitlines()), flush=True)

    if not quiet:
        print(f"\n{scene.number}. {scene.name[lang]}\n", flush=True)
    try:
        scene.play(folder, lang, say)
        checks = _judged(scene, _doctored(scene, folder))
    except (StoryBroken, subprocess.CalledProcessError) as no:
        checks = {str(no): False}
    if not quiet:
        print()
        for name, good in checks.items():
            print(f"   {'✓' if good else '✗'} {name}", flush=True)
    held = bool(checks) and all(checks.values())
    return {"scene": scene.number, "name": scene.name[lang], "held": held, "checks": checks}


def _doctored(scene: Scene, folder: Path) -> Path:
    """The world that is judged: with ``SEMEL_STORY_BREAK`` a copy that a third program has edited.

    Whoever doubts the judge sees it say no to exactly that scene.
    """
    if os.environ.get("SEMEL_STORY_BREAK") != str(scene.number):
        return folder
    copy = folder.with_name(f"{folder.name}-doctored")
    shutil.copytree(folder, copy)
    doctor = Path(__file__).with_name("doctor.py")
    subprocess.run([sys.executable, str(doctor), str(scene.number), str(copy)], env={}, check=True)
    return copy


def _judged(scene: Scene, folder: Path) -> dict[str, bool]:
    """Ask the judge: a program of its own, with an empty environment and paths only."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("judge.py")), str(scene.number), str(folder)],
        capture_output=True,
        text=True,
        env={},
        check=False,
    )
    if not done.stdout.strip():
        return {f"the judge could speak ({done.stderr.strip()[-200:]})": False}
    checks: dict[str, bool] = jsonlib.loads(done.stdout)
    return checks
