"""Judge one scene: its number, and the folder of its worlds. Run where this folder is."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from . import decide, doubt, once
from .ledger import Unreadable

SCENES: dict[int, Callable[[Path], dict[str, bool]]] = {
    1: once.scene_1,
    2: once.scene_2,
    3: once.scene_3,
    4: doubt.scene_4,
    5: doubt.scene_5,
    6: doubt.scene_6,
    7: doubt.scene_7,
    8: decide.scene_8,
    9: decide.scene_9,
    10: decide.scene_10,
}


def main() -> int:
    """Judge one scene; the checks as JSON, status 0 when all of them held."""
    number, folder = int(sys.argv[1]), Path(sys.argv[2])
    try:
        checks = SCENES[number](folder)
    except (OSError, Unreadable, subprocess.CalledProcessError, LookupError, ValueError) as no:
        checks = {f"the world could be read ({type(no).__name__}: {no})": False}
    sys.stdout.write(json.dumps(checks, ensure_ascii=False) + "\n")
    return 0 if checks and all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
