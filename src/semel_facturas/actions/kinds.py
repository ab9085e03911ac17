"""What steps may point at: the one place where an id becomes a row, for one organization.

``find_archived`` is how an undo finds what it takes back, by the version in which it was left: the
record is held, so that it is still in that version when it is changed.
"""

from semel import Ctx, Kind
from semel_facturas.books import contacts, expenses, invoices, payments
from semel_facturas.books.contacts import Contact
from semel_facturas.books.expenses import Expense
from semel_facturas.books.invoices import Invoice
from semel_facturas.books.money import euros
from semel_facturas.books.payments import Payment


class Contacto(Kind[Contact], name="contacto"):
    """A customer."""

    def find(self, ctx: Ctx, id: str) -> Contact | None:
        """The contact of this organization, or None."""
        return contacts.contact(ctx.tx, ctx.org, id)

    def find_archived(self, ctx: Ctx, id: str) -> Contact | None:
        """The contact of this organization, archived or not, held; or None."""
        return contacts.held_contact(ctx.tx, ctx.org, id)

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

    def find_archived(self, ctx: Ctx, id: str) -> Invoice | None:
        """The invoice of this organization, held; or None."""
        return invoices.held_invoice(ctx.tx, ctx.org, id)

    def key(self, row: Invoice) -> str:
        """Its id."""
        return row.id

    def version(self, row: Invoice) -> str:
        """It grows with every change."""
        return str(row.version)

    def label(self, row: Invoice) -> str:
        """Its number, once it has one."""
        return row.number or "borrador"


class Cobro(Kind[Payment], name="cobro"):
    """A payment of an issued invoice."""

    def find(self, ctx: Ctx, id: str) -> Payment | None:
        """The payment of this organization, or None."""
        return payments.payment(ctx.tx, ctx.org, id)

    def find_archived(self, ctx: Ctx, id: str) -> Payment | None:
        """The payment of this organization, removed or not, held; or None."""
        return payments.held_payment(ctx.tx, ctx.org, id)

    def key(self, row: Payment) -> str:
        """Its id."""
        return row.id

    def version(self, row: Payment) -> str:
        """It grows when it is removed."""
        return str(row.version)

    def label(self, row: Payment) -> str:
        """How much, and of which invoice."""
        return f"{euros(row.amount)} · {row.invoice.number}"


class Gasto(Kind[Expense], name="gasto"):
    """An expense."""

    def find(self, ctx: Ctx, id: str) -> Expense | None:
        """The expense of this organization, or None."""
        return expenses.expense(ctx.tx, ctx.org, id)

    def find_archived(self, ctx: Ctx, id: str) -> Expense | None:
        """The expense of this organization, deleted or not, held; or None."""
        return expenses.held_expense(ctx.tx, ctx.org, id)

    def key(self, row: Expense) -> str:
        """Its id."""
        return row.id

    def version(self, row: Expense) -> str:
        """It grows with every change."""
        return str(row.version)

    def label(self, row: Expense) -> str:
        """What it was for."""
        return row.concepto
