"""The plans of new invoices and new expenses."""

from decimal import Decimal

from semel.facts import JSON
from semel_facturas.grammar import Reading, Token, fold, said

from .answers import Answer, Lookup, NotUnderstood, Planned, reminders, step
from .contacts import one_contact


def expense(reading: Reading) -> Answer:
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
        wanted["proveedor"] = said(reading.supplier)
    if reading.day:
        wanted["fecha"] = reading.day.isoformat()
    return Planned([step("gasto.crear", **wanted)])


def invoice(reading: Reading, lookup: Lookup) -> Answer:
    """The plan of a new invoice: a draft, then issued, then sent, as far as the sentence goes."""
    told = {reading.opener, *reading.tails}
    sent, reminded = "send" in told, "remind" in told
    if (sent or reminded) and "draft" in told:
        return NotUnderstood("draft_sent")
    if not reading.names:
        return NotUnderstood("no_contact")
    _reorder(reading, lookup)
    lines = _lines(reading)
    if isinstance(lines, NotUnderstood):
        return lines
    contact = one_contact(reading.names[0], reading.language, lookup)
    if isinstance(contact, NotUnderstood):
        return contact
    for name in reading.names[1:]:
        words = fold(said(name)).split()
        if fold(contact[1]).split()[: len(words)] != words:
            return NotUnderstood("partly", said(name))
    draft: dict[str, JSON] = {"contacto": contact[0], "lineas": lines}
    if reading.day:
        draft["vencimiento"] = reading.day.isoformat()
    steps = [step("factura.crear_borrador", **draft)]
    if sent or reminded or "issue" in told:
        steps.append(step("factura.emitir", factura="$1"))
    return followed(steps, "$1", reading, sent=sent)


def followed(steps: list[dict[str, JSON]], invoice: str, reading: Reading, *, sent: bool) -> Answer:
    """*steps*, and then what the sentence says to do with the issued invoice."""
    if sent:
        steps.append(step("factura.enviar", factura=invoice))
    if "remind" in reading.tails:
        if not reading.days:
            return NotUnderstood("reminder_days")
        steps.append(reminders(invoice, reading.days))
    return Planned(steps)


def _reorder(reading: Reading, lookup: Lookup) -> None:
    """Put the name first where English says what it is for before whom it is for."""
    if lookup.contacts(said(reading.names[0])) or not reading.lines:
        return
    line = reading.lines[0]
    if not line.words and len(reading.names) > 1:
        line.words = reading.names.pop(0)
    elif line.words and lookup.contacts(said(line.words)):
        line.words, reading.names[0] = reading.names[0], line.words


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
            return NotUnderstood("partly" if lines else "no_amount", said(line.words))
        count = Decimal(1) if line.quantity is None else line.quantity
        if (count != 1 and not (line.at or line.each)) or (line.each and line.quantity is None):
            return NotUnderstood("unit_or_total", said(line.words))
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


def _titled(words: list[Token], reading: Reading) -> str:
    """*words* as a concept: no article at the start, a capital instead."""
    kept = words[1:] if words[0].fold in reading.language.articles else words
    text = said(kept)
    return text[:1].upper() + text[1:]


def _plain(number: Decimal) -> str:
    """*number* without idle zeros: "10", "2.5"."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
