"""What a tool's name, description and parameters say that it does."""

import re
from collections.abc import Iterator, Sequence

from semel.guard.scan.lexicon import (
    BEFORE_A_VERB,
    COMMANDED,
    DIAGNOSTIC,
    EITHER,
    MONEY_ONLY,
    NEXT_TO_A_NOUN,
    NEXT_TO_A_VERB,
    NOUN,
    OF_GOODS,
    ONCE_MORE,
    PARAMETERS,
    PREPOSITIONS,
    STATE,
    TOLD,
    Verb,
    plain,
)
from semel.guard.scan.tool import Deed, Kind, Tool

TEXT_MAX = 4096
"""Characters of a description that are read: what matters comes first, and some are megabytes."""

_WORD = re.compile(r"[a-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINED = frozenset({"and", "then", "y", "e", "luego"})
_STARTS = frozenset(
    {"and", "or", "then", "also", "y", "e", "o", "luego", "ademas", "tambien", "it"}
)


def said(tool: Tool) -> list[Deed]:
    """What its words say, the name's first; empty when they say nothing."""
    text = plain(f"{' '.join(split(tool.name))}. {tool.description[:TEXT_MAX]}")
    named = split(tool.name)
    if tool.method and named[:1] == [tool.method.lower()] and tool.method not in {"GET", "DELETE"}:
        # `postCharges` repeats the method, and posts no message.
        named = named[1:]
    deeds = [*_named(named), *_described(tool.description[:TEXT_MAX])]
    phrase = next((one for one in ONCE_MORE if re.search(rf"\b{one}", text)), None)
    if phrase is not None:
        # Such a phrase speaks of what is kept; who is paid or written to is so each time.
        graver = [deed for deed in deeds if deed.kind in {Kind.MONEY, Kind.MESSAGE, Kind.WEBHOOK}]
        return [*graver, Deed(Kind.HARMLESS, f"it says `{phrase}`, which leaves the same state")]
    if not any(deed.kind is not Kind.UNKNOWN for deed in deeds):
        deeds += _given(tool.parameters)
    return deeds


def split(name: str) -> list[str]:
    """The words of a name, whatever joins them: ``sendEmail``, ``send_email``, ``mail.send``."""
    return _WORD.findall(plain(_HUMP.sub(" ", name[:TEXT_MAX])))


def called_for(name: str) -> Kind | None:
    """What a call of code that is not there does, where its name is sure of it: ``notify_owner``.

    Only what reaches somebody or keeps something counts: what is made in a body is made of
    values as often as not, and what is logged as an error is no effect.
    """
    words = split(name)
    if len(words) < 2 or words[1] in DIAGNOSTIC or name[:1].isupper():
        # What begins with a capital is a class, and makes a value.
        return None
    sure = words[0] not in EITHER or words[0] in {"log", "record"}
    verb = COMMANDED.get(words[0])
    told = verb in {Verb.SEND, Verb.PAY, Verb.KEEP} and sure
    return does(verb, words[0], words[1:]) if told and verb is not None else None


def noun_of(words: Sequence[str]) -> Kind | None:
    """What the object of a verb is: its last word before a preposition tells."""
    for at, word in enumerate(words):
        if word in PREPOSITIONS and at:
            return NOUN.get(words[at - 1])
    return NOUN.get(words[-1]) if words else None


def does(verb: Verb, word: str, rest: Sequence[str]) -> Kind:
    """The class of a verb with what follows it."""
    noun = noun_of(rest)
    match verb:
        case Verb.READ:
            return Kind.READ
        case Verb.SEND if noun is Kind.WEBHOOK:
            return Kind.WEBHOOK
        case Verb.SEND:
            return Kind.MONEY if MONEY_ONLY.intersection(rest[:2]) else Kind.MESSAGE
        case Verb.PAY:
            return Kind.MONEY
        case Verb.MAKE:
            kept = {Kind.MONEY, Kind.MESSAGE, Kind.WRITE}
            return noun if noun in kept and noun is not None else Kind.RESOURCE
        case Verb.FIRE:
            sure = word.startswith(("trigger", "fire", "dispatch", "dispar", "desencaden"))
            hook = any(NOUN.get(one) is Kind.WEBHOOK for one in rest)
            return Kind.WEBHOOK if sure or hook else Kind.UNKNOWN
        case Verb.KEEP:
            return Kind.WRITE
        case Verb.SET:
            return Kind.HARMLESS


def _named(words: Sequence[str]) -> Iterator[Deed]:
    """The first sure verb of a name, and what is joined to it; else the first that may be one."""
    sure = [at for at, word in enumerate(words) if word in COMMANDED and word not in EITHER]
    # `order_status` looks; `transfer_balance` may well move one.
    pays = bool(words) and COMMANDED.get(words[0]) is Verb.PAY
    if not sure and words and words[-1] in STATE and not pays:
        yield Deed(Kind.READ, f"its name ends with `{words[-1]}`")
        return
    # A noun in front, as in `email_archive`, is no verb; a form such as `envia` may be one.
    maybe = [
        at
        for at, word in enumerate(words)
        if word in EITHER or (word in TOLD and not word.endswith("s"))
    ]
    first = (sure or maybe)[:1]
    joined = [at for at in (*sure, *maybe) if at and words[at - 1] in _JOINED and at not in first]
    for at in (*first, *joined):
        word, place = words[at], "begins with" if at == 0 else "has"
        rest = words[at + 1 :] or words[:at]
        if word in OF_GOODS or (word == "check" and rest[:1] in (["in"], ["out"])):
            yield Deed(Kind.UNKNOWN, f"its name {place} `{word}`, which need not be a read")
        else:
            yield Deed(does(TOLD[word], word, rest), f"its name {place} `{word}`")


def _described(text: str) -> Iterator[Deed]:
    """The verbs at the beginnings of a description's clauses."""
    told = plain(text).replace("e-mail", "email")
    sentences = [part for part in re.split(r"[.;:!?\n()]+", told) if part.strip()]
    for number, sentence in enumerate(sentences):
        words = re.findall(r"[a-z0-9']+|,", sentence)
        for at, word in enumerate(words):
            if at == 0 or words[at - 1] == "," or word in _STARTS:
                deed = _clause(words[at:], begins=number == 0 and at == 0)
                if deed is not None:
                    yield deed


def _clause(words: Sequence[str], *, begins: bool) -> Deed | None:
    """What the clause that begins here says; None when no verb begins it."""
    at = 0
    while at < len(words) - 1 and words[at] in BEFORE_A_VERB:
        at += 1
    word, rest = words[at], words[at + 1 :]
    verb = TOLD.get(word)
    # What opens a tool is what it says first, and no "is" or "shows" on the way.
    if verb is None or (verb is Verb.READ and (not begins or word in {"is", "has"})):
        return None
    after = rest[0] if rest else ""
    if word in EITHER or (word.endswith("s") and word[:-1] in EITHER):
        # "Check stock" may open a tool; "text of a letter" and "log files" must not close one.
        noun = after in NEXT_TO_A_NOUN if verb is Verb.READ else after not in NEXT_TO_A_VERB
        if noun:
            return None
    end = rest.index(",") if "," in rest else len(rest)
    objects = [one for one in rest[:end] if one not in NEXT_TO_A_VERB or one in PREPOSITIONS]
    return Deed(does(verb, word, objects), f"its description says `{word}`")


def _given(parameters: Sequence[str]) -> Iterator[Deed]:
    names = {word for name in parameters for word in split(name)}
    for kind, telling in PARAMETERS.items():
        found = sorted(names & telling)
        if len(found) > 1:
            yield Deed(kind, f"it takes {' and '.join(f'`{name}`' for name in found[:2])}")
