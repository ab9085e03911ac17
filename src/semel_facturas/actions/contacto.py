"""Contacts: writing them down, changing them, putting them away."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from semel import (
    CONFIRM,
    SAFE,
    Action,
    Ctx,
    Input,
    Line,
    Local,
    Made,
    NotDone,
    Preview,
    Ref,
    Risk,
)
from semel.facts import JSON, Count, Email, Fact, Text
from semel_facturas.actions.kinds import Contacto
from semel_facturas.actions.left import Left
from semel_facturas.actions.names import named
from semel_facturas.actions.today import language, listed, now_text
from semel_facturas.books import contacts, invoices
from semel_facturas.books.contacts import Contact

Days = Annotated[int, Field(strict=True)]

NOT_SAID = Text("—")
"""What stands for a value that nobody has given."""

ALIKE = {
    "es": "; ya hay otro con ese NIF o email: {names}",
    "en": "; another has that tax id or e-mail: {names}",
}
# What may be changed, by the input's name: its column, and what people call it. The short ones are
# first, so that no long one drives them out of a sentence.
FIELDS = {
    "nif": ("nif", {"es": "NIF", "en": "tax id"}),
    "plazo_pago_dias": ("payment_days", {"es": "días de plazo", "en": "days to pay"}),
    "email": ("email", {"es": "email", "en": "e-mail"}),
    "nombre": ("name", {"es": "nombre", "en": "name"}),
    "direccion": ("address", {"es": "dirección", "en": "address"}),
}


class NuevoContacto(Input):
    """What a contact needs; only the name is compulsory."""

    nombre: Line
    nif: Line | None = None
    email: Line | None = None
    direccion: Line | None = None
    plazo_pago_dias: Days | None = None


class CambiosDeContacto(Input):
    """A contact and what is to be changed; what is left out stays as it is."""

    contacto: Ref[Contacto]
    nombre: Line | None = None
    nif: Line | None = None
    email: Line | None = None
    direccion: Line | None = None
    plazo_pago_dias: Days | None = None


class Antes(Left):
    """A contact as it was before a change."""

    name: str
    nif: str | None
    address: str | None
    email: str | None
    payment_days: int | None


class CrearContacto(
    Action,
    name="contacto.crear",
    effect=Local(),
    makes=Contacto,
    allow="contactos.escribir",
):
    """Write a new contact down: a customer's name and, where known, NIF, e-mail, address, terms."""

    will = {
        "es": "Crear el contacto {nombre} (NIF {nif}, email {email}, dirección {direccion}, "
        "{plazo} días de plazo){aviso}",
        "en": "Create the contact {nombre} (tax id {nif}, e-mail {email}, address {direccion}, "
        "{plazo} days to pay){aviso}",
    }
    did = {"es": "Contacto {nombre} creado", "en": "Contact {nombre} created"}
    names = named("nombre", "nif", "email", "direccion", "plazo", "aviso")
    Input = NuevoContacto

    def risk(self, i: NuevoContacto, ctx: Ctx) -> Risk:
        """A second contact for one person is asked about."""
        return CONFIRM if contacts.contacts_alike(ctx.tx, self._contact(i, ctx)) else SAFE

    def preview(self, i: NuevoContacto, ctx: Ctx) -> Preview:
        """The contact as the books will hold it, and whom it may repeat."""
        contact = self._contact(i, ctx)
        alike = [one.name for one in contacts.contacts_alike(ctx.tx, contact)]
        warning = ALIKE[language(ctx)].format(names=listed(alike)) if alike else ""
        return Preview(
            nombre=Text(contact.name),
            nif=_shown("nif", contact),
            email=_shown("email", contact),
            direccion=_shown("direccion", contact),
            plazo=_shown("plazo_pago_dias", contact),
            aviso=Text(warning),
        )

    def run(self, i: NuevoContacto, ctx: Ctx) -> Made:
        """Write it."""
        made = contacts.create_contact(
            ctx.tx,
            ctx.org,
            ctx.new_id(),
            name=i.nombre,
            nif=i.nif,
            email=i.email,
            address=i.direccion,
            payment_days=i.plazo_pago_dias,
            now=now_text(ctx),
        )
        return Made(made, undo=Left(id=made.id).model_dump())

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        """Archive it, unless something points at it by now."""
        contact = as_left(Left.model_validate(data).id, ctx)
        if contacts.invoices_of(ctx.tx, contact):
            raise NotDone(
                {
                    "es": f"{contact.name} ya tiene facturas o borradores.",
                    "en": f"{contact.name} has invoices or drafts by now.",
                }
            )
        return Made(contacts.archive_contact(ctx.tx, contact, now_text(ctx)))

    def _contact(self, i: NuevoContacto, ctx: Ctx) -> Contact:
        return contacts.checked(
            Contact(
                ctx.org, "", i.nombre, i.nif, i.direccion, i.email, i.plazo_pago_dias, version=1
            )
        )


