"""What a library of books would write, under ``mypy --strict``: it is checked and never run."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol, assert_never, assert_type

from semel import (
    CONFIRM,
    SAFE,
    Action,
    Ask,
    Ctx,
    Engine,
    Input,
    Invalid,
    Keyring,
    Kind,
    Line,
    Local,
    Made,
    Missing,
    NotDone,
    Number,
    Opaque,
    Outcome,
    Preview,
    Ref,
    Refused,
    Report,
    Risk,
    Row,
    Running,
    Tx,
    Who,
    clear_yes,
)
from semel.facts import JSON, Count, Date, Email, Fact, Money, Text


@dataclass(frozen=True)
class Reader:
    card: str
    email: str


@dataclass(frozen=True)
class Loan:
    id: str
    title: str
    reader: Reader
    due: date
    version: int


class Readers(Kind[Reader], name="reader"):
    """Somebody with a card."""

    def find(self, ctx: Ctx, id: str) -> Reader | None:
        row = ctx.tx.one("readers.get", org=ctx.org, card=id)
        assert_type(row, Row | None)
        return None if row is None else Reader(id, str(row["email"]))

    def key(self, row: Reader) -> str:
        return row.card

    def version(self, row: Reader) -> str:
        return row.email

    def label(self, row: Reader) -> str:
        return row.card


class Loans(Kind[Loan], name="loan"):
    """A book that a reader has at home."""

    def find(self, ctx: Ctx, id: str) -> Loan | None:
        assert_type(ctx.tx.all("loans.of_reader", org=ctx.org), list[Row])
        return None

    def key(self, row: Loan) -> str:
        return row.id

    def version(self, row: Loan) -> str:
        return str(row.version)

    def label(self, row: Loan) -> str:
        return row.title


class Lending(Input):
    reader: Ref[Readers]
    title: Line
    deposit: Number
    weeks: int = 3


class OneLoan(Input):
    loan: Ref[Loans]
    copies_to: list[Ref[Readers]]


class Lend(Action, name="loan.lend", effect=Local(), makes=Loans, allow="loans.lend"):
    """Lend a book to a reader."""

    will = {"es": "Prestar {titulo} hasta {hasta}", "en": "Lend {titulo} until {hasta}"}
    did = {"es": "{titulo} prestado", "en": "{titulo} lent"}
    Input = Lending

    def risk(self, i: Lending, ctx: Ctx) -> Risk:
        return SAFE if i.weeks <= 3 else CONFIRM

    def preview(self, i: Lending, ctx: Ctx) -> Preview:
        assert_type(i.reader.row, Reader)
        assert_type(i.reader.id, str)
        if not i.reader.row.email:
            return Preview(missing=[Missing("email", of=i.reader.row.card, choices=("none",))])
        return Preview(titulo=Text(i.title), hasta=Date(ctx.now.date()), fianza=Money(i.deposit))

    def run(self, i: Lending, ctx: Ctx) -> Made:
        changed = ctx.tx.run("loans.add", org=ctx.org, id=ctx.new_id(), card=i.reader.row.card)
        assert_type(changed, int)
        if not changed:
            raise NotDone({"es": "Ya está prestado.", "en": "It is lent already."})
        loan = Loan(ctx.new_id(), i.title, i.reader.row, ctx.now.date(), 1)
        return Made(loan, i.reader.row, titulo=Text(i.title), semanas=Count(i.weeks))


class Letters(Protocol):
    async def send(self, to: str, text: str, *, deadline: float, key: str) -> str: ...


class Remind(Action, name="loan.remind", effect=Opaque(deadline=30), allow="loans.remind"):
    """Write to a reader that a book is due."""

    will = {"es": "Avisar a {para}", "en": "Remind {para}"}
    did = {"es": "Avisado {para}", "en": "Reminded {para}"}
    Input = OneLoan

    def __init__(self, letters: Letters) -> None:
        self.letters = letters

    def preview(self, i: OneLoan, ctx: Ctx) -> Preview:
        assert_type(i.loan.row, Loan)
        assert_type(i.loan.row.reader.email, str)
        assert_type([copy.row for copy in i.copies_to], list[Reader])
        return Preview(para=Email(i.loan.row.reader.email))

    async def prepare(self, i: OneLoan, ctx: Ctx) -> str:
        return f"{i.loan.row.title} is due on {i.loan.row.due}."

    async def run(self, i: OneLoan, ctx: Ctx, text: str) -> Made:
        to = i.loan.row.reader.email
        sent = await self.letters.send(to, text, deadline=ctx.deadline, key=ctx.key)
        return Made(id=sent, para=Email(to))


def may(ctx: Ctx, permission: str, records: Sequence[object]) -> bool:
    return ctx.tx.one("staff.get", org=ctx.org, person=ctx.person) is not None


@dataclass
class Session:
    user: str


def of_a_lent_session(ctx: Ctx[Session]) -> str:
    return assert_type(ctx.tx, Session).user


def told(outcome: Outcome) -> str:
    assert_type(outcome.replayed, bool)
    assert_type(outcome.for_model("en").plain(), dict[str, JSON])
    match outcome:
        case Ask(token=token, view=view):
            assert_type(token, str | None)
            return assert_type(view.plan, str)
        case Running(view=view) | Report(view=view):
            assert_type(view.steps[0].facts["titulo"], Fact)
            return outcome.card("es").text()
        case Invalid(questions=questions):
            return assert_type(questions, tuple[Missing, ...])[0].field
        case Refused(why=why):
            return why
        case _:
            assert_never(outcome)


async def lend(folder: Path, letters: Letters, keys: Keyring) -> None:
    engine = Engine(
        "sqlite:///loans.db", [Lend(), Remind(letters)], allow=may, sql=folder, keys=keys
    )
    who = Who("library", "ana", "desk", "es")
    async with engine:
        asked = await engine.agent.act(who, {"steps": []}, message="m-1")
        assert_type(asked, Outcome)
        if isinstance(asked, Ask) and asked.token is not None:
            assert_type(await engine.person(who).confirm(asked.token), Outcome)
        assert_type(await engine.person(who).says("sí", message="m-2"), Outcome)
        assert_type(await engine.read(lambda tx: tx.one("staff.get")), Row | None)
        assert_type(engine.agent.schema(), dict[str, JSON])


def lend_blocking(engine: Engine, who: Who) -> str:
    with engine.sync as face:
        assert_type(face.agent.act(who, "{}", message="m-1"), Outcome)
        assert_type(face.person(who).confirm("smlc_…", words="3"), Outcome)
        return told(face.person(who).says("yes"))


def count(tx: Tx) -> int:
    return len(tx.all("loans.open"))


def answers(engine: Engine) -> tuple[str, int]:
    return assert_type(clear_yes("sí, por favor"), str), assert_type(engine.sync.read(count), int)
