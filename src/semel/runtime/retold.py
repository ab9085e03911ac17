"""What a plan's events tell that its rows are, and the rows in the same words.

An event tells what its transaction wrote; told one after the other, they say what is there by now.
"""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from semel.ports import Row
from semel.runtime.written import FRESH, Cells, Name, born, cell, shown

PARTS: Mapping[str, tuple[str, ...]] = {
    "plan": (),
    "step": ("position",),
    "attempt": ("position", "id"),
    "question": ("id",),
    "key": ("key",),
    "effect": ("kind", "id", "position"),
}
"""By kind of row, what names it within its plan."""


def retold(events: Sequence[Row]) -> dict[Name, Cells]:
    """What the events tell that the rows are by now."""
    rows: dict[Name, Cells] = {}
    for event in events:
        if event["told"] is None:
            continue
        for name, cells in json.loads(str(event["told"])):
            tell(rows, tuple(name), cells)
    return rows


def tell(rows: dict[Name, Cells], name: Name, cells: Cells) -> None:
    """Change rows by what was written."""
    for one in _meant(name, rows):
        row = rows.setdefault(one, dict(FRESH[str(one[0])]))
        for column, value in cells.items():
            _set(row, column, value)


def _meant(name: Name, rows: Mapping[Name, Cells]) -> list[Name]:
    if name[0] != "steps":
        return [name]
    return [one for one, row in rows.items() if one[0] == "step" and row["state"] == name[1]]


def _set(row: Cells, column: str, value: object) -> None:
    plain = column.rstrip("+^?")
    before = row.get(plain)
    match column[len(plain) :]:
        case "+":
            row[plain] = cast("int", before) + cast("int", value)
        case "^":
            row[plain] = max(cast("int", before), cast("int", value))
        case "?" if before is not None:
            pass
        case _:
            row[plain] = cast("str | int | None", value)


def as_they_are(several: Mapping[str, Sequence[Row]]) -> dict[Name, Cells]:
    """The rows as they are, in the words of the events."""
    found: dict[Name, Cells] = {}
    for kind, rows in several.items():
        for row in rows:
            parts = [row[part] for part in PARTS[kind]]
            name = (kind, *(part if isinstance(part, int) else str(part) for part in parts))
            found[name] = _as_told(kind, row)
    return found


def _as_told(kind: str, row: Row) -> Cells:
    cells = {column: cell(column, row[column]) for column in FRESH[kind]}
    if kind == "step":
        cells["shown"] = shown(row)
    if kind == "question":
        cells["created_at"] = cell("", row["created_at"])
    else:
        cells["born"] = born(kind, row)
    return cells


def called(name: Name) -> str:
    """What to call a row within its plan; nothing for the plan itself."""
    return "" if name[0] == "plan" else " ".join(str(part) for part in name)
