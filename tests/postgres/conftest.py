"""The lives of the kill matrix and the application with every class of effect serve here too."""

import os
import shutil
import sys
from pathlib import Path

PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin"
"""Where PgBouncer may be; on Debian it is not on everybody's path."""

if not (shutil.which("pgbouncer", path=PLACES) or os.environ.get("CI")):
    # Whoever has none runs the other tests; CI installs it, and fails without it.
    collect_ignore = ["test_pooler.py"]

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("doubt", "crash", "spec")]
