"""From a function and what is said of it to a guarded tool, checked where it is declared."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from semel.domain.effect import Checked, Effect, Keyed, Local, Opaque
from semel.errors import CatalogError
from semel.guard.arguments import KEY, TX, Arguments
from semel.guard.kit import Tool
from semel.guard.value import Values


def tool(
    function: Callable[..., Any],
    *,
    effect: Effect | None,
    name: str | None,
    window: float,
    wait: float,
    timeout: float | None,
    observe: bool,
    identity: Sequence[str] | Callable[..., Any] | None,
    check: Callable[[Sequence[str]], Any] | None,
    void: Callable[[Sequence[str]], Any] | None,
    ttl: float | None,
    not_done: tuple[type[BaseException], ...],
    words: Mapping[str, Mapping[str, str]],
) -> Tool:
    """The tool of a function.

    Raises:
        CatalogError: what is declared and what the function takes contradict each other.
    """
    called = str(name or getattr(function, "__name__", ""))
    if not called.strip() or called == "<lambda>":
        raise CatalogError("A guarded function needs a name: give name= to a lambda or a partial.")
    for what, seconds in (("window", window), ("wait", wait), ("timeout", timeout), ("ttl", ttl)):
        if seconds is not None and seconds < 0:
            raise CatalogError(f"{called}: {what}= is in seconds, and not below nothing.")
    arguments = Arguments(called, function, identity)
    found = Tool(
        name=called,
        function=function,
        effect=_effect(called, effect, check, void, ttl),
        arguments=arguments,
        values=Values(function),
        window=window,
        wait=wait,
        timeout=timeout,
        observe=observe,
        is_async=_awaited(function),
        check=check,
        void=void,
        not_done=not_done,
        words=words,
    )
    _agree(found)
    return found


def _effect(
    name: str,
    effect: Effect | None,
    check: object | None,
    void: object | None,
    ttl: float | None,
) -> Effect:
    if effect is None:
        if ttl is not None and (check or void):
            raise CatalogError(
                f"{name}: ttl= is of a side that remembers keys, check= and void= of one that can"
                " be asked; say with effect= which of them is meant."
            )
        if ttl is not None:
            return Keyed(ttl=ttl)
        return Checked(void=void is not None) if check is not None or void is not None else Opaque()
    if ttl is not None and (not isinstance(effect, Keyed) or effect.ttl != ttl):
        raise CatalogError(f"{name}: ttl={ttl:g} and effect={effect!r} do not agree; give one.")
    return effect


def _agree(tool: Tool) -> None:
    name, effect, arguments = tool.name, tool.effect, tool.arguments
    keyed = isinstance(effect, Keyed | Checked)
    if arguments.takes_tx and not isinstance(effect, Local):
        raise CatalogError(f"{name}: only a Local() tool is given a transaction ({TX}).")
    if isinstance(effect, Local) and tool.is_async:
        raise CatalogError(
            f"{name}: a Local() tool is a plain function: nothing can be awaited in a transaction."
        )
    if isinstance(effect, Local) and tool.timeout is not None:
        raise CatalogError(f"{name}: a Local() tool ends at once or not at all; no timeout=.")
    if keyed and not arguments.takes_key:
        raise CatalogError(
            f"{name}: the other side has to know its key; take it as {KEY} and send it along."
        )
    if arguments.takes_key and not keyed:
        raise CatalogError(
            f"{name}: it takes {KEY}, which is of use only where the other side knows keys: say so"
            " with ttl=, check= or effect=."
        )
    for what, function in (("check", tool.check), ("void", tool.void)):
        if function is not None and _awaited(function) and not tool.is_async:
            raise CatalogError(f"{name}: a plain function has a plain {what}=.")
    if (tool.check is not None) != isinstance(effect, Checked):
        raise CatalogError(f"{name}: check= and Checked() go together.")
    if (tool.void is not None) != (isinstance(effect, Checked) and effect.void):
        raise CatalogError(f"{name}: void= and Checked(void=True) go together.")


def _awaited(function: Callable[..., Any]) -> bool:
    called = getattr(function, "__call__", function)  # noqa: B004 - an object's own way to be called
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)
