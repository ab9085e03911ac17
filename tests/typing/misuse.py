# mypy: ignore-errors
# ruff: noqa: B018, F841 - every marked line is a mistake, that is what they are here for
"""Mistakes that a user of the library could make, each with what mypy says about it.

The first line keeps this file out of an ordinary run; ``test_types.py`` takes it away. ``# E: code
words`` means that mypy reports that code on this line, in a message that holds those words.
"""

from decimal import Decimal

from api import Lend, Lending, Loan, Loans, OneLoan, Readers, may

from semel import (
    Action,
    Ask,
    Ctx,
    Engine,
    Input,
    Keyring,
    Local,
    Made,
    Missing,
    Opaque,
    Outcome,
    Preview,
    Ref,
    Tx,
    Who,
)
from semel.facts import Count, Date, Money, Text


def rows_have_their_type(i: OneLoan, lending: Lending) -> None:
    i.loan.row.number  # E: attr-defined "Loan" has no attribute "number"
    wrong: Loan = lending.reader.row  # E: assignment expression has type "Reader"
    i.loan.row = i.loan.row  # E: misc read-only


def references_take_their_kind(loans: Ref[Loans]) -> Ref[Readers]:
    return loans  # E: return-value got "Ref[Loans]"


class Book(Input):
    loan: Ref[Loan]  # E: type-var must be a subtype of "Kind[Any]"


def facts_are_facts(price: float, day: str) -> Preview:
    Money(price)  # E: arg-type expected "Decimal"
    Money(Decimal(1), 2)  # E: arg-type expected "str"
    Date(day)  # E: arg-type expected "date"
    Count("3")  # E: arg-type expected "int"
    Text("x", True)  # E: call-arg Too many positional arguments
    Preview(missing="email")  # E: arg-type expected "Sequence[Missing]"
    Missing("email", choices="none")  # E: arg-type expected "tuple[str, ...]"
    return Preview(total=Decimal(1))  # E: arg-type expected "Fact"


def a_proof_holds_facts_and_a_text(loan: Loan) -> Made:
    Made(loan, id=7)  # E: arg-type expected "str | None"
    return Made(loan, titulo=loan.title)  # E: arg-type expected "Fact"


# A Local effect has no deadline of its own; an effect is a value; a kind is a class.
class Renew(Action, name="renew", effect=Local(deadline=5)):  # E: call-arg "deadline"
    pass


class Return(Action, name="return", effect=Opaque):  # E: arg-type expected "Effect | None"
    pass


class Lose(Action, name="lose", makes=Loans()):  # E: arg-type expected "type[Kind[Any]] | None"
    pass


def a_transaction_runs_names_with_values(tx: Tx, loan: Loan) -> None:
    tx.commit()  # E: attr-defined "Tx" has no attribute "commit"
    tx.execute("SELECT 1")  # E: attr-defined "Tx" has no attribute "execute"
    tx.run("loans.add", loan=loan)  # E: arg-type expected "str | int | bytes | None"
    tx.one("loans.get", price=1.5)  # E: arg-type expected "str | int | bytes | None"
    tx.one("loans.get")["title"]  # E: index is not indexable
    tx.all("loans.open").title  # E: attr-defined has no attribute "title"


def a_context_is_read_only(ctx: Ctx) -> None:
    ctx.org = "other"  # E: misc read-only


async def a_model_decides_nothing(engine: Engine, who: Who) -> None:
    await engine.agent.confirm("smlc_…")  # E: attr-defined has no attribute "confirm"
    await engine.agent.says("sí")  # E: attr-defined has no attribute "says"
    engine.sync.agent.confirm("smlc_…")  # E: attr-defined has no attribute "confirm"
    await engine.agent.act(who, "{}")  # E: call-arg Missing named argument "message"
    engine.agent.status(who, "p_1")  # E: unused-coroutine must be used
    engine.person("ana")  # E: arg-type expected "Who"


def outcomes_are_told_apart(outcome: Outcome) -> None:
    outcome.token  # E: union-attr has no attribute "token"
    if isinstance(outcome, Ask):
        outcome.token.upper()  # E: union-attr "None" of "str | None"
        outcome.token = None  # E: misc read-only
    says: str = outcome.for_model("en")  # E: assignment expression has type "ForModel"


def an_engine_is_told_who_may(keys: str) -> None:
    Engine("sqlite:///a.db", [Lend()])  # E: call-arg Missing named argument "allow"
    Engine("sqlite:///a.db", [Lend], allow=may)  # E: list-item expected "Action"
    Engine("sqlite:///a.db", [], allow=True)  # E: arg-type has incompatible type "bool"
    Engine("sqlite:///a.db", [], allow=may, keys=keys)  # E: arg-type expected "Keyring | None"
    Keyring({"k1": b""})  # E: arg-type expected "tuple[tuple[str, bytes], ...]"
