"""Where an action is looked at: an engine on a file of its own, an example input, a transaction."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from semel.catalog import Parsed
from semel.domain.action import Action, Allow, Ctx
from semel.domain.plan import Who
from semel.errors import Bug
from semel.facts import JSON
from semel.open import Engine
from semel.ports import EngineTx
from semel.runtime.core import Core
from semel.runtime.invoke import Given, Place, bind, context
from semel.testing.checks.example import NoExample, example
from semel.testing.checks.far import Outside
from semel.testing.checks.watch import CONNECTS, watched
from semel.testing.clock import MovableClock

T = TypeVar("T")

BEGIN = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)
SENDS = "sends a request"

PLAN = "p_check"
"""The plan in whose name handlers are called; none of this number is ever written."""


def everything(ctx: Ctx[Any], permission: str, records: Sequence[object]) -> bool:
    """Everybody may do everything."""
    del ctx, permission, records
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What an action needs around it to be tried.

    Args:
        given: the example input; or ``given(engine) -> input``, which first makes the records that
            the input refers to, by ``engine.sync``. Without it an input is made up from the schema.
        sql: folder of the application's named statements and migrations, as for an engine.
        beside: other actions that the engine knows: what it plans for later, what ``given`` uses.
        allow: the application's permissions; by default everybody may do everything.
        who: who acts.
        far: the other side of an outside action, to which it sends.
        at: the instant that its clock shows.
    """

    given: Mapping[str, JSON] | Callable[[Engine], Mapping[str, JSON]] | None = None
    sql: Path | None = None
    beside: Sequence[Action] = ()
    allow: Allow = everything
    who: Who = field(default_factory=lambda: Who("org", "person", "main"))
    far: Outside | None = None
    at: datetime = BEGIN


class Wrong(Exception):
    """Nothing more can be looked at; the argument is the sentence that says why."""


class _TakenBack(Exception):
    """Carries what was found out of a transaction that is rolled back."""

    def __init__(self, found: object) -> None:
        super().__init__()
        self.found = found


@dataclass(frozen=True, slots=True)
class Stage:
    """An action in its world, with the example as stored."""

    action: Action
    world: World
    folder: Path
    clock: MovableClock
    engine: Engine
    stored: str
    raw: Mapping[str, JSON]

    @property
    def core(self) -> Core:
        """The engine's parts: what a check calls is what a plan calls."""
        return self.engine._core  # noqa: SLF001 - it may look at every part

    @contextmanager
    def watched(self) -> Iterator[list[str]]:
        """Note what is done inside the block; it is whole when the block has ended."""
        far = self.world.far
        before = far.asked if far is not None else 0
        with watched() as does:
            yield does
        if far is not None and far.asked > before and CONNECTS not in does:
            # Where the other side is an object of the test, nothing but its own count tells.
            does.append(SENDS)

    def bound(self, tx: EngineTx, plan: str = PLAN) -> tuple[Given, Ctx[Any], Place]:
        """The example with fresh records, and the context of the only step of a plan."""
        who = self.world.who
        ctx = context(self.core, tx.app, who, plan, 1, 1, tx.now())
        place = Place(who.org, plan, 1, [], {})
        return bind(self.core, self.action, self.stored, ctx, place), ctx, place

    def tried(self, work: Callable[[EngineTx], T]) -> T:
        """What *work* finds in a transaction that is then taken back."""

        def taken_back(tx: EngineTx) -> None:
            raise _TakenBack(work(tx))

        try:
            self.core.store.transact(taken_back)
        except _TakenBack as kept:
            return cast("T", kept.found)
        raise Bug("What was tried was kept.")


@contextmanager
def staged(action: Action, world: World, folder: Path) -> Iterator[Stage]:
    """Make the world and open an engine on it.

    Raises:
        Wrong: there is no example, or it is none.
        CatalogError: the action contradicts what it declares.
    """
    clock = MovableClock(world.at)
    raw = _given(action, world, folder, clock)
    engine = _engine(action, world, folder, clock)
    try:
        engine.migrate()
        parsed = engine._core.catalog.parse(action.name, dict(raw), "input")  # noqa: SLF001 - as above
        if not isinstance(parsed, Parsed):
            said = "; ".join(f"{no.where}: {no.code} {no.detail}".strip() for no in parsed)
            raise Wrong(f"the example is not an input of it ({said})")
        yield Stage(action, world, folder, clock, engine, parsed.stored, raw)
    finally:
        engine.close()


def _given(action: Action, world: World, folder: Path, clock: MovableClock) -> Mapping[str, JSON]:
    # Opened in any case: what the action declares is checked before its input is asked for.
    engine = _engine(action, world, folder, clock)
    try:
        if callable(world.given):
            with engine.sync:
                return world.given(engine)
    finally:
        engine.close()
    if world.given is not None:
        return world.given
    try:
        return example(cast("Any", action).Input.model_json_schema())
    except NoExample as no:
        raise Wrong(f"no example can be made up for it, since {no}: give World(given=…)") from no


def _engine(action: Action, world: World, folder: Path, clock: MovableClock) -> Engine:
    return Engine(
        f"sqlite:///{folder / 'books.db'}",
        [action, *world.beside],
        allow=world.allow,
        sql=world.sql,
        key_file=folder / "key",
        clock=clock,
    )


def changes(tx: EngineTx) -> int:
    """How many rows this connection has ever written, those taken back included."""
    return int(_connection(tx).total_changes)


def rows(tx: EngineTx) -> dict[str, list[str]]:
    """Every row of every table, semel's own included."""
    connection = _connection(tx)
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        table["name"]: sorted(
            repr(row)
            for row in connection.execute(f'SELECT * FROM "{table["name"]}"')  # noqa: S608 - its own names
        )
        for table in tables
    }


def _connection(tx: EngineTx) -> Any:
    return cast("Any", tx)._connection  # noqa: SLF001 - it may look at every part
