"""What users see under ``mypy --strict``: the example passes, and mistakes are named."""

import re
from pathlib import Path

from mypy import api as mypy

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / "build" / "mypy"
"""What an earlier run has found out about the library; mypy looks whether it still is so."""

# Nothing of our own configuration: a user has another one, or none.
STRICT = ["--strict", "--config-file=", "--no-error-summary", "--hide-error-context", "--no-pretty"]

ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+): error: (?P<text>.*)  \[(?P<code>[\w-]+)\]$")


def errors(folder: Path) -> dict[tuple[str, int, str], str]:
    """What mypy reports in the two files, copied into *folder*: the words by place and code."""
    for name in ("api.py", "misuse.py"):
        text = (HERE / name).read_text(encoding="utf-8").removeprefix("# mypy: ignore-errors")
        (folder / name).write_text(text, encoding="utf-8")
    files = [str(folder / name) for name in ("api.py", "misuse.py")]
    told, crash, _ = mypy.run([*STRICT, f"--cache-dir={CACHE}", *files])
    assert not crash
    found: dict[tuple[str, int, str], str] = {}
    for error in map(ERROR.match, told.splitlines()):
        if error:
            place = (Path(error["file"]).name, int(error["line"]), error["code"])
            found[place] = f"{found.get(place, '')}\n{error['text']}".strip()
    return found


def test_the_example_passes_and_each_mistake_is_named(tmp_path: Path) -> None:
    found = errors(tmp_path)
    expected: dict[tuple[str, int, str], str] = {}
    for number, line in enumerate((HERE / "misuse.py").read_text("utf-8").splitlines(), start=1):
        if marked := re.search(r"# E: (\S+) (.+)$", line):
            expected["misuse.py", number, marked[1]] = marked[2]
    assert len(expected) >= 30
    assert {place: text for place, text in found.items() if place not in expected} == {}
    for place, words in expected.items():
        assert words in found.get(place, ""), (place, words, found.get(place))
