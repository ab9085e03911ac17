"""What an action declares and what methods it has must agree: checked when an engine is built."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, cast, get_args

from semel.domain.action import LANGUAGES, Action, Kind, Local
from semel.errors import CatalogError
from semel.inputs import Input, Ref


def check(action: Action) -> None:
    """What an action declares and what methods it has must agree."""
    name = getattr(action, "name", None)
    if not isinstance(name, str) or not name:
        raise CatalogError(f"{type(action).__name__} has no name: class X(Action, name='…').")
    if not inspect.getdoc(type(action)) or type(action).__doc__ is None:
        raise CatalogError(f"{name}: the docstring is what a model reads; it has none.")
    for words in ("will", "did"):
        sentences = getattr(action, words, None)
        if not isinstance(sentences, Mapping) or set(sentences) != set(LANGUAGES):
            raise CatalogError(f"{name}: {words} needs a sentence in each of {LANGUAGES}.")
    given = getattr(action, "Input", None)
    if not (isinstance(given, type) and issubclass(given, Input)):
        raise CatalogError(f"{name}: Input is a subclass of semel.Input.")
    for method in ("preview", "run"):
        if not callable(getattr(action, method, None)):
            raise CatalogError(f"{name}: it has no {method}().")
    _check_effect(name, action)
    if action.makes is not None:
        _check_kind(name, action.makes)
    for field in given.model_fields.values():
        for kind in _kinds_in(field.annotation):
            _check_kind(name, kind)


def _check_effect(name: str, action: Action) -> None:
    run = action.run  # type: ignore[attr-defined]  # its presence was just checked
    if isinstance(action.effect, Local):
        if inspect.iscoroutinefunction(run):
            raise CatalogError(
                f"{name}: a Local action runs inside a transaction, so run() is a plain function."
            )
        if hasattr(action, "prepare"):
            raise CatalogError(f"{name}: a Local action has nothing to prepare.")
        return
    if not inspect.iscoroutinefunction(run):
        raise CatalogError(f"{name}: an action with an outside effect has an async run().")
    prepare = getattr(action, "prepare", None)
    if prepare is not None and not inspect.iscoroutinefunction(prepare):
        raise CatalogError(f"{name}: prepare() is async.")
    wanted = 3 if prepare is not None else 2
    if len(inspect.signature(run).parameters) != wanted:
        takes = "(i, ctx, prepared)" if prepare is not None else "(i, ctx)"
        raise CatalogError(f"{name}: run takes {takes}.")


def _check_kind(name: str, kind: type[Kind[Any]]) -> None:
    if not getattr(kind, "name", ""):
        raise CatalogError(f"{name}: {kind.__name__} has no name: class X(Kind[Row], name='…').")
    for method in ("find", "key", "version", "label"):
        if not callable(getattr(kind, method, None)):
            raise CatalogError(f"{name}: the kind {kind.name} has no {method}().")


def _kinds_in(annotation: Any) -> Iterator[type[Kind[Any]]]:
    if getattr(annotation, "__origin__", None) is Ref:
        yield cast("type[Kind[Any]]", get_args(annotation)[0])
        return
    if isinstance(annotation, type) and issubclass(annotation, Input):
        for field in annotation.model_fields.values():
            yield from _kinds_in(field.annotation)
        return
    for part in get_args(annotation):
        yield from _kinds_in(part)
