"""The labelled tools of tests/data/tools.json, read by the readers that a person's tools go through."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semel.guard.scan import mcp, openapi, python
from semel.guard.scan.classify import classify
from semel.guard.scan.tool import Finding, Kind

FILE = Path(__file__).parents[1] / "data/tools.json"


@dataclass(frozen=True)
class Case:
    label: Kind
    part: str
    found: Finding


@dataclass(frozen=True)
class Score:
    tools: int
    recall: float
    """Of the tools that need protection, the share that was found to."""
    precision: float
    """Of those that were found to need it, the share that do."""
    classed: float
    """Of all, the share in exactly the class of the label."""

    @classmethod
    def of(cls, cases: Sequence[Case]) -> "Score":
        needed = [case for case in cases if case.label.effect]
        said = [case for case in cases if case.found.kind.effect]
        both = [case for case in needed if case.found.kind.effect]
        exact = [case for case in cases if case.found.kind is case.label]
        return cls(
            len(cases), len(both) / len(needed), len(both) / len(said), len(exact) / len(cases)
        )

    def __str__(self) -> str:
        return f"{self.tools} tools, recall {self.recall:.2f}, precision {self.precision:.2f}"


def read(entry: dict[str, Any], folder: Path) -> Finding:
    if "mcp" in entry:
        (tool,) = mcp.tools([entry["mcp"]])
    elif "openapi" in entry:
        one = entry["openapi"]
        document = {"openapi": "3.1.0", "paths": {one["path"]: {one["method"]: one["operation"]}}}
        (tool,) = openapi.operations(document)
    else:
        path = folder / "one.py"
        path.write_text("\n".join(entry["python"]) + "\n", encoding="utf-8")
        (tool,) = python.scan(str(path)).tools
    return classify(tool)


def cases() -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as folder:
        for entry in json.loads(FILE.read_text(encoding="utf-8")):
            found = read(entry, Path(folder))
            yield Case(Kind(entry["label"]), entry["part"], found)
