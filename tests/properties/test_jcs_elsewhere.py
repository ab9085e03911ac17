"""R19: a program in JavaScript spells every value as we do, and so hashes and keys are the same."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from draws import Draw

import counts
from semel.domain.canonical import SAFE_INTEGER, jcs

pytestmark = pytest.mark.no_store

PROGRAM = Path(__file__).parent / "jcs.js"
FLOATS = [
    0.0, -0.0, 1.0, 0.1, 1e-7, 1e-6, 123456789.125, 1e20, 1e21, 1.5e300, 5e-324,
    1.7976931348623157e308, 0.30000000000000004, 333333333.33333329, 4.5, 2e-3, 1e-27,
]  # fmt: skip
LETTERS = [
    "a",
    "ñ",
    "€",
    "\u2028",
    "\U0001f9fe",
    "\ue000",
    "\ufb33",
    '"',
    "\\",
    "\n",
    "\x7f",
    "\x01",
    "/",
]


def value(d: Draw, depth: int) -> object:
    """Any value of JSON."""
    kind = d.below(8 if depth else 6)
    match kind:
        case 0:
            return None
        case 1:
            return bool(d.below(2))
        case 2:
            sign = d.pick([1, -1])
            return sign * d.pick([d.below(100), d.below(SAFE_INTEGER), SAFE_INTEGER])
        case 3:
            return d.pick(FLOATS) * d.pick([1, -1])
        case 4 | 5:
            return "".join(d.pick(LETTERS) for _ in range(d.below(6)))
        case 6:
            return [value(d, depth - 1) for _ in range(d.below(5))]
    return {
        "".join(d.pick(LETTERS) for _ in range(d.below(4))): value(d, depth - 1)
        for _ in range(d.below(6))
    }


def test_r19_javascript_spells_every_value_as_we_do():
    number = counts.of("R19.javascript")
    node = shutil.which("node")
    assert node is not None, "This test needs Node.js: apt-get install nodejs."
    values = [value(Draw("jcs", n), 4) for n in range(number)]
    # As the program reads it: any JSON that means the same.
    lines = "".join(json.dumps(one) + "\n" for one in values)
    done = subprocess.run(
        [node, str(PROGRAM)], input=lines, capture_output=True, text=True, encoding="utf-8",
        check=True,
    )  # fmt: skip
    theirs = done.stdout.split("\n")[:-1]
    assert len(theirs) == number
    for one, spelled in zip(values, theirs, strict=True):
        assert jcs(one).decode() == spelled
    counts.ran("R19.javascript", number)
    # All kinds of value were met, and those that are written in more than one way.
    whole = "\n".join(theirs)
    assert all(part in whole for part in ("1e+21", "1e-7", "5e-324", "\\u0001", "null", "{", "[["))
