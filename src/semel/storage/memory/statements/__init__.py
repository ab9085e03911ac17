"""The named statements, one function each: ``plans.press`` is :func:`press` in ``plans.py``.

Each does to its tables what the statement of the same name does in SQL, where the reason for it is
told; the contract suite and a fuzz hold the two equal.
"""

from collections.abc import Mapping
from types import FunctionType, ModuleType

from semel.storage.memory.statements import (
    attempts,
    confirmations,
    effects,
    events,
    keys,
    plans,
    steps,
)
from semel.storage.memory.tables import Statement


def _named(*nouns: ModuleType) -> Mapping[str, Statement]:
    return {
        f"{noun.__name__.rpartition('.')[2]}.{name}": function
        for noun in nouns
        for name, function in vars(noun).items()
        if isinstance(function, FunctionType)
        and function.__module__ == noun.__name__
        and not name.startswith("_")
    }


STATEMENTS = _named(attempts, confirmations, effects, events, keys, plans, steps)
