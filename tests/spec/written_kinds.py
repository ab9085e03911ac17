"""The kinds of event that the engine writes, read from its source."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from semel.domain.plan import PlanReason

RUNTIME = Path(__file__).parents[2] / "src" / "semel" / "runtime"
WRITER = "event"
"""The one function that writes an event; its fourth argument is the kind."""
KIND = 3


class Unreadable(Exception):
    """An expression whose values cannot be read from the source."""


@dataclass(frozen=True)
class Called:
    """A call, in which function and module it stands."""

    call: ast.Call
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    module: "Module"


class Module:
    """One file of the runtime."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.tree = ast.parse(text)
        self.constants = {
            target.id: node.value.value
            for node in self.tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def calls(self) -> Iterator[Called]:
        yield from self._calls(self.tree, None)

    def _calls(
        self, node: ast.AST, function: ast.FunctionDef | ast.AsyncFunctionDef | None
    ) -> Iterator[Called]:
        for child in ast.iter_child_nodes(node):
            inside = (
                child if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
            )
            if isinstance(child, ast.Call):
                yield Called(child, function, self)
            yield from self._calls(child, inside)


class Source:
    """The runtime's files, and which kinds of event they write."""

    def __init__(self, texts: dict[str, str] | None = None) -> None:
        found = texts or {
            path.stem: path.read_text(encoding="utf-8") for path in sorted(RUNTIME.glob("*.py"))
        }
        self.calls = [
            called for name, text in found.items() for called in Module(name, text).calls()
        ]

    def kinds(self) -> set[str]:
        """Every kind that a call of the writer may be given."""
        return {kind for called in self._to(WRITER) for kind in self._given(called, KIND, "kind")}

    def statements(self) -> set[str]:
        """Every named statement that is sent."""
        return {
            first.value
            for called in self.calls
            for first in called.call.args[:1]
            if isinstance(first, ast.Constant)
            and isinstance(first.value, str)
            and isinstance(called.call.func, ast.Attribute)
            and called.call.func.attr in {"one", "all", "run", "send", "ask"}
        }

    def _to(self, name: str) -> list[Called]:
        """The calls of a function, by its name."""
        return [one for one in self.calls if _name(one.call.func) == name]

    def _given(self, called: Called, index: int, name: str) -> set[str]:
        """The texts that a call may give for a parameter."""
        named = [word.value for word in called.call.keywords if word.arg == name]
        given = named or _plain(called)[index : index + 1]
        if not given:
            raise Unreadable(f"{called.module.name}: {ast.unparse(called.call)} gives no {name}")
        return self._values(given[0], called)

    def _values(self, value: ast.expr, called: Called) -> set[str]:
        match value:
            case ast.Constant(value=str(text)):
                return {text}
            case ast.IfExp():
                return self._values(value.body, called) | self._values(value.orelse, called)
            case ast.Call(func=ast.Name(id="str")):
                return self._values(value.args[0], called)
            case ast.Attribute(value=ast.Name(id="PlanReason")):
                return {str(PlanReason[value.attr])}
            case ast.Name(id=name) if name in called.module.constants:
                return {str(called.module.constants[name])}
            case ast.Name(id=name) if called.function is not None:
                names = [argument.arg for argument in called.function.args.args]
                if name in names:
                    callers = self._to(called.function.name)
                    index = names.index(name)
                    return {text for one in callers for text in self._given(one, index, name)}
        raise Unreadable(f"{called.module.name}: what is {ast.unparse(value)}?")


def _plain(called: Called) -> list[ast.expr]:
    """The arguments of a call, with those that come together as a local tuple one by one."""
    found: list[ast.expr] = []
    for argument in called.call.args:
        match argument:
            case ast.Starred(value=ast.Name(id=name)) if called.function is not None:
                found += next(_tuples(called.function, name), [argument])
            case _:
                found.append(argument)
    return found


def _tuples(function: ast.AST, name: str) -> Iterator[list[ast.expr]]:
    """The tuples that a function gives a name to."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                many = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                pairs = (
                    zip(target.elts, node.value.elts, strict=True)
                    if many
                    else [(target, node.value)]
                )
                for one, value in pairs:
                    if getattr(one, "id", "") == name and isinstance(value, ast.Tuple):
                        yield value.elts


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
