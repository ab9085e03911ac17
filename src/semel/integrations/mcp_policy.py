"""What a guard does about each tool of an MCP server: as a file says, carefully where it does not.

A server's own hints say what its author wished for. They may raise what is thought of a tool and
never lower it; a name and a description are read by the classifier of ``semel scan``.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from semel.domain.effect import Effect, Keyed, Opaque
from semel.domain.plan import SAME_SECONDS
from semel.errors import SemelError
from semel.guard.scan import mcp as listed
from semel.guard.scan.classify import classify
from semel.guard.scan.tool import Kind, Tool
from semel.guard.scan.words import split

DEADLINE_SECONDS = 60.0
"""What a call may take: after it nobody waits for the server, and an answer still counts."""

TAKES_AWAY = frozenset({
    "delete", "remove", "drop", "destroy", "purge", "wipe", "erase", "truncate", "revoke",
    "terminate", "uninstall", "reset", "borrar", "borra", "eliminar", "elimina", "quitar", "quita",
    "vaciar", "destruir", "revocar",
})  # fmt: skip
"""First words of a name whose tool takes something away that nobody gives back."""


class BadPolicy(SemelError):
    """A policy cannot be read; the sentence says where and why."""


class Do(StrEnum):
    """What is done about a call of a tool."""

    READ = "read"
    """It goes through, as often as it is made."""
    ONCE = "once"
    """It happens once for its arguments, within the window."""
    ASK = "ask"
    """As ``once``, after the person has said yes in the client's own form."""
    REFUSE = "refuse"
    """It is not offered and not made."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What is done about one tool.

    Args:
        do: read, once, ask or refuse.
        effect: ``Opaque()``, or ``Keyed()`` where *key* names the argument that takes its key.
        key: the argument in which the server takes a key of the caller's; models do not see it.
        window: seconds for which the end of a call answers for equal ones.
        proves: whether an error that the server answers proves that nothing happened.
        why: why, where no policy says so.
    """

    do: Do
    effect: Effect = field(default_factory=lambda: Opaque(deadline=DEADLINE_SECONDS))
    key: str | None = None
    window: float = SAME_SECONDS
    proves: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of a file, by tool."""

    rules: Mapping[str, Rule] = field(default_factory=dict)
    window: float = SAME_SECONDS

    def rule(self, tool: Mapping[str, Any]) -> Rule:
        """The rule for a tool as its server lists it; an effect, where nothing says otherwise."""
        named = self.rules.get(str(tool.get("name")))
        if named is not None:
            return named
        found = listed.tools([tool])
        if not found:
            return Rule(Do.REFUSE, why="it has no name")
        finding = classify(found[0])
        why = finding.reasons[0]
        if finding.kind is Kind.READ:
            return Rule(Do.READ, window=self.window, why=why)
        taking = _takes_away(found[0], tool)
        do = Do.ASK if taking or finding.kind is Kind.MONEY else Do.ONCE
        return Rule(do, window=self.window, why=taking or why)


def _takes_away(tool: Tool, raw: Mapping[str, Any]) -> str | None:
    hints = raw.get("annotations")
    if isinstance(hints, Mapping) and hints.get("destructiveHint") is True:
        return "its server says that it destroys"
    first = next(iter(split(tool.name)), "")
    return f"its name begins with `{first}`" if first in TAKES_AWAY else None


def read(path: Path) -> Policy:
    """The policy of a file.

    Raises:
        BadPolicy: it cannot be read, or says something that has no meaning.
    """
    try:
        return parsed(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as no:
        raise BadPolicy(f"The policy {path} could not be read ({no.strerror or no}).") from no
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as no:
        raise BadPolicy(f"The policy {path} is no TOML ({no}).") from no


def parsed(table: Mapping[str, Any]) -> Policy:
    """The policy that a parsed file holds.

    Raises:
        BadPolicy: it says something that has no meaning.
    """
    _only(table, "the policy", "window", "tools")
    window = _seconds(table.get("window", SAME_SECONDS), "window")
    tools = table.get("tools", {})
    if not isinstance(tools, Mapping):
        raise BadPolicy("In the policy, [tools] is a table of tools.")
    return Policy({name: _rule(name, said, window) for name, said in tools.items()}, window)


def _rule(name: str, said: object, window: float) -> Rule:
    if isinstance(said, str):
        return Rule(_do(name, said), window=window)
    if not isinstance(said, Mapping):
        raise BadPolicy(f"In the policy, {name} is a word or a table.")
    _only(said, name, "do", "window", "key", "ttl", "deadline", "bound", "error")
    deadline = _seconds(said.get("deadline", DEADLINE_SECONDS), f"{name}.deadline")
    bound = _seconds(said["bound"], f"{name}.bound") if "bound" in said else None
    error = said.get("error", "unknown")
    if error not in {"unknown", "not_done"}:
        raise BadPolicy(f'In the policy, {name}.error is "unknown" or "not_done".')
    key, ttl = said.get("key"), said.get("ttl")
    if (key is None) != (ttl is None):
        raise BadPolicy(f"In the policy, {name} has key and ttl together, or neither.")
    effect: Effect = Opaque(deadline=deadline, delivery_bound=bound)
    if key is not None:
        if not isinstance(key, str) or not key.strip():
            raise BadPolicy(f"In the policy, {name}.key is the name of an argument.")
        effect = Keyed(_seconds(ttl, f"{name}.ttl"), deadline, 60 if bound is None else bound)
    return Rule(
        _do(name, said.get("do", Do.ONCE)),
        effect,
        key,
        _seconds(said.get("window", window), f"{name}.window"),
        error == "not_done",
    )


def _do(name: str, said: object) -> Do:
    if isinstance(said, str) and said in {*Do}:
        return Do(said)
    raise BadPolicy(f"In the policy, {name} is one of {', '.join(Do)}.")


def _only(table: Mapping[str, Any], where: str, *names: str) -> None:
    for name in table:
        if name not in names:
            raise BadPolicy(
                f"In the policy, {where} has no {name}; it may have {', '.join(names)}."
            )


def _seconds(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise BadPolicy(f"In the policy, {where} is a number of seconds.")
    return float(value)
