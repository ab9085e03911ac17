"""What the body of a Python function does, read from its syntax; nothing is imported or run."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from semel.guard.scan.calls import MUTATORS, called, http, is_pure, posted, statement
from semel.guard.scan.tool import Deed, Kind
from semel.guard.scan.words import called_for

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

MADE = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
CONTAINERS = {"list", "dict", "set", "defaultdict", "Counter", "deque", "collections.defaultdict",
              "collections.Counter", "collections.deque"}  # fmt: skip

CALLS_DEEP = 8
"""Functions that call each other and are followed: helpers of helpers are rarely more."""


@dataclass(slots=True)
class Module:
    """The parts of a parsed file that explain its calls."""

    tree: ast.Module
    functions: dict[str, Function] = field(default_factory=dict)
    """Functions and methods by their last name."""
    names: dict[str, str] = field(default_factory=dict)
    """What a name of the module stands for: ``requests`` for ``r``, where it is imported so."""
    texts: dict[str, str] = field(default_factory=dict)
    """Names of the module that hold a text, such as a statement."""

    made: set[str] = field(default_factory=set)
    """Names of the module that hold a list or the like, which outlives a call."""

    @classmethod
    def of(cls, tree: ast.Module) -> "Module":
        """What a file defines, imports and names."""
        module = cls(tree)
        for node in ast.walk(tree):
            if isinstance(node, Function):
                module.functions.setdefault(node.name, node)
            elif isinstance(node, ast.Import):
                for one in node.names:
                    first = one.name if one.asname else one.name.partition(".")[0]
                    module.names[one.asname or first] = first
            elif isinstance(node, ast.ImportFrom) and node.module:
                for one in node.names:
                    module.names[one.asname or one.name] = f"{node.module}.{one.name}"
        for node in tree.body:
            for target, value in _assigned(node):
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    module.texts[target] = value.value
                elif isinstance(value, ast.Call):
                    module.names[target] = _origin(value, module.names)
                if isinstance(value, MADE) or module.names.get(target) in CONTAINERS:
                    module.made.add(target)
        return module


@dataclass(slots=True)
class Scope:
    """What the names of one function stand for, and how it was come to."""

    names: dict[str, str]
    texts: dict[str, str]
    local: set[str]
    made: set[str]
    """Names of what the function made itself, such as a list, and which ends with it."""
    through: str
    deep: int


@dataclass(slots=True)
class Body:
    """What one function does, its helpers included."""

    module: Module
    deeds: list[Deed] = field(default_factory=list)
    whole: bool = True
    _seen: set[str] = field(default_factory=set)

    def read(self, function: Function, *, through: str = "", deep: int = 0) -> None:
        """Take note of every call and count of *function*; *through* says who called it."""
        self._seen.add(function.name)
        nodes = [node for part in function.body for node in ast.walk(part)]
        scope = self._scope(function, nodes, through, deep)
        for node in nodes:
            if isinstance(node, ast.Call):
                self._call(node, scope)
            elif isinstance(node, ast.AugAssign) and self._outlives(node.target, scope):
                self._add(Kind.WRITE, f"counts in `{_root(node.target)}`", scope)

    def _scope(self, function: Function, nodes: list[ast.AST], through: str, deep: int) -> Scope:
        declared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        local, module = _locals(function) - declared, self.module
        names = {name: whole for name, whole in module.names.items() if name not in local}
        texts = {name: text for name, text in module.texts.items() if name not in local}
        made: set[str] = set()
        for node in nodes:
            for target, value in _assigned(node):
                if isinstance(value, ast.Call):
                    names[target] = _origin(value, names)
                elif isinstance(value, ast.Constant) and isinstance(value.value, str):
                    texts[target] = value.value
                if isinstance(value, MADE) or names.get(target) in CONTAINERS:
                    made.add(target)
        return Scope(names, texts, local, made & local, through, deep)

    def _call(self, node: ast.Call, scope: Scope) -> None:
        name = _name(node.func, scope.names)
        tail = name.rpartition(".")[2]
        own = name == tail or name.startswith(("self.", "cls."))
        helper = self.module.functions.get(tail) if own else None
        if helper is not None:
            self._follow(helper, scope)
            return
        found = [*_deeds(node, name, scope.texts)]
        for kind, says in found:
            if kind is not Kind.READ:
                self._add(kind, says, scope)
        if not found and isinstance(node.func, ast.Attribute) and tail in MUTATORS:
            root = _root(node.func)
            if root in self.module.made and root not in scope.local:
                self._add(Kind.WRITE, f"changes `{root}`", scope)
            elif root not in scope.made:
                self.whole = False
        elif not found and not is_pure(name):
            self.whole = False

    def _follow(self, helper: Function, scope: Scope) -> None:
        if helper.name in self._seen:
            return
        if scope.deep < CALLS_DEEP:
            through = f"{scope.through}`{helper.name}`, which "
            self.read(helper, through=through, deep=scope.deep + 1)
        else:
            self.whole = False

    def _outlives(self, target: ast.expr, scope: Scope) -> bool:
        """Whether what is changed is the object's or the module's, and not the function's own."""
        root = _root(target)
        if root in {"self", "cls"}:
            return not isinstance(target, ast.Name)
        return bool(root) and root not in scope.local

    def _add(self, kind: Kind, says: str, scope: Scope) -> None:
        deed = Deed(kind, f"its body {'calls ' if scope.through else ''}{scope.through}{says}")
        if deed not in self.deeds:
            self.deeds.append(deed)


