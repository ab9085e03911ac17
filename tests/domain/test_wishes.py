"""A word alone: retry, undo, cancel; and the words that order what may arrive twice.

Both act at once, so nothing that only comes near them counts. The words stand here once more, typed
from the rules: one that is added to the code has to be added here too.
"""

import re
import unicodedata
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from semel.domain.reply import Wish, clear_yes, send_again_words, typed_words, wish

WISHES = {
    Wish.RETRY: ["reintentar", "reintenta", "retry"],
    Wish.UNDO: ["deshacer", "deshaz", "undo"],
    Wish.CANCEL: ["cancelar", "cancela", "cancel"],
}
WORDS = [(word, wished) for wished, words in WISHES.items() for word in words]
AGAIN = ["enviar otra vez", "send again"]
EVERY = [*(word for word, _ in WORDS), *AGAIN]
# What people and their keyboards put around a word; nothing of it is a question or a hesitation.
AROUND = ["", " ", "\n", "!", "!!!", "¡", ".", "*", "_", '"', "«", "»", "\u00a0", "\u3000", "！"]
# The same letters in another width or weight, as fonts for messages make them.
DRESSES = [str.upper, str.title, str.swapcase, lambda text: text]


def wide(text):
    return "".join(chr(ord(letter) + 0xFEE0) if letter != " " else "\u3000" for letter in text)


def heard(text):
    """What either of the two makes of a text."""
    return wish(text), send_again_words(text)


@pytest.mark.parametrize(("word", "wished"), WORDS)
def test_a_word_alone_is_its_wish(word, wished):
    assert wish(word) is wished
    assert wish(word, "text") is wished
    assert not send_again_words(word)


@pytest.mark.parametrize("text", AGAIN)
def test_the_words_that_order_another_send_are_these(text):
    assert send_again_words(text)
    assert wish(text) is None


@pytest.mark.parametrize("text", EVERY)
def test_case_width_quotes_and_trailing_marks_change_nothing(text):
    plain = heard(text)
    for dress, before, after in product([*DRESSES, wide], AROUND, AROUND):
        assert heard(before + dress(text) + after) == plain, (before, dress(text), after)
    for look in (f"«{text}».", f'"{text}"!', f"*_{text}_*", f"  ¡{text}!  ", f"_{text}_.\n"):
        assert heard(look) == plain, look


@pytest.mark.parametrize("source", ["voice", "caption", "reaction", "forwarded", "", "TEXT"])
def test_only_what_was_typed_is_a_wish(source):
    assert {wish(word, source) for word, _ in WORDS} == {None}


# Sentences, hesitations and other words that come near; the first of each is of the brief.
NEAR = (
    """
no reintentes|no reintentar|no retry|don't retry|do not undo|no deshagas|no deshacer|no canceles
no cancelar|don't cancel|no enviar otra vez|no envíes otra vez|do not send again|don't send again
reintentar?|¿reintentar?|¿reintentar|retry?|undo?|cancel?|¿deshacer?|enviar otra vez?|send again?
¿enviar otra vez?|reintentar…|retry...|undo..|cancelar. .|enviar otra vez…|send again...|...retry
reintentar 1|2 retry|retry2|undo 3|1. retry|cancel 14|enviar 2 otra vez|enviar otra vez 2|send again 1
reintentar por favor|sí, reintentar|vale, retry|please retry|retry please|ok undo|deshacer todo
undo it|undo that|cancel it|cancela eso|cancelar la factura|quiero deshacer|reintentar y enviar
enviar otra vez por favor|sí, enviar otra vez|please send again|send it again|enviar otra vez ya
enviarla otra vez|envía otra vez|enviar de nuevo|send again please|send again now|resend|reenviar
retry retry|undo undo|reintentar, reintentar|cancel undo|retry/undo|undo or retry|send again send
enviar otra|otra vez|enviar|send|again|vez|otra vez enviar|again send|enviar vez otra
reintente|reintento|reintentarlo|reintentad|retrying|retries|retried|deshago|deshazlo|deshecho
undoing|undone|undoes|cancelado|cancelada|cancelo|cancelarlo|cancelled|canceled|cancels|cancelacion
reintentarr|retryyy|undooo|canceeel|reintentár|cancelá|cancéla|deshácer|rétry|undó|çancel
enviar  otra vez|enviar. otra vez|enviar otra, vez|send  again|send. again|sendagain
send-again|send_again|enviarotravez|envi ar otra vez|re intentar|re-try|un do|un-do|can cel
retry,|undo;|cancel:|retry -|undo (|(undo)|undo)|`retry`|'undo'|“retry”|‘cancel’|[retry]|<undo>
~retry~|~~undo~~|/retry|/undo|#cancel|@undo|retry 👍|👍 undo|❌ cancel|retry 🔁|undo.retry|retry=1
sí|ok|vale|no|borrar|delete|14|stop|para|espera|wait|repeat|repetir|otra vez|again|back|volver
""".strip()
    .replace("\n", "|")
    .split("|")
)


