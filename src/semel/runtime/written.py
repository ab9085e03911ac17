"""What each writing statement leaves in the rows: events tell it, and an audit compares.

A row is told by its name within the plan and by the cells that were written. Text of people and of
records is told by its digest only. A column that is told nowhere is not covered by an audit.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, TypeAlias, cast

from semel.domain.canonical import sha256_compact, sha256_text
from semel.facts import JSON
from semel.ports import Row, Value

Name: TypeAlias = tuple[str | int, ...]
"""What a row is called within its plan: ``("step", 2)``; ``("steps", "waiting")`` are several."""
Cells: TypeAlias = dict[str, JSON]
"""What was written, by column: ``epoch+`` adds to what is there, ``at^`` is at least that, and
``started_at?`` fills what was empty; ``born`` and ``shown`` are digests of several columns."""
Params: TypeAlias = Mapping[str, Value]

MARK_DIGITS = 32
"""Hexadecimal digits of a digest that stands for a value: 128 bits are found by nobody twice."""

HIDDEN = frozenset({"detail", "result", "changed", "resolved_by"})
"""Columns with words of people or of the other side: a digest stands for them."""

BORN: Mapping[str, tuple[str, ...]] = {
    "plan": (
        *("kind", "parent", "person", "conversation", "message", "sentence", "locale", "why"),
        *("created_at", "not_before", "not_after", "unless", "subject_kind", "subject_id"),
    ),
    "step": ("action", "effect", "input"),
    "attempt": (
        *("round", "epoch", "key", "sent_by", "opened_at", "deadline_at", "settles_at"),
        "request_digest",
    ),
    "key": ("layer",),
    "effect": ("version", "label"),
}
"""By kind of row, the columns that never change: one digest of them is told when it is made."""

NOW = {"created_at": "now", "opened_at": "now"}
"""Columns that a statement is given by another name."""

SHOWN = ("action_version", "preview", "facts_digest", "risk", "later", "similar")
"""What is shown of a step: it changes only when it is shown anew."""

FRESH: Mapping[str, Mapping[str, JSON]] = {
    "plan": {
        **dict.fromkeys(("reason", "undone_by", "cancelled_at", "expires_at", "ended_at")),
        "state": None,
        "risk": None,
        "version": 1,
        "epoch": 0,
        "at": 0,
        "round": 1,
    },
    "step": {
        **dict.fromkeys(("reason", "detail", "result", "changed", "resolution", "resolved_by")),
        "state": "waiting",
        "round": 1,
        "started_at": None,
        "ended_at": None,
    },
    "attempt": dict.fromkeys(("outcome", "detail", "returned_at")),
    "question": dict.fromkeys(("used_at", "press", "revoked_at")),
    "key": {},
    "effect": {},
}
"""By kind of row, the cells that may change, as a row has them of which nothing was told yet."""

INSERTS: Mapping[str, str] = {
    "plans.insert": "plan",
    "steps.insert": "step :position",
    "attempts.open": "attempt :position :id",
    "keys.insert": "key :key",
    "effects.insert": "effect :kind :id :position",
}
"""Statements that make a row. A question is told when it is asked, and its MAC covers it."""

_ENDED: Mapping[str, JSON] = {"state": "ended", "reason": ":reason", "ended_at": ":now"}
_RUNS: Mapping[str, JSON] = {"state": "running", "reason": None, "ended_at": None, "epoch+": 1}
_CLOSED: Mapping[str, JSON] = {"reason": ":reason", "ended_at": ":now"}

UPDATES: Mapping[str, tuple[str, Mapping[str, JSON]]] = {
    "plans.requestion": ("plan", {"version+": 1, "expires_at": ":expires_at", "risk": ":risk"}),
    "plans.press": ("plan", {"state": "running", "epoch+": 1}),
    "plans.start": ("plan", {"at": ":position"}),
    "plans.stop": ("plan", _ENDED),
    "plans.prove": ("plan", {"reason": ":reason", "epoch+": 1}),
    "plans.cancel": ("plan", {"cancelled_at": ":now"}),
    "plans.offer": ("plan", {"version+": 1}),
    "plans.retry": ("plan", {**_RUNS, "cancelled_at": None, "round+": 1, "at": ":at"}),
    "plans.send_again": ("plan", _RUNS),
    "plans.undo": ("plan", {"undone_by": ":undone_by", "epoch+": 1}),
    "plans.not_undone": ("plan", {"undone_by": None}),
    "plans.end_waiting": (
        "plan",
        {**_ENDED, "reason": "cancelled", "cancelled_at": ":now", "epoch+": 1},
    ),
    "plans.dismiss": ("plan", _ENDED),
    "plans.take_over": ("plan", {"epoch+": 1}),
    "plans.fence": (
        "plan",
        {
            "state": "ended",
            "reason": "in_doubt",
            "ended_at?": ":now",
            "epoch": ":next",
            "at^": ":at",
        },
    ),
    "steps.reshow": ("step :position", {"changed": ":changed"}),
    "steps.reset": (
        "steps not_done",
        {
            **dict.fromkeys(("reason", "detail", "started_at", "ended_at", "changed")),
            "state": "waiting",
            "resolution": None,
            "resolved_by": None,
            "round": ":round",
        },
    ),
    "steps.remark": (
        "step :position",
        {
            "state": "started",
            "ended_at": None,
            "resolution": ":resolution",
            "resolved_by": ":resolved_by",
        },
    ),
    "steps.answered": (
        "step :position",
        {"resolution": ":resolution", "resolved_by": ":resolved_by"},
    ),
    "steps.unreferred": ("step :position", {"reason": "unknown_reference"}),
    "steps.mark": ("step :position", {"state": "started", "started_at": ":now"}),
    "steps.done": (
        "step :position",
        {
            "state": "done",
            "reason": None,
            "detail": None,
            "result": ":result",
            "ended_at": ":now",
            "started_at?": ":now",
        },
    ),
    "steps.not_done": ("step :position", {"state": "not_done", "detail": ":detail", **_CLOSED}),
    "steps.doubt": (
        "step :position",
        {"state": "in_doubt", "detail": ":detail", "ended_at": ":now"},
    ),
    "steps.lose": (
        "step :position",
        {"state": "in_doubt", "started_at?": ":now", "ended_at": ":now"},
    ),
    "steps.not_reached": ("steps waiting", {"state": "not_done", **_CLOSED}),
    "attempts.close": (
        "attempt :position :id",
        {"outcome": ":outcome", "detail": ":detail", "returned_at?": ":returned_at"},
    ),
    "confirmations.take": ("question :id", {"used_at": ":now", "press": ":press"}),
    "keys.move": ("key :key", {"from": ":old"}),
}
"""Statements that change a row: which, and what they write. ``:now`` is a parameter's value."""

