"""What the pages were seen in: ``build/states.json``, with a picture of each state.

Each state comes from a real flow: beside it stand the test, the plan and the plan's own events.
Several workers write one file, so that it is changed under a lock; what an earlier run has left in
it is no longer there once this run has begun to write.
"""

import fcntl
import json
import os
from pathlib import Path
from typing import Any

BUILD = Path(__file__).parents[2] / "build"
FILE = BUILD / "states.json"
STATES = (
    "building",
    "invalid",
    "running_safe",
    "awaiting",
    "awaiting.duplicate",
    "awaiting.typed",
    "awaiting.changed",
    "confirming",
    "running",
    "cancelling",
    "done",
    "partial",
    "in_doubt",
    "cancelled_mid",
    "cancelled",
    "expired",
    "rejected",
    "undoing",
    "undone",
    "undo_partial",
    "superseded",
    "disconnected",
)
"""Every state of a card; the parts after a dot are its variants."""
RUN = "SEMEL_TEST_RUN"
"""The name of a run of the tests; tests/conftest.py gives it one, and its workers inherit it."""


def note(state: str, entry: dict[str, Any]) -> None:
    """Write down that a state was reached, and how."""
    if state not in STATES:
        raise AssertionError(f"{state} is no state of a card")
    run = os.environ[RUN]
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "states.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        held = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
        if held.get("run") != run:
            held = {"run": run, "states": {}}
        held["states"][state] = entry
        FILE.write_text(json.dumps(held, ensure_ascii=False, indent=1), encoding="utf-8")


def missing() -> list[str]:
    """The states that this run has not reached."""
    run = os.environ[RUN]
    held = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    reached = held.get("states", {}) if held.get("run") == run else {}
    return [state for state in STATES if state not in reached]
