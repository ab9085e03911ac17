"""The offline planner: a small grammar that turns a sentence into a plan, or says why it did not.

Every word of the sentence is accounted for: what the grammar does not know makes it plan nothing,
because a plan that silently drops half a wish is worse than none. A price is without VAT unless the
sentence says otherwise, as in the invoice editor; sending a new invoice or reminding of it issues
it first; a sentence that only says "make an invoice" makes a draft. A reminder always leaves out a
paid invoice, whether the sentence says so or not. What is deleted was found by its name just now.
"""

from semel_facturas.grammar import ENGLISH, SPANISH, Order, Read, Reading, read

from . import new, orders
from .answers import Answer, Lookup, NotUnderstood, Period, Planned
from .wording import REASONS, sentence

LONGEST = 2_000  # characters; nobody dictates an invoice longer than that


def plan(text: str, locale: str, lookup: Lookup) -> Answer:
    """The plan that *text* asks for, in either language; *locale* only says which to try first."""
    if len(text) > LONGEST:
        return NotUnderstood("not_understood")
    languages = (ENGLISH, SPANISH) if locale.startswith("en") else (SPANISH, ENGLISH)
    answers = [_answer(read(text, language, lookup.today()), lookup) for language in languages]
    planned = (answer for answer in answers if isinstance(answer, Planned))
    refused = [answer for answer in answers if isinstance(answer, NotUnderstood)]
    apt = (answer for answer in refused if answer.reason != "not_understood")
    return next(planned, None) or next(apt, None) or refused[0]


def _answer(reading: Read, lookup: Lookup) -> Answer:
    """The plan of a sentence that has been read, or the first thing that stands in its way."""
    no = _refusal(reading)
    if no:
        return no
    if isinstance(reading, Order):
        return orders.answer(reading, lookup)
    if reading.opener == "expense":
        return new.expense(reading)
    if reading.opener != "old":
        return new.invoice(reading, lookup)
    found = lookup.invoices(reading.number)
    if len(found) != 1:
        return NotUnderstood("unknown_invoice", reading.number)
    return new.followed([], found[0][0], reading, sent=True)


def _refusal(reading: Read) -> NotUnderstood | None:
    """Why the sentence cannot be a plan, whatever the books hold."""
    if not reading.opener:
        return NotUnderstood("not_understood")
    if currency := reading.currency():
        return NotUnderstood("currency", currency)
    if which := _which(reading):
        return NotUnderstood(which)
    if reading.left:
        return NotUnderstood("partly", reading.unread())
    return NotUnderstood(*reading.problem) if reading.problem else None


def _which(reading: Read) -> str:
    """The reason of a sentence that does not say of which invoice, or of one to be deleted."""
    if isinstance(reading, Reading):
        return reading.opener if reading.opener in {"which_draft", "which_invoice"} else ""
    if reading.opener in orders.OF_INVOICE:
        return "" if reading.number() else "which_invoice"
    return "kept" if {"kept", "invoice"} & reading.parts.keys() else ""


__all__ = [
    "LONGEST",
    "REASONS",
    "Lookup",
    "NotUnderstood",
    "Period",
    "Planned",
    "plan",
    "sentence",
]
