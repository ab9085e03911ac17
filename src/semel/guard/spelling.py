"""The sends of a guarded call as they are stored: one text, in every store."""

from collections.abc import Sequence

from semel.domain.canonical import compact, kept
from semel.domain.doubt import Attempt
from semel.facts import JSON


def sends_text(sends: Sequence[Attempt]) -> str:
    """Sends as they are stored."""
    if not sends:
        return "[]"
    many: list[JSON] = [
        [
            send.id, send.round, send.key, send.sent_by, send.opened_at, send.settles_at,
            send.outcome, send.returned_at,
        ]
        for send in sends
    ]  # fmt: skip
    return compact(many)


def read_sends(text: str) -> tuple[Attempt, ...]:
    """The inverse of :func:`sends_text`."""
    if text == "[]":
        return ()
    return tuple(
        Attempt(id, round_, key, sent_by, opened_at, settles, "", outcome, returned_at)
        for id, round_, key, sent_by, opened_at, settles, outcome, returned_at in kept(text)
    )
