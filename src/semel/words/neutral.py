"""Text from outside, made harmless: the one place where that is done.

A preview is trusted, so nothing that somebody typed into a name may change how it reads. What comes
out of here is one line, without anything unseen, without marks that a terminal, a web page or a
chat would act on. The rule:

- Spaces and line breaks become single spaces. What cannot be seen, or reorders what can (controls,
  bidi, zero width, tags, private use, unassigned, halves of characters, fillers, piled-up accents),
  and digits that are not 0 to 9 are shown as their code points: ``⟨U+202E⟩``.
- In a word of several scripts the letters of the rarer script are shown as code points, so that a
  Cyrillic ``М`` is not taken for a Latin one: ``⟨U+041C⟩aría``.
- Marks of markdown, WhatsApp, HTML and terminals become look-alikes that mean nothing to a program:
  ``* _ ~ ` < > [ ]`` are ``∗ ˍ ∼ ' ‹ › ( )``. No dot before a word and no ``://`` stays one, so
  nothing becomes a link: ``evil․example``, ``https:∕∕``. An e-mail address stays as it is.
- Long text ends in ``…``, never inside an address or a code point. Tokens of semel are cut out.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from semel.domain.consent import TOKEN_PREFIX

INPUT_MAX = 4096
"""Characters that are looked at: what is shown is far shorter, and names may be megabytes long."""

PILE_MAX = 3
"""Accents on one letter: Vietnamese needs two and Hebrew three; a pile hides other lines."""

LOCAL_MAX = 64
DOMAIN_MAX = 253
"""Parts of an address, RFC 5321 4.5.3.1 and RFC 1035 2.3.4."""

LRM = "\u200e"
"""Left-to-right mark: on both sides of right-to-left text it keeps the figures around in order."""

_SPACES = re.compile("[ \t\n\v\f\r\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"})
# Letters, marks and symbols that Unicode lets be drawn as nothing (Default_Ignorable_Code_Point),
# and the blank Braille pattern, which is drawn as nothing everywhere.
_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0\U000e0000-\U000e0fff]"
)
_EMOJI_STYLE = "\ufe0f"
_TOKEN = re.compile(re.escape(TOKEN_PREFIX) + "[A-Za-z0-9_-]+")
_SHOWN_TOKEN = "⟨token⟩"  # noqa: S105 - what stands where one was
# An underscore at either end of the local part could open or close WhatsApp's italics.
_ADDRESS = (
    r"(?![_.])[A-Za-z0-9._%+'-]{1,64}(?<![_.])@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z0-9-]{2,}"
)
_PLAIN_ADDRESS = re.compile(_ADDRESS)
_DOMAIN = re.compile(r"[A-Za-z0-9.-]+")
# What stands for a mark of an address blocks one as the mark did, so a second pass finds no other.
_WITHIN = re.compile(rf"(?<![A-Za-z0-9._%+'ˍ․-]){_ADDRESS}")
_WHOLE = re.compile(rf"{_WITHIN.pattern}|⟨[^⟩]*⟩")
_LOOK_ALIKE = str.maketrans("*_~`<>[]", "∗ˍ∼'‹›()")
_SINGLE_QUOTES = str.maketrans('«»“”„‟"', "‹›‘’‚‛'")
_OWN_MARKS = "⟨⟩…∗ˍ∼‹›․∕"
_LINK_DOT = re.compile(r"(?<=\S)\.(?=[^\W\d_]{2})")
_CJK = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "HALFWIDTH"})
_NO_SCRIPT = frozenset({"FEMININE", "MASCULINE", "MICRO"})


def neutral(text: str, limit: int = 200) -> str:
    """*text* from outside as it may stand in a sentence: one line that changes nothing around it.

    Args:
        text: any string at all, of any length.
        limit: how many characters are shown at most.

    Returns:
        The text by the rule at the top of this module; the same again for its own result.
    """
    return _isolated(_unmarked(visible(_bare(text), limit)))


def inside(text: str, limit: int = 200) -> str:
    """*text* neutral, and unable to close the quotation marks that a sentence puts around it."""
    return quotable(neutral(text, limit))


def quotable(sentence: str) -> str:
    """A sentence made here with its double quotation marks single, to stand between double ones."""
    return sentence.translate(_SINGLE_QUOTES)


def visible(text: str, limit: int = 200) -> str:
    """*text* on one line with everything unseen shown, its marks left as they are.

    For what a model wrote and reads again, where ``steps[1]`` has to stay ``steps[1]``.
    """
    line = _TOKEN.sub(_SHOWN_TOKEN, text[:INPUT_MAX])
    line = _unmixed("".join(_seen(_SPACES.sub(" ", line).strip(" "))))
    if len(line) <= limit and len(text) <= INPUT_MAX:
        return line
    return _shortened(line, limit)


def neutral_email(address: str) -> str:
    """An address whole: its local part neutral, its domain never shortened out of sight.

    A label of the domain in other letters than ASCII is shown as punycode, as a mail server reads
    it, so that ``cаrmona.example`` with a Cyrillic ``а`` is not taken for another.
    """
    if len(address) <= LOCAL_MAX + 1 + DOMAIN_MAX and _PLAIN_ADDRESS.fullmatch(address):
        return address
    local, at, domain = _bare(address).rpartition("@")
    if not at:
        return neutral(address, LOCAL_MAX + DOMAIN_MAX)
    end = domain[-DOMAIN_MAX:]
    shown = ".".join(_label(label) for label in _spaced(end).split("."))
    if not _DOMAIN.fullmatch(shown):
        shown = _look_alike(shown)
    before = _look_alike(visible(_spaced(local[:INPUT_MAX]), LOCAL_MAX))
    return _isolated(f"{before}@{'' if end == domain else '…'}{shown}")


def code_point(character: str) -> str:
    """What stands for a character that may not be shown: ``⟨U+202E⟩``."""
    return f"⟨U+{ord(character):04X}⟩"


def _seen(line: str) -> Iterator[str]:
    """Every character that can be seen as it is, every other one as its code point."""
    before, pile = "", 0
    for character in line:
        category = unicodedata.category(character)
        pile = pile + 1 if category[0] == "M" else 0
        if _shows(character, category, before) and pile <= PILE_MAX:
            yield character
            before = category
        else:
            yield code_point(character)
            before = ""


def _shows(character: str, category: str, before: str) -> bool:
    """Whether a character is seen, after one of the category *before*."""
    if category in _HIDDEN_CATEGORIES or _HIDDEN.match(character):
        return False
    if category == "Nd":
        return character.isascii()
    if character == _EMOJI_STYLE:
        return before == "So"
    # An accent needs something of the same text to sit on, or it would strike ours through.
    return category[0] != "M" or before == "So" or before[:1] in {"L", "N", "M"}


def _unmixed(line: str) -> str:
    """The line with the letters of a rarer script inside a word shown as code points."""
    parts = groupby(line, key=_in_word)
    return "".join(_one_script("".join(part)) if word else "".join(part) for word, part in parts)


def _in_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" and category != "Lm"


def _one_script(word: str) -> str:
    if word.isascii():
        return word
    counted = Counter(script for script in map(_script, word) if script)
    if len(counted) < 2:
        return word
    # Between equals the Latin letters stay: that is what the sentences around are written in.
    kept = max(counted, key=lambda script: (counted[script], script == "LATIN", script))
    shown: list[str] = []
    foreign = False
    for character in word:
        if not unicodedata.category(character).startswith("M"):
            foreign = _script(character) not in {kept, None}
        shown.append(code_point(character) if foreign else character)
    return "".join(shown)


@lru_cache(maxsize=4096)
def _script(character: str) -> str | None:
    """The script of a letter by its Unicode name; None for what goes with every script."""
    if unicodedata.category(character).startswith("M"):
        return None
    name = unicodedata.name(character, "?").replace("-", " ").split(" ")[0]
    if name in _NO_SCRIPT:
        return None
    return "CJK" if name in _CJK else name


def _shortened(line: str, limit: int) -> str:
    """The beginning of a line and an ellipsis; an address or a code point is left out whole."""
    end = max(limit - 1, 0)
    for whole in _WHOLE.finditer(line):
        if whole.start() < end < whole.end():
            end = whole.start()
            break
    while 0 < end < len(line) and unicodedata.category(line[end]).startswith("M"):
        end -= 1
    return f"{line[:end].rstrip(' ')}…"


def _unmarked(line: str) -> str:
    """The line without marks that a program would act on; addresses stay as they are."""
    shown: list[str] = []
    at = 0
    for address in _WITHIN.finditer(line):
        shown += (_look_alike(line[at : address.start()]), address.group())
        at = address.end()
    shown.append(_look_alike(line[at:]))
    return "".join(shown)


def _look_alike(text: str) -> str:
    return _LINK_DOT.sub("․", text.replace("://", ":∕∕").translate(_LOOK_ALIKE))


def _bare(text: str) -> str:
    """The text without the marks that ``_isolated`` put around it."""
    marked = 2 <= len(text) <= INPUT_MAX and text[0] == LRM == text[-1]
    return text[1:-1] if marked else text


def _spaced(part: str) -> str:
    """Part of an address with its spaces shown, since they make another address of it."""
    return _SPACES.sub(lambda spaces: "".join(map(code_point, spaces.group())), part)


def _isolated(line: str) -> str:
    """The line between left-to-right marks when it holds letters that run the other way."""
    if any(unicodedata.bidirectional(character) in {"R", "AL", "AN"} for character in line):
        return f"{LRM}{line}{LRM}"
    return line


def _label(label: str) -> str:
    """A label of a domain in ASCII, or with what could not be in one shown."""
    if label.isascii():
        return visible(label, DOMAIN_MAX)
    if all(character == "-" or unicodedata.category(character)[0] in "LMN" for character in label):
        return "xn--" + label.lower().encode("punycode").decode("ascii")
    return "".join(
        character if character.isascii() or character in _OWN_MARKS else code_point(character)
        for character in visible(label, INPUT_MAX)
    )
