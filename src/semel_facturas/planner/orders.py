"""The plans of orders: about an issued invoice, expenses or a contact."""

import re
from calendar import monthrange
from datetime import date

from semel.facts import JSON
from semel_facturas.grammar import Order, said

from .answers import Answer, Lookup, NotUnderstood, Period, Planned, reminders, step
from .contacts import called, one_contact

OF_INVOICE = frozenset({"remind", "unremind", "paid"})
"""The orders that are about an invoice, whose number they have to say."""

_SHOWN = 5  # expenses to choose from; more are not read
_AT_ONCE = 50  # expenses that one step of a plan may delete


def answer(order: Order, lookup: Lookup) -> Answer:
    """The plan of an order of which every word has been read."""
    match order.opener:
        case "contact":
            return _new_contact(order)
        case "change":
            return _changed_contact(order, lookup)
        case "erase" | "every":
            return _erased(order, lookup)
        case _:
            return _of_invoice(order, lookup)


def _of_invoice(order: Order, lookup: Lookup) -> Answer:
    """The plan of an order about an issued invoice."""
    found = lookup.invoices(order.number())
    if len(found) != 1:
        return NotUnderstood("unknown_invoice", order.number())
    invoice, contact = found[0]
    if order.words:
        meant = called(order.words, order.language, lookup)
        if contact not in {id for id, _ in meant}:
            if not meant:
                return NotUnderstood("unknown_contact", said(order.words))
            return NotUnderstood("not_theirs", said(order.words), (order.number(),))
    match order.opener:
        case "paid":
            return Planned([_payment(order, invoice)])
        case "unremind":
            return Planned([step("factura.cancelar_recordatorios", factura=invoice)])
        case _:
            return _reminder(order, invoice)


def _reminder(order: Order, invoice: str) -> Answer:
    """The plan of a reminder: at once, or so many days before the invoice is due."""
    now = order.parts.get("now")
    if now and order.days:
        return NotUnderstood("partly", said(now))
    if now:
        return Planned([step("recordatorio.enviar_ahora", factura=invoice)])
    if not order.days:
        return NotUnderstood("reminder_days")
    return Planned([reminders(invoice, order.days)])


def _payment(order: Order, invoice: str) -> dict[str, JSON]:
    """The step that records a payment; without an amount it is all that is outstanding."""
    given: dict[str, JSON] = {"factura": invoice}
    for token in order.parts.get("money", ()):
        if token.amount is not None:
            given["importe"] = f"{token.amount:.2f}"
    if "tell" in order.parts:
        given["avisar_cliente"] = True
    return step("factura.registrar_cobro", **given)


def _erased(order: Order, lookup: Lookup) -> Answer:
    """The plan that deletes expenses or a contact."""
    nouns = [tag for tag in ("one", "many", "person") if tag in order.parts]
    if len(nouns) > 1:
        return NotUnderstood("partly", said(order.parts[nouns[-1]]))
    match nouns:
        case ["person"]:
            return _erased_contact(order, lookup)
        case [noun]:
            return _expenses(order, lookup, several=noun == "many" or order.opener == "every")
    return NotUnderstood("not_understood")


def _expenses(order: Order, lookup: Lookup, *, several: bool) -> Answer:
    """The plan that deletes the expenses that are there now, each by its id."""
    period = _period(order, lookup.today())
    if isinstance(period, NotUnderstood):
        return period
    if not (order.words or period):
        return NotUnderstood("which_expense")
    words = order.words[order.words[0].fold in order.language.articles :] if order.words else []
    found = lookup.expenses(said(words), period)
    detail = _detail(order)
    if not found:
        return NotUnderstood("no_expense", detail)
    others = [one for one in _namesakes(order, lookup) if one not in found]
    if others or (len(found) > 1 and not several):
        names = [name for _, name in found + others]
        more = ["…"] if len(names) > _SHOWN else []
        return NotUnderstood("ambiguous_expense", detail, (*names[:_SHOWN], *more))
    if len(found) > _AT_ONCE:
        return NotUnderstood("too_many", detail, (str(len(found)),))
    return Planned([step("gasto.borrar", gastos=[id for id, _ in found])])


def _namesakes(order: Order, lookup: Lookup) -> list[tuple[str, str]]:
    """The expenses that a lone month names too: "julio" without a year may be a supplier."""
    month = order.parts.get("month", [])
    if order.words or any(token.kind == "number" for token in month):
        return []
    names = [token.fold.removesuffix("'s") for token in month if token.month]
    return [one for name in names for one in lookup.expenses(name, None)]


def _detail(order: Order) -> str:
    """The expenses as the person named them, without the word before a lone month or day."""
    when = [*order.parts.get("month", ()), *order.parts.get("day", ())]
    if not order.words:
        first = next(at for at, token in enumerate(when) if token.month or token.kind == "date")
        when = when[first:]
    return said([*order.words, *when])


def _period(order: Order, today: date) -> Period | NotUnderstood | None:
    """The month or the day that the sentence says: of this year if it says none, never to come."""
    month, day = order.parts.get("month"), order.parts.get("day")
    if not (month or day):
        return None
    if month and day:
        return NotUnderstood("partly", said(day))
    if day:
        first = last = next(token.day for token in day if token.day)
    else:
        named = next(token.month for token in month or () if token.month)
        years = [token.text for token in month or () if token.kind == "number"] or [str(today.year)]
        if not re.fullmatch("(19|20)[0-9]{2}", years[0]):
            return NotUnderstood("partly", years[0])
        first = date(int(years[0]), named, 1)
        last = first.replace(day=monthrange(first.year, named)[1])
    if first > today:
        return NotUnderstood("future", _detail(order))
    return first, last


def _erased_contact(order: Order, lookup: Lookup) -> Answer:
    """The plan that deletes one contact."""
    when = [*order.parts.get("month", ()), *order.parts.get("day", ())]
    if when:
        return NotUnderstood("partly", said(when))
    if not order.words or order.opener == "every":
        return NotUnderstood("which_contact")
    contact = one_contact(order.words, order.language, lookup)
    if isinstance(contact, NotUnderstood):
        return contact
    return Planned([step("contacto.borrar", contactos=[contact[0]])])


def _changed_contact(order: Order, lookup: Lookup) -> Answer:
    """The plan that gives a contact another e-mail address."""
    if "label" not in order.parts:
        return NotUnderstood("not_understood")
    if not order.words:
        return NotUnderstood("which_contact")
    if not order.email():
        return NotUnderstood("no_email")
    contact = one_contact(order.words, order.language, lookup)
    if isinstance(contact, NotUnderstood):
        return contact
    return Planned([step("contacto.actualizar", contacto=contact[0], email=order.email())])


def _new_contact(order: Order) -> Answer:
    """The plan of a contact, with what the sentence says of it and nothing else."""
    if not order.words:
        return NotUnderstood("no_name")
    said_of_it = {"nif": order.tax_id(), "email": order.email(), "direccion": order.address}
    given: dict[str, JSON] = {"nombre": said(order.words)}
    given |= {name: text for name, text in said_of_it.items() if text}
    for token in order.parts.get("term", ()):
        if token.amount is not None:
            given["plazo_pago_dias"] = int(token.amount)
    return Planned([step("contacto.crear", **given)])
