"""What is shown before the yes: it writes nothing, and is the same at each look."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from semel.domain.action import LANGUAGES, Words
from semel.errors import Bug, NotDone, StorageError
from semel.facts import Fact, store_facts
from semel.ports import EngineTx
from semel.runtime.invoke import Seen, see
from semel.testing.checks.stage import Stage, Wrong, changes

WRITES = "preview() writes to the database; only run() may"

PLACE = re.compile(r"\{([^\W\d]\w*)\}")


def seen(stage: Stage, tx: EngineTx) -> Seen:
    """What the step shows.

    Raises:
        Wrong: it shows nothing of this example.
    """
    try:
        given, ctx, place = stage.bound(tx)
        found = see(given, ctx, place)
    except NotDone as no:
        raise Wrong(f"preview() refuses the example: {no.says('en')}") from no
    except Exception as no:
        raise Wrong(f"preview() raised {type(no).__name__}: {no}") from no
    if found.preview.missing:
        fields = ", ".join(missing.field for missing in found.preview.missing)
        raise Wrong(f"preview() asks the example for {fields}: give a whole one")
    return found


def looked(stage: Stage) -> tuple[Mapping[str, Fact], list[str]]:
    """The facts that the step shows, and what is wrong with showing them."""
    shown, wrong = stage.tried(lambda tx: _looked(stage, tx))
    try:
        # Here a statement that would write is refused, even one that finds nothing to change.
        stage.core.store.read(lambda tx: seen(stage, tx))
    except Wrong as no:
        if isinstance(no.__cause__, Bug | StorageError):
            wrong.append(WRITES)
    return shown, wrong


def _looked(stage: Stage, tx: EngineTx) -> tuple[Mapping[str, Fact], list[str]]:
    wrong: list[str] = []
    before = changes(tx)
    with stage.watched() as does:
        first = seen(stage, tx)
    wrong += [f"preview() {what}; it may only read through ctx.tx" for what in does]
    if changes(tx) != before:
        wrong.append(WRITES)
    # A moment later nothing has happened, so that nothing else may be shown.
    stage.clock.move(seconds=1)
    second = seen(stage, tx)
    wrong += _unlike(first, second)
    wrong += _similar(stage, tx)
    return first.preview.facts, wrong


def _unlike(first: Seen, second: Seen) -> Iterator[str]:
    """What is another the second time, though nothing has happened."""
    was, now = (store_facts(one.preview.facts) for one in (first, second))
    names = sorted(name for name in {*was, *now} if was.get(name) != now.get(name))
    material = [name for name in names if not _volatile(was.get(name)) or name not in now]
    if first.risk != second.risk:
        yield f"risk() is {first.risk.name} at one look and {second.risk.name} at the next"
    if first.digest != second.digest:
        what = f"the fact {', '.join(material)}" if material else "what its references give"
        yield f"{what} is another at each look, so that every yes would be to something else"


def _volatile(stored: Any) -> bool:
    return isinstance(stored, dict) and bool(stored.get("volatile"))


def _similar(stage: Stage, tx: EngineTx) -> Iterator[str]:
    action = cast("Any", stage.action)
    if hasattr(action, "similar"):
        given, ctx, _ = stage.bound(tx)
        keys = {action.similar(given.input, ctx).key for _ in range(2)}
        if len(keys) > 1:
            yield "similar() gives another key at each call, so that it finds no repeat"


def unfilled(name: str, words: Words, facts: Mapping[str, Fact], of: str) -> Iterator[str]:
    """The places of a sentence for which there is no fact, in each language."""
    for language in LANGUAGES:
        lacking = [one for one in PLACE.findall(words[language]) if one not in facts]
        if lacking:
            places = ", ".join(f"{{{one}}}" for one in lacking)
            yield f"{name}[{language!r}] has {places}, which is no fact of {of}"
