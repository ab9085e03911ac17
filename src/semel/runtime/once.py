"""A call that happens once for its key: its effect and its value are one transaction."""

import inspect
import json
from collections.abc import Callable
from typing import TypeVar

from semel.domain.action import Tx
from semel.domain.canonical import RESULT_BYTES, is_whole
from semel.facts import instant_text
from semel.ports import EngineTx
from semel.runtime.core import Core

T = TypeVar("T")

KEY_MAX = 512
"""Characters of a key, and of the organization's name: room for a path with two UUIDs in it, and an
index whose entries stay small. The tables refuse a longer key too."""

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


async def once(core: Core, key: str, work: Callable[[Tx], T], org: str) -> T:
    """Run *work* as one transaction, unless the call with this key has a value already.

    Returns:
        The value, read back from its record: the same for whoever asks, now or ever after.

    Raises:
        ValueError: the key or the organization is no name, or the value no JSON. Nothing happened.
    """
    _check("key", key)
    _check("organization", org)
    if not core.store.crowded:
        row = await core.ask("calls.find", org=org, key=key)
        if row is not None:
            value: T = json.loads(str(row["result"]))
            return value
    return await core.transact("once", lambda tx: _run(core, tx, org, key, work))


def _run(core: Core, tx: EngineTx, org: str, key: str, work: Callable[[Tx], T]) -> T:
    """The value as read back. It may be run again, after a COMMIT whose answer was lost too."""
    tx.send("keys.hold", org=org, key=key)
    row = tx.one("calls.find", org=org, key=key)
    if row is not None:
        kept: T = json.loads(str(row["result"]))
        return kept
    text, value = _written(work(tx.app))
    now = instant_text(core.clock.now())
    tx.send("calls.insert", org=org, key=key, result=text, now=now)
    return value


def _check(what: str, name: object) -> None:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"The {what} of a call is text that is not blank; nothing was done.")
    if len(name) > KEY_MAX:
        raise ValueError(
            f"The {what} of a call has at most {KEY_MAX} characters, and this one has {len(name)};"
            " nothing was done. Give a digest of it."
        )
    if "\0" in name or not is_whole(name):
        raise ValueError(
            f"The {what} of a call holds a NUL or half a character, which no database keeps;"
            " nothing was done."
        )


def _written(value: T) -> tuple[str, T]:
    """The JSON text of *value*, and what it is read back as, which must be equal."""
    if inspect.iscoroutine(value):
        value.close()
        raise ValueError(
            "The function of a call is a plain one: nothing can be awaited in a transaction."
            " Nothing happened."
        )
    try:
        text = _JSON.encode(value)
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as no:
        raise ValueError(f"The value of a call is no JSON ({no}). Nothing happened.") from no
    if size > RESULT_BYTES:
        raise ValueError(
            f"The value of a call has {size} bytes as JSON, and may have {RESULT_BYTES}."
            " Nothing happened. Keep it elsewhere and return its id."
        )
    back: T = json.loads(text)
    if back != value:
        raise ValueError(
            "The value of a call would not be the same when it is read back, as a tuple or a name"
            " that is no text would not. Nothing happened."
        )
    return text, back
