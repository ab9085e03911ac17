"""An order about what is in the books, or about a contact: one wish, read part by part."""

import re
from dataclasses import dataclass, field, replace

from .lexing import Token
from .sentence import REMINDER, Sentence, reserved, said

_ERASED = {"one", "many", "person", "kept", "invoice", "month", "day", "skip"}
_TAKEN = {
    "remind": {"invoice", "now", "mail", "skip", *REMINDER},
    "unremind": {"invoice", "skip"},
    "paid": {"invoice", "money", "tell", "skip"},
    "erase": _ERASED,
    "every": _ERASED,
    "contact": {"email", "taxid", "address", "term", "skip"},
    "change": {"label", "email", "skip"},
}
ORDERS = frozenset({"now", *_TAKEN})
"""What a sentence may open with to be an order; any other opener is that of something new."""

_NAMING = {"one", "many", "person", "label"}  # what is named stands next to these
_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9-]+\.)+[A-Za-z0-9-]{2,}")
_LONGEST_TERM = 365  # days in which a contact pays; the law is stricter, and the books know it
_ADDRESS = re.compile(r"[\w.'’&/ºª°-]+")


@dataclass(slots=True)
class Order(Sentence):
    """What the sentence says, each thing once."""

    parts: dict[str, list[Token]] = field(default_factory=dict)
    words: list[Token] = field(default_factory=list)  # who or what it is about, as it is named
    address: str = ""
    days: list[int] = field(default_factory=list)
    naming: bool = False  # the last tokens leave room for a name without a word before it

    def read(self, opener: str, start: int, end: int) -> None:
        """Read the parts that follow the opener, which is at ``[start, end)``."""
        self.opener, self.naming = opener, True
        if opener == "now":
            self.opener, self.parts["now"] = "remind", self.tokens[start:end]
        if any(token.kind == "invoice" for token in self.tokens[start:end]):
            self.parts["invoice"] = self.tokens[start:end]
        at = end
        while at < len(self.tokens):
            at = self._part(at)
        self.close(start)

    def paid_by(self, start: int) -> bool:
        """Read "María Carmona has paid …", which opens with a name, if it is such a sentence."""
        for at in range(start + 1, len(self.tokens)):
            hit = self.language.paying.match(self.tokens, at)
            if hit and self.sane(start, at):
                self.words = self.tokens[start:at]
                self.read(hit[0], start, hit[1])
            if hit:
                break
        return bool(self.opener)

    def phrase(self, at: int) -> tuple[str, int] | None:
        """The part that begins at *at*; a reminder's are only looked for in a reminder."""
        hit = self.language.parts.match(self.tokens, at)
        more = self.language.reminder.match(self.tokens, at) if self.opener == "remind" else None
        return max(filter(None, (hit, more)), key=lambda found: found[1], default=None)

    def number(self) -> str:
        """The number of the invoice, or nothing."""
        return self._text_of("invoice")

    def _text_of(self, tag: str) -> str:
        """The token of that kind in the part of that name, as written."""
        return next((token.text for token in self.parts.get(tag, ()) if token.kind == tag), "")

    def email(self) -> str:
        """The e-mail address, or nothing."""
        return self._text_of("email")

    def tax_id(self) -> str:
        """The tax id, without its hyphens, or nothing; whether it is right, the books check."""
        return self._text_of("taxid").replace("-", "").upper()

    def _part(self, at: int) -> int:
        """Read the part at *at* and return where it ends; what nothing takes is left over."""
        if self.blank(at):
            return at + 1
        naming, self.naming = self.naming, False
        hit = self.phrase(at)
        if not hit:
            return self._named(at, naming)
        tag, end = hit
        if tag not in _TAKEN[self.opener] or tag in self.parts:
            self.left.update(range(at, end))
            return end
        return self._take(tag, at, end)

    def _take(self, tag: str, at: int, end: int) -> int:
        """Note what a part says, and return where it ends."""
        span = self.tokens[at:end]
        if tag != "skip":
            self.parts[tag] = span
        self.naming = tag in _NAMING
        if self.naming or tag == "month":
            self._own(at)
        worth = next((token for token in span if token.kind in {"money", "date", "number"}), None)
        count = worth.amount if worth else None
        match tag:
            case "days" | "weeks" if self.days:
                self.left.update(range(at, end))
            case "days" | "weeks":
                self.days = self.ahead(span, 7 if tag == "weeks" else 1)
            case "money" if not count:
                self.problem = ("amount", said(span))
            case "day" if worth and not worth.day:
                self.problem = ("day", worth.text)
            case "term" if count is None or count % 1 or count > _LONGEST_TERM:
                self.left.update(range(at, end))
            case "email" if not _EMAIL.fullmatch(self.email()):
                self.problem = ("email", self.email())
            case "address":
                return self._addressed(at, end)
        return end

    def _named(self, at: int, naming: bool) -> int:
        """Read who or what the order is about: once, and where a name has its place."""
        language = self.language
        before = self.opener != "contact" and self.tokens[at].fold in (
            language.to | language.about | language.by
        )
        start = at + before
        end = self.run(start, frozenset())
        if self.words or not (naming or before) or not self.sane(start, end):
            end = max(end, at + 1)
            self.left.update(range(at, end))
        else:
            self.words = self.tokens[start:end]
        return end

    def _own(self, at: int) -> None:
        """Take the possessive from a name that stands right before what is its own, at *at*."""
        if self.words and self.words[-1] is self.tokens[at - 1]:
            owner = self.words[-1]
            text, word = owner.text.removesuffix("'s").removesuffix("’s"), owner.fold
            self.words[-1] = replace(owner, text=text, fold=word.removesuffix("'s"))

    def _addressed(self, label: int, start: int) -> int:
        """Read a postal address: words, numbers and commas up to the next part."""
        end = start
        while end < len(self.tokens) and not self.phrase(end):
            token = self.tokens[end]
            after = end + 1
            if self.blank(end) and (after == len(self.tokens) or self.phrase(after)):
                break
            written = token.kind in {"number", "word"} and _ADDRESS.fullmatch(token.text)
            if token.text != "," and (not written or reserved(token)):
                break
            end += 1
        self.address = re.sub(" ,", ",", said(self.tokens[start:end])).strip(" ,")
        if not re.search(r"\w", self.address):
            self.left.update(range(label, start))
        return end
