"""The examples of a page, run in the order in which they are read.

A page is one test: its blocks share a home, a folder and a namespace, so they run in one process
and in order, whatever the runner shuffles or spreads over processes.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sybil import Document, Example
from sybil.example import SybilFailure
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

from commands import shown

SEMEL = Path(sys.executable).with_name("semel")

SHOWN = {"README.md": ("python", "console")}
"""What a page must show at least: a README without an example would pass as well."""

UNSEEN = re.compile(r"^```(?:py|pycon|bash|shell\S*|sh-session)\s*$", re.MULTILINE)
"""Fences that look like examples and would not be run: ``python`` and ``console`` are."""

NUMBERS = {"smlc_…": r"\bsmlc_[\w-]+", "p_…": r"\bp_[0-9a-f-]{36}\b"}
"""What a placeholder of a command stands for: a card shows only the beginning of a plan's number."""

SECONDS = 60
"""A command takes well under a second; this only ends one that hangs."""


class Console:
    """Runs the ``$ semel …`` lines of a block and compares what they print.

    ``…`` stands for any text of a line, and for any lines when it is alone on one. In a command,
    ``smlc_…`` and ``p_…`` are the token and the plan that were printed last, whole. ``echo $?``
    shows the exit status; 2 and above must be shown, so that no example breaks unseen.
    """

    def __init__(self, folder: Path, *, installed: bool = False) -> None:
        self.folder = folder
        self.installed = installed
        """Whether the installed program runs each command, or a process that has imported it."""
        self.told = ""
        self.status = 0

    def __call__(self, example: Example) -> str | None:
        """Run a block; what is wrong with it, or None."""
        steps = list(commands(example.parsed))
        following = [command for command, _ in steps[1:]] + [""]
        for (command, expected), after in zip(steps, following, strict=True):
            told = self.run(command)
            if not matches(expected, told):
                return f"$ {command}\nshows:\n{expected}\nbut prints:\n{told}"
            if self.status > 1 and after != "echo $?":
                return f"$ {command}\nends with {self.status}, and no `echo $?` shows it:\n{told}"
        return None

    def run(self, command: str) -> str:
        """Run one command; everything it prints."""
        if command == "echo $?":
            told, self.status = f"{self.status}\n", 0
            return told
        name, *words = shlex.split(command)
        if name != "semel":
            raise ValueError(f"Only semel is run here; show other commands as ```sh: {command}")
        filled = [self.filled(word) for word in words]
        env = os.environ | {"COLUMNS": "80", "PYTHONUTF8": "1"}
        if self.installed:
            done = subprocess.run(
                [SEMEL, *filled], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
            )  # fmt: skip
        else:
            done = shown(*filled, env=env, cwd=self.folder, timeout=SECONDS)
        self.status = done.returncode
        self.told += done.stdout
        return done.stdout

    def filled(self, word: str) -> str:
        """A token or plan in place of ``smlc_…`` or ``p_…``."""
        if word not in NUMBERS:
            return word
        printed = re.findall(NUMBERS[word], self.told)
        if not printed:
            raise ValueError(f"Nothing printed so far looks like {word}.")
        return str(printed[-1])


def commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that is shown for it."""
    begin, *rest = re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)
    if begin.strip() or not rest:
        raise ValueError("A console block begins with a command: $ semel …")
    for part in rest:
        command, _, expected = part.partition("\n")
        yield command.strip(), expected


def matches(expected: str, told: str) -> bool:
    """Whether *told* is what is shown; white space at the ends of lines does not count."""
    pattern = ""
    for line in expected.rstrip().splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*"
        else:
            pattern += ".*".join(map(re.escape, line.rstrip().split("…"))) + r"\n"
    lines = [line.rstrip() + "\n" for line in told.rstrip().splitlines()]
    return re.fullmatch(pattern, "".join(lines)) is not None


def parse(page: Path, console: Console | None = None) -> Document:
    """The examples of a page."""
    blocks = CodeBlockParser("console", console or Console(page.parent))
    return Document.parse(str(page), PythonCodeBlockParser(), blocks)


@contextmanager
def environment() -> Iterator[None]:
    """Whatever a page sets in the environment is gone after it."""
    before = dict(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run(page: Path) -> Counter[str]:
    """Run the examples of a page in an empty folder; how many there were, by language."""
    if unseen := UNSEEN.search(page.read_text(encoding="utf-8")):
        raise ValueError(f"{page.name}: {unseen[0]} is not run; write python, console, sh or text.")
    ran: Counter[str] = Counter()
    with (
        environment(),
        tempfile.TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name in [name for name in os.environ if name.startswith("SEMEL_")]:
            del os.environ[name]
        patch.setenv("SEMEL_HOME", str(Path(folder, ".semel")))
        patch.chdir(folder)
        console = Console(Path(folder), installed=page.name == "README.md")
        for example in parse(page, console).examples():
            example.evaluate()
            ran["console" if example.region.evaluator is console else "python"] += 1
    for language in SHOWN.get(page.name, ()):
        if not ran[language]:
            raise ValueError(f"{page.name} shows no {language} example.")
    return ran


class Page(pytest.File):
    """A page of documentation."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test, when there is something to run."""
        if self.path.name in SHOWN or list(parse(self.path).examples()):
            yield Examples.from_parent(self, name="examples")


class Examples(pytest.Item):
    """All examples of a page, in order."""

    def runtest(self) -> None:
        run(self.path)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> object:
        """What is shown and what happens; the whole trace when an example raised."""
        if isinstance(excinfo.value, SybilFailure | ValueError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is."""
        return self.path, 0, f"{self.path.name}: examples"
