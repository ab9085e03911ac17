"""The modules of the matrix lie beside it, and the application with every class of effect in doubt/."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "doubt")]
