"""What an application declares: kinds of records, actions on them, and what an action answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any, ClassVar, Generic, Protocol, TypeAlias

from typing_extensions import TypeVar

from semel.domain.effect import Effect, Opaque
from semel.errors import CatalogError
from semel.facts import JSON, Fact

Value: TypeAlias = str | int | bytes | None
"""What a column holds. Instants are text in UTC, money is text in decimal; there is no float."""

Row: TypeAlias = Mapping[str, Value]
"""One row, by column name."""

Words: TypeAlias = Mapping[str, str]
"""One sentence per language: ``{"es": …, "en": …}``; ``{fact}`` stands for a fact of that name."""

LANGUAGES = ("es", "en")

WORDING = ("question", "button")
"""What an action may say beside ``will`` and ``did``, for a card with room."""

BUTTON_MAX = 20
"""Characters of an action's button: as many as a reply button of WhatsApp has."""


class Tx(Protocol):
    """Runs the named statements of an application inside the engine's transaction."""

    def one(self, statement: str, /, **params: Value) -> Row | None:
        """Run a statement and return its first row, or None when there is none."""

    def all(self, statement: str, /, **params: Value) -> list[Row]:
        """Run a statement and return its rows."""

    def run(self, statement: str, /, **params: Value) -> int:
        """Run a statement and return how many rows it changed."""


T = TypeVar("T", default=Tx)
R_co = TypeVar("R_co", covariant=True, default=Any)


@dataclass(frozen=True, slots=True)
class Ctx(Generic[T]):
    """What a handler may know and use: who asks, now, and the transaction it runs in."""

    tx: T
    """The engine's transaction, for Local handlers, previews and permissions."""
    org: str
    person: str
    conversation: str
    locale: str
    now: datetime
    """The database's clock, in UTC."""
    key: str
    """Stable for this step and round; give it to the other side so that it can tell repeats."""
    deadline: float
    """Seconds that ``run`` of an outside step may take."""
    new_id: Callable[[], str]
    """A fresh UUIDv7 as text."""
    later: "Later"
    """Write a plan that fires by itself; only in ``run`` of a Local step."""
    cancel_later: Callable[[str, str], int]
    """Take back the plans that wait and are about this record: ``(kind, id) -> how many``."""
    check_age: Callable[[], None]
    """For ``run`` of an outside step, where the bytes are written: raises NotDone when the mark
    on disk is too old for them to leave now."""


class Later(Protocol):
    """Writes a child plan of one step into this transaction; the same yes covers it.

    It fires at *not_before* or soon after, with the person's rights and the facts of then; what is
    no longer as it was shown then is asked and not done.
    """

    def __call__(
        self,
        action: "type[Action]",
        input: Mapping[str, JSON],
        /,
        *,
        not_before: datetime,
        not_after: datetime | None = None,
        unless: str | None = None,
    ) -> bool:
        """Plan *action* for later.

        Args:
            action: a registered action.
            input: its input, with ids and without ``$n``.
            not_before: when it fires, aware.
            not_after: after which it is not done any more, and that is said.
            unless: the name of a method ``(i, ctx) -> bool`` of the action: when it says True at
                the time, the step is not done.

        Returns:
            False, and nothing is written, when the same is planned for that instant already.
        """


class Risk(IntEnum):
    """How much a person has to say before a step may run."""

    SAFE = 0
    CONFIRM = 1
    TYPED = 2


