"""What an action declares and what methods it has must agree: checked when an engine is built."""

import inspect
import math
from collections.abc import Iterator, Mapping
from typing import Any, cast, get_args

from semel.domain.action import BUTTON_MAX, LANGUAGES, Action, Kind, wording_of
from semel.domain.effect import Checked, Local
from semel.domain.step import NAMES, bounds
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
    _check_wording(name, action)
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


def _check_wording(name: str, action: Action) -> None:
    """What it may say for a card with room is said in every language, and a button is short."""
    names: Any = getattr(action, "names", {})
    if not isinstance(names, Mapping) or not all(
        isinstance(fact, str) and fact.isidentifier() for fact in names
    ):
        raise CatalogError(f"{name}: names has the words of facts, by their names in the preview.")
    said: Mapping[str, Any] = wording_of(action)
    for which, words in said.items():
        if not isinstance(words, Mapping) or set(words) != set(LANGUAGES):
            raise CatalogError(f"{name}: {which} needs words in each of {LANGUAGES}.")
    for fact in names:
        for called in said[f"fact.{fact}"].values():
            if not isinstance(called, str) or not called.strip() or "{" in called:
                raise CatalogError(f"{name}: {fact} is called by words, and by no other fact.")
    for label in said.get("button", {}).values():
        if not 0 < len(label) <= BUTTON_MAX or "{" in label:
            raise CatalogError(f"{name}: a button has {BUTTON_MAX} characters and no fact.")


def _check_effect(name: str, action: Action) -> None:
    run = action.run  # type: ignore[attr-defined]  # its presence was just checked
    if type(action.effect) not in NAMES:
        raise CatalogError(f"{name}: an effect is Local(), Keyed(…), Checked(…) or Opaque(…).")
    _check_looks(name, action)
    if isinstance(action.effect, Local):
        if inspect.iscoroutinefunction(run):
            raise CatalogError(
                f"{name}: a Local action runs inside a transaction, so run() is a plain function."
            )
        if hasattr(action, "prepare"):
            raise CatalogError(f"{name}: a Local action has nothing to prepare.")
        _takes(name, action, "undo", "(data, ctx)", wait=False)
        _takes(name, action, "similar", "(i, ctx)", wait=False)
        if hasattr(action, "similar") and action.makes is None:
            raise CatalogError(f"{name}: similar() compares records of a kind; say makes=….")
        return
    _check_outside(name, action, run)


def _check_outside(name: str, action: Action, run: Any) -> None:
    for method in ("undo", "similar"):
        if hasattr(action, method):
            raise CatalogError(f"{name}: {method}() is for Local actions: the rest is beyond it.")
    if not inspect.iscoroutinefunction(run):
        raise CatalogError(f"{name}: an action with an outside effect has an async run().")
    prepare = getattr(action, "prepare", None)
    if hasattr(action, "prepare") and not inspect.iscoroutinefunction(prepare):
        raise CatalogError(f"{name}: prepare() is async.")
    wanted = 3 if prepare is not None else 2
    if len(inspect.signature(run).parameters) != wanted:
        takes = "(i, ctx, prepared)" if prepare is not None else "(i, ctx)"
        raise CatalogError(f"{name}: run takes {takes}.")
    deadline, bound = bounds(action.effect)
    if not 0 < deadline < math.inf or (bound is not None and not 0 <= bound < math.inf):
        raise CatalogError(f"{name}: a deadline is more than zero seconds, and a bound not less.")
    ttl = getattr(action.effect, "ttl", None)
    if ttl is not None and not deadline < ttl < math.inf:
        raise CatalogError(f"{name}: a key that is forgotten before the deadline protects nothing.")


def _check_looks(name: str, action: Action) -> None:
    """What a Checked action declares and what it can do are one thing."""
    effect = action.effect
    checked = isinstance(effect, Checked)
    void = isinstance(effect, Checked) and effect.void
    for method, wanted in (("check", checked), ("void", void)):
        has = callable(getattr(action, method, None))
        if wanted and not has:
            raise CatalogError(f"{name}: it declares {effect} and has no {method}().")
        if has and not wanted:
            raise CatalogError(f"{name}: it has {method}() and does not declare it: Checked(…).")
        _takes(name, action, method, "(keys, ctx)", wait=True)


def _takes(name: str, action: Action, method: str, takes: str, *, wait: bool) -> None:
    """A method that is there takes two things, and is async or plain as its place asks for."""
    if not hasattr(action, method):
        return
    found = getattr(action, method)
    if not callable(found) or inspect.iscoroutinefunction(found) is not wait:
        raise CatalogError(f"{name}: {method}() is {'async' if wait else 'a plain function'}.")
    if len(inspect.signature(found).parameters) != 2:
        raise CatalogError(f"{name}: {method} takes {takes}.")


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
