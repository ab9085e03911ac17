"""The matrix lies beside it, the application with every class in doubt/, the table of transitions in spec/."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("crash", "doubt", "spec")]
