"""The sentence of a new invoice or a new expense, read clause by clause."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from .lexing import Token
from .sentence import REMINDER, Sentence

_COMMON = {"money", "bare", "plus", "rate", "within", "unclear", "skip"}
_OF_INVOICE = _COMMON | REMINDER | {"due", "each", "send", "mail", "issue", "draft", "remind"}
_BY_MAIL = {"send", "remind"}
_TAGS = {"old": REMINDER | {"skip", "mail", "remind"}, "expense": _COMMON | {"date"}}


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
class Reading(Sentence):
    """What the sentence says of an invoice or an expense."""

    fresh: bool = False  # the last token was a comma or an "and"
    lines: list[Line] = field(default_factory=list)
    names: list[list[Token]] = field(default_factory=list)
    supplier: list[Token] = field(default_factory=list)
    vats: list[Vat] = field(default_factory=list)
    day: date | None = None
    tails: set[str] = field(default_factory=set)
    days: list[int] = field(default_factory=list)  # before it is due, to remind of the payment
    number: str = ""

    def read(self, opener: str, start: int, end: int) -> None:
        """Read the clauses that follow the opener, which is at ``[start, end)``."""
        self.opener, at = opener, end
        if self.opener in {"to", "for"}:
            at = self._handed(at)
        elif self.opener == "old":
            self.number = self.tokens[at - 1].text
        elif self.opener == "bill" and at < len(self.tokens) and not self.phrase(at):
            at += self.tokens[at].fold in self.language.to
            at = self._name(at, at)
        while self.opener and at < len(self.tokens):
            at = self._clause(at)
        self.close(start)

    def phrase(self, at: int) -> tuple[str, int] | None:
        """The clause that begins at *at*; a bare number is a price only where it must be one."""
        clauses = self.language.clauses
        hit = clauses.match(self.tokens, at)
        if "remind" in self.tails:
            more = self.language.reminder.match(self.tokens, at)
            hit = max(filter(None, (hit, more)), key=lambda found: found[1], default=None)
        if not hit or hit[0] != "bare":
            return hit
        end = hit[1]
        after = clauses.match(self.tokens, end)
        told = after is not None and after[0] in {"plus", "within", "each"}
        closes = end == len(self.tokens) or self.blank(end)
        return hit if told or (closes and self.tokens[at].fold in self.language.at) else None

    def _closed(self) -> bool:
        """Whether the invoice has been said, and the sentence is about what happens to it."""
        return bool(self.tails & {"send", "issue", "remind"})

    def _complete(self) -> bool:
        """Whether the last line has its concept and its price."""
        return bool(self.lines and self.lines[-1].words and self.lines[-1].price)

    def _handed(self, at: int) -> int:
        """Read "María an invoice" after "send": the name stands before what is sent."""
        end = self._name(at, at)
        hit = self.phrase(end)
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
        fresh, self.fresh = self.fresh, self.blank(at)
        if self.fresh:
            return at + 1
        hit = self.phrase(at)
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
                return worth is not None and self._due(worth)
            case "each":
                if not self.lines:
                    return False
                self.lines[-1].each = True
            case "mail":
                return self.opener in {"old", "send"} or not self.tails.isdisjoint(_BY_MAIL)
            case "send" | "issue" | "draft":
                self.tails.add(tag)
            case "remind" | "days" | "weeks":
                return self._reminds(tag, at, end)
        return True

    def _due(self, worth: Token) -> bool:
        """Note the day that *worth* is or counts to, unless there is one already."""
        if self.day:
            return False
        self.day, count = worth.day, worth.amount
        if worth.kind == "number" and count in range(1, 366):
            self.day = self.today + timedelta(days=int(count or 0))
        if not self.day:
            self.problem = ("day", worth.text)
        return True

    def _reminds(self, tag: str, at: int, end: int) -> bool:
        """Note that the payment is to be reminded of, or how long before; each of them once."""
        if tag == "remind":
            again = tag in self.tails
            self.tails.add(tag)
            return not again
        again = bool(self.days)
        self.days = self.ahead(self.tokens[at:end], 7 if tag == "weeks" else 1)
        return not again

    def _price(self, price: Decimal | None, at: int, end: int) -> bool:
        """Give the last line its price, or begin the first one with it."""
        if not self.lines:
            self.lines.append(Line())
        line = self.lines[-1]
        if line.price is not None or self._closed():
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
        closed = self._closed()
        another = closed or (fresh and self._complete()) or not self.names  # "and for Acme …"
        if word in language.to and (not marked or (another and not counted)):
            return self._name(at, at + 1)
        if closed or not (marked or fresh or (counted and not self.lines)):
            return at
        return self._concept(at, at + marked, fresh)

    def _name(self, at: int, start: int) -> int:
        """Read the name that starts at *start*."""
        language = self.language
        end = self.run(start, (language.about | language.to) - {"de", "del", "of"}, name=True)
        if self.sane(start, end):
            self.names.append(self.tokens[start:end])
        else:
            self.left.update(range(at, end))
        return end

    def _concept(self, at: int, start: int, fresh: bool) -> int:
        """Read the concept of a line, with how many if it says so."""
        end = self.run(start, frozenset() if self.names else self.language.to)
        if start < end and self.tokens[start].kind == "number":
            quantity, first = self.tokens[start].amount, start + 1
            if not quantity:
                self.problem = ("amount", self.tokens[start].text)
        else:
            quantity, first = None, start
        if self.sane(first, end) and (not self.lines or (fresh and self._complete())):
            self.lines.append(Line(self.tokens[first:end], quantity))
        elif self.sane(first, end) and not self.lines[-1].words:
            self.lines[-1].words, self.lines[-1].quantity = self.tokens[first:end], quantity
        else:
            self.left.update(range(at, end))
        return end

    def _spent(self, at: int, marked: bool, fresh: bool) -> int:
        """Read what an expense was for, or whom it was paid to."""
        if not self.lines:
            self.lines.append(Line())
        line, word = self.lines[0], self.tokens[at].fold
        if self.pays(at) and not self.supplier:
            end = self.run(at + 1, self.language.about)
            if self.sane(at + 1, end):
                self.supplier = self.tokens[at + 1 : end]
                return end
        elif marked or fresh:
            start = at + marked
            proper = start < len(self.tokens) and self.tokens[start].text[:1].isupper()
            end = self.run(start, self.language.by | ({"por", "for"} if proper else frozenset()))
            if line.words and line.words[0].text[:1].isupper() and word in {"por", "for"}:
                line.words, self.supplier = self.supplier, line.words  # "de Adobe por Photoshop"
            if self.sane(start, end) and not line.words:
                line.words = self.tokens[start:end]
                return end
        else:
            return at
        self.left.update(range(at, end))
        return end
