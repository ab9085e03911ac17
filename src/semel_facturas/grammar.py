# Longer than 300 lines: a third is two tables of phrases, which read best next to their reader.
"""The grammar of the offline planner: amounts, dates, and the phrases of two languages.

The grammar is data: a table of phrases per language, one a line, as ``tag: slot slot slot``. A slot
is a word or several (``una|otra``), brackets hold what may be missing, and ``<money>`` stands for a
token of that kind. A phrase is compared slot by slot, so no sentence can make matching slow.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["word", "number", "money", "percent", "date", "invoice", "sep", "euro"]

_TOKEN = re.compile(
    r"""
    (?P<date>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}([/.-])[0-9]{1,2}\2[0-9]{4}
        |[0-9]{1,2}/[0-9]{1,2})(?![\w/%-]|[.,][0-9])
    |(?P<invoice>(?:[a-z]{1,4}-)?[0-9]{4}-[0-9]{1,8})(?![\w-])
    |(?P<number>[0-9]+(?:[.,'’][0-9]+)*)(?=eur|\W|$)
    |(?P<euro>€|(?:euros?|eur)\b)
    |(?P<percent>%|(?:por\ ciento|percent|per\ cent)\b)
    |(?P<abbreviation>(?:incl|inc|excl)(?=\.))\.
    |(?P<sep>[,;:.!?¿¡()])
    |(?P<word>\+|[^\s,;:.!?¿¡()+€%"«»“”]+(?:\.[^\s,;:.!?¿¡()+€%"«»“”]+)*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:[.,'][0-9]{3})+")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a sentence: as written, as compared, and what it is worth."""

    kind: Kind
    text: str
    fold: str
    amount: Decimal | None = None
    day: date | None = None


def fold(text: str) -> str:
    """*text* without accents or capitals: the form in which words are compared."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(char for char in plain if not unicodedata.combining(char))


def amount(text: str, thousands: str) -> Decimal | None:
    """The number that *text* spells, or None when it could be two numbers.

    With both marks the last one is the decimal one. A lone mark before three digits groups
    thousands only if it is the language's own: "1,234" in Spanish is not guessed.
    """
    digits = text.replace("’", "'")
    whole, mark, rest = digits, "", ""
    last = max(digits.rfind(char) for char in ".,'")
    if last >= 0 and digits.count(digits[last]) == 1 and len(digits) - last <= 3:
        whole, mark, rest = digits[:last], digits[last], digits[last + 1 :]
    marks = set(re.sub("[0-9]", "", whole))
    if marks:
        alone = not mark and sum(map(whole.count, marks)) == 1
        if not _GROUPED.fullmatch(whole) or len(marks) > 1 or (alone and marks != {thousands}):
            return None
        whole = whole.replace(marks.pop(), "")
    return Decimal(f"{whole}.{rest or '0'}") if len(whole) <= 9 else None


class Phrases:
    """A table of phrases, looked up by their first word."""

    def __init__(self, table: str) -> None:
        """Read *table*; a line ``@name = …`` names words that later lines use as ``@name``."""
        self._by_first: dict[str, list[tuple[str, list[frozenset[str]]]]] = {}
        names: dict[str, str] = {}
        for line in table.strip().splitlines():
            name, pattern = re.split(" = |: ", line, maxsplit=1)
            pattern = re.sub("@[a-z]+", lambda used: names.get(used[0], used[0]), pattern)
            if name.startswith("@"):
                names[name] = pattern
                continue
            for variant in _variants(pattern):
                slots = [frozenset(slot.split("|")) for slot in variant.split()]
                for word in slots[0]:
                    self._by_first.setdefault(word, []).append((name, slots[1:]))

    def match(self, tokens: list[Token], at: int) -> tuple[str, int] | None:
        """The tag and the end of the longest phrase that starts at *at*."""
        best: tuple[str, int] | None = None
        for key in _keys(tokens[at]) if at < len(tokens) else ():
            for tag, slots in self._by_first.get(key, ()):
                end = at + 1 + len(slots)
                if end > len(tokens) or (best and end <= best[1]):
                    continue
                following = tokens[at + 1 : end]
                if not any(map(frozenset.isdisjoint, slots, map(_keys, following))):
                    best = (tag, end)
        return best


def _variants(pattern: str) -> list[str]:
    """The phrases that *pattern* stands for, with and without what is in brackets."""
    optional = re.search(r"\[([^\[\]]*)\]", pattern)
    if not optional:
        return [pattern]
    before, after = pattern[: optional.start()], pattern[optional.end() :]
    kept = _variants(before + optional[1] + after)
    return list(dict.fromkeys(kept + _variants(before + after)))


def _keys(token: Token) -> tuple[str, ...]:
    """What a slot may call *token*: a number word is a word as well as a number."""
    return (token.fold,) if token.kind == "word" else (f"<{token.kind}>", token.fold)


@dataclass(frozen=True, slots=True)
class Language:
    """What differs between the two languages."""

    thousands: str
    openers: Phrases
    clauses: Phrases
    numbers: dict[str, int]
    months: dict[str, int]
    days: dict[str, int]
    joins: frozenset[str]  # what may stand between two clauses
    articles: frozenset[str]
    to: frozenset[str]  # before the name of a contact
    about: frozenset[str]  # before a concept
    by: frozenset[str]  # before a supplier
    at: frozenset[str]  # before the price of one


def tokens(text: str, language: Language, today: date) -> list[Token]:
    """The tokens of *text*, amounts and dates already read; quotation marks are left out."""
    raw = []
    for found in _TOKEN.finditer(unicodedata.normalize("NFC", text)):
        kind = str(found.lastgroup)
        raw.append(_worth(kind, found[kind], language, today))
    return list(_joined(raw, language, today))


def _worth(kind: str, text: str, language: Language, today: date) -> Token:
    """A token, with the number or the day that it stands for."""
    word = fold(text)
    match kind:
        case "number":
            return Token("number", text, word, amount(text, language.thousands))
        case "date":
            first, second, *rest = (int(part) for part in re.split("[/.-]", text))
            iso = re.match("[0-9]{4}", text)
            year, day = (first, rest[0]) if iso else (rest[0] if rest else None, first)
            return Token("date", text, word, day=_day(year, second, day, today))
        case "word" if word in language.numbers:
            return Token("number", text, word, Decimal(language.numbers[word]))
        case "word" if word in language.days:
            return Token("date", text, word, day=today + timedelta(days=language.days[word]))
        case "invoice" | "percent" | "euro" | "sep":
            return Token(kind, text, word)
        case _:
            return Token("word", text, word)


def _joined(raw: list[Token], language: Language, today: date) -> Iterator[Token]:
    """*raw* with "500" and "€" made one amount, and "12 de noviembre" one day."""
    at = 0
    while at < len(raw):
        pair = raw[at : at + 2]
        kinds = [token.kind for token in pair]
        size = 1
        token = raw[at]
        if kinds in (["number", "euro"], ["euro", "number"], ["number", "percent"]):
            size, text = 2, " ".join(token.text for token in pair)
            value = pair[kinds.index("number")].amount
            token = Token("percent" if "percent" in kinds else "money", text, fold(text), value)
        elif named := _named_day([token.fold for token in raw[at : at + 6]], language):
            size, year, month, day = named
            text = " ".join(token.text for token in raw[at : at + size])
            token = Token("date", text, fold(text), day=_day(year, month, day, today))
        yield token
        at += size


def _named_day(words: list[str], language: Language) -> tuple[int, int | None, int, int] | None:
    """How many of *words* are a day with its month in letters, and its year, month and day."""
    words = [*words, "", "", ""]
    size = 2
    if words[0] in language.months:
        month, day = language.months[words[0]], words[1]
    else:
        size += words[1] in {"de", "of"}
        month, day = language.months.get(words[size - 1], 0), words[0]
    ordinal = re.fullmatch("([0-9]{1,2})(?:st|nd|rd|th)?", day)
    if not month or not ordinal:
        return None
    after = size + (words[size] in {"de", "del", "of", ","})
    year = re.fullmatch("[0-9]{4}", words[after]) if after < len(words) else None
    if year:
        return after + 1, int(year[0]), month, int(ordinal[1])
    return size, None, month, int(ordinal[1])


def _day(year: int | None, month: int, day: int, today: date) -> date | None:
    """That day, or None when the calendar has no such day; without a year, the nearest one."""
    days = []
    for each in [year] if year is not None else [today.year - 1, today.year, today.year + 1]:
        try:
            days.append(date(each, month, day))
        except ValueError:  # 31 February: the sentence is answered, not guessed at
            continue
    return min(days, key=lambda found: abs(found - today), default=None)


def _months(names: str) -> dict[str, int]:
    """The months by their name and by its first three letters."""
    return {
        key: number
        for number, name in enumerate(names.split(), start=1)
        for key in (name, name[:3])
    }


def _numbers(words: str) -> dict[str, int]:
    """The numbers that are written in letters, from two on."""
    values = [*range(2, 13), 15, 20, 30]
    return dict(zip(words.split(), values, strict=True))


SPANISH = Language(
    thousands=".",
    openers=Phrases("""
@make = haz|hazle|hazme|haga|hagame|hacer|hacerle|hacerme|crea|creale|creame|crear
@make = @make|prepara|preparale|preparame|preparar|genera|generame|generar
@send = envia|enviale|enviar|enviarle|manda|mandale|mandar|mandarle
@issue = emite|emitele|emiteme|emitir|emitirle
@can = puedes|podrias|quiero|quisiera|necesito
@note = apunta|apuntame|apuntar|registra|registrar|anota|anotame|anotar|anade|anadir|crea|crear
create: [@can] @make una|otra|la [nueva] factura
create: me haces|creas|preparas|generas una|otra|la [nueva] factura
create: necesito|quiero|quisiera una|otra [nueva] factura
create: [una|otra] [nueva] factura
create: [@can] facturar|facturale|facturarle
draft: [@can] @make|deja|dejame un|otro|el borrador [de una|la factura]
draft: [@can] @make|deja|dejame un|otro|el borrador de factura
draft: me haces|preparas|dejas un|otro|el borrador [de una|la factura]
issue: [@can] @issue una|otra [nueva] factura
issue: [@can] @make y @issue una|otra|la factura
send: [@can] @send una|otra [nueva] factura
send: [@can] @make|@issue y @send una|otra|la factura
to: [@can] @send a|al
old: [@can] @send [la] [factura] <invoice>
which_invoice: [@can] @send la|esa|mi factura
which_draft: [@can] @issue|@send el|ese|este|mi|un borrador
which_draft: [@can] @issue la|esa|mi factura
expense: [@can] @note un|otro|el [nuevo] gasto
expense: [un|otro] [nuevo] gasto
"""),
    clauses=Phrases("""
@it = enviasela|enviala|enviaselo|envialo|enviarsela|enviarla
@it = @it|mandasela|mandala|mandaselo|mandalo|mandarsela|mandarla
@send = envia|enviale|enviar|enviarle|manda|mandale|mandar|mandarle
@mail = correo|email|e-mail|mail
@client = cliente|clienta
@then = luego|despues|tambien
send: [@then] @it [por @mail [electronico]] [al|a [la] @client]
send: [@then] @it al|a [la] @client [por @mail [electronico]]
send: [@then] @it a|al [su] @mail [electronico]
send: [@then] @send [la factura] por @mail [electronico]
send: [@then] @send la factura
mail: por @mail [electronico]
issue: [@then] emitela|emitelo|emitirla|emitirlo
issue: [@then] emite|emitir la factura
issue: [@then] emite|emitir y
draft: como|en borrador
draft: solo|solamente el|un borrador
plus: mas|+ [el] iva [[al|del|a] <percent>]
plus: mas|+ [el|un] <percent> [de] iva
plus: iva aparte
plus: iva no incluido
rate: al|a <percent> [[de] iva]
rate: iva [al|del] <percent>
within: [con] [el] iva [ya] incluido|incluida|incl|inc [[al|del] <percent>]
within: [con] [el] iva [al|del] <percent> incluido|incl
within: incluido|incluyendo|incluye [el] iva
unclear: con|sin [el] iva [[al|del] <percent>]
unclear: con un|el <percent> [de] iva
unclear: exento|exenta de iva
due: [con] vencimiento [:] [el|al|del|a] <date>
due: [que] venza|vence|vencera [el] <date>
due: [con] vencimiento a|en <number> dias
due: [que] venza|vence|vencera a|en <number> dias
due: [pago|pagadera] a <number> dias
due: a pagar a|en <number> dias
money: [de|por|a|en] <money>
money: por valor|importe de <money>
bare: [de|por|a|en] <number>
each: cada uno|una
each: la|por hora|unidad|dia
each: /hora|/h|/unidad|/ud|/dia
skip: por favor
skip: porfa|gracias|hola|oye|buenas
skip: muchas gracias
skip: buenos|buenas dias|tardes|noches
date: [del|el|de|con|a] [fecha|dia] [de|del] <date>
object: una|otra [nueva] factura
old: [la] [factura] <invoice>
"""),
    numbers=_numbers(
        "dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta"
    ),
    months=_months(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    ),
    days={"hoy": 0, "ayer": -1, "anteayer": -2, "manana": 1},
    joins=frozenset({"y", "e"}),
    articles=frozenset({"el", "la", "los", "las", "un", "una", "unos", "unas"}),
    to=frozenset({"a", "al", "para"}),
    about=frozenset({"por", "x", "de", "del", "para"}),
    by=frozenset({"en", "a"}),
    at=frozenset({"a"}),
)

ENGLISH = Language(
    thousands=",",
    openers=Phrases("""
@please = [can|could|would|will] [you] [please]
@make = make|create|prepare|write|raise|generate|do
@send = send|email|e-mail|mail
@an = an|a|another
create: @please @make [me|us] @an|the [new] invoice
create: i need|want [to @make] @an [new] invoice
create: @an [new] invoice
create: new invoice
bill: @please invoice|bill
draft: @please draft @an|the [new] invoice
draft: @please @make [me|us] @an|the draft [invoice]
draft: @please @make [me|us] @an|the draft of an|the invoice
issue: @please issue @an [new] invoice
issue: @please @make and issue @an|the [new] invoice
send: @please @send @an [new] invoice
send: @please @make|issue and @send @an|the [new] invoice
to: @please @send
for: @please @make
old: @please @send [the] [invoice] [number|no] <invoice>
which_invoice: @please @send the|that|this|my invoice
which_draft: @please issue|@send the|that|this|my draft
which_draft: @please issue the|that|this|my invoice
expense: @please log|record|add|note|enter|@make @an|the [new] expense
expense: [@an] [new] expense
"""),
    clauses=Phrases("""
@send = send|email|e-mail|mail
@mail = email|e-mail|mail
@her = her|him|them
@then = then|also
send: [@then] @send it [by|via @mail] [to @her]
send: [@then] @send it to @her [by|via @mail]
send: [@then] @send it to the client|customer [by|via @mail]
send: [@then] @send [@her] the invoice [by|via @mail]
mail: by|via @mail
issue: [@then] issue it|and
issue: [@then] issue the invoice
draft: as a draft
draft: only|just a|the draft
plus: plus|+ vat|iva [[at|of] <percent>]
plus: plus|+ <percent> vat|iva
plus: excluding|excl|ex|before vat|iva
plus: vat|iva extra|excluded|exclusive
plus: vat|iva not included
rate: at <percent> [vat|iva]
rate: vat|iva [at|of] <percent>
within: [with] vat|iva included|inclusive|incl|inc
within: [with] vat|iva [at|of] <percent> included
within: including|includes|incl|inc [the] vat|iva [[at|of] <percent>]
within: including|includes|incl|inc <percent> vat|iva
within: inclusive of vat|iva
unclear: with|without|no [<percent>] vat|iva
unclear: vat|iva exempt|free
unclear: exempt from vat|iva
due: due|payable [on|by] <date>
due: due date [:|of|is] <date>
due: with a due date of <date>
due: due|payable in|within <number> days
due: payment [due] in|within <number> days
due: net <number>
money: [for|of|at|@|worth] <money>
bare: [for|of|at|@] <number>
each: each|apiece
each: per|an|a hour|day|unit
each: /hour|/h|/hr|/unit|/day
skip: please|thanks|hi|hello|hey
skip: thank you
skip: many thanks
skip: hi|hello|hey there
skip: good morning|afternoon|evening
date: [dated|on|from|of] [the] <date>
object: an|another|a [new] invoice
old: [the] [invoice] [number|no] <invoice>
"""),
    numbers=_numbers(
        "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty"
    ),
    months=_months(
        "january february march april may june july august september october november december"
    ),
    days={"today": 0, "yesterday": -1, "tomorrow": 1},
    joins=frozenset({"and"}),
    articles=frozenset({"the", "a", "an"}),
    to=frozenset({"to", "for"}),
    about=frozenset({"for", "of"}),
    by=frozenset({"from", "at"}),
    at=frozenset({"at", "@"}),
)


# Wishes and conditions, in both languages: none of them is ever part of a concept or a name.
_RESERVED = re.compile(
    r"no|si|pero|ni|nunca|cuando|aunque|antes|despues|luego|entonces|ademas|tambien|eres"
    r"|otr[oa]s?|iva|irpf|facturas?|gastos?|borrador(es)?|retencion|descuento|dto|menos"
    r"|docenas?|par|cien|cientos?|mil|miles|haz\w*|hacer\w*|hagas?|crea|crear|prepara|envi[ae]\w*"
    r"|manda\w*|emit\w*|borr[ae]\w*|elimin[ae]\w*|anul[ae]\w*|cancel[ae]\w*|cobra\w*|paga\w*"
    r"|avisa\w*|ignora\w*|olvid\w*|confirm[ae]\w*|ejecut[ae]\w*|apunta\w*|transfiere\w*"
    r"|devuelve\w*|instrucciones|whatsapp"
    r"|not|no|don't|dont|never|if|unless|when|but|then|also|before|after|until|you|your|yourself"
    r"|another|vat|iva|invoices?|expenses?|drafts?|discount|withholding|less|minus|dozens?"
    r"|couple|pair|hundreds?|thousands?|her|him|them|ignor(e|ing)|disregard|forget|delet(e|ing)"
    r"|remove|void|cancel|send\w*|confirm|execute|transfer|pay|paid|refund|override|pretend"
    r"|instructions?|whatsapp"
)
_REMINDER = re.compile(r"recuerd[ae]\w*|recordar\w*|recordatorios?|remind\w*")
_CURRENCY = re.compile(r"[$£¥].*|.*[$£¥]|dolar(es)?|dollars?|usd|libras?|pounds?|gbp|chf|yen(es)?")
_PLAIN = re.compile(r"[^\W\d_][\w.'’&/+#ºª-]*|[&+–-]")
_ASKING = {"puedes", "podrias", "me", "can", "could", "would", "will"}
_HALVES = {"media", "medio", "half"}  # "half an hour at €40" is not one hour
_ROUGHLY = {"hasta", "casi", "unos", "unas", "about", "around", "almost", "roughly"}
_COMMON = {"money", "bare", "plus", "rate", "within", "unclear", "skip"}
_OF_INVOICE = _COMMON | {"due", "each", "send", "mail", "issue", "draft"}
_TAGS = {"old": {"skip", "mail"}, "expense": _COMMON | {"date"}}
_LONGEST = 15  # words of a concept or a name; more than that is a story, and wishes hide in stories


@dataclass(slots=True)
class Line:
    """A line of an invoice, or an expense, while it is read."""

    words: list[Token] = field(default_factory=list)
    quantity: Decimal | None = None
    price: Decimal | None = None
    at: bool = False  # "a 40 €": the price of one, if there are several
    each: bool = False  # "40 € la hora": the price of one, and somebody must say of how many


@dataclass(frozen=True, slots=True)
class Vat:
    """What the sentence says of VAT after its first *lines* lines."""

    lines: int
    mode: str
    rate: Decimal | None
    apart: bool  # after a comma: said of all the lines, not of the last one


@dataclass(slots=True)
class Reading:
    """A sentence read clause by clause in one language; nothing is looked up yet."""

    language: Language
    tokens: list[Token]
    today: date
    opener: str = ""
    asking: bool = False
    fresh: bool = False  # the last token was a comma or an "and"
    lines: list[Line] = field(default_factory=list)
    names: list[list[Token]] = field(default_factory=list)
    supplier: list[Token] = field(default_factory=list)
    vats: list[Vat] = field(default_factory=list)
    day: date | None = None
    tails: set[str] = field(default_factory=set)
    number: str = ""
    left: set[int] = field(default_factory=set)
    problem: tuple[Literal["amount", "day"], str] | None = None

    def read(self) -> None:
        """Read how the sentence begins, then clause after clause."""
        at = 0
        while at < len(self.tokens) and (self._blank(at) or self._says("skip", at)):
            hit = self._phrase(at)
            at = hit[1] if hit else at + 1
        hit = self.language.openers.match(self.tokens, at)
        if not hit:
            return
        self.asking = self.tokens[at].fold in _ASKING
        self.opener, at = hit
        if self.opener in {"to", "for"}:
            at = self._handed(at)
        elif self.opener == "old":
            self.number = self.tokens[at - 1].text
        elif self.opener == "bill" and at < len(self.tokens) and not self._phrase(at):
            at += self.tokens[at].fold in self.language.to
            at = self._name(at, at)
        while self.opener and at < len(self.tokens):
            at = self._clause(at)

    def reminds(self) -> bool:
        """Whether the sentence speaks of reminders, which nothing here can plan."""
        return any(_REMINDER.fullmatch(token.fold) for token in self.tokens)

    def currency(self) -> str | None:
        """The currency other than the euro that was left over, as written."""
        texts = [self.tokens[at].text for at in sorted(self.left)]
        return next((text for text in texts if _CURRENCY.fullmatch(fold(text))), None)

    def unread(self) -> str:
        """The words that nothing in the grammar took, as they were written."""
        words = ""
        for at in sorted(self.left):
            words += "" if not words else " " if at - 1 in self.left else " … "
            words += self.tokens[at].text
        return words

    def _phrase(self, at: int) -> tuple[str, int] | None:
        """The clause that begins at *at*; a bare number is a price only where it must be one."""
        hit = self.language.clauses.match(self.tokens, at)
        if not hit or hit[0] != "bare":
            return hit
        end = hit[1]
        after = self.language.clauses.match(self.tokens, end)
        told = after is not None and after[0] in {"plus", "within", "each"}
        closes = end == len(self.tokens) or self._blank(end)
        return hit if told or (closes and self.tokens[at].fold in self.language.at) else None

    def _says(self, tag: str, at: int) -> bool:
        """Whether the phrase at *at* is of that kind."""
        hit = self._phrase(at)
        return hit is not None and hit[0] == tag

    def _blank(self, at: int) -> bool:
        """Whether what stands at *at* only separates."""
        return self.tokens[at].kind == "sep" or self.tokens[at].fold in self.language.joins

    def _ends(self, at: int) -> bool:
        """Whether the sentence or its clause ends before *at*."""
        return at == len(self.tokens) or self.tokens[at].kind == "sep"

    def _complete(self) -> bool:
        """Whether the last line has its concept and its price."""
        return bool(self.lines and self.lines[-1].words and self.lines[-1].price)

    def _handed(self, at: int) -> int:
        """Read "María an invoice" after "send": the name stands before what is sent."""
        end = self._name(at, at)
        hit = self._phrase(end)
        if hit and hit[0] == "object":
            self.opener = "send" if self.opener == "to" else "create"
        elif hit and hit[0] == "old":  # it goes to the invoice's own contact, whoever is named
            self.opener, self.number = "old", self.tokens[hit[1] - 1].text
            self.left.update(range(at, end))
        else:
            self.opener = ""
        return hit[1] if hit else end

    def _clause(self, at: int) -> int:
        """Read the clause at *at* and return where it ends; what nothing takes is left over."""
        fresh, self.fresh = self.fresh, self._blank(at)
        if self.fresh:
            if self.tokens[at].text == "?" and not self.asking:
                self.left.add(at)
            return at + 1
        hit = self._phrase(at)
        if hit:
            tag, end = hit
            taken = tag in _TAGS.get(self.opener, _OF_INVOICE) and self._take(tag, at, end, fresh)
        else:
            end = at if self.opener == "old" else self._text(at, fresh=fresh)
            taken, end = end > at, max(end, at + 1)
        if not taken:
            self.left.update(range(at, end))
        return end

    def _take(self, tag: str, at: int, end: int, apart: bool) -> bool:
        """Note what a phrase says, unless there is no place for it."""
        kinds = {"money", "number", "percent", "date"}
        worth = next((token for token in self.tokens[at:end] if token.kind in kinds), None)
        rate = worth.amount if worth else None
        match tag:
            case "money" | "bare":
                return self._price(rate, at, end)
            case "plus" | "rate" | "within" | "unclear":
                if worth and (rate is None or rate > 100):
                    self.problem = ("amount", worth.text)
                self.vats.append(Vat(len(self.lines), tag, rate, apart))
            case "due" | "date":
                if self.day or not worth:
                    return False
                self.day = worth.day
                if worth.kind == "number" and rate in range(1, 366):
                    self.day = self.today + timedelta(days=int(rate or 0))
                if not self.day:
                    self.problem = ("day", worth.text)
            case "each":
                if not self.lines:
                    return False
                self.lines[-1].each = True
            case "mail":
                return self.opener in {"old", "send"} or "send" in self.tails
            case "send" | "issue" | "draft":
                self.tails.add(tag)
        return True

    def _price(self, price: Decimal | None, at: int, end: int) -> bool:
        """Give the last line its price, or begin the first one with it."""
        if not self.lines:
            self.lines.append(Line())
        line = self.lines[-1]
        if line.price is not None or self.tails & {"send", "issue"}:
            return False
        line.price, line.at = price or Decimal(0), self.tokens[at].fold in self.language.at
        if not line.price:
            self.problem = ("amount", " ".join(token.text for token in self.tokens[at:end]))
        return True

    def _text(self, at: int, *, fresh: bool) -> int:
        """Read a name or a concept, by the word before it."""
        word, language = self.tokens[at].fold, self.language
        marked = word in language.about
        if self.opener == "expense":
            return self._spent(at, marked, fresh)
        counted = at + marked < len(self.tokens) and self.tokens[at + marked].kind == "number"
        closed = bool(self.tails & {"send", "issue"})
        another = closed or (fresh and self._complete()) or not self.names  # "and for Acme …"
        if word in language.to and (not marked or (another and not counted)):
            return self._name(at, at + 1)
        if closed or not (marked or fresh or (counted and not self.lines)):
            return at
        return self._concept(at, at + marked, fresh)

    def _name(self, at: int, start: int) -> int:
        """Read the name that starts at *start*."""
        language = self.language
        end = self._run(start, (language.about | language.to) - {"de", "del", "of"}, name=True)
        if self._sane(start, end):
            self.names.append(self.tokens[start:end])
        else:
            self.left.update(range(at, end))
        return end

    def _concept(self, at: int, start: int, fresh: bool) -> int:
        """Read the concept of a line, with how many if it says so."""
        end = self._run(start, frozenset() if self.names else self.language.to)
        if start < end and self.tokens[start].kind == "number":
            quantity, first = self.tokens[start].amount, start + 1
            if not quantity:
                self.problem = ("amount", self.tokens[start].text)
        else:
            quantity, first = None, start
        if self._sane(first, end) and (not self.lines or (fresh and self._complete())):
            self.lines.append(Line(self.tokens[first:end], quantity))
        elif self._sane(first, end) and not self.lines[-1].words:
            self.lines[-1].words, self.lines[-1].quantity = self.tokens[first:end], quantity
        else:
            self.left.update(range(at, end))
        return end

    def _spent(self, at: int, marked: bool, fresh: bool) -> int:
        """Read what an expense was for, or whom it was paid to."""
        if not self.lines:
            self.lines.append(Line())
        line, word = self.lines[0], self.tokens[at].fold
        if self._pays(at) and not self.supplier:
            end = self._run(at + 1, self.language.about)
            if self._sane(at + 1, end):
                self.supplier = self.tokens[at + 1 : end]
                return end
        elif marked or fresh:
            start = at + marked
            proper = start < len(self.tokens) and self.tokens[start].text[:1].isupper()
            end = self._run(start, self.language.by | ({"por", "for"} if proper else frozenset()))
            if line.words and line.words[0].text[:1].isupper() and word in {"por", "for"}:
                line.words, self.supplier = self.supplier, line.words  # "de Adobe por Photoshop"
            if self._sane(start, end) and not line.words:
                line.words = self.tokens[start:end]
                return end
        else:
            return at
        self.left.update(range(at, end))
        return end

    def _pays(self, at: int) -> bool:
        """Whether a supplier follows: "en Carlin", and not "en tren"."""
        following = self.tokens[at + 1].text[:1] if at + 1 < len(self.tokens) else ""
        word = self.tokens[at].fold
        return word in self.language.by and (word == "from" or following.isupper())

    def _run(self, start: int, stops: frozenset[str], *, name: bool = False) -> int:
        """Where the free text that starts at *start* ends."""
        end = start
        while end < len(self.tokens) and self.tokens[end].kind in {"word", "number"}:
            token, following = self.tokens[end], end + 1
            joins = token.fold in self.language.joins
            if self._phrase(end) or (joins and (self._ends(following) or self._phrase(following))):
                break
            stops_here = token.fold not in self.language.by or self._pays(end)
            if end > start and token.fold in stops and stops_here:
                break
            if name and token.kind == "number" and not self._ends(following):
                break
            end += 1
        return end

    def _sane(self, start: int, end: int) -> bool:
        """Whether that text is only a name or a concept: no wish, no condition, no quantity."""
        words = self.tokens[start:end]
        for token in words:
            if token.kind == "number":
                closing = token is words[-1] and self._ends(end)
                if not closing and not re.fullmatch("(19|20)[0-9]{2}", token.text):
                    return False
            elif not _PLAIN.fullmatch(token.text) or _RESERVED.fullmatch(token.fold):
                return False
        meant = [token for token in words if token.fold not in self.language.articles]
        if not meant or len(words) > _LONGEST:
            return False
        unfinished = _ROUGHLY | self.language.about | self.language.to | self.language.by
        return meant[0].fold not in _HALVES and words[-1].fold not in unfinished


def read(text: str, language: Language, today: date) -> Reading:
    """What *text* says in *language*."""
    reading = Reading(language, tokens(text, language, today), today)
    reading.read()
    return reading
