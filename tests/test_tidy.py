"""Style as a test: layers, limits, calls, texts; test_tidy_teeth.py shows that each check bites."""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from symtable import symtable

import pytest

ROOT = Path(__file__).parents[1]
NAMES = re.findall(r'^    "(\w+)",$', (ROOT / "src/semel/__init__.py").read_text(), re.MULTILINE)
GROUPS = {
    "STDLIB": " ".join(sys.stdlib_module_names - {"sqlite3"}),
    "VALUES": "abc base64 binascii collections dataclasses datetime decimal enum functools hashlib"
    " hmac itertools json operator re string types typing typing_extensions unicodedata uuid",
    "PURE": "semel.errors semel.facts semel.domain",
    "CORE": "semel.errors semel.facts semel.domain semel.ports semel.words semel.catalog"
    " semel.inputs",
    "SQL": "semel.storage.sql semel.storage.migrate semel.storage.block semel.storage.promise",
    "WAIT": "semel.runtime.points semel.runtime.answers semel.runtime.core.LOCAL_SECONDS",
    "EXTRAS": "aiosmtpd aiosmtplib pydantic stdnum",
    "ENGINE": "semel.open semel.runtime.engine semel.runtime.faces semel.runtime.history"
    " semel.runtime.figures semel.runtime.past semel.runtime.sweep.Swept semel.runtime.trace.Trace",
    "PUBLIC": " semel.".join(["", "facts", "testing", "channels", "integrations", *NAMES]),
}
LAYERS = """modules: what they may import: why no more; the longest name that fits decides
semel.errors semel.facts: VALUES semel.errors: everybody imports it
semel.domain: VALUES PURE: it decides, without world or time
semel.domain.canonical: VALUES PURE orjson rfc8785: it decides, without world or time
semel.words: VALUES PURE semel.words zoneinfo: it words what it is given
semel.ports: VALUES PURE contextlib: a port has no logic
semel.inputs: VALUES PURE pydantic pydantic_core: it says what a step may be given
semel.declared: VALUES PURE inspect math semel.inputs: it compares declarations with methods
semel.catalog: VALUES PURE inspect pydantic semel.inputs semel.declared: it parses and runs nothing
semel.runtime: STDLIB CORE semel.runtime: verbs know no driver, no store and no parser
semel.storage: STDLIB PURE semel.ports SQL: storage remembers and runs nothing
semel.storage.memory: STDLIB PURE semel.ports SQL semel.storage.memory: stores share no code
semel.storage.sqlite: STDLIB PURE semel.ports SQL semel.storage.sqlite sqlite3: stores share no code
semel.storage.postgres: STDLIB PURE semel.ports SQL semel.storage.postgres psycopg: stores share no code
semel.storage.hosts: STDLIB PURE semel.ports SQL semel.storage sqlite3 psycopg sqlalchemy django: it only lends
semel.lend: STDLIB PURE semel.ports semel.machine semel.storage sqlalchemy: it only names hosts
semel.machine semel.keyfile: STDLIB PURE semel.ports: they only fill in the ports
semel.placed: STDLIB PURE semel.ports semel.machine semel.storage: it wires
semel.open: STDLIB CORE semel.machine semel.keyfile semel.runtime semel.storage semel.sync semel.lend semel.placed: it wires
semel.sync: STDLIB CORE semel.runtime: it is a face of the engine
semel.__init__: PURE semel.ports semel.inputs semel.open semel.lend semel.guard: it only names
semel.guard: STDLIB PURE WAIT pydantic semel.ports semel.words semel.guard: it has a machine of its own
semel.guard.place: STDLIB PURE semel.ports semel.placed semel.machine semel.guard: it wires
semel.guard.guard: STDLIB PURE semel.ports semel.machine semel.guard: it is the face
semel.guard.redis_store: STDLIB PURE semel.ports semel.guard redis: one driver, in one place
semel.guard.metrics: STDLIB opentelemetry: one exporter, in one place
semel.guard.scan: STDLIB semel.errors semel.guard.scan: it reads tools, and calls and imports none
semel.integrations semel.channels: STDLIB PURE ENGINE semel.words: it speaks to the engine
semel.integrations.guarded: STDLIB PURE semel.guard semel.integrations.tool: it has no ideas
semel.integrations.langchain: STDLIB PURE semel.guard semel.integrations.guarded semel.integrations.tool langchain_core langgraph pydantic: it has no ideas
semel.integrations.openai_agents: STDLIB PURE semel.guard semel.integrations.guarded semel.integrations.tool agents: it has no ideas
semel.integrations.pydantic_ai: STDLIB PURE semel.guard semel.integrations.guarded semel.integrations.tool pydantic_ai pydantic_core: it has no ideas
semel.integrations.chat: STDLIB PURE semel.integrations.tool: it has no ideas
semel.integrations.mcp: STDLIB PURE ENGINE semel.words semel.integrations.tool mcp: it speaks to the engine
semel.integrations.mcp_ask: STDLIB PURE semel.guard.answer semel.words mcp: it only says and asks
semel.integrations.mcp_policy: STDLIB PURE semel.guard.scan: it decides by what is written
semel.integrations.mcp_guard semel.integrations.mcp_front: STDLIB PURE semel.guard semel.integrations mcp: it speaks to the guard
semel.integrations.mcp_wire: STDLIB semel.errors mcp starlette uvicorn: it only carries
semel.channels.cards: VALUES PURE semel.words semel.channels.cards: it words what it is given
semel.channels.web: STDLIB PURE ENGINE semel.words semel.channels.cards semel.channels.web fastapi starlette jinja2 markupsafe: it speaks to the engine
semel.cli: STDLIB PURE ENGINE semel.placed semel.words semel.guard semel.integrations semel.cli rich: it speaks to the engine
semel.testing: STDLIB semel: it may look at every part, and no part at it
semel.testing.pytest_plugin: STDLIB semel pytest: it may look at every part, and no part at it
semel_facturas: STDLIB PUBLIC semel_facturas EXTRAS: public names must be enough
semel_facturas.web: STDLIB PUBLIC semel_facturas EXTRAS fastapi starlette jinja2 markupsafe uvicorn: public names must be enough
semel_facturas.assistant: STDLIB PUBLIC semel_facturas EXTRAS pydantic_ai: public names must be enough
semel_facturas.story: STDLIB PUBLIC semel_facturas rich sqlite3 psycopg: a judge reads the books by itself
"""
WORLD = r"(?!src/semel/machine\.py)"  # The one place where time and chance come from.
BANNED = [  # What may not be used, where not, and what to do instead.
    (r"(.*\W)?(datetime\.(utc)?now|date\.today|time\.time(_ns)?)", WORLD, "ask the Clock port"),
    (r"import (random|secrets)\b.*|(.*\W)?uuid4", WORLD, "ask the Entropy port"),
    (r"(import )?time\.sleep", "tests/", "wait for the thing itself, or move the clock"),
    (r"import unittest\.mock.*", "", "the real thing runs on a laptop; use it"),
    (r".*pytest\.(mark\.)?(skip(if)?|xfail|importorskip)", "", "a test runs, or it is not there"),
    (r"assert .*", "src/", "python -O strips it; raise Bug"),
    (r"float\(.*", "src/(semel/(domain/|facts)|semel_facturas/books/)", "amounts are exact"),
]
TEXTS = [  # What no text may hold, where, and why; written so that this one does not hold it.
    (r"(?<![\w.])/(?:home|root|work|Users)/\w", "", "no other machine has this path"),
    (r"://(?:registr[y]\.|\S+/simpl[e]\b)", "", "each machine knows where its packages come from"),
    (r"\b(?:TOD[O]|FIXM[E]|XX[X])\b", "", "an open end is not committed; do it, or leave it out"),
    (r"://", r"requirements\.lock", "a lock names packages, not hosts"),
    (r"[#:] noq[a](?!: [A-Z\d, ]+ - \w)|# type: ignor[e](?!\[[\w, -]+\] +# \w)", "", "say why"),
    (r"^-- \w+ --\n(?!-- [A-Z](?:.*\n--)*.*\.\n)", r".*\.sql", "a statement begins with its why"),
    (r"^[a-z]\w*:(?!.* ## \w)", "Makefile", "make help shows a sentence for each target"),
    (r'^.*"(?!ALL|MIT)[A-Z]{1,4}\d{0,4}"(?!.*# \S).*', "pyproject", "an exclusion has its reason"),
]


