"""What a step left behind, as its undo is given it.

That the records are still as they were left the engine has checked before; undo data only names
them, so that several steps of a plan that touched the same record are taken back one by one.
"""

from semel import Input


class Left(Input):
    """The record that a step made or touched."""

    id: str


class AllLeft(Input):
    """The records that a step made or touched."""

    ids: list[str]
