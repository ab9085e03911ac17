"""Older copies of a database, made at every moment of a plan's life and put back when it is over.

The life goes on to its end while copies are made, as an operator makes them: SQLite's through its
backup, PostgreSQL's by pg_dump. Each copy is then put back beside the world in which everything has
happened, in a process that knows nothing of the first, and is held to what happened.
"""

import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import pedidos
from crash_world import Mundo, Ways, WorldClock
from cut_lives import armed
from dudas import KEYS, Process
from lives import CARTA, CREAR, SETTLES, Life, Pedidos, lives

import stores
from semel import Engine, Report
from semel.domain.doubt import DidNot, Happened
from semel.domain.plan import StepState
from semel.domain.report import Refused
from semel.runtime.points import SENDS
from semel.testing import Postgres
from semel.testing._programs import as_somebody, give, run

TOKENS = ("confirm", "retry", "undo")


@dataclass
class Books:
    """A database in its folder, and how a copy of it is made and put back."""

    folder: Path
    server: Postgres | None = None
    name: str = "books"

    @property
    def url(self) -> str:
        if self.server is None:
            return f"sqlite:///{self.folder / self.name}.db"
        return self.server.at(self.name)

    @property
    def is_told(self) -> bool:
        """Whether a copy of it can be told from the original."""
        return self.server is not None

    def make(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.server is not None:
            self.server.database(self.name)

    def dump(self, path: Path) -> None:
        """What is committed by now, as a file."""
        if self.server is None:
            with (
                closing(sqlite3.connect(self.folder / f"{self.name}.db")) as books,
                closing(sqlite3.connect(path)) as copy,
            ):
                books.backup(copy)
            return
        self._program("pg_dump", "--format=custom", "--compress=0", f"--file={path}", self.url)

    def restore(self, path: Path) -> None:
        """Put a copy back."""
        self.make()
        if self.server is None:
            shutil.copyfile(path, self.folder / f"{self.name}.db")
        else:
            self._program("pg_restore", f"--dbname={self.url}", str(path))

    def drop(self) -> None:
        if self.server is not None:
            stores.hang_up(self.url)
            self.server.drop(self.name)

    def _program(self, name: str, *arguments: str) -> None:
        assert self.server is not None
        program = [str(self.server.bin / name), *arguments]
        done = subprocess.run(program, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def rows(self, text: str, *params: object) -> list[tuple[object, ...]]:
        return stores.rows(self.url, text, *params)


class Past(Pedidos):
    """A life that is lived on a database of its own."""

    def __init__(self, life: Pedidos) -> None:
        plain = (life.name, life.template, life.steps, life.ways, life.patience)
        super().__init__(*plain, dark=life.dark, sends_anyway=life.sends_anyway)

    @asynccontextmanager
    async def on(
        self, books: Books, world: Path, name: str, ways: Ways | None = None
    ) -> AsyncIterator[Life]:
        """A process of that name; what it sends arrives in *world*."""
        clock = WorldClock(world)
        mundo = Mundo(world, clock, self.ways if ways is None else ways)
        mundo.goes |= {f"{action}?": "dark" for action in self.dark}
        engine = Engine(
            books.url, pedidos.actions(mundo), allow=pedidos.allow, sql=pedidos.SQL,
            keys=KEYS, clock=clock, host=Process(name),
        )  # fmt: skip
        if books.server is None:
            # No power is cut here.
            engine._core.store._connection.execute("PRAGMA synchronous = OFF")
        await engine.start(sweeps=False)
        try:
            yield Life(engine, mundo, clock, self.patience, self.dark, self.sends_anyway)
        finally:
            mundo.released.set()
            await engine.stop()


class Files(Books):
    """A server whose own files are copied, as pg_basebackup does it."""

    is_told = False

    def dump(self, path: Path) -> None:
        """The files of the whole server, while it runs."""
        assert self.server is not None
        path.mkdir(mode=0o700)
        give(path)
        run(
            *as_somebody(), str(self.server.bin / "pg_basebackup"), "--pgdata", str(path / "data"),
            "--checkpoint=fast", "--dbname", self.server.url,
        )  # fmt: skip


@dataclass
class Copy:
    """A copy, and the moment at which it was made."""

    moment: str
    path: Path


@dataclass
class Dumper:
    """Makes a copy at each chosen moment of a life."""

    books: Books
    folder: Path
    wanted: Callable[[int], bool]
    copies: list[Copy] = field(default_factory=list)
    passed: int = 0

    def __call__(self, point: str) -> None:
        kind, _, when = point.rpartition(":")
        moment = kind.startswith("commit:") or kind in SENDS
        if not moment or when != "after" or kind == "commit:app":
            return
        self.passed += 1
        if self.wanted(self.passed):
            path = self.folder / f"{self.passed}.copy"
            self.books.dump(path)
            self.copies.append(Copy(f"{self.passed} {point}", path))


async def lived(life: Past, books: Books, world: Path, dumper: Dumper) -> dict[str, set[str]]:
    """Live the whole life while copies are made; every token that was ever out."""
    tokens: dict[str, set[str]] = {name: set() for name in TOKENS}
    async with life.on(books, world, "uno") as one:
        person = type(one.person)
        with noted(person, tokens), armed(dumper):
            await life.lives(one)
    return tokens


class noted:
    """Keep the tokens that a person's session is given, whatever becomes of them."""

    def __init__(self, person: type, tokens: Mapping[str, set[str]]) -> None:
        self.person = person
        self.tokens = tokens

    def __enter__(self) -> None:
        self.plain = {name: getattr(self.person, name) for name in TOKENS}
        for name in TOKENS:
            setattr(self.person, name, self._noting(name))

    def _noting(self, name: str) -> Callable[..., object]:
        plain, tokens = self.plain[name], self.tokens[name]

        def verb(face: object, token: str, *more: object) -> object:
            tokens.add(token)
            return plain(face, token, *more)

        return verb

    def __exit__(self, *_: object) -> None:
        for name, plain in self.plain.items():
            setattr(self.person, name, plain)


@dataclass
class Finding:
    """What was wrong with what was done or said on a copy."""

    wrong: list[str] = field(default_factory=list)
    open: int = 0
    """Plans that were open in the copy, with something outside left."""
    doubted: int = 0
    """Of those, how many ended in doubt, with each such step in doubt."""
    answered: int = 0
    """Of those, how many a person could answer for until nothing was in doubt."""


def opened(books: Books) -> dict[str, str]:
    """The plans of a copy that are open and have something outside left, and their states."""
    rows = books.rows(
        "SELECT DISTINCT p.plan, p.state FROM semel_plans AS p"
        " JOIN semel_steps AS s ON s.org = p.org AND s.plan = p.plan"
        " WHERE s.effect <> 'local' AND p.cancelled_at IS NULL"
        " AND ((p.state <> 'ended' AND s.state IN ('waiting', 'started')) OR s.state = 'in_doubt')"
        " AND NOT (p.kind = 'later' AND p.at = 0 AND p.owner IS NULL AND p.resume_after > ?)",
        "2026-10-19T23:00:00.000000Z",
    )
    return {str(plan): str(state) for plan, state in sorted(rows)}


async def put_back(
    life: Past, books: Books, world: Path, tokens: Mapping[str, set[str]]
) -> Finding:
    """Fence a copy that was put back, do everything that might repeat something, and compare."""
    found = Finding()
    was_open = opened(books)
    found.open = len(was_open)
    async with life.on(books, world, "dos") as one:
        before = arrivals(one.mundo)
        if books.is_told:
            await _refuses(life, one, books, before, tokens, found)
        await one.engine.fence("the test")
        found.doubted = sum(_is_in_doubt(books, *one) for one in was_open.items())
        if one.engine._core.store.closed is not None:
            found.wrong.append(f"still closed: {one.engine._core.store.closed}")
        await _repeats(life, one, tokens)
        if arrivals(one.mundo) != before:
            found.wrong.append(f"sent again: {arrivals(one.mundo) - before}")
        found.wrong += _false(one, books, was_open)
        one.clock.move(SETTLES)
        await one.engine.sweep()
        await one.engine.settle()
        if arrivals(one.mundo) != before:
            found.wrong.append(f"sent again by a sweep: {arrivals(one.mundo) - before}")
        for plan in was_open:
            found.answered += await _answers(one, plan)
        again = [key for key, count in arrivals(one.mundo).items() if count > 1]
        found.wrong += [f"arrived twice in the end: {key}" for key in again]
        found.wrong += _false(one, books, was_open)
    return found


def arrivals(mundo: Mundo) -> Counter[str]:
    """How often each action's effect has arrived."""
    return Counter(line["action"] for line in mundo.lines() if line["verb"] == "arrived")


async def _refuses(
    life: Past,
    one: Life,
    books: Books,
    before: object,
    tokens: Mapping[str, set[str]],
    found: Finding,
) -> None:
    """Before the fence, a database that is elsewhere sends nothing and says so."""
    if one.engine._core.store.closed is None:
        found.wrong.append("It opened as if it were where it was.")
    await _repeats(life, one, tokens)
    new = await one.asks([CREAR, CARTA], message="m-new")
    if not (isinstance(new, Refused) and str(new.why) == "sends_off"):
        found.wrong.append(f"A new plan was {type(new).__name__}.")
    if arrivals(one.mundo) != before:
        found.wrong.append("Something was sent before the fence.")


async def _repeats(life: Past, one: Life, tokens: Mapping[str, set[str]]) -> None:
    """Sweep, and repeat the message, every token, and whatever is offered."""
    for _ in range(2):
        await one.engine.sweep()
        await one.engine.settle()
        outcome = await one.asks(life.steps)
        for token in tokens["confirm"]:
            await one.person.confirm(token)
        for token in tokens["retry"]:
            await one.person.retry(token)
        for token in tokens["undo"]:
            await one.person.undo(token)
        view = getattr(outcome, "view", None)
        if view is not None:
            now = await one.person.status(view.plan)
            if isinstance(now, Report) and now.retry_token:
                await one.person.retry(now.retry_token)
        await one.engine.settle()


def _is_in_doubt(books: Books, plan: str, was: str) -> bool:
    """Whether a plan ended in doubt, and each outside step of it that may have been sent is."""
    reason = books.rows("SELECT state, reason FROM semel_plans WHERE plan = ?", plan)
    left = books.rows(
        "SELECT state FROM semel_steps WHERE plan = ? AND effect <> 'local' AND state <> 'done'",
        plan,
    )
    # What comes after a doubt was not reached while it was open.
    allowed = {"in_doubt", "not_done"} if was == "ended" else {"in_doubt"}
    return reason == [("ended", "in_doubt")] and {state for (state,) in left} <= allowed


def _false(one: Life, books: Books, was_open: Mapping[str, str]) -> list[str]:
    """What is said of an outside step and is not so.

    A plan that had ended as not done in the copy stays so, although it may have been retried since:
    that is why it is not offered to be retried again.
    """
    rows = books.rows("SELECT plan, action, state FROM semel_steps WHERE effect <> 'local'")
    said: dict[str, set[str]] = {}
    for plan, action, state in rows:
        if plan in was_open or state != "not_done":
            said.setdefault(str(action), set()).add(str(state))
    wrong = []
    for action, states in said.items():
        if "done" in states and not one.mundo.has(action):
            wrong.append(f"{action} is said to be done and is not there")
        if states & {"started", "waiting"}:
            wrong.append(f"{action} is said to be {states}")
        if states == {"not_done"} and one.mundo.has(action):
            wrong.append(f"{action} is said to be not done and is there")
    return wrong


async def _answers(one: Life, plan: str) -> bool:
    """A person looks at the world and answers each doubt; then has done what is left."""
    for _ in range(8):
        outcome = await one.person.status(plan)
        if not isinstance(outcome, Report):
            return False
        doubts = [step for step in outcome.view.steps if step.state is StepState.IN_DOUBT]
        if not doubts:
            break
        outcome.card("es").text()
        for step in doubts:
            if one.mundo.has(step.action):
                await one.person.resolve(plan, step.position, Happened())
            else:
                settled = step.doubt is not None and step.doubt.settled
                answer = DidNot(outcome.view.epoch, settled=settled)
                await one.person.resolve(plan, step.position, answer)
    outcome = await one.person.status(plan)
    if isinstance(outcome, Report) and outcome.retry_token:
        await one.person.retry(outcome.retry_token)
        await one.engine.settle()
    outcome = await one.person.status(plan)
    view = getattr(outcome, "view", None)
    return view is not None and all(s.state is not StepState.IN_DOUBT for s in view.steps)


def pasts(template: Path) -> Sequence[Past]:
    """The lives of which copies are made."""
    return [Past(life) for life in lives(template)]
