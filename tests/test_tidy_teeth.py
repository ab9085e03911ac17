"""Each check of test_tidy.py bites on a small bad source and lets its good twin pass."""

from collections.abc import Callable, Iterator

import pytest

from test_tidy import banned, environment, exports, layers, limits, texts

Check = Callable[[str, str], Iterator[str]]

# Put together here, so that this file does not hold what no text may hold.
PLACE = "/" + "home/somebody/books.db"
INDEX = "https:" + "//packages.example/" + "simple"
REGISTRY = "https:" + "//" + "registry.packages.example"
LATER = "TO" + "DO"
NOQA = "# no" + "qa"
IGNORE = "# type: " + "ignore"

LONG = "\n" * 300 + "x = 1\n"
FUNCTION = "def f():\n" + "    x = 1\n" * 70
WORDY = 'def f():\n    """\n' + "    Words.\n" * 70 + '    """\n    return 1\n'

CASES: list[tuple[str, Check, str, str, str, str]] = [
    ("upwards", layers, "src/semel/domain/plan.py", "from semel import open", "from semel.facts import JSON", "semel.open"),
    ("clock", layers, "src/semel/domain/plan.py", "import time", "from datetime import date", "without world"),
    ("tasks", layers, "src/semel/domain/key.py", "import asyncio", "import hashlib", "without world"),
    ("system", layers, "src/semel/facts.py", "import os", "import re", "everybody imports it"),
    ("parser", layers, "src/semel/domain/step.py", "import pydantic", "import json", "it decides"),
    ("jcs", layers, "src/semel/domain/key.py", "import rfc8785", "import json", "it decides"),
    ("jcs at home", layers, "src/semel/domain/canonical.py", "import pydantic", "import rfc8785", "it decides"),
    ("words", layers, "src/semel/words/es.py", "from semel.runtime import run", "from semel.domain import plan", "words what"),
    ("logic in a port", layers, "src/semel/ports.py", "import threading", "from contextlib import suppress", "no logic"),
    ("catalog", layers, "src/semel/catalog.py", "from semel import storage", "import pydantic", "runs nothing"),
    ("driver", layers, "src/semel/runtime/run.py", "import sqlite3", "import asyncio", "no driver"),
    ("store in a verb", layers, "src/semel/runtime/run.py", "from semel.storage import sql", "from semel.ports import Tx", "no store"),
    ("parser in a verb", layers, "src/semel/runtime/run.py", "import pydantic", "from semel.catalog import Ref", "no parser"),
    ("verb in a store", layers, "src/semel/storage/sqlite/tx.py", "from semel.runtime import run", "import sqlite3", "share no code"),
    ("two stores", layers, "src/semel/storage/memory/tx.py", "from ..sqlite import tx", "from .tables import Table", "share no code"),
    ("driver in a fake", layers, "src/semel/storage/memory/tx.py", "import sqlite3", "from ..sql import load", "share no code"),
    ("function import", layers, "src/semel/sync.py", "def f():\n    import semel.cli", "import threading", "a face"),
    ("channel", layers, "src/semel/cli/screen.py", "from semel.storage import sql", "import rich", "speaks to the engine"),
    ("inner name", layers, "src/semel_facturas/mail.py", "from semel.errors import NotDone", "from semel import NotDone", "public names"),
    ("hidden names", layers, "src/semel_facturas/mail.py", "import semel", "from semel.facts import Money", "public names"),
    ("driver in the application", layers, "src/semel_facturas/books/rows.py", "import sqlite3", "import decimal", "public names"),
    ("judge", layers, "src/semel_facturas/story/judge.py", "import semel.ports", "import sqlite3", "by itself"),
    ("store of a store", layers, "src/semel/storage/sql.py", "from semel.storage import sqlite", "import re", "runs nothing"),
    ("ports", layers, "src/semel/machine.py", "from semel.runtime import core", "import secrets", "fill in the ports"),
    ("keys", layers, "src/semel/keyfile.py", "from semel.storage import sql", "import os", "fill in the ports"),
    ("root", layers, "src/semel/open.py", "from semel import cli", "from semel.storage import sql", "it wires"),
    ("names", layers, "src/semel/__init__.py", "from semel.runtime import engine", "from semel.open import Engine", "only names"),
    ("two channels", layers, "src/semel/channels/web.py", "from semel.channels import sms", "from semel.open import Engine", "speaks to the"),
    ("adapter", layers, "src/semel/integrations/tool.py", "import semel.storage.sql", "from semel.facts import JSON", "speaks to the"),
    ("framework", layers, "src/semel/integrations/pydantic_ai.py", "import agents", "import pydantic_ai", "it has no ideas"),
    ("scan", layers, "src/semel/guard/scan/python.py", "from semel import runtime", "import ast", "imports none"),
    ("kit", layers, "src/semel/testing/crash.py", "import pytest", "from semel.runtime import points", "no part at it"),
    ("seen by what ships", layers, "src/semel/runtime/run.py", "import semel.testing", "from semel.runtime import wait", "verbs know"),
    ("stranger", layers, "src/semel/ghost.py", "import re", "", "does not speak"),
    ("long file", limits, "src/semel/a.py", LONG, "# Longer than 300 lines: it is a table." + LONG, "301 lines"),
    ("long sql", limits, "src/semel/a.sql", LONG, "-- Longer than 300 lines: it is a table." + LONG, "301 lines"),
    ("long function", limits, "src/semel/a.py", FUNCTION, WORDY, "f has 71 lines"),
    ("long task", limits, "src/semel/a.py", f"async {FUNCTION}", FUNCTION.replace("\n", "  # Longer than 70 lines: a table\n", 1), "f has 71"),
    ("now", banned, "src/semel/cli/a.py", "import datetime as d\nd.datetime.now()", "core.clock.now()", "Clock port"),
    ("utcnow", banned, "tests/test_a.py", "datetime.utcnow()", "clock.utc", "Clock port"),
    ("today", banned, "src/semel_facturas/a.py", "due = date.today()", "due = today(ctx)", "Clock port"),
    ("time", banned, "src/semel/open.py", "import time\ntime.time()", "import time\ntime.monotonic()", "Clock port"),
    ("imported time", banned, "src/semel/open.py", "from time import time", "from time import monotonic", "Clock port"),
    ("uuid4", banned, "tests/test_a.py", "from uuid import uuid4", "from uuid import UUID", "Entropy port"),
    ("chance", banned, "tests/test_a.py", "import random", "def f(random): return random.hex()", "Entropy port"),
    ("secret", banned, "src/semel/open.py", "from secrets import token_hex", "secrets = keys.secrets", "Entropy port"),
    ("sleep", banned, "tests/test_a.py", "time.sleep(1)", "event.wait(1)", "wait for the thing"),
    ("mock", banned, "tests/test_a.py", "from unittest.mock import Mock", "from unittest import TestCase", "real thing"),
    ("skip", banned, "tests/test_a.py", "pytest.skip('no network')", "pytest.fail('no network')", "runs, or it is not"),
    ("skipif", banned, "tests/test_a.py", "@pytest.mark.skipif(True)\ndef f(): ...", "@pytest.mark.usefixtures('a')\ndef f(): ...", "runs, or"),
    ("xfail", banned, "tests/test_a.py", "pytest.mark.xfail", "pytest.mark.parametrize", "runs, or it is not"),
    ("assert", banned, "src/semel/a.py", "assert x", "if not x:\n    raise Bug", "raise Bug"),
    ("float", banned, "src/semel/domain/a.py", "x = float('1.1')", "x: float = 1.5", "amounts are exact"),
    ("float in the books", banned, "src/semel_facturas/books/money.py", "float(x)", "Decimal(x)", "amounts are exact"),
    ("bare noqa", texts, "src/semel/a.py", f"x = 1  {NOQA}", f"x = 1  {NOQA}: S105 - a label", "say why"),
    ("noqa without reason", texts, "src/semel/a.py", f"x = 1  {NOQA}: S105", f"x = 1  {NOQA}: S105, S106 - a label", "say why"),
    ("bare noqa of a file", texts, "src/semel/a.py", f"# ruff: {NOQA[2:]}", f"# ruff: {NOQA[2:]}: S105 - labels", "say why"),
    ("bare ignore", texts, "src/semel/a.py", f"x = 1  {IGNORE}", f"x = 1  {IGNORE}[misc]  # it is checked above", "say why"),
    ("ignore without reason", texts, "src/semel/a.py", f"x = 1  {IGNORE}[misc]", "x = 1", "say why"),
    ("open end", texts, "docs/a.md", f"{LATER}: write this", "All of it: todo, todos.", "open end"),
    ("machine path", texts, "tests/data/a.json", f'{{"db": "{PLACE}"}}', '{"db": "./home/books.db"}', "no other machine"),
    ("registry", texts, ".ci/run", f"npm --from {REGISTRY}", "make test", "each machine knows"),
    ("index", texts, "Makefile", f"\tpip --from {INDEX}/", "\tpip install uv", "each machine knows"),
    ("lock", texts, "requirements.lock", "a==1 # from https://a.example", "a==1 --hash=sha256:00", "not hosts"),
    ("statement", texts, "src/semel/storage/sqlite/a.sql", "-- take --\nSELECT 1", "-- take --\n-- It is there\n-- for this.\nSELECT 1", "with its why"),
    ("half a sentence", texts, "src/semel/storage/sqlite/a.sql", "-- take --\n-- the row\nSELECT 1.\n", "-- take --\n-- The row.\nSELECT 1", "with its why"),
    ("target", texts, "Makefile", "demo: setup\n", "demo: setup ## Watch it\n.venv/done: x\n", "sentence for each target"),
    ("exclusion", texts, "pyproject.toml", 'ignore = [\n    "S101",\n]', 'ignore = [\n    "S101",  # "why"\n]', "has its reason"),
    ("unsorted", exports, "src/semel/a.py", "a = B = 1\n__all__ = ['a', 'B']", "a = B = C = Cd = 1\n__all__ = ['B', 'C', 'Cd', 'a']", "not sorted"),
    ("not there", exports, "src/semel/a.py", "print(b)\n__all__ = ['b']", "from a import b\n__all__ = ['b']", "b of __all__ is not there"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("check", "path", "bad", "good", "says"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_a_check_bites_on_the_bad_and_not_on_the_good(
    check: Check, path: str, bad: str, good: str, says: str
) -> None:
    complaints = list(check(path, bad))
    assert complaints
    assert all(path in complaint and says in complaint for complaint in complaints)
    assert not list(check(path, good))


@pytest.mark.parametrize(
    "reads",
    [
        "os.environ.get('SEMEL_NEW')",
        "os.environ['SEMEL_NEW']",
        'os.getenv("SEMEL_NEW")',
        "NAME = 'SEMEL_NEW'",
        "given.get('SEMEL_NEW')",
    ],
)
def test_a_variable_is_read_and_documented_or_neither(reads: str) -> None:
    page = "| `SEMEL_NEW` | What it means |\n"
    sources = [("src/semel/a.py", reads), ("tests/test_a.py", "os.environ['SEMEL_TEST']")]
    assert not list(environment(sources, page))
    assert list(environment(sources, "")) == ["SEMEL_NEW is read or documented, not both"]
    assert list(environment([], page)) == ["SEMEL_NEW is read or documented, not both"]


def test_time_and_chance_come_from_one_module_only() -> None:
    source = "import secrets\nfrom time import time\n"
    assert not list(banned("src/semel/machine.py", source))
    assert len(list(banned("src/semel/machines.py", source))) == 2


def test_a_variable_outside_our_prefix_counts_too() -> None:
    assert list(environment([("src/a.py", "os.environ['NO_COLOR']")], "")) == [
        "NO_COLOR is read or documented, not both"
    ]


@pytest.mark.parametrize(
    ("check", "path", "text"),
    [
        (layers, "tests/test_a.py", "import sqlite3, semel.storage"),
        (limits, "tests/test_a.py", LONG + FUNCTION),
        (banned, "src/semel/storage/sqlite/a.py", "import time\ntime.sleep(1)"),
        (banned, "tests/test_a.py", "assert x"),
        (banned, "src/semel/cli/a.py", "float(x)"),
        (texts, "docs/a.md", "See https://www.rfc-editor.org/rfc/rfc8785."),
        (texts, "docs/a.md", "-- take --\nSELECT 1"),
        (texts, "docs/a.md", "demo: what it shows"),
        (texts, "src/semel/a.py", 'LEVELS = ["A", "AA"]'),
    ],
)
def test_a_rule_keeps_to_its_place(check: Check, path: str, text: str) -> None:
    assert not list(check(path, text))
