"""A Local action: its run and its undo touch nothing but their transaction."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from semel.domain.action import Ctx, Made
from semel.errors import NotDone, StorageError
from semel.facts import JSON, Fact, store_facts
from semel.ports import EngineTx
from semel.runtime.invoke import Given, perform
from semel.runtime.later import Plans
from semel.runtime.result import Touched, result_text, touched
from semel.testing.checks.look import seen
from semel.testing.checks.stage import Stage, Wrong, rows


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that was taken back: what it answered, and what was wrong with it."""

    made: Made
    shape: tuple[object, ...]
    """What has to be equal when the same is run again in the same world."""
    wrong: list[str]
    undone: Mapping[str, bool]
    """Which of its records are there after its undo; empty where there was none."""


def ran(stage: Stage) -> tuple[Mapping[str, Fact], list[str]]:
    """The facts of the step's result, and what is wrong with its run."""
    before = stage.tried(rows)
    try:
        first = stage.tried(lambda tx: _ran(stage, tx))
    except StorageError as no:
        raise Wrong(f"run() has ended or broken its transaction: {no}") from no
    wrong = list(first.wrong)
    if stage.tried(rows) != before:
        wrong.append("run() has written beside its transaction: rolled back, it left something")
    try:
        again = stage.tried(lambda tx: _ran(stage, tx))
    except Wrong as no:
        wrong.append(f"run again after it was rolled back, {no}: it remembers the first run")
    else:
        if again.shape != first.shape:
            wrong.append("run() again after it was rolled back makes something else")
    return first.made.facts, wrong


def _ran(stage: Stage, tx: EngineTx) -> Ran:
    """Run and undo under a savepoint, then look what was there before."""
    with tx.savepoint() as world:
        found = _whole(stage, tx)
        world.roll_back()
    kind = _kind(stage)
    _, ctx, _ = stage.bound(tx)
    for key, there in found.undone.items():
        was = kind.find(ctx, key) is not None
        if there and not was:
            found.wrong.append("undo() leaves what run() has made")
        if was and not there:
            found.wrong.append("undo() does not bring back what run() has taken away")
    return found


def _whole(stage: Stage, tx: EngineTx) -> Ran:
    shown = seen(stage, tx).preview.facts
    given, ctx, place = stage.bound(tx)
    kind = _kind(stage)
    plans = Plans(stage.core, tx, stage.world.who, place, rehearsing=True)
    with stage.watched() as does:
        try:
            made = perform(given, ctx, plans)
        except NotDone as no:
            raise Wrong(f"run() refuses what preview() shows: {no.says('en')}") from no
        except Exception as no:
            raise Wrong(f"run() raised {type(no).__name__}: {no}") from no
    wrong = [f"run() {what}; a Local step touches only ctx.tx" for what in does]
    found = touched(1, stage.action.makes, made)
    try:
        plans.look(found)
    except Exception as no:
        said = f"{type(no).__name__}: {no}"
        raise Wrong(f"what run() plans for later cannot be shown: {said}") from no
    kept = as_kept(made, found)
    wrong += lost(made, kept)
    wrong += _unfound(ctx, kind, found)
    wrong += _repeat(stage, given, ctx, found)
    shape = (len(found), sorted(row[3] for row in found), sorted(made.facts), plans.text() is None)
    undone: dict[str, bool] = {}
    if hasattr(stage.action, "undo") and kept["undo"] is not None:
        wrong += _undone(stage, tx, ctx, kept["undo"], shown)
        undone = {row[2]: kind.find(ctx, row[2]) is not None for row in found}
    return Ran(made, shape, wrong, undone)


def _kind(stage: Stage) -> Any:
    makes = stage.action.makes
    return None if makes is None else makes()


def as_kept(made: Made, found: list[Touched]) -> dict[str, Any]:
    """What is kept of an answer, read back."""
    kept: dict[str, Any] = json.loads(result_text(made, found))
    return kept


def lost(made: Made, kept: Mapping[str, Any]) -> Iterator[str]:
    """What cannot be kept of an answer; the step would be done and its result lost."""
    names = sorted(name for name in made.facts if name not in kept["facts"])
    if names:
        yield f"the fact {', '.join(names)} of run() cannot be kept"
    if made.undo is not None and kept["undo"] is None:
        yield "the undo data of run() is no JSON that reads back as it was, so it is not kept"


def _unfound(ctx: Ctx[Any], kind: Any, found: list[Touched]) -> Iterator[str]:
    """Whether what was made can be pointed at in the version in which it was left."""
    for _, name, key, version, _ in found:
        row = getattr(kind, "find_archived", kind.find)(ctx, key)
        if row is not None and str(kind.version(row)) != version:
            yield (
                f"run() says version {version} of a {name} and Kind.find says {kind.version(row)}:"
                " later steps and an undo would find it changed"
            )


def _repeat(stage: Stage, given: Given, ctx: Ctx[Any], found: list[Touched]) -> Iterator[str]:
    """Whether what was just made is found when the same is asked for once more."""
    action = cast("Any", stage.action)
    if hasattr(action, "similar") and found:
        kind = _kind(stage)
        alike = {str(kind.key(one.row)) for one in action.similar(given.input, ctx).matches}
        if not alike & {row[2] for row in found}:
            yield "similar() does not find what run() has just made"


def _undone(
    stage: Stage, tx: EngineTx, ctx: Ctx[Any], data: JSON, shown: Mapping[str, Fact]
) -> Iterator[str]:
    """Whether undo, given what was kept, brings back what was there before."""
    with stage.watched() as does:
        try:
            cast("Any", stage.action).undo(data, ctx)
        except Exception as no:  # noqa: BLE001 - whatever it is, it is what is wrong
            yield f"undo() right after run() raised {type(no).__name__}: {no}"
            return
    for what in does:
        yield f"undo() {what}; a Local step touches only ctx.tx"
    try:
        now = seen(stage, tx).preview.facts
    except Wrong as no:
        yield f"after undo() {no}"
        return
    if _material(now) != _material(shown):
        yield "after undo() the same step shows other facts than before: it does not restore"


def _material(facts: Mapping[str, Fact]) -> dict[str, JSON]:
    return store_facts({name: fact for name, fact in facts.items() if not fact.volatile})