def _deeds(node: ast.Call, name: str, texts: Mapping[str, str]) -> Iterator[tuple[Kind, str]]:
    """What one call does; nothing where that is unknown."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    told = [text for text in (_text(value, texts) for value in given) if text]
    sql = [found for text in told for found in statement(text)]
    method = http(name)
    if sql:
        for kind, words in sql:
            yield kind, f"runs {'an' if words[0] in 'AEIOU' else 'a'} {words}"
    elif method is not None:
        yield _requested(told[0].upper() if method == "?" and told else method, told, name)
    elif name in {"urllib.request.urlopen", "urllib.request.Request"}:
        data = len(node.args) > 1 or any(keyword.arg == "data" for keyword in node.keywords)
        yield (posted(" ".join(told)) if data else Kind.READ), f"calls `{name}`"
    elif name == "open" or name.endswith(".open"):
        yield from _opened(node)
    else:
        known = called(name) or called_for(name.rpartition(".")[2])
        if known is Kind.HARMLESS and _grows(node):
            known = Kind.WRITE
        if known is not None:
            yield known, f"calls `{name}`"


def _requested(method: str, told: list[str], name: str) -> tuple[Kind, str]:
    if method in {"GET", "HEAD", "OPTIONS"}:
        return Kind.READ, f"calls `{name}`"
    if method in {"PUT", "DELETE"}:
        return Kind.HARMLESS, f"calls `{name}`"
    return posted(" ".join(told)), f"calls `{name}`"


def _opened(node: ast.Call) -> Iterator[tuple[Kind, str]]:
    given = [keyword.value for keyword in node.keywords if keyword.arg == "mode"]
    name = isinstance(node.func, ast.Name)
    given += node.args[1:2] if name else node.args[:1]
    mode = given[0].value if given and isinstance(given[0], ast.Constant) else "r" * (not given)
    if not isinstance(mode, str) or not mode or not set(mode) <= set("rwaxbt+"):
        return
    if "a" in mode:
        yield Kind.WRITE, "opens a file to append to it"
    elif set(mode) & {"w", "x", "+"}:
        yield Kind.HARMLESS, "opens a file to write it anew"
    else:
        yield Kind.READ, "opens a file"


def _grows(node: ast.Call) -> bool:
    """Whether an update of a document adds to it: ``{"$inc": …}``."""
    keys = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    return any(key in {"$inc", "$push"} for key in keys if isinstance(key, str))


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that a statement gives a value, and the value."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, _awaited(node.value)
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value and _awaited(node.value)
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            if isinstance(item.optional_vars, ast.Name):
                yield item.optional_vars.id, _awaited(item.context_expr)


def _awaited(value: ast.expr) -> ast.expr:
    return value.value if isinstance(value, ast.Await) else value


def _locals(function: Function) -> set[str]:
    given = function.args
    parts = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    names = {one.arg for one in parts if one is not None}
    return names | {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _origin(call: ast.Call, names: Mapping[str, str]) -> str:
    """What a call gives, by name: ``boto3.client("ses")`` gives a ``boto3.ses``."""
    if _is_client(call, names):
        return f"boto3.{_text(call.args[0], {})}"
    return _name(call.func, names)


def _is_client(call: ast.Call, names: Mapping[str, str]) -> bool:
    """Whether a call makes a client of a service that it names."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in {"client", "resource"}:
        return False
    root = names.get(func.value.id) if isinstance(func.value, ast.Name) else None
    return root in {"boto3", "boto3.Session"} and bool(call.args and _text(call.args[0], {}))


def _root(node: ast.expr) -> str:
    """The first part of what is changed: ``self`` of ``self.seen[key]``."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _name(node: ast.expr, names: Mapping[str, str]) -> str:
    """The whole name of what is called, with what its first part stands for."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call) and _is_client(node, names):
            return ".".join([_origin(node, names), *reversed(parts)])
        elif isinstance(node, ast.Call | ast.Await | ast.Subscript):
            node = node.func if isinstance(node, ast.Call) else node.value
        else:
            break
    if isinstance(node, ast.Name):
        parts.append(names.get(node.id, node.id))
    elif isinstance(node, ast.Constant | ast.JoinedStr):
        parts.append("str")
    else:
        parts.append("?")
    return ".".join(reversed(parts))


def _text(value: ast.expr, texts: Mapping[str, str]) -> str:
    """The text of an argument as far as it is written down."""
    if isinstance(value, ast.Name):
        return texts.get(value.id, "")
    found = [
        part.value
        for part in ast.walk(value)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    return " ".join(found)
