"""The tools of an OpenAPI document: each operation is one."""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from semel.guard.scan.lexicon import KEYS
from semel.guard.scan.tool import ScanError, Tool

DOCUMENT_BYTES = 32 * 1024 * 1024
"""Bytes of a document: the largest public ones have a third of it."""

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

YAML_MISSING = (
    "{file} is no JSON, and YAML needs PyYAML, which is not installed here: install it, or convert"
    " the document to JSON."
)


def scan(file: str, folder: Path | None = None) -> tuple[Tool, ...]:
    """The operations of a document in a file.

    Raises:
        ScanError: it cannot be read, is no OpenAPI document, or has no operations.
    """
    path = (folder or Path.cwd()) / file
    try:
        with path.open("rb") as opened:
            data = opened.read(DOCUMENT_BYTES + 1)
    except (OSError, ValueError) as no:
        why = getattr(no, "strerror", None) or no
        raise ScanError(f"The file {file} could not be read ({why}).") from no
    if len(data) > DOCUMENT_BYTES:
        raise ScanError(f"The file {file} has more than {DOCUMENT_BYTES // 1024**2} MiB.")
    tools = tuple(operations(_parsed(file, data)))
    if not tools:
        raise ScanError(f"{file} has no operations below `paths`.")
    return tools


def operations(document: object) -> Iterator[Tool]:
    """The operations of a document that was parsed; what does not fit the form is left out."""
    paths = _table(_table(document).get("paths"))
    for path, item in paths.items():
        shared = _parameters(document, _table(item).get("parameters"))
        for method in METHODS:
            operation = _table(item).get(method)
            if isinstance(operation, Mapping):
                yield _tool(document, str(path), method.upper(), operation, shared)


def _tool(
    document: object, path: str, method: str, operation: Mapping[str, Any], shared: dict[str, str]
) -> Tool:
    given = shared | _parameters(document, operation.get("parameters"))
    name = operation.get("operationId")
    texts = (operation.get("summary"), operation.get("description"))
    key = next(
        (one for one, where in given.items() if where == "header" and one.lower() in KEYS), None
    )
    return Tool(
        name if isinstance(name, str) and name else path,
        ". ".join(text for text in texts if isinstance(text, str)),
        (*given, *_body(document, operation)),
        place=f"{method} {path}",
        method=method,
        path=path,
        key=key and f"header {key}",
    )


def _parameters(document: object, given: object) -> dict[str, str]:
    """Names of parameters, and where each is put."""
    found = [_table(_resolved(document, one)) for one in given] if isinstance(given, list) else []
    return {one["name"]: str(one.get("in")) for one in found if isinstance(one.get("name"), str)}


def _body(document: object, operation: Mapping[str, Any]) -> Iterator[str]:
    content = _table(_table(_resolved(document, operation.get("requestBody"))).get("content"))
    for media in content.values():
        schema = _table(_resolved(document, _table(media).get("schema")))
        yield from (str(name) for name in _table(schema.get("properties")))


def _resolved(document: object, value: object) -> object:
    """What a reference within the document leads to, one step far: circles lead nowhere."""
    place = _table(value).get("$ref")
    if not isinstance(place, str) or not place.startswith("#/"):
        return value
    for part in place[2:].split("/"):
        document = _table(document).get(part.replace("~1", "/").replace("~0", "~"))
    return document


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _parsed(file: str, data: bytes) -> object:
    try:
        return cast("object", json.loads(data))
    except RecursionError as no:
        raise ScanError(f"{file} is nested too deeply to be read.") from no
    except ValueError as no:
        if data.lstrip()[:1] in {b"{", b"["}:
            raise ScanError(f"{file} is no JSON: {no}.") from no
    try:
        yaml = cast("Any", import_module("yaml"))
    except ImportError as no:
        raise ScanError(YAML_MISSING.format(file=file)) from no
    try:
        return cast("object", yaml.safe_load(data))
    except (yaml.YAMLError, RecursionError, ValueError) as no:
        raise ScanError(f"{file} is neither JSON nor YAML.") from no
