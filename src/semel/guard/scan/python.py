"""The tools of Python source, by its syntax alone: no module is imported, and none is run."""

import ast
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

from semel.guard.scan.lexicon import KEYS, these
from semel.guard.scan.source import Body, Function, Module
from semel.guard.scan.tool import ScanError, Tool

FILES_MAX = 2_000
"""Files of one scan: more than any application's tools, less than a disk."""

FILE_BYTES = 2 * 1024 * 1024
"""Bytes of one file: generated tables are larger, and hold no tools."""

ELSEWHERE = {"__pycache__", "node_modules", "site-packages", "build", "dist"}

MARKS = these(
    "tool tools function_tool tool_plain beta_tool ai_function kernel_function skill action"
    " herramienta register_tool as_tool structured_tool"
)
"""Last names of the decorators that make a tool of a function."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What was found in a module's files."""

    tools: tuple[Tool, ...]
    decorated: bool
    """Whether the tools are those that say so, or all that might be one."""
    unread: tuple[str, ...]
    """Files that could not be read, and why, a sentence each."""


def scan(target: str, folder: Path | None = None) -> Sources:
    """The tools of a module by its dotted name, of a file, or of a folder.

    Raises:
        ScanError: there is no such module, or it holds no function that might be a tool.
    """
    here = folder or Path.cwd()
    found: list[tuple[Tool, bool]] = []
    unread: list[str] = []
    files = list(_files(locate(target, here)))
    for path in files:
        shown = _shown(path, here)
        try:
            found += _tools(path, shown)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as no:
            unread.append(f"{shown} was not read: {_why(no)}.")
    decorated = any(marked for _, marked in found)
    tools = tuple(tool for tool, marked in found if marked or not decorated)
    if not tools:
        parts = [*unread, f"{target} holds no function that might be a tool."]
        raise ScanError(" ".join(parts))
    return Sources(tools, decorated, tuple(unread))


def locate(target: str, here: Path) -> Path:
    """The file or folder of a module, found without importing what is above it.

    Raises:
        ScanError: there is none.
    """
    if not target or "\0" in target:
        raise ScanError("A module's name is not empty and holds no null character.")
    path = here / target
    if path.exists() and (path.suffix == ".py" or path.is_dir() or os.sep in target):
        return path
    if target.endswith(".py") or os.sep in target:
        raise ScanError(f"There is no file {target}.")
    folders = [str(here), *(entry or "." for entry in sys.path)]
    parts = target.split(".")
    if not all(part.isidentifier() for part in parts):
        raise ScanError(f"{target} is neither a file nor the name of a module.")
    for part in parts[:-1]:
        _, folders = _find(part, folders)
    origin, within = _find(parts[-1], folders)
    if within:
        return Path(within[0])
    if origin is None:
        raise ScanError(f"There is no source of a module {target} here or on Python's path.")
    return Path(origin)


def _find(part: str, folders: Sequence[str]) -> tuple[str | None, list[str]]:
    """A module's file and, of a package, its folders; a package without a file comes last."""
    spread: list[str] = []
    for folder in folders:
        spec = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(part)
        if spec is not None and spec.origin is not None:
            return spec.origin, list(spec.submodule_search_locations or ())
        spread += (spec and spec.submodule_search_locations) or ()
    return None, spread


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    count = 0
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(one for one in folders if one[0] != "." and one not in ELSEWHERE)
        for name in sorted(one for one in names if one.endswith(".py")):
            file = Path(folder) / name
            # A pipe of that name would never end.
            count += file.is_file()
            if count > FILES_MAX:
                raise ScanError(f"{path} holds more than {FILES_MAX} files; name a part of it.")
            if file.is_file():
                yield file


def _tools(path: Path, shown: str) -> Iterator[tuple[Tool, bool]]:
    with path.open("rb") as file:
        text = file.read(FILE_BYTES + 1)
    if len(text) > FILE_BYTES:
        raise ValueError(f"it has more than {FILE_BYTES // 1024**2} MiB")
    with warnings.catch_warnings():
        # A doubtful escape in somebody's source is theirs to hear of, elsewhere.
        warnings.simplefilter("ignore")
        tree = ast.parse(text, filename=shown)
    module = Module.of(tree)
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, Function):
            name = _marked(node)
            if name or (id(node) in top and _may_be_one(node)):
                yield _tool(module, node, name or node.name, shown), bool(name)


def _marked(node: Function) -> str | None:
    """The name that a decorator makes a tool of; None when none does."""
    for mark in node.decorator_list:
        called = mark.func if isinstance(mark, ast.Call) else mark
        last = getattr(called, "attr", getattr(called, "id", ""))
        if last in MARKS:
            given = mark.keywords if isinstance(mark, ast.Call) else []
            names = [one.value for one in given if one.arg in {"name", "name_override"}]
            named = names[0].value if names and isinstance(names[0], ast.Constant) else None
            return named if isinstance(named, str) and named else node.name
    return None


def _may_be_one(node: Function) -> bool:
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    typed = node.returns is not None or any(one.annotation is not None for one in given)
    return not node.name.startswith("_") and (typed or ast.get_docstring(node) is not None)


def _tool(module: Module, node: Function, name: str, shown: str) -> Tool:
    body = Body(module)
    body.read(node)
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    parameters = tuple(one.arg for one in given if one.arg not in {"self", "cls", "ctx", "context"})
    key = next((one for one in parameters if one.lower() in KEYS), None)
    key = key or next((one for one in _texts(node) if one.lower() in KEYS), None)
    return Tool(
        name,
        ast.get_docstring(node) or "",
        parameters,
        place=f"{shown}:{node.lineno}",
        deeds=tuple(body.deeds),
        whole=body.whole,
        key=key,
    )


def _texts(node: Function) -> Iterator[str]:
    """Texts and argument names in a body: where a header or an argument has the key's name."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.keyword) and part.arg:
            yield part.arg


def _shown(path: Path, here: Path) -> str:
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()


def _why(no: BaseException) -> str:
    if isinstance(no, SyntaxError):
        return f"{no.msg} (line {no.lineno})"
    if isinstance(no, RecursionError | MemoryError):
        return "it is nested too deeply"
    return (no.strerror if isinstance(no, OSError) else None) or str(no).rstrip(".")
