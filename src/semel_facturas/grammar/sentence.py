"""What every sentence has: tokens, the free text among them, and what nothing could read."""

import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal, TypeAlias

from .lexing import Token, fold
from .phrases import Language

Problem: TypeAlias = Literal["amount", "day", "days", "email"]

# Wishes and conditions, in both languages: none of them is ever part of a concept or a name.
_RESERVED = re.compile(
    r"no|si|pero|ni|nunca|cuando|aunque|antes|despues|luego|entonces|ademas|tambien|eres"
    r"|otr[oa]s?|iva|irpf|facturas?|gastos?|borrador(es)?|retencion|descuento|dto|menos"
    r"|docenas?|par|cien|cientos?|mil|miles|haz\w*|hacer\w*|hagas?|crea|crear|prepara|envi[ae]\w*"
    r"|manda\w*|emit\w*|borr[ae]\w*|elimin[ae]\w*|anul[ae]\w*|cancel[ae]\w*|cobra\w*|paga\w*"
    r"|avisa\w*|ignora\w*|olvid\w*|confirm[ae]\w*|ejecut[ae]\w*|apunta\w*|transfiere\w*"
    r"|devuelve\w*|instrucciones|whatsapp|recuerd[ae]\w*|recordar\w*|recordatorios?"
    r"|registra|quita|cambia|actualiza|anota"
    r"|not|no|\w+n't|dont|never|if|unless|when|but|then|also|before|after|until|you|your|yourself"
    r"|another|vat|iva|invoices?|expenses?|drafts?|discount|withholding|less|minus|dozens?"
    r"|couple|pair|hundreds?|thousands?|me|her|him|them|ignor(e|ing)|disregard|forget"
    r"|delet(e|ing)|remove|void|cancel|send\w*|confirm|execute|transfer|pay|paid|refund"
    r"|override|pretend|instructions?|whatsapp|remind\w*"
)
_CURRENCY = re.compile(r"[$£¥].*|.*[$£¥]|dolar(es)?|dollars?|usd|libras?|pounds?|gbp|chf|yen(es)?")
_PLAIN = re.compile(r"[^\W\d_][\w.'’&/+#ºª-]*|[&+–-]")
REMINDER = {"days", "weeks", "deadline", "payment", "unless"}  # the tags of what a reminder needs
_ASKING = {"puedes", "podrias", "me", "can", "could", "would", "will"}
_TEXTUAL = {"word", "number", "taxid"}
_HALVES = {"media", "medio", "half"}  # "half an hour at €40" is not one hour
_ROUGHLY = {"hasta", "casi", "unos", "unas", "about", "around", "almost", "roughly"}
_LONGEST = 15  # words of a concept or a name; more than that is a story, and wishes hide in stories
_EARLIEST = 60  # days before an invoice is due; a reminder before that reminds of nothing


@dataclass(slots=True)
class Sentence:
    """A sentence of a person in one language; nothing is looked up yet."""

    language: Language
    tokens: list[Token]
    today: date
    opener: str = ""
    left: set[int] = field(default_factory=set)
    problem: tuple[Problem, str] | None = None

    def phrase(self, at: int) -> tuple[str, int] | None:
        """The phrase that begins at *at*, which no free text may run over."""
        return self.language.clauses.match(self.tokens, at)

    def pays(self, at: int) -> bool:
        """Whether a supplier follows: "en Carlin", and not "en tren"."""
        following = self.tokens[at + 1].text[:1] if at + 1 < len(self.tokens) else ""
        word = self.tokens[at].fold
        return word in self.language.by and (word == "from" or following.isupper())

    def blank(self, at: int) -> bool:
        """Whether what stands at *at* only separates."""
        return self.tokens[at].kind == "sep" or self.tokens[at].fold in self.language.joins

    def ends(self, at: int) -> bool:
        """Whether the sentence or its clause ends before *at*."""
        return at == len(self.tokens) or self.tokens[at].kind == "sep"

    def run(self, start: int, stops: frozenset[str], *, name: bool = False) -> int:
        """Where the free text that starts at *start* ends."""
        end = start
        while end < len(self.tokens) and self.tokens[end].kind in _TEXTUAL:
            token, following = self.tokens[end], end + 1
            joins = token.fold in self.language.joins
            if self.phrase(end) or (joins and (self.ends(following) or self.phrase(following))):
                break
            stops_here = token.fold not in self.language.by or self.pays(end)
            if end > start and token.fold in stops and stops_here:
                break
            if name and token.kind == "number" and not self.ends(following):
                break
            end += 1
        return end

    def sane(self, start: int, end: int) -> bool:
        """Whether that text is only a name or a concept: no wish, no condition, no quantity."""
        words = self.tokens[start:end]
        for token in words:
            if token.kind == "number":
                closing = token is words[-1] and self.ends(end)
                if not closing and not re.fullmatch("(19|20)[0-9]{2}", token.text):
                    return False
            elif not _PLAIN.fullmatch(token.text) or reserved(token):
                return False
        meant = [token for token in words if token.fold not in self.language.articles]
        if not meant or len(words) > _LONGEST:
            return False
        unfinished = _ROUGHLY | self.language.about | self.language.to | self.language.by
        return meant[0].fold not in _HALVES and words[-1].fold not in unfinished

    def ahead(self, span: list[Token], unit: int) -> list[int]:
        """The days before an invoice is due that *span* counts, in units of so many days."""
        counts = [token.amount for token in span if token.kind == "number"] or [Decimal(1)]
        days = [int(count * unit) for count in counts if count is not None and count % 1 == 0]
        good = all(1 <= day <= _EARLIEST for day in days)
        if len(set(days)) < len(counts) or not good:
            self.problem = ("days", said(span))
        return days

    def close(self, start: int) -> None:
        """Leave over what makes it a question that asks for nothing, or cuts it short.

        It asks for something if it does so from *start* on, as in "could you …?".
        """
        if self.tokens[start].fold not in _ASKING:
            marks = (at for at, token in enumerate(self.tokens) if token.text in {"?", "¿"})
            self.left.update(marks)
        words = [at for at, token in enumerate(self.tokens) if token.kind != "sep"]
        if self.tokens[words[-1]].fold in self.language.joins:
            self.left.add(words[-1])

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


def reserved(token: Token) -> bool:
    """Whether *token* is a wish or a condition, and no part of a free text."""
    return _RESERVED.fullmatch(token.fold) is not None


def said(words: list[Token]) -> str:
    """*words* as the person wrote them."""
    return " ".join(token.text for token in words)
