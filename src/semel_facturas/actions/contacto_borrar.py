"""Putting contacts away."""

from typing import Annotated

from pydantic import Field

from semel import (
    CONFIRM,
    SAFE,
    TYPED,
    Action,
    Ctx,
    Input,
    Local,
    Made,
    NotDone,
    Preview,
    Ref,
    Risk,
)
from semel.facts import JSON, Count, Text
from semel_facturas.actions.contacto import as_left
from semel_facturas.actions.kinds import Contacto
from semel_facturas.actions.left import AllLeft
from semel_facturas.actions.names import named
from semel_facturas.actions.today import listed, now_text
from semel_facturas.books import contacts
from semel_facturas.books.contacts import Contact


class VariosContactos(Input):
    """Contacts, each of them once."""

    contactos: Annotated[list[Ref[Contacto]], Field(min_length=1, max_length=50)]


class BorrarContactos(
    Action,
    name="contacto.borrar",
    effect=Local(),
    makes=Contacto,
    allow="contactos.borrar",
):
    """Archive contacts: they are found no more and take no new invoice.

    What was issued to them stays as it is.
    """

    will = {
        "es": "Archivar contactos ({cuantos}): {nombres}",
        "en": "Archive contacts ({cuantos}): {nombres}",
    }
    did = {
        "es": "Contactos archivados ({cuantos}): {nombres}",
        "en": "Contacts archived ({cuantos}): {nombres}",
    }
    names = named("nombres") | {"cuantos": {"es": "Contactos", "en": "Contacts"}}
    Input = VariosContactos

    def risk(self, i: VariosContactos, ctx: Ctx) -> Risk:
        """One that nothing points at may go; a customer is asked about; three are typed out."""
        gone = sorted((one.row for one in i.contactos), key=lambda one: one.id)
        if len(gone) > 2:
            return TYPED
        used = any(contacts.invoices_of(ctx.tx, one) for one in gone)
        return CONFIRM if len(gone) > 1 or used else SAFE

    def preview(self, i: VariosContactos, ctx: Ctx) -> Preview:
        """How many, and who."""
        gone = self._each_once(i)
        return Preview(cuantos=Count(len(gone)), nombres=Text(listed([one.name for one in gone])))

    def run(self, i: VariosContactos, ctx: Ctx) -> Made:
        """Put them away."""
        now = now_text(ctx)
        # In the order of their ids, so that two bulks that overlap do not wait for each other.
        each = sorted(self._each_once(i), key=lambda one: one.id)
        gone = [contacts.archive_contact(ctx.tx, one, now) for one in each]
        return Made(*gone, undo=AllLeft(ids=[one.id for one in gone]).model_dump())

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        """Bring them back."""
        left = [as_left(id, ctx) for id in AllLeft.model_validate(data).ids]
        return Made(*(contacts.restore_contact(ctx.tx, one) for one in left))

    def _each_once(self, i: VariosContactos) -> list[Contact]:
        gone = {one.row.id: one.row for one in i.contactos}
        if len(gone) < len(i.contactos):
            raise NotDone(
                {
                    "es": "Hay un contacto repetido en la lista.",
                    "en": "A contact is in the list twice.",
                }
            )
        return list(gone.values())