SAFE, CONFIRM, TYPED = Risk


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that only the person can say. Nothing is assumed; the question is asked.

    Args:
        field: what is missing.
        of: whose it is, as a person would name it.
        ask: the question in every language; without it, one is made of *field* and *of*.
        stand_in: a value for the input's field of that name, with which the rehearsal goes on so
            that later steps ask their questions too. Such a plan is never kept.
        choices: answers to offer.
    """

    field: str
    of: str = ""
    ask: Words | None = None
    stand_in: object = None
    choices: tuple[str, ...] = ()


class Preview:
    """What a step will do, in figures: typed facts, and what must be asked first."""

    __slots__ = ("facts", "makes", "missing")

    def __init__(
        self, *, missing: Sequence[Missing] = (), makes: object = None, **facts: Fact
    ) -> None:
        self.missing = tuple(missing)
        self.makes = makes
        self.facts: dict[str, Fact] = dict(facts)


class Match:
    """A record that a new one looks like, with the figures that are shown beside it."""

    __slots__ = ("facts", "row")

    def __init__(self, row: object, **facts: Fact) -> None:
        self.row = row
        self.facts: dict[str, Fact] = dict(facts)


class Similar:
    """What a step looks like the repeat of: a key for what counts as alike, and its matches.

    Args:
        key: equal for two requests that look alike; not blank.
        matches: records of the kind that the action makes, made a short while ago.
    """

    __slots__ = ("key", "matches")

    def __init__(self, key: str, matches: Sequence[Match] = ()) -> None:
        self.key = key
        self.matches = tuple(matches)


class Made:
    """Proof that a step happened: the records it made or touched, an outside id, its facts.

    Args:
        rows: records of the kind that the action makes, as they are now.
        id: what the other side calls it.
        undo: what ``undo(data, ctx)`` of the action needs to take it back; None, and it cannot be.
        facts: typed facts of the result.
    """

    __slots__ = ("facts", "id", "rows", "undo")

    def __init__(
        self, *rows: object, id: str | None = None, undo: JSON = None, **facts: Fact
    ) -> None:
        self.rows = rows
        self.id = id
        self.undo = undo
        self.facts: dict[str, Fact] = dict(facts)


class Kind(Generic[R_co]):
    """A kind of record that steps may point at: the one place that turns an id into a row.

    A subclass has ``find(ctx, id) -> row | None`` (this organization's only), ``key(row)``,
    ``version(row)`` and ``label(row)``, all text. The catalog checks that they are there. It may
    have ``find_archived(ctx, id)``, which also finds what ``find`` no longer does: an undo needs it
    to bring a deleted record back.
    """

    name: ClassVar[str]

    def __init_subclass__(cls, *, name: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if name:
            cls.name = name


class Action:
    """Something that a plan's step may do.

    A subclass has a docstring (the model reads it), ``will`` and ``did`` in every language,
    ``Input``, ``preview(i, ctx)`` and ``run``; it may have ``risk(i, ctx)``. A Local action's
    ``run(i, ctx)`` is a plain function; it may have ``undo(data, ctx) -> Made`` and
    ``similar(i, ctx) -> Similar``. An outside one's ``run(i, ctx, prepared)`` is async and may have
    an async ``prepare(i, ctx)`` before it; a Checked one has an async ``check(keys, ctx) ->
    Made | None`` and, with ``void=True``, an async ``void(keys, ctx)``. The catalog checks all this
    when an engine is built.

    For a card with room it may have ``question``, a short sentence in every language
    (``"Issue the invoice for {total}"``), and ``button``, the one word of a button (``"Issue"``).
    Wherever a fact stands under its name, that is what ``names`` says in every language
    (``{"vence": {"es": "Vence", "en": "Due"}}``): in columns, beside a record that it is like, and
    where it has changed.
    """

    name: ClassVar[str]
    effect: ClassVar[Effect]
    makes: ClassVar[type[Kind[Any]] | None]
    allow: ClassVar[str]
    version: ClassVar[int]

    def __init_subclass__(
        cls,
        *,
        name: str = "",
        effect: Effect | None = None,
        makes: type[Kind[Any]] | None = None,
        allow: str = "",
        version: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        if not name:
            return
        if not allow:
            raise CatalogError(f"{name}: say who may do it, allow='…'.")
        cls.name = name
        # Nothing declared means that nothing can be asked afterwards: the careful default.
        cls.effect = Opaque() if effect is None else effect
        cls.makes = makes
        cls.allow = allow
        cls.version = version


Allow: TypeAlias = Callable[[Ctx[Any], str, Sequence[object]], bool]
"""May this person do what needs this permission, to these records? Asked at preview, at the yes
and again at each step."""


def wording_of(action: object) -> Mapping[str, Words]:
    """What an action declares for a card with room, by name; a fact's name is ``fact.<name>``."""
    said = {name: getattr(action, name) for name in WORDING if hasattr(action, name)}
    names: Mapping[str, Words] = getattr(action, "names", {})
    return said | {f"fact.{name}": words for name, words in names.items()}
