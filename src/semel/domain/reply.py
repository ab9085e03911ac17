"""Is this message a clear yes? Strict on purpose: a false yes is the only error without a remedy.

A message confirms when every one of its words is a yes-word or a courtesy and at least one is a
yes-word. There is no list of bad words that a yes has to beat: one word that stands in no list
decides against it. The negative words only tell a plain no, which needs no model, from the rest.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from semel.domain.lexicon import EMOJI, PHRASES, VOCABULARY, Kind, base_letter


class Verdict(StrEnum):
    """What a message does to the plan that is pending; NO and OTHER both cancel it."""

    YES = "YES"
    NO = "NO"  # a plain no: it needs no turn of the model
    OTHER = "OTHER"  # goes on to the model as a message like any other


class Reason(StrEnum):
    """Why a message got its verdict."""

    YES_WORDS = "yes_words"
    NO_WORDS = "no_words"
    CHANNEL = "channel"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    STRUCK_THROUGH = "struck_through"
    ELLIPSIS = "ellipsis"
    QUESTION = "question"
    UNFINISHED = "unfinished"
    NEGATIVE = "negative"
    FOREIGN_WORD = "foreign_word"
    TOO_MANY_WORDS = "too_many_words"
    ONLY_COURTESY = "only_courtesy"
    CONDITIONAL_IF = "conditional_if"


@dataclass(frozen=True, slots=True)
class Reply:
    """A message as it was read."""

    verdict: Verdict
    reason: Reason


class Wish(StrEnum):
    """What a word alone asks for, where a channel has no buttons."""

    RETRY = "retry"
    UNDO = "undo"
    CANCEL = "cancel"


_COURTESY = frozenset({Kind.POLITE, Kind.PRAISE})
_AGAINST = frozenset({Kind.NEGATIVE, Kind.HOLD})
_CORE = frozenset(Kind) - _COURTESY - _AGAINST - {Kind.FOREIGN}
_BARE = frozenset({Kind.BARE_SI, Kind.BARE_CLAUSE})

# A bare "si" is a yes alone, repeated, or with a courtesy, "claro" or the like right after it. In
# "si correcto, adelante" or "si ✅ hazlo" it may be an "if", and so may one after other words.
_NOT_AN_IF = re.compile(r"(?:[sS]+q*|[^sq]*q+)(?:[pua][^sq]*|c[cp]*(?:u[^sq]*)?)?")

_MAX_LENGTH = 80  # code points; six of the longest words and their commas take 70
_MAX_RAW_LENGTH = 320  # four code points to a visible letter; more is refused unread
_MAX_WORDS = 6
_MAX_PHRASE = 4  # words in "por supuesto que sí"

# Zero-width, bidi and variation selectors are not seen by who typed them. Tag characters and the
# soft hyphen are kept, so that they make a word foreign: no keyboard sends them.
_UNSEEN = re.compile(
    "[\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
# The Greek question mark is mapped by hand, because NFKC turns it into a harmless semicolon.
_PLAIN_MARKS = str.maketrans(
    dict.fromkeys("‘’‛ʼ´", "'") | dict.fromkeys("«»‹›“”„‟", '"') | {"\u037e": "?"}
)
_REFUSED_SHAPES = (
    (re.compile("[\u0334-\u0338]|~[^~]+~"), Reason.STRUCK_THROUGH),
    (re.compile(r"\.\s*\."), Reason.ELLIPSIS),  # NFKC writes "…" and "‥" with full stops
    (re.compile("[?¿؟⸮‽⸘❓❔]"), Reason.QUESTION),
    # An open bracket at the end is a sad face, or something that is still being written.
    (re.compile(r"[,:;\-–—(][\s.!¡\"'*_~`]*\Z"), Reason.UNFINISHED),
)
_SKIN_TONE = re.compile("(?<=[👍👌👎✋])[🏻-🏿]")
_EMOJI = re.compile("|".join(sorted(EMOJI)))
# An apostrophe between two letters belongs to the word: "d'acord", "don't".
_BETWEEN_WORDS = re.compile(r"[\s.,;:!¡\"*_~`()]|(?<![^\W\d_])'|'(?![^\W\d_])")

# Written double, these make another word of one in the lexicon: "valle", "vall", "off course".
_NEVER_STRETCHED = frozenset("lf")

_TYPED_WORDS = ("borrar", "delete", "esborrar", "apagar")
_SEND_AGAIN_WORDS = frozenset({"enviar otra vez", "send again"})
_WISHES = {
    "reintentar": Wish.RETRY,
    "reintenta": Wish.RETRY,
    "retry": Wish.RETRY,
    "deshacer": Wish.UNDO,
    "deshaz": Wish.UNDO,
    "undo": Wish.UNDO,
    "cancelar": Wish.CANCEL,
    "cancela": Wish.CANCEL,
    "cancel": Wish.CANCEL,
}
_TYPED_TRIM = re.compile(r'\A[\s.!¡*_"«»]+|[\s.!¡*_"«»]+\Z')


def read_reply(text: str, source: str = "text") -> Reply:
    """Read a message that arrives while a plan is pending (domain rule 4.1).

    Args:
        text: The message as it came; any string at all.
        source: ``"text"`` for what a person typed. Anything else (a voice note, a caption, a
            reaction, something forwarded) never confirms, however it reads.

    Returns:
        The verdict and its reason. Nothing is raised.
    """
    if source != "text":
        return Reply(Verdict.OTHER, Reason.CHANNEL)
    if len(text) > _MAX_RAW_LENGTH:
        return Reply(Verdict.OTHER, Reason.TOO_LONG)
    plain = _plain(text)
    if len(plain) > _MAX_LENGTH:
        return Reply(Verdict.OTHER, Reason.TOO_LONG)
    for shape, reason in _REFUSED_SHAPES:
        if shape.search(plain):
            return Reply(Verdict.OTHER, reason)
    words = _words(plain)
    kinds = _kinds(words)
    if Kind.NEGATIVE in kinds and set(kinds) <= _AGAINST | _COURTESY:
        return Reply(Verdict.NO, Reason.NO_WORDS)
    # NFKC makes letters of Roman numerals ("ⅴale"); a number in a reply is never part of a yes.
    reason = _doubt(words, kinds, numeric=any(letter.isnumeric() for letter in text))
    return Reply(Verdict.YES if reason is Reason.YES_WORDS else Verdict.OTHER, reason)


def clear_yes(text: str, source: str = "text") -> str:
    """Say ``"YES"``, ``"NO"`` or ``"OTHER"``: the verdict of ``read_reply`` alone."""
    return read_reply(text, source).verdict.value


def typed_words(text: str, count: int, source: str = "text") -> bool:
    """Whether *text* is what a bulk delete of *count* records must be answered with (rule 4.3).

    That is the count in ASCII digits, the word for deleting in one of the locales, or that word, a
    space and the count, and nothing else: no question, no hesitation, no stretched letters.

    Args:
        text: The message as it came; any string at all.
        count: How many records the plan was frozen with.
        source: ``"text"`` for what a person typed; nothing else counts.

    Returns:
        True only for those words. Nothing is raised.
    """
    if source != "text" or count < 1:
        return False
    # Text is compared with text, because int("١٤") is 14 too.
    number = str(count)
    accepted = {number, *_TYPED_WORDS, *(f"{word} {number}" for word in _TYPED_WORDS)}
    return _bare(text) in accepted


def send_again_words(text: str) -> bool:
    """Whether *text* is what sending a step once more, which may be twice, must be ordered with."""
    return _bare(text) in _SEND_AGAIN_WORDS


def wish(text: str, source: str = "text") -> Wish | None:
    """The wish that a message is, exactly and alone; None when it is anything else."""
    return _WISHES.get(_bare(text)) if source == "text" else None


def _bare(text: str) -> str:
    """A short message in one case and width, without what people put around a word.

    Nothing is left of one that is too long or, with an ellipsis, hesitates.
    """
    if len(text) > _MAX_LENGTH:
        return ""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "" if re.search(r"\.\s*\.", plain) else _TYPED_TRIM.sub("", plain)


def _plain(text: str) -> str:
    """The message in lower case and one width, with plain quotes and nothing unseen."""
    seen = _UNSEEN.sub("", text).translate(_PLAIN_MARKS)
    # Twice, because a case fold can leave letters apart that NFKC would join.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())


def _words(plain: str) -> list[str]:
    """The words of a plain message; each emoji that the lexicon knows is one, wherever it stands.

    Digits, signs and letters of other scripts stay inside their word, which then matches nothing.
    """
    apart = _EMOJI.sub(r" \g<0> ", _SKIN_TONE.sub("", plain))
    return [_undrawn(word) for word in _BETWEEN_WORDS.sub(" ", apart).split()]


def _undrawn(word: str) -> str:
    """The word itself if the lexicon has it, else the word as if it were drawn out ("siii")."""
    return word if word in VOCABULARY else _shortened(word)


def _shortened(word: str) -> str:
    """The word with its drawn-out letters single: three or more anywhere, two at its end.

    An accented letter and its plain form draw out the same letter ("síii"). The accent stays, so
    that "aceptóoo" does not become "acepto".
    """
    runs = ["".join(run) for _, run in groupby(word, key=base_letter)]
    return "".join(_single(run, 2 if at == len(runs) else 3) for at, run in enumerate(runs, 1))


def _single(run: str, least: int) -> str:
    """One letter for a run of at least *least* of them; any other run as it is."""
    base = base_letter(run[0])
    if len(run) < least or not base.isalpha() or base in _NEVER_STRETCHED:
        return run
    accented = set(run) - {base}
    if len(accented) > 1:
        return run
    return accented.pop() if accented else base


def _kinds(words: list[str]) -> str:
    """What each phrase of the message is, one letter of ``Kind`` each, longest phrase first."""
    kinds: list[Kind] = []
    at = 0
    while at < len(words):
        for size in range(min(_MAX_PHRASE, len(words) - at), 0, -1):
            kind = PHRASES.get(tuple(words[at : at + size]), Kind.FOREIGN)
            if kind is not Kind.FOREIGN:
                break
        kinds.append(kind)
        at += size
    return "".join(kinds)


def _doubt(words: list[str], kinds: str, *, numeric: bool) -> Reason:
    """What keeps the words from being a yes, or YES_WORDS if nothing does."""
    doubts = (
        (not words, Reason.EMPTY),
        (not _AGAINST.isdisjoint(kinds), Reason.NEGATIVE),
        (Kind.FOREIGN in kinds or numeric, Reason.FOREIGN_WORD),
        (len(words) > _MAX_WORDS, Reason.TOO_MANY_WORDS),
        (_CORE.isdisjoint(kinds), Reason.ONLY_COURTESY),
        (
            not _BARE.isdisjoint(kinds) and not _NOT_AN_IF.fullmatch(kinds),
            Reason.CONDITIONAL_IF,
        ),
    )
    return next((reason for doubted, reason in doubts if doubted), Reason.YES_WORDS)
