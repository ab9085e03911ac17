"""The benches of other directories serve here too."""

import sys
from pathlib import Path

for where in ("facturas", "security", "runtime", "doubt", "decide", "web"):
    sys.path.insert(0, str(Path(__file__).parents[1] / where))
