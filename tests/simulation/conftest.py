"""The application of the simulation stands in tests/doubt, its engine in memory in tests/decide,
and the table that its histories are held against is read in tests/spec."""

import sys
from pathlib import Path

for folder in ("doubt", "decide", "spec"):
    sys.path.insert(0, str(Path(__file__).parents[1] / folder))
