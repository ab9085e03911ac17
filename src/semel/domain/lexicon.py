"""The words that a reply may be made of, in five locales, and what each of them is.

Spanish of Spain and of Latin America, English, Catalan and Portuguese (domain rule 4.1).
"""

import unicodedata
from enum import StrEnum


class Kind(StrEnum):
    """What a phrase of the lexicon is; one letter each, so that a message becomes a string."""

    SI = "S"
    BARE_SI = "s"
    BARE_CLAUSE = "q"
    YES = "y"
    MAYBE_CONDITION = "c"
    NEVER_CONDITION = "u"
    ONWARD = "a"
    POLITE = "p"
    PRAISE = "g"
    NEGATIVE = "n"
    HOLD = "h"
    FOREIGN = "x"


# A missing accent is forgiven, so each phrase is also known without its accents. An added or moved
# one is not: "aceptó" is what somebody else did. A new yes-word needs a test and a reason; "bueno",
# "ya", "va", "procede" and single letters are left out, for people say them without agreeing.
LEXICON: dict[Kind, str] = {
    Kind.SI: "sí",
    # Without its accent it is also "if", so what follows decides (see reply).
    Kind.BARE_SI: "si",
    Kind.BARE_CLAUSE: "claro que si, por supuesto que si",
    # Agreement in so many words: Spain, Latin America, English, Catalan, Portuguese.
    Kind.YES: (
        "sip, confirmo, confirmado, confirmada, confirmar, vale, ok, okay, okey, oki, dale, acepto,"
        " venga, hazlo, de acuerdo, afirmativo,"
        " órale, hágale, hacelo, de una,"
        " yes, yep, yeah, yup, sure, confirm, confirmed, i confirm, proceed, go ahead, do it,"
        " d'acord, val, fes-ho,"
        " sim, de acordo"
    ),
    # Agreement too, but after a bare "si" it could still be what the "if" is about.
    Kind.MAYBE_CONDITION: "claro, 👍, ✅, ✔, ☑, 👌, 🆗",
    # Agreement that no "if" can be about, so a bare "si" before it is a yes.
    Kind.NEVER_CONDITION: (
        "claro que sí, por supuesto, por supuesto que sí, of course, i tant, com certeza"
    ),
    Kind.ONWARD: "adelante, endavant",
    # Courtesy, which goes with a yes and is none: it may only be the end of a conversation.
    Kind.POLITE: (
        "por favor, porfa, porfi, gracias, muchas gracias, please, thanks, thank you,"
        " si us plau, sisplau, gràcies, obrigado, obrigada"
    ),
    # Acknowledgement of what was shown; as adjectives they can follow an "if".
    Kind.PRAISE: "perfecto, genial, correcto, listo, great, perfecte, perfeito",
    Kind.NEGATIVE: (
        "no, nop, nope, nah, nunca, jamás, tampoco, cancela, cancelar, cancelarlo, cancel, para,"
        " stop, not, don't, não, nem, 👎, ❌, 🚫, ✋, 🛑"
    ),
    # These hold a yes back without being a no.
    Kind.HOLD: "espera, wait, pero, però, but",
}


def base_letter(letter: str) -> str:
    """The letter without its accents."""
    return unicodedata.normalize("NFD", letter)[0]


def _spellings() -> dict[tuple[str, ...], Kind]:
    """Every phrase of the lexicon as its words, with its accents and without them."""
    listed = {phrase.strip(): kind for kind, line in LEXICON.items() for phrase in line.split(",")}
    bare = {"".join(map(base_letter, phrase)): kind for phrase, kind in listed.items()}
    # A spelling that is listed itself wins: "si" is not merely "sí" without its accent.
    return {tuple(phrase.split()): kind for phrase, kind in (bare | listed).items()}


PHRASES = _spellings()
VOCABULARY = frozenset(word for phrase in PHRASES for word in phrase)
EMOJI = frozenset(word for word in VOCABULARY if not word[0].isalpha())