def imports(module: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            level = getattr(node, "level", 0)
            origin = [*(module.split(".")[:-level] if level else []), getattr(node, "module", "")]
            for alias in node.names:
                yield node.lineno, ".".join(filter(None, [*origin, alias.name]))


def layers(path: str, text: str) -> Iterator[str]:
    rows = [line.split(": ") for line in LAYERS.splitlines()]
    table = {name: row[1:] for row in rows for name in row[0].split()}
    module = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    layer = max((n for n in table if f"{module}.".startswith(f"{n}.")), key=len, default="")
    names, why = table.get(layer, ("", "the table does not speak of this module"))
    allowed = tuple(f"{one}." for name in names.split() for one in GROUPS.get(name, name).split())
    for line, name in imports(module, ast.parse(text)) if re.match(r"src/.*\.py", path) else ():
        if not f"{name}.".startswith(allowed):
            yield f"{path}:{line} imports {name}, but {why}"


def limits(path: str, text: str) -> Iterator[str]:
    lines = text.splitlines() if path.startswith("src/") else []
    if len(lines) > 300 and not re.match(r"(#|--) Longer than 300 lines: \w", lines[0]):
        yield f"{path}:1 {len(lines)} lines are not read in one sitting, and this one says no why"
    for node in ast.walk(ast.parse(text if lines and path.endswith(".py") else "")):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            prose = ast.get_docstring(node, clean=False)
            size = (node.end_lineno or 0) - node.lineno + 1 - len((prose or "").splitlines())
            if size > 70 and "# Longer than 70 lines: " not in lines[node.lineno - 1]:
                yield f"{path}:{node.lineno} {node.name} has {size} lines, and this one says no why"


def banned(path: str, text: str) -> Iterator[str]:
    tree = ast.parse(text if path.endswith(".py") else "")
    used = [(line, f"import {name}") for line, name in imports("", tree)]
    spoken = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute | ast.Assert | ast.Call)]
    used += [(node.lineno, ast.unparse(node)) for node in spoken]
    for pattern, where, instead in BANNED:
        for line, name in used if re.match(where, path) else ():
            if re.fullmatch(pattern, name):
                yield f"{path}:{line} {name}: {instead}"


