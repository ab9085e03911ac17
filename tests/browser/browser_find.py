"""Where this machine's Chromium is, and how it is started for a test."""

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """The path of a Chromium: ``SEMEL_CHROMIUM``, else the first that is known by its name."""
    asked = os.environ.get("SEMEL_CHROMIUM")
    found = [asked] if asked else [path for name in NAMES if (path := shutil.which(name))]
    if not asked and MAC.exists():
        found.append(str(MAC))
    if not found or not Path(found[0]).exists():
        raise LookupError(
            "The tests of the pages need Chromium. On Debian: apt install chromium;"
            " elsewhere name one in SEMEL_CHROMIUM."
        )
    return found[0]


def arguments() -> list[str]:
    """What it is started with; as root it has no sandbox of its own."""
    return [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
