"""What the offline planner may look up in the books of one organization."""

import re
from datetime import date

from semel import Tx
from semel_facturas.books import contacts, expenses, invoices
from semel_facturas.books.expenses import Expense
from semel_facturas.grammar import fold
from semel_facturas.planner import Lookup, Period


class Books(Lookup):
    """This organization's contacts, issued invoices and expenses, as they are in a transaction."""

    def __init__(self, tx: Tx, org: str, today: date) -> None:
        self._tx = tx
        self._org = org
        self._today = today

    def contacts(self, name: str) -> list[tuple[str, str]]:
        """Ids and names of the contacts whose name begins with these words."""
        return [(c.id, c.name) for c in contacts.contacts_named(self._tx, self._org, name)]

    def invoices(self, number: str) -> list[tuple[str, str]]:
        """Ids of the issued invoices with this number, and of their contacts."""
        found = invoices.invoices_numbered(self._tx, self._org, number)
        return [(invoice.id, invoice.contact) for invoice in found]

    def expenses(self, words: str, period: Period | None) -> list[tuple[str, str]]:
        """Ids and names of the expenses with these words in their concept or their supplier."""
        return [
            (expense.id, _name(expense))
            for expense in expenses.expenses_of(self._tx, self._org)
            if period is None or period[0] <= expense.fecha <= period[1]
            if _has(expense.concepto, words) or _has(expense.proveedor or "", words)
        ]

    def today(self) -> date:
        """The organization's calendar day."""
        return self._today


def _name(expense: Expense) -> str:
    """The expense as a person would name it: what for, from whom, of which day."""
    supplier = expense.proveedor
    apart = supplier and not _has(expense.concepto, supplier)
    return f"{expense.concepto}{f' ({supplier})' if apart else ''}, {expense.fecha:%d/%m/%Y}"


def _has(text: str, words: str) -> bool:
    """Whether *text* has *words*, whole and in their order, without accents or case."""
    return f" {_spaced(words)} ".replace("  ", " ") in f" {_spaced(text)} "


def _spaced(text: str) -> str:
    """The words and the marks of *text*, one blank apart."""
    return " ".join(re.findall(r"\w+|[^\w\s]", fold(text)))
