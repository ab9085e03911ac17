"""The desk of the reference application serves here too."""

import sys
from pathlib import Path

for where in ("facturas", "security"):
    sys.path.insert(0, str(Path(__file__).parents[1] / where))
