"""The lives of the kill matrix and the application with every class of effect serve here too."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("doubt", "crash")]
