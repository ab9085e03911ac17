"""The named statements, one function each: ``plans.find`` is :func:`find` in ``plans.py``.

A noun may go on in a second file, such as ``plans_owned.py``. Each function does to its tables what
the statement of the same name does in SQL, where the reason for it is told; the contract suite and
a fuzz hold the two equal.
"""

from collections.abc import Mapping
from types import FunctionType, ModuleType

from semel.storage.memory.statements import (
    attempts,
    calls,
    confirmations,
    database,
    effects,
    events,
    figures,
    gone,
    keys,
    plans,
    plans_ended,
    plans_owned,
    steps,
)
from semel.storage.memory.tables import Statement


def _named(*modules: ModuleType) -> Mapping[str, Statement]:
    return {
        f"{module.__name__.rpartition('.')[2].partition('_')[0]}.{name}": function
        for module in modules
        for name, function in vars(module).items()
        if isinstance(function, FunctionType)
        and function.__module__ == module.__name__
        and not name.startswith("_")
    }


STATEMENTS = _named(
    attempts, calls, confirmations, database, effects, events, figures, gone, keys, plans,
    plans_ended, plans_owned, steps,
)  # fmt: skip