class ActualizarContacto(
    Action,
    name="contacto.actualizar",
    effect=Local(),
    makes=Contacto,
    allow="contactos.escribir",
):
    """Change a contact's name, NIF, e-mail, address or payment terms; give only what changes.

    Invoices that are issued keep the data they were issued with.
    """

    will = {
        "es": "Cambiar el contacto {contacto}: {cambios}; email desde ahora: {correo}",
        "en": "Change the contact {contacto}: {cambios}; e-mail from now on: {correo}",
    }
    did = {
        "es": "Contacto {contacto} cambiado: {cambios}",
        "en": "Contact {contacto} changed: {cambios}",
    }
    names = named("contacto", "cambios", "correo", *FIELDS) | {
        f"{field}_antes": {"es": f"{name['es']} de antes", "en": f"{name['en']} before"}
        for field, name in named(*FIELDS).items()
    }
    Input = CambiosDeContacto

    def risk(self, i: CambiosDeContacto, ctx: Ctx) -> Risk:
        """Where unpaid invoices and their reminders go is confirmed."""
        contact = i.contacto.row
        moved = self._after(i).email != contact.email
        return CONFIRM if moved and invoices.unpaid_of(ctx.tx, contact) else SAFE

    def preview(self, i: CambiosDeContacto, ctx: Ctx) -> Preview:
        """Every value that changes, as it was and as it will be."""
        before, after = i.contacto.row, self._after(i)
        facts: dict[str, Fact] = {}
        words: list[str] = []
        for field, (column, name) in FIELDS.items():
            was, will_be = getattr(before, column), getattr(after, column)
            if was != will_be:
                facts[f"{field}_antes"] = _shown(field, before)
                facts[field] = _shown(field, after)
                words.append(f"{name[language(ctx)]}: {'—' if was is None else was} → {will_be}")
        return Preview(
            missing=(),
            contacto=Text(before.name),
            # The same as the typed facts beside it, in words.
            cambios=Text("; ".join(words), volatile=True),
            correo=_shown("email", after),
            **facts,
        )

    def run(self, i: CambiosDeContacto, ctx: Ctx) -> Made:
        """Write the changes."""
        before = i.contacto.row
        made = contacts.change_contact(ctx.tx, before, self._after(i))
        was = Antes(
            id=made.id,
            name=before.name,
            nif=before.nif,
            address=before.address,
            email=before.email,
            payment_days=before.payment_days,
        )
        return Made(made, undo=was.model_dump())

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        """Give the contact back what it said before."""
        was = Antes.model_validate(data)
        now = as_left(was.id, ctx)
        values = was.model_dump(exclude={"id"})
        return Made(contacts.change_contact(ctx.tx, now, replace(now, **values)))

    def _after(self, i: CambiosDeContacto) -> Contact:
        before = i.contacto.row
        given = {
            column: getattr(i, field)
            for field, (column, _) in FIELDS.items()
            if getattr(i, field) is not None
        }
        after = contacts.checked(replace(before, **given))
        if after == before:
            raise NotDone(
                {
                    "es": f"{before.name} ya está así: no hay nada que cambiar.",
                    "en": f"{before.name} is like that already: there is nothing to change.",
                }
            )
        return after


def _shown(field: str, contact: Contact) -> Fact:
    """A value of a contact as the fact of its kind."""
    match field, getattr(contact, FIELDS[field][0]):
        case _, None:
            return NOT_SAID
        case "email", str(text):
            return Email(text)
        case _, int(days):
            return Count(days)
        case _, value:
            return Text(str(value))


def as_left(id: str, ctx: Ctx) -> Contact:
    """The contact that a step left, archived or not.

    Raises:
        NotDone: it is not there any more.
    """
    found = contacts.contact(ctx.tx, ctx.org, id, archived=True)
    if found is None:
        raise NotDone(contacts.CHANGED)
    return found