def texts(path: str, text: str) -> Iterator[str]:
    for pattern, where, why in TEXTS:
        for found in re.finditer(pattern, text, re.MULTILINE) if re.match(where, path) else ():
            yield f"{path}:{text.count(chr(10), 0, found.start()) + 1} {found.group()}: {why}"


def exports(path: str, text: str) -> Iterator[str]:
    table = symtable(text if path.endswith(".py") else "", path, "exec")
    there = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    for names in re.findall(r"^__all__ = (\[.*?\])", text, re.MULTILINE | re.DOTALL):
        named = ast.literal_eval(names)
        if named != sorted(named, key=lambda name: (not name.isupper(), name[0].islower(), name)):
            yield f"{path}: __all__ is not sorted: CONSTANTS, Classes, functions"
        yield from (f"{path}: {name} of __all__ is not there" for name in {*named} - there)


def environment(tree: Iterable[tuple[str, str]], page: str) -> Iterator[str]:
    read = r"""["'](SEMEL_[A-Z_]+)["']|(?:getenv\(|environ(?:\.get\(|\[))["'](\w+)"""
    used = {"".join(n) for path, text in tree if path[:4] == "src/" for n in re.findall(read, text)}
    listed = {*re.findall(r"^\| `([A-Z_]+)`", page, re.MULTILINE)}
    yield from (f"{name} is read or documented, not both" for name in sorted(used ^ listed))


def files() -> Iterator[tuple[str, str]]:
    ignored = {".git", *(ROOT / ".gitignore").read_text().replace("/", "").split()}
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and ignored.isdisjoint(path.relative_to(ROOT).parts):
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8", "replace")


@pytest.mark.parametrize("check", [layers, limits, banned, texts, exports])
def test_the_tree_is_tidy(check: Callable[[str, str], Iterator[str]]) -> None:
    complaints = "\n".join(no for path, text in files() for no in check(path, text))
    assert not complaints, complaints


def test_the_variables_that_are_read_are_the_documented_ones() -> None:
    assert not list(environment(files(), (ROOT / "docs/operating.md").read_text("utf-8")))
