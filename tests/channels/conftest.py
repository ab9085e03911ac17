"""The desk of the reference application serves here too, and the runtime's bench."""

import sys
from pathlib import Path

for where in ("facturas", "security", "runtime"):
    sys.path.insert(0, str(Path(__file__).parents[1] / where))
