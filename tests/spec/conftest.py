"""The program of `make model` lies in spec/, and the benches whose histories are read in their folders."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent
sys.path[:0] = [
    str(HERE),
    *(str(TESTS / name) for name in ("crash", "decide", "doubt", "runtime")),
    str(TESTS.parent / "spec"),
]
