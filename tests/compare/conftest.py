"""The comparison is a package at the root, beside the library's folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