@pytest.mark.parametrize("text", NEAR, ids=ascii)
def test_what_only_comes_near_is_none(text):
    assert heard(text) == (None, False)


@pytest.mark.parametrize(
    "text",
    [
        # Normal form makes a question, an ellipsis, a digit or an abbreviation of one sign.
        "retry⁉", "retry⁈", "undo⁇", "undo？", "cancel﹖", "retry︖", "send again⁇", "cancel\u037e",
        "retry…", "retry‥", "undo︙", "undo︰", "send again︙", "enviar otra vez‥", "retry․․", "undo.․",
        "retry⒈", "undo①", "retry²", "cancel½", "send again⑵", "１retry", "retry٣",
        "retry㏂", "undo㎝", "cancel℡", "retry№", "undo™", "send again㏘",
        # Marks that cross out, enclose, or add a letter; letters that are hidden or of other scripts.
        "retry\u0336", "r\u0336e\u0336t\u0336r\u0336y\u0336", "undo\u20e0", "cancel\u0338", "undo\u0301",
        "re\u00adtry", "retry\u200b", "\u200eretry", "retry\ufe0f", "un\u200ddo", "\u202eyrter", "retry\u2060",
        "rеtry", "undо", "саncel", "cаncel", "reintentаr", "sеnd again", "send аgain", "dеshacer", "ｒеtry",
        "retry\U000e006e\U000e006f", "undo\u3164", "cancel\u2800", "retry\x00", "undo\ud800", "\udc00cancel",
        "retrý", "undö", "cancêl", "ʀetry", "ᴜndo", "retry\u00b4", "¨undo", "cancel¸", "retry。", "retry｡",
        # A space that is none, or is another one; an accent that stands apart.
        "enviar\notra vez", "enviar otra\tvez", "send\nagain", "send\u2028again", "send\u1680again",
        "undo\u0308", "cancela\u0301", "send\u200bagain", "enviar\u2060otra vez",
    ],
    ids=ascii,
)  # fmt: skip
def test_no_trick_of_unicode_makes_a_wish(text):
    assert heard(text) == (None, False)


def test_eighty_characters_are_read_and_one_more_is_not():
    for text in EVERY:
        room = 80 - len(text)
        assert heard(text + "!" * room) == heard(" " * room + text) == heard(text)
        assert heard(text + "!" * (room + 1)) == heard(" " * (room + 1) + text) == (None, False)
    for text in ("", " ", "!", "...", "retry" * 500_000, "\ufdfa" * 1_000_000, "." * 1_000_000):
        assert heard(text) == (None, False)


# --- Rules that hold for any message --------------------------------------------------------

ANY = st.text(st.characters(exclude_categories=()), max_size=20)


def letters(text):
    """The words of a text, in one case and width; an underscore is a mark like the others."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("_", " ")
    return re.findall(r"\w+", folded)


@given(
    ANY | st.lists(st.sampled_from([*EVERY, *AROUND, "no", "?", "…", "2"]), max_size=4).map("".join)
)
def test_a_text_is_a_wish_only_when_its_words_are(text):
    wished, again = heard(text)
    if wished is not None:
        assert letters(text) in [[word] for word in WISHES[wished]]
    if again:
        assert letters(text) in [words.split() for words in AGAIN]
    assert wished is None or not again
    if wished is not None or again:
        assert not re.search("[?¿…]", unicodedata.normalize("NFKC", text))


@given(
    st.sampled_from(EVERY),
    ANY,
    st.sampled_from([" ", ", ", ". ", "\n", "! ", "", "-"]),
    st.booleans(),
)
def test_a_text_with_another_word_is_no_wish(text, other, joint, first):
    assume(letters(other))
    sentence = other + joint + text if first else text + joint + other
    # Two halves of listed words may make one of them; everything else is another word.
    if letters(sentence) not in [words.split() for words in EVERY]:
        assert heard(sentence) == (None, False)


@given(st.sampled_from(EVERY), st.characters(exclude_categories=()), st.integers(0, 16))
def test_one_more_character_undoes_a_wish_unless_it_is_an_outer_mark(text, extra, at):
    changed = text[:at] + extra + text[at:]
    plain = unicodedata.normalize("NFKC", extra)
    harmless = plain.strip(' .!¡*_"«»\t\n\r\f\v\x1c\x1d\x1e\x1f\x85\u2028\u2029\u1680') == ""
    if harmless and (at == 0 or at >= len(text)) and ".." not in plain:
        assert heard(changed) == heard(text)
    elif changed.casefold() not in EVERY:
        # "cancel" and one letter more may be "cancela", in any dress.
        assume(unicodedata.normalize("NFKC", changed).casefold().strip(' .!¡*_"«»') not in EVERY)
        assert heard(changed) == (None, False)


@pytest.mark.parametrize("text", EVERY)
def test_no_wish_is_a_yes_or_a_typed_word_and_only_to_cancel_is_a_no(text):
    assert clear_yes(text) == ("NO" if wish(text) is Wish.CANCEL else "OTHER")
    assert not any(typed_words(text, count) for count in (1, 2, 3, 14))