UNTOLD: Mapping[str, str] = {
    "plans.resend": "It moves only the time at which somebody else may take over.",
    "plans.release": "It moves only the time at which somebody else may take over.",
    "plans.look_again": "When a doubt is looked at next says nothing of what has happened.",
    "events.append": "It is an event itself.",
    "events.head": "It is what an audit begins with.",
    "keys.hold": "It writes nothing.",
    "calls.insert": "It belongs to no plan.",
    "database.fence": "It belongs to no plan.",
    "database.fenced": "It belongs to no plan.",
    "gone.insert": "It belongs to no plan.",
}
"""Statements that write and of which no event tells, each with its reason."""

APPEND = "events.append"
BIRTH = "plans.insert"
"""What writes a new plan's row. Of one that is only sent, the row is still at hand when the
transaction is signed, and takes with it where the plan's chain ends."""
REVOKE = "confirmations.revoke"
QUESTION = "confirmations.insert"

TOLD = frozenset({*INSERTS, *UPDATES, REVOKE, QUESTION})
"""Statements of which an event tells."""


def cell(column: str, value: Value) -> JSON:
    """A value as it is told; what is hidden, by the digest that stands for it."""
    text = value.hex() if isinstance(value, bytes) else value
    if column in HIDDEN and text is not None:
        return sha256_text(str(text))[:MARK_DIGITS]
    return text


def born(kind: str, row: Params) -> str:
    """The digest of what never changes of a row, in the table or on its way there."""
    return _marked(_born(kind, "now" in row)(row))


@cache
def _born(kind: str, coming: bool) -> Callable[[Params], Sequence[Value]]:
    return _several([NOW.get(name, name) if coming else name for name in BORN[kind]])


def _several(names: Sequence[str]) -> Callable[[Params], Sequence[Value]]:
    """What takes these of a row, in one step of the interpreter where they are several."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda row: [row[name] for name in names]


_SHOWN = _several(SHOWN)


def shown(row: Params) -> str:
    """The digest of what is shown of a step."""
    return _marked(_SHOWN(row))


def _marked(values: Sequence[Value]) -> str:
    try:
        return sha256_compact(values)[:MARK_DIGITS]
    except TypeError:
        # A table may hold bytes where the library writes none.
        plain = [value.hex() if isinstance(value, bytes) else value for value in values]
        return sha256_compact(plain)[:MARK_DIGITS]


def told(statement: str, params: Params, rows: Sequence[Row]) -> list[tuple[Name, Cells]]:
    """What a statement has left in the rows, when it has written any.

    Args:
        statement: its name.
        params: what it was given.
        rows: what it gave back; none where nobody asked.
    """
    if statement in INSERTS:
        return [_made(INSERTS[statement], params)]
    if statement in UPDATES:
        name, cells = UPDATES[statement]
        found = {column: _given(column, value, params) for column, value in cells.items()}
        if statement == "steps.reshow":
            found["shown"] = shown(params)
        if statement == "plans.dismiss" and params["reason"] == "cancelled":
            found["cancelled_at"] = cell("", params["now"])
        return [(_name(name, params), found)]
    if statement == REVOKE:
        at = cell("", params["now"])
        return [(("question", str(row["id"])), {"revoked_at": at}) for row in rows]
    if statement == QUESTION and params["question"] == "confirm":
        return [(("question", str(params["id"])), {"created_at": cell("", params["now"])})]
    return []


def _made(template: str, params: Params) -> tuple[Name, Cells]:
    kind, names = _parts(template)
    fresh, found = FRESH[kind], Cells()
    given: Mapping[str, Any] = params
    for column in fresh.keys() & given.keys():
        value = given[column]
        if value != fresh[column]:
            found[column] = cell(column, value) if column in HIDDEN else value
    if kind == "step":
        found["shown"] = shown(params)
    found["born"] = born(kind, params)
    return (kind, *[given[name[1:]] for name in names]), found


def _given(column: str, value: JSON, params: Params) -> JSON:
    if isinstance(value, str) and value.startswith(":"):
        return cell(column, params[value[1:]])
    return value


def _name(template: str, params: Params) -> Name:
    kind, names = _parts(template)
    return (kind, *[cast("str | int", params[n[1:]]) if n[0] == ":" else n for n in names])


@cache
def _parts(template: str) -> tuple[str, Sequence[str]]:
    kind, *names = template.split()
    return kind, names
