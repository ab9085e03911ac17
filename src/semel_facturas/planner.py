"""The offline planner: a small grammar that turns a sentence into a plan, or says why it did not.

Every word of the sentence is accounted for: what the grammar does not know makes it plan nothing,
because a plan that silently drops half a wish is worse than none. A price is without VAT unless the
sentence says otherwise, as in the invoice editor; sending a new invoice issues it first; a sentence
that only says "make an invoice" makes a draft.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Protocol

from semel.facts import JSON
from semel_facturas.grammar import ENGLISH, SPANISH, Reading, Token, fold, read

LONGEST = 2_000  # characters; nobody dictates an invoice longer than that

_SENTENCES = """
can.es: Sé hacer, emitir y enviar por correo facturas, y apuntar gastos.
can.en: I can make, issue and email invoices, and record expenses.
example.es: Por ejemplo: «Haz una factura a María Carmona por el diseño del logo, 500 € más IVA».
example.en: For example: "Make an invoice for María Carmona for the logo design, €500 plus VAT".
not_understood.es: No he entendido la frase, y no he hecho nada. {can} {example}
not_understood.en: I did not understand the sentence, and did nothing. {can} {example}
partly.es: No entiendo esta parte: «{detail}». No he preparado nada. {can} {example}
partly.en: I do not understand this part: "{detail}". Nothing is prepared. {can} {example}
reminders.es: Todavía no sé programar recordatorios. No he preparado nada. {can} {example}
reminders.en: I cannot schedule reminders yet. Nothing is prepared. {can} {example}
currency.es: Solo hago facturas y gastos en euros, y la frase dice «{detail}». {example}
currency.en: I only make invoices and expenses in euros, and the sentence says "{detail}". {example}
no_contact.es: Falta decir a quién va la factura. {example}
no_contact.en: The sentence does not say who the invoice is for. {example}
no_concept.es: Falta decir por qué concepto es. {example}
no_concept.en: The sentence does not say what it is for. {example}
no_amount.es: Falta decir el importe, en euros. {example}
no_amount.en: The sentence does not say the amount, in euros. {example}
amount.es: No sé qué cantidad es «{detail}». Por ejemplo: «1.234,50 €».
amount.en: I cannot tell what number "{detail}" is. For example: "€1,234.50".
day.es: No sé qué día es «{detail}». Por ejemplo: «18/11/2026».
day.en: I cannot tell what day "{detail}" is. For example: "18/11/2026", day first.
unit_or_total.es: ¿Cuántas, y a cuánto cada una? «{detail}». Por ejemplo: «3 horas a 40 €».
unit_or_total.en: How many, and at what price each? "{detail}". For example: "3 hours at €40".
vat_included.es: Ese importe lleva el IVA dentro, y puede no salir de ninguna base exacta. Dime el \
importe sin IVA. {example}
vat_included.en: That amount has VAT in it, and no exact base may give it. Say the amount before \
VAT. {example}
vat_unclear.es: No sé si ese importe lleva IVA. Dime el importe sin IVA. {example}
vat_unclear.en: I cannot tell whether that amount has VAT in it. Say it before VAT. {example}
vat_unsaid.es: ¿El importe lleva el IVA dentro? Por ejemplo: «Apunta un gasto de Adobe, 72,59 € \
IVA incluido», o «más IVA».
vat_unsaid.en: Is VAT in the amount? For example: "Record an expense for Photoshop, €72.59 VAT \
included", or "plus VAT".
vat_rates.es: No sé el IVA de cada línea. Por ejemplo: «logo 500 € al 21 % y libro 80 € al 4 %».
vat_rates.en: I cannot tell each line's VAT. For example: "logo €500 at 21% and book €80 at 4%".
draft_sent.es: Un borrador no se envía: antes se emite. Si lo quieres enviar, pide la factura. \
{example}
draft_sent.en: A draft is not sent: it is issued first. To send it, ask for the invoice. {example}
which_draft.es: No sé qué borrador es. {can} {example}
which_draft.en: I cannot tell which draft that is. {can} {example}
which_invoice.es: No sé qué factura es. Por ejemplo: «Envía la factura 2026-0001 por correo».
which_invoice.en: I cannot tell which invoice that is. For example: "Email invoice 2026-0001".
unknown_invoice.es: Ninguna factura emitida, o más de una, lleva el número «{detail}».
unknown_invoice.en: No issued invoice, or more than one, has the number "{detail}".
unknown_contact.es: Ningún contacto se llama «{detail}». {example}
unknown_contact.en: No contact is called "{detail}". {example}
ambiguous_contact.es: ¿Quién es «{detail}»? Puede ser: {choices}. {example}
ambiguous_contact.en: Who is "{detail}"? It may be: {choices}. {example}
"""
_WORDING = dict(line.split(": ", 1) for line in _SENTENCES.strip().splitlines())
REASONS = frozenset(key.split(".")[0] for key in _WORDING) - {"can", "example"}


class Lookup(Protocol):
    """What the planner may ask about the organization."""

    def contacts(self, name: str) -> list[tuple[str, str]]:
        """The id and full name of the contacts whose name begins with the words of *name*."""

    def invoices(self, number: str) -> list[str]:
        """The ids of the issued invoices with that number."""

    def today(self) -> date:
        """The day it is for the person."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, ready to be previewed: ``{"action", "input"}`` for each step."""

    steps: list[dict[str, JSON]]


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Why there is no plan: *detail* quotes the person, *choices* are what she may have meant."""

    reason: str  # one of REASONS
    detail: str = ""
    choices: tuple[str, ...] = ()


def plan(text: str, locale: str, lookup: Lookup) -> Planned | NotUnderstood:
    """The plan that *text* asks for, in either language; *locale* only says which to try first."""
    if len(text) > LONGEST:
        return NotUnderstood("not_understood")
    languages = (ENGLISH, SPANISH) if locale.startswith("en") else (SPANISH, ENGLISH)
    answers = [_answer(read(text, language, lookup.today()), lookup) for language in languages]
    planned = (answer for answer in answers if isinstance(answer, Planned))
    refused = [answer for answer in answers if isinstance(answer, NotUnderstood)]
    apt = (answer for answer in refused if answer.reason != "not_understood")
    return next(planned, None) or next(apt, None) or refused[0]


def sentence(no: NotUnderstood, locale: str) -> str:
    """What the person reads; her own words are quoted as they are."""
    language = "en" if locale.startswith("en") else "es"
    return _WORDING[f"{no.reason}.{language}"].format(
        can=_WORDING[f"can.{language}"],
        example=_WORDING[f"example.{language}"],
        detail=no.detail,
        choices=", ".join(no.choices),
    )


def _answer(reading: Reading, lookup: Lookup) -> Planned | NotUnderstood:
    """The plan of a sentence that has been read, or the first thing that stands in its way."""
    no = _refusal(reading)
    if no:
        return no
    if reading.opener == "expense":
        return _expense(reading)
    if reading.opener != "old":
        return _invoice(reading, lookup)
    found = lookup.invoices(reading.number)
    if len(found) != 1:
        return NotUnderstood("unknown_invoice", reading.number)
    return Planned([{"action": "factura.enviar", "input": {"factura": found[0]}}])


def _refusal(reading: Reading) -> NotUnderstood | None:
    """Why the sentence cannot be a plan, whoever the contacts are."""
    if reading.reminds():
        return NotUnderstood("reminders")
    if not reading.opener:
        return NotUnderstood("not_understood")
    if currency := reading.currency():
        return NotUnderstood("currency", currency)
    if reading.opener in {"which_draft", "which_invoice"}:
        return NotUnderstood(reading.opener)
    if reading.left:
        return NotUnderstood("partly", reading.unread())
    return NotUnderstood(*reading.problem) if reading.problem else None


def _expense(reading: Reading) -> Planned | NotUnderstood:
    """The plan of an expense."""
    line = reading.lines[0] if reading.lines else None
    if line is None or not (line.words or reading.supplier):
        return NotUnderstood("no_concept")
    if line.price is None:
        return NotUnderstood("no_amount")
    modes = {vat.mode for vat in reading.vats} - {"rate"}
    rates = {vat.rate for vat in reading.vats if vat.rate is not None}
    if len(modes) != 1 or "unclear" in modes or len(rates) > 1:
        return NotUnderstood("vat_unsaid")
    wanted: dict[str, JSON] = {
        "concepto": _titled(line.words or reading.supplier, reading),
        "importe": f"{line.price:.2f}",
        "iva_incluido": modes == {"within"},
    }
    if rates:
        wanted["iva"] = _plain(rates.pop())
    if reading.supplier:
        wanted["proveedor"] = _said(reading.supplier)
    if reading.day:
        wanted["fecha"] = reading.day.isoformat()
    return Planned([{"action": "gasto.crear", "input": wanted}])


def _invoice(reading: Reading, lookup: Lookup) -> Planned | NotUnderstood:
    """The plan of a new invoice: a draft, then issued, then sent, as far as the sentence goes."""
    said = {reading.opener, *reading.tails}
    sent = "send" in said
    if sent and "draft" in said:
        return NotUnderstood("draft_sent")
    if not reading.names:
        return NotUnderstood("no_contact")
    _reorder(reading, lookup)
    lines = _lines(reading)
    if isinstance(lines, NotUnderstood):
        return lines
    contact = _contact(reading, lookup)
    if isinstance(contact, NotUnderstood):
        return contact
    for name in reading.names[1:]:
        words = fold(_said(name)).split()
        if fold(contact[1]).split()[: len(words)] != words:
            return NotUnderstood("partly", _said(name))
    draft: dict[str, JSON] = {"contacto": contact[0], "lineas": lines}
    if reading.day:
        draft["vencimiento"] = reading.day.isoformat()
    steps: list[dict[str, JSON]] = [{"action": "factura.crear_borrador", "input": draft}]
    if sent or "issue" in said:
        steps.append({"action": "factura.emitir", "input": {"factura": "$1"}})
    if sent:
        steps.append({"action": "factura.enviar", "input": {"factura": "$1"}})
    return Planned(steps)


def _reorder(reading: Reading, lookup: Lookup) -> None:
    """Put the name first where English says what it is for before whom it is for."""
    if lookup.contacts(_said(reading.names[0])) or not reading.lines:
        return
    line = reading.lines[0]
    if not line.words and len(reading.names) > 1:
        line.words = reading.names.pop(0)
    elif line.words and lookup.contacts(_said(line.words)):
        line.words, reading.names[0] = reading.names[0], line.words


def _contact(reading: Reading, lookup: Lookup) -> tuple[str, str] | NotUnderstood:
    """The one contact of that name; a full name wins over the longer names that begin with it."""
    words = reading.names[0]
    name, bare = _said(words), _said(words[words[0].fold in reading.language.articles :])
    found = lookup.contacts(name) or lookup.contacts(bare)
    exact = [contact for contact in found if fold(contact[1]) in {fold(name), fold(bare)}]
    if len(exact) == 1 or len(found) == 1:
        return (exact or found)[0]
    if not found:
        return NotUnderstood("unknown_contact", name)
    return NotUnderstood("ambiguous_contact", name, tuple(full for _, full in found))


def _lines(reading: Reading) -> list[JSON] | NotUnderstood:
    """The lines of the invoice, with a VAT rate where the sentence names one."""
    if not reading.lines:
        return NotUnderstood("no_concept")
    rates = _rates(reading)
    if isinstance(rates, NotUnderstood):
        return rates
    lines: list[JSON] = []
    for line, rate in zip(reading.lines, rates, strict=True):
        if not line.words:
            return NotUnderstood("no_concept")
        if line.price is None:
            return NotUnderstood("partly" if lines else "no_amount", _said(line.words))
        count = Decimal(1) if line.quantity is None else line.quantity
        if (count != 1 and not (line.at or line.each)) or (line.each and line.quantity is None):
            return NotUnderstood("unit_or_total", _said(line.words))
        entry: dict[str, JSON] = {"concepto": _titled(line.words, reading)}
        if count != 1:
            entry["cantidad"] = _plain(count)
        entry["precio"] = f"{line.price:.2f}"
        if rate is not None:
            entry["iva"] = _plain(rate)
        lines.append(entry)
    return lines


def _rates(reading: Reading) -> list[Decimal | None] | NotUnderstood:
    """The VAT rate of each line: one said at the end, after a comma, is the rate of all."""
    modes = {vat.mode for vat in reading.vats}
    if "within" in modes:
        return NotUnderstood("vat_included")
    if "unclear" in modes:
        return NotUnderstood("vat_unclear")
    rated = [vat for vat in reading.vats if vat.rate is not None]
    count = len(reading.lines)
    if not rated:
        return [None] * count
    if len(rated) == 1 and (count == 1 or (rated[0].lines == count and rated[0].apart)):
        return [rated[0].rate] * count
    if [vat.lines for vat in rated] == list(range(1, count + 1)):
        return [vat.rate for vat in rated]
    return NotUnderstood("vat_rates")


def _said(words: Iterable[Token]) -> str:
    """*words* as the person wrote them."""
    return " ".join(token.text for token in words)


def _titled(words: list[Token], reading: Reading) -> str:
    """*words* as a concept: no article at the start, a capital instead."""
    kept = words[1:] if words[0].fold in reading.language.articles else words
    text = _said(kept)
    return text[:1].upper() + text[1:]


def _plain(number: Decimal) -> str:
    """*number* without idle zeros: "10", "2.5"."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
