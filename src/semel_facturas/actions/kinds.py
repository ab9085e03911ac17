"""What steps may point at: the one place where an id becomes a row, for one organization."""

from semel import Ctx, Kind
from semel_facturas.books import contacts, expenses, invoices
from semel_facturas.books.contacts import Contact
from semel_facturas.books.expenses import Expense
from semel_facturas.books.invoices import Invoice


class Contacto(Kind[Contact], name="contacto"):
    """A customer."""

    def find(self, ctx: Ctx, id: str) -> Contact | None:
        """The contact of this organization, or None."""
        return contacts.contact(ctx.tx, ctx.org, id)

    def key(self, row: Contact) -> str:
        """Its id."""
        return row.id

    def version(self, row: Contact) -> str:
        """It grows with every change."""
        return str(row.version)

    def label(self, row: Contact) -> str:
        """Its name."""
        return row.name


class Factura(Kind[Invoice], name="factura"):
    """An invoice, from draft to issued under one id."""

    def find(self, ctx: Ctx, id: str) -> Invoice | None:
        """The invoice of this organization, or None."""
        return invoices.invoice(ctx.tx, ctx.org, id)

    def key(self, row: Invoice) -> str:
        """Its id."""
        return row.id

    def version(self, row: Invoice) -> str:
        """It grows with every change."""
        return str(row.version)

    def label(self, row: Invoice) -> str:
        """Its number, once it has one."""
        return row.number or "borrador"


class Gasto(Kind[Expense], name="gasto"):
    """An expense."""

    def find(self, ctx: Ctx, id: str) -> Expense | None:
        """The expense of this organization, or None."""
        return expenses.expense(ctx.tx, ctx.org, id)

    def key(self, row: Expense) -> str:
        """Its id."""
        return row.id

    def version(self, row: Expense) -> str:
        """It grows with every change."""
        return str(row.version)

    def label(self, row: Expense) -> str:
        """What it was for."""
        return row.concepto
