"""What a card with room draws, as data: no sentence is made here and nothing is escaped."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class State(StrEnum):
    """What a card is at; a channel draws each in its own way."""

    INVALID = "invalid"
    RUNNING_SAFE = "running_safe"
    """It runs without having asked."""
    AWAITING = "awaiting"
    RUNNING = "running"
    CANCELLING = "cancelling"
    DONE = "done"
    PARTIAL = "partial"
    IN_DOUBT = "in_doubt"
    CANCELLED_MID = "cancelled_mid"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    REJECTED = "rejected"
    UNDOING = "undoing"
    UNDONE = "undone"
    UNDO_PARTIAL = "undo_partial"
    SUPERSEDED = "superseded"
    LATER = "later"
    """It waits for its day."""


@dataclass(frozen=True, slots=True)
class Tag:
    """Words beside a step, with a symbol: ``once`` and ``mail`` and ``out``."""

    icon: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """A step in its line."""

    position: int
    mark: str
    """What became of it: ``ready``, ``done``, ``now``, ``todo``, ``failed``, ``doubt``, ``not``."""
    text: str
    heard: str = ""
    """The mark in words, for whoever does not see it."""
    once: bool = False
    """It cannot be taken back."""
    tags: tuple[Tag, ...] = ()
    changed: tuple[str, ...] = ()
    """What is no longer as it was shown, both figures of each."""
    notes: tuple[str, ...] = ()
    """What comes of it later, what it looks like, what is known of a doubt."""


@dataclass(frozen=True, slots=True)
class Group:
    """Steps that had one fate, under its name."""

    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in its column; *was* is what it was when it was shown before."""

    name: str
    value: str
    was: str | None = None
    sum: bool = False
    """The figures above it add up to it exactly."""


@dataclass(frozen=True, slots=True)
class Note:
    """A warning, or a line that says how things are."""

    icon: str
    text: str
    strong: str = ""
    warns: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column: what it holds and, where it exists, how it is called and where."""

    name: str
    label: str = ""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of one side, and whether it is another than the new one's."""

    value: str
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One fact of both sides."""

    name: str
    cells: tuple[Cell, ...]
    differs: bool


@dataclass(frozen=True, slots=True)
class Twins:
    """What exists beside what is new, the same rows in the same order; the last column is new."""

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    more: str = ""


@dataclass(frozen=True, slots=True)
class Typed:
    """Words that have to be written; *accepts* are the shortest, and the engine decides."""

    prompt: str
    hint: str
    accepts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press: ``confirm``, ``cancel``, ``retry``, ``undo`` or ``resolve``."""

    do: str
    label: str
    kind: str = "plain"
    """``plain``, ``go`` for what goes on, ``once`` for what has no way back."""
    icon: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    """What is sent beside it: the token, or the answer about a step."""
    typed: Typed | None = None
    waits: bool = False
    """Pressed already: it answers nothing."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A step that may have happened: how a person answers, and how it is sent once more."""

    answers: tuple[Button, ...]
    again: Button | None = None
    asks: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about what is missing, and answers to offer."""

    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """A record that was made or touched, with the place where it is shown."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a plan is; a segment for each step, by its mark."""

    at: int
    total: int
    text: str
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Foot:
    """The last lines."""

    expires: str = ""
    expires_at: str | None = None
    ended: str = ""
    short: str = ""
    trace: str = ""
    """Where the application tells how the plan came to be."""
    change: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A card with room, whole. Every text is one line in one language, made harmless."""

    state: State
    icon: str
    kicker: str
    title: str
    announce: str
    """One sentence for whoever does not look; empty where nothing is worth an interruption."""
    final: bool
    """Nothing more will happen by itself."""
    plan: str = ""
    aside: str = ""
    """Beside the kicker: how many steps, how far."""
    says: str = ""
    variant: str = ""
    """``duplicate``, ``typed``, ``changed``, or what else tells cards of one state apart."""
    line: bool = False
    """Nothing is asked and nothing was done: it takes one line."""
    result: bool = False
    """The title states how the world is."""
    under: str = ""
    """Of one line: what it was about."""
    progress: Progress | None = None
    steps: tuple[Step, ...] = ()
    groups: tuple[Group, ...] = ()
    totals: tuple[Figure, ...] = ()
    notes: tuple[Note, ...] = ()
    twins: tuple[Twins, ...] = ()
    why: str = ""
    strong: str = ""
    """Which steps cannot be undone."""
    questions: tuple[Asked, ...] = ()
    buttons: tuple[Button, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    made: tuple[Made, ...] = ()
    again: str = ""
    """What the person wrote, to be proposed once more."""
    newer: str = ""
    """The plan that says more, or took this one's place."""
    foot: Foot = Foot()
    words: Mapping[str, str] = field(default_factory=dict)
    """What is the same on every card: the heads of columns, what links say."""
