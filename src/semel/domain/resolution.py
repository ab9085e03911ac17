"""References: how ``$1`` in a step points at what an earlier step makes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

REFERENCE = re.compile(r"\$([1-9][0-9]?)")


@dataclass(frozen=True, slots=True)
class Pointer:
    """A reference as a step's input holds it: where, to which kind, and its text.

    Args:
        path: dotted path inside the input, ``lineas.0.factura``.
        kind: name of the Kind that the field takes.
        text: ``$1``, or the id of a record.
    """

    path: str
    kind: str
    text: str

    @property
    def position(self) -> int | None:
        """The step it points at, or None when it is a record's id."""
        found = REFERENCE.fullmatch(self.text)
        return int(found.group(1)) if found else None


class Fault(StrEnum):
    """What is wrong with a reference."""

    FORWARD = "reference_forward"
    """It points at itself or at a later step."""
    MAKES_NOTHING = "reference_makes_nothing"
    """The step it points at makes no record."""
    WRONG_KIND = "reference_wrong_kind"
    """The step it points at makes a record of another kind."""
    MALFORMED = "reference_malformed"
    """It begins with ``$`` and is not a step's number."""


def check(position: int, pointer: Pointer, makes: Sequence[str | None]) -> Fault | None:
    """What is wrong with a pointer of the step at *position* (from 1), or None.

    Args:
        position: the step that holds the pointer.
        pointer: the reference.
        makes: for each step of the plan, the name of the Kind it makes, or None.
    """
    target = pointer.position
    if target is None:
        return Fault.MALFORMED if pointer.text.startswith("$") else None
    if target >= position:
        return Fault.FORWARD
    made = makes[target - 1]
    if made is None:
        return Fault.MAKES_NOTHING
    if made != pointer.kind:
        return Fault.WRONG_KIND
    return None
