"""What can go wrong, as one tree; a docstring is an error's default wording.

Expected outcomes (``Ask``, ``Report``, ``Invalid``, …) are values, not exceptions.

    SemelError
    ├── CatalogError          the programmer's, raised when the engine is built
    ├── StorageError          the database's
    │   ├── Unreachable       missing, locked, read-only, full
    │   ├── SchemaNewer       the tables are newer than this program
    │   ├── CommitUnknown     the connection was lost at the commit
    │   ├── Conflict          a constraint refused a row
    │   └── TimeLimit         a transaction took longer than it may
    │       └── Busy          it waited too long for another one
    ├── ActionError           what a handler says
    │   ├── NotDone           nothing happened, for certain
    │   └── InDoubt           it may have happened
    ├── NoCall                a model's call came without the person it is for
    └── Bug                   cannot happen; please report
"""

from collections.abc import Mapping


class SemelError(Exception):
    """Something went wrong in semel."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class CatalogError(SemelError):
    """An action or kind is declared in a way that contradicts itself."""


class StorageError(SemelError):
    """The database could not be used."""


class Unreachable(StorageError):
    """The database cannot be reached. Nothing was written."""


class CommitUnknown(StorageError):
    """The connection was lost at the commit, so it is not known whether it was written. Look."""


class SchemaNewer(StorageError):
    """The database was written by another version of semel. Use that one; nothing was changed."""


class Conflict(StorageError):
    """A constraint of the database refused the row. Nothing was written."""


class TimeLimit(StorageError):
    """A transaction took longer than it may and was rolled back. Nothing was written."""


class Busy(TimeLimit):
    """Another transaction held for too long what this one needs. Nothing was written; try again."""


class ActionError(SemelError):
    """What an action says about its own run.

    Args:
        message: a sentence for a person, or one in each language: ``{"es": …, "en": …}``.
    """

    def __init__(self, message: str | Mapping[str, str] | None = None) -> None:
        self._words = {} if message is None or isinstance(message, str) else dict(message)
        super().__init__(message if isinstance(message, str) else self._words.get("en"))

    def says(self, locale: str) -> str:
        """The sentence in a person's language, in English when there is none in theirs."""
        return self._words.get(locale, str(self))


class NotDone(ActionError):
    """The step did not happen, for certain, and left nothing behind.

    Raise it before anything left the process, or when the other side refused for certain. The
    message is read by a person, so it names the cause in plain words.
    """


class InDoubt(ActionError):
    """The step may have happened; nothing proves it either way."""


class NoCall(SemelError):
    """Nobody said whose call this is. Nothing was done."""


class Bug(SemelError):
    """This cannot happen. Please report it with the plan's number."""
