"""The program of `make prove` is beside this folder, and no package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
