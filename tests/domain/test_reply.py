"""The clear yes, attacked; one long file, for all of it tries the same three functions.

A false yes is the only error without a remedy.
"""

import json
import re
import unicodedata
from collections import Counter
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semel.domain import lexicon
from semel.domain.reply import Reason, Reply, Verdict, clear_yes, read_reply, typed_words

CASES = json.loads((Path(__file__).parents[1] / "data" / "yes_cases.json").read_text("utf-8"))
REPEATABLE = settings(derandomize=True, deadline=None, database=None)

# The reasons of the file, in its own words, and ours.
REASONS = {
    "más de seis palabras": Reason.TOO_MANY_WORDS,
    "pregunta": Reason.QUESTION,
    "lleva no/pero": Reason.NEGATIVE,
    "lleva pero": Reason.NEGATIVE,
    "lleva wait": Reason.NEGATIVE,
    "negativa clara": Reason.NO_WORDS,
    "solo cortesía": Reason.ONLY_COURTESY,
    "puntos suspensivos": Reason.ELLIPSIS,
    "frase sin acabar": Reason.UNFINISHED,
    "tachado": Reason.STRUCK_THROUGH,
    "«si» condicional": Reason.CONDITIONAL_IF,
    "canal": Reason.CHANNEL,
    "vacío": Reason.EMPTY,
    "": Reason.YES_WORDS,
}

# The lists once more, typed from the domain rules rather than read from the code: a word that is
# added to the code has to be added here too, and is tried in every test below.
CORE = """
sí|sip|confirmo|confirmado|confirmada|confirmar|vale|ok|okay|okey|oki|dale|adelante|acepto|claro
claro que sí|venga|hazlo|de acuerdo|por supuesto|por supuesto que sí|afirmativo
órale|hágale|hacelo|de una
yes|yep|yeah|yup|sure|confirm|confirmed|i confirm|proceed|go ahead|do it|of course
d'acord|endavant|val|fes-ho|i tant
sim|de acordo|com certeza
👍|✅|✔|☑|👌|🆗
""".strip().replace("\n", "|")
COURTESY = """
por favor|porfa|porfi|gracias|muchas gracias|perfecto|genial|correcto|listo
please|thanks|thank you|great
si us plau|sisplau|gràcies|perfecte
obrigado|obrigada|perfeito
""".strip().replace("\n", "|")
PLAIN_NO = """
no|nop|nope|nah|nunca|jamás|tampoco|cancela|cancelar|cancelarlo|cancel|para|stop|not|don't
não|nem|👎|❌|🚫|✋|🛑
""".strip().replace("\n", "|")
HOLD = "espera|wait|pero|però|but"
AFTER_A_BARE_SI = (
    "sí|claro|claro que sí|por supuesto|por supuesto que sí|of course|i tant|com certeza"
    "|adelante|endavant|👍|✅|✔|☑|👌|🆗|por favor|porfa|porfi|gracias|muchas gracias|please"
    "|thanks|thank you|si us plau|sisplau|gràcies|obrigado|obrigada"
)
LEFT_OUT = (
    "bueno|bien|está bien|ya|va|sale|así es|eso|procede|que sí|creo que sí|pode ser|s|y|k|o|Simón"
    "|¡cómo no!|si procede|si está bien hazlo|si quieres|i see|entendido|recibido|vamos|thank|por"
)


def bare(text):
    """The text without acute, grave, circumflex and tilde."""
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u0303]", "", apart))


@st.composite
def yes_messages(draw):
    """A message that must be a yes: at most six listed words, at least one of them core."""
    phrases = draw(st.lists(st.sampled_from(f"{CORE}|{COURTESY}".split("|")), max_size=5))
    core = draw(st.sampled_from(CORE.split("|")))
    at = draw(st.integers(0, len(phrases)))
    while len(" ".join([*phrases, core]).split()) > 6:
        phrases.pop()
    joint = draw(st.sampled_from([" ", ", ", "\n", "; ", "! ", " *"]))
    return joint.join([*phrases[:at], core, *phrases[at:]])


# --- The labelled cases ---------------------------------------------------------------------


def test_the_file_still_has_all_its_cases():
    assert (len(CASES["yes"]), len(CASES["typed_n14"])) == (132, 25)
    assert Counter(case["verdict"] for case in CASES["yes"]) == {"YES": 54, "NO": 7, "OTHER": 71}


@pytest.mark.parametrize("case", CASES["yes"], ids=lambda case: ascii(case["text"]))
def test_a_labelled_reply_gets_its_verdict_and_its_reason(case):
    label = case["reason"].split(":")[0]
    reason = Reason.FOREIGN_WORD if label == "palabra ajena" else REASONS[label]
    expected = Reply(Verdict(case["verdict"]), reason)
    assert read_reply(case["text"], case["source"]) == expected
    assert clear_yes(case["text"], case["source"]) == case["verdict"]


@pytest.mark.parametrize("case", CASES["typed_n14"], ids=lambda case: ascii(case["text"]))
def test_a_labelled_typed_word_is_accepted_or_refused(case):
    assert typed_words(case["text"], 14) is case["accept"]


def test_the_verdict_of_the_public_name_is_a_plain_string():
    assert [type(clear_yes(text)) for text in ("sí", "no", "14")] == [str, str, str]


# --- Reports from other projects ------------------------------------------------------------


def test_b09_a_question_closes_the_plan_so_a_later_ok_has_nothing_to_confirm():
    """The words alone cannot tell an acknowledgement from a yes, so the first message must close."""
    assert read_reply("¿cuánto es el IVA?") == Reply(Verdict.OTHER, Reason.QUESTION)
    assert clear_yes("I see") == "OTHER"
    assert clear_yes("ok") == "YES"


@pytest.mark.parametrize(
    "text",
    [
        "no, no lo confirmes", "no apruebo", "desconfirmo", "no sí", "sí que no",
        "todavía no, sí mañana", "nosé", "yesterday", "not yes", "I can't confirm this",
        "disallow", "not approved", "no, don't approve", "unconfirmed", "inaceptable", "así no",
        "necesito", "sí?", "invalid", "okupa", "adelanté", "no vale", "do not proceed",
    ],
)  # fmt: skip
def test_b12_a_yes_word_inside_another_word_or_sentence_cancels(text):
    assert clear_yes(text) in {"NO", "OTHER"}


# --- The lists ------------------------------------------------------------------------------


def test_the_lists_of_the_code_are_those_of_the_rules():
    known = {" ".join(words) for words in lexicon.PHRASES}
    listed = set(f"{CORE}|{COURTESY}|{PLAIN_NO}|{HOLD}".split("|"))
    assert known == listed | {bare(phrase) for phrase in listed}


@pytest.mark.parametrize("phrase", CORE.split("|"))
def test_every_yes_word_alone_is_a_yes(phrase):
    assert read_reply(phrase) == Reply(Verdict.YES, Reason.YES_WORDS)


@pytest.mark.parametrize("phrase", COURTESY.split("|"))
def test_a_courtesy_goes_with_a_yes_or_a_no_and_is_neither(phrase):
    assert read_reply(phrase) == Reply(Verdict.OTHER, Reason.ONLY_COURTESY)
    assert clear_yes(f"sí, {phrase}") == clear_yes(f"{phrase}, vale") == "YES"
    assert clear_yes(f"no, {phrase}") == clear_yes(f"{phrase}, no") == "NO"


@pytest.mark.parametrize("phrase", PLAIN_NO.split("|"))
def test_a_negative_word_alone_is_a_no_and_beside_a_yes_word_never_a_yes(phrase):
    assert read_reply(phrase) == Reply(Verdict.NO, Reason.NO_WORDS)
    assert clear_yes(f"sí {phrase}") == clear_yes(f"{phrase} sí") == "OTHER"


@pytest.mark.parametrize("phrase", HOLD.split("|"))
def test_a_word_that_holds_back_is_no_plain_no(phrase):
    assert read_reply(phrase) == Reply(Verdict.OTHER, Reason.NEGATIVE)
    assert clear_yes(f"{phrase}, gracias") == "OTHER"
    assert clear_yes(f"no, {phrase}") == "NO"
    assert clear_yes(f"ok {phrase}") == "OTHER"


@pytest.mark.parametrize("text", LEFT_OUT.split("|"))
def test_what_was_left_out_on_purpose_stays_out(text):
    assert clear_yes(text) != "YES"


def test_a_long_row_of_noes_is_still_a_no():
    assert clear_yes("no " * 20) == "NO"


# --- "si" without its accent ----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "si", "Si.", "si si", "si sí si", "si, claro", "si por favor", "si, gracias", "si 👍",
        "si si us plau", "si, por supuesto", "claro que si", "si, claro que si", "si adelante",
        "ok, claro que si", "claro que si, gracias", "si claro, por supuesto, adelante, hazlo",
    ],
)  # fmt: skip
def test_a_bare_si_that_cannot_be_an_if_is_a_yes(text):
    assert clear_yes(text) == "YES"


@pytest.mark.parametrize(
    "text",
    [
        "si correcto", "si perfecto, adelante", "si vale", "si ok hazlo", "si confirmo", "si val",
        "si claro hazlo", "si claro adelante", "si ✅ adelante", "si 👍 hazlo", "si de acuerdo",
        "si si correcto", "sí si correcto", "sí, si vale", "si sí correcto", "siii correcto",
        "claro que si correcto adelante", "por supuesto que si vale", "si claro por favor hazlo",
        "hazlo si", "adelante si correcto", "hazlo si claro", "vale, si", "si claro correcto",
        "si correcto claro que si", "gracias si", "si claro, si correcto",
    ],
)  # fmt: skip
def test_a_bare_si_that_may_be_an_if_is_refused(text):
    assert read_reply(text) == Reply(Verdict.OTHER, Reason.CONDITIONAL_IF)


def test_the_phrases_that_a_bare_si_may_stand_before_are_these_and_no_others():
    allowed = {
        phrase for phrase in f"{CORE}|{COURTESY}".split("|") if clear_yes(f"si {phrase}") == "YES"
    }
    assert allowed == set(AFTER_A_BARE_SI.split("|"))


# --- An independent judge -------------------------------------------------------------------

JOINTS = r"[\s.,;:!¡\"'*_~`()«»]"


def squeezed(text):
    """Folded, without the accents and the unseen, each run of one letter a single letter."""
    folded = unicodedata.normalize("NFKD", text).casefold().replace("’", "'")
    folded = re.sub("[\u0300-\u0303\u200b-\u200f\ufe0f\U0001f3fb-\U0001f3ff]", "", folded)
    return re.sub(r"([^\W\d_])\1+", r"\1", folded)


def peelers(listed, mark):
    for phrase in listed.split("|"):
        words = [re.escape(word) for word in squeezed(phrase).split()]
        edge = ("", "") if not phrase[0].isalpha() else (r"(?<![^\W_])", r"(?![^\W_])")
        yield len(phrase), re.compile(f"{JOINTS}+".join(words).join(edge)), mark * len(words)


PEELERS = [
    (pattern, mark)
    for _, pattern, mark in sorted(
        [*peelers(CORE, "\x01"), *peelers(COURTESY, "\x02")], key=lambda peeler: -peeler[0]
    )
]


def may_be_yes(text):
    """Whether the listed phrases, peeled off one by one, leave only joints and one of them was core.

    It forgives more than the rules do (every accent, every doubled letter), so it may say yes too
    often and never too seldom: a yes that it denies is a false yes.
    """
    rest = squeezed(text)
    if re.search("[?¿؟‽❓❔…]", text) or any(
        unicodedata.numeric(c, None) is not None for c in text
    ):
        return False
    for pattern, mark in PEELERS:
        rest = pattern.sub(mark, rest)
    left_over = re.sub(rf"{JOINTS}|[\x01\x02]", "", rest)
    return (
        not left_over
        and "\x01" in rest
        and len(rest) <= 80
        and len(re.findall("[\x01\x02]", rest)) <= 6
    )


def test_the_judge_itself_tells_a_yes_from_the_rest():
    denied = [
        case["text"]
        for case in CASES["yes"]
        if case["verdict"] == "YES" and not may_be_yes(case["text"])
    ]
    assert denied == []
    for text in (
        "sí no",
        "así",
        "valer",
        "sí 5",
        "sí a todo",
        "gracias",
        "thank sí you",
        "s í",
        "",
        "ѕí",
        "👍🤔",
    ):
        assert not may_be_yes(text), text


PHRASES = f"{CORE}|{COURTESY}".split("|")
TIDY = [phrase + joint for phrase in PHRASES for joint in (" ", ", ", "! ")]
WORDS = sorted(
    {
        word
        for phrase in f"{CORE}|{COURTESY}|{PLAIN_NO}|{HOLD}".split("|")
        for word in phrase.split()
    }
)
LETTERS = sorted({letter for word in WORDS for letter in word + word.upper()})
WILD = [
    *LETTERS,
    *WORDS,
    *(word + " " for word in WORDS),
    *(word + word[-1] * 2 + " " for word in WORDS),
    *(bare(word).upper() + " " for word in WORDS),
    *" .,;:!¡\"'*_~()?¿…\n-0a",
    *("\u0301", "\u200d", "\u200e", "\ufe0f", "\u20e3", "\u0336", "🏽", "que", "el"),
]


def test_ten_thousand_random_strings_are_a_yes_only_when_every_word_is_listed():
    ran = Counter()
    message = st.one_of(
        st.lists(st.sampled_from(TIDY), min_size=1, max_size=6).map("".join),
        st.lists(st.sampled_from(WILD), max_size=8).map("".join),
        st.tuples(st.sampled_from(TIDY), st.sampled_from(WILD), st.sampled_from(TIDY)).map("".join),
    )

    @settings(REPEATABLE, max_examples=400)
    @given(st.lists(message, min_size=25, max_size=25))
    def judge(messages):
        for text in messages:
            verdict = clear_yes(text)
            ran[verdict] += 1
            assert verdict != "YES" or may_be_yes(text), text

    judge()
    assert ran.total() >= 10_000
    # A judge that never saw a yes would have checked nothing.
    assert min(ran["YES"], ran["OTHER"]) > 1_000, ran
    assert ran["NO"] > 10, ran


def test_all_pairs_of_words_are_a_yes_exactly_when_the_lists_can_say_them():
    """The language of two words, generated; the parser recognises it. "si" has its own tests."""
    single = {phrase for phrase in PHRASES if " " not in phrase}
    core = set(CORE.split("|"))
    sayable = {f"{a} {b}" for a, b in product(single, single) if core & {a, b}}
    sayable |= {phrase for phrase in core if len(phrase.split()) == 2}
    words = [word for word in WORDS if word != "si"]
    pairs = [f"{a} {b}" for a, b in product(words, words)]
    wrong = [pair for pair in pairs if (clear_yes(pair) == "YES") != (pair in sayable)]
    assert wrong == []
    assert len(pairs) > 9_000
    assert sayable <= set(pairs)


def test_what_may_follow_a_yes_is_this_and_nothing_else():
    """Every code point of the first plane, the emoji and the tags, one by one, after "sí"."""
    points = [*range(0x10000), *range(0x1F000, 0x1FB00), *range(0xE0000, 0xE0200)]
    passed = {point for point in points if clear_yes("sí" + chr(point)) == "YES"}
    unseen = {0x61C, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A)}
    unseen |= {0xFEFF, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
    quotes = {ord(mark) for mark in "‘’‛ʼ´«»‹›“”„‟\u1fef"}
    # An i in another dress draws the word out; the rest are spaces and harmless marks in any width.
    by_width = {
        point
        for point in points
        if unicodedata.normalize("NFKC", chr(point)).casefold().strip(" .!¡\"'*_~)`")
        in {"i", "í", "👍", "✅", "✔", "☑", "👌", "🆗"}
        or not unicodedata.normalize("NFKC", chr(point)).strip(
            " .!¡\"'*_~)`\t\n\r\f\v\x1c\x1d\x1e\x1f\x85\u2028\u2029\u1680"
        )
    }
    # These are ellipses; in other shapes they are full stops.
    by_width -= {ord(mark) for mark in "…‥\ufe19\ufe30"}
    # A numeral is no letter, whatever NFKC makes of it.
    by_width -= {point for point in points if chr(point).isnumeric()}
    assert {hex(point) for point in passed ^ (unseen | quotes | by_width)} == set()


# --- Rules that hold for any message --------------------------------------------------------


@REPEATABLE
@given(yes_messages())
def test_the_generated_yes_messages_are_yeses(text):
    assert read_reply(text) == Reply(Verdict.YES, Reason.YES_WORDS)


@pytest.mark.parametrize(
    "addition", ["?", "¿", " no", "no ", "no", " pero ", "pero", "？", "❓", "؟", "\u037e"]
)
def test_a_question_a_no_or_a_but_put_anywhere_into_a_yes_undoes_it(addition):
    tried = 0
    for case in CASES["yes"]:
        text = case["text"]
        for at in range(len(text) + 1) if case["verdict"] == "YES" else ():
            tried += 1
            assert clear_yes(text[:at] + addition + text[at:]) != "YES", (text, at)
    assert tried > 350


@REPEATABLE
@given(
    yes_messages(), st.sampled_from(["?", "no", " no ", "pero", " pero ", "👎"]), st.integers(0, 80)
)
def test_a_question_a_no_or_a_but_put_anywhere_into_a_generated_yes_undoes_it(text, addition, at):
    assert clear_yes(text[:at] + addition + text[at:]) != "YES"


def dressed(text):
    yield from (text.upper(), text.lower(), text.swapcase(), text.title())
    yield from (f"*{text}*", f"_{text}_", f"`{text}`", f"*_{text}_*", f"```{text}```", f"«{text}»")
    yield from (f"{text}!", f"{text}!!!", f" {text} ", f"\n{text}\n", f"\u200e{text}\ufe0f")
    yield unicodedata.normalize("NFD", text)


@pytest.mark.parametrize("case", CASES["yes"], ids=lambda case: ascii(case["text"]))
def test_case_bold_and_trailing_marks_change_no_verdict_of_the_file(case):
    verdicts = {look: clear_yes(look, case["source"]) for look in dressed(case["text"])}
    assert set(verdicts.values()) == {case["verdict"]}, verdicts


@REPEATABLE
@given(st.lists(st.sampled_from(WILD), max_size=6).map("".join))
def test_case_bold_and_trailing_marks_change_no_verdict(text):
    # Past the length limit one more mark is one too many, and that is how it should be.
    if len(text) < 70:
        looks = dict.fromkeys(dressed(text))
        assert {clear_yes(look) for look in looks} == {clear_yes(text)}, looks


@REPEATABLE
@given(yes_messages(), st.data())
def test_a_missing_accent_undoes_a_yes_only_where_si_may_now_be_an_if(text, data):
    accented = [at for at, letter in enumerate(text) if bare(letter) != letter]
    dropped = data.draw(st.sets(st.sampled_from(accented)) if accented else st.just(set()))
    reply = read_reply("".join(bare(c) if at in dropped else c for at, c in enumerate(text)))
    if reply.reason is Reason.CONDITIONAL_IF:
        assert "sí" in text
    else:
        assert reply.verdict is Verdict.YES


@pytest.mark.parametrize(
    "case", [c for c in CASES["yes"] if c["verdict"] != "OTHER"], ids=lambda c: ascii(c["text"])
)
def test_a_missing_accent_changes_no_yes_and_no_no_of_the_file(case):
    assert clear_yes(bare(case["text"])) == case["verdict"]


@REPEATABLE
@given(yes_messages(), st.characters(categories=["Nd", "Nl", "No"]), st.integers(0, 80))
def test_a_digit_of_any_script_anywhere_undoes_a_yes(text, digit, at):
    assert clear_yes(text[:at] + digit + text[at:]) != "YES"
    assert clear_yes(text[:at] + " " + digit + " " + text[at:]) != "YES"


@REPEATABLE
@given(st.text(max_size=20), st.characters(categories=["Nd", "Nl", "No"]), st.text(max_size=20))
def test_a_text_with_a_digit_is_never_a_yes(before, digit, after):
    assert clear_yes(before + digit + after) != "YES"


@REPEATABLE
@given(st.lists(st.sampled_from([*WORDS, "el", "mañana", "500"]), min_size=2, max_size=4))
def test_another_order_makes_a_yes_only_of_listed_words(words):
    listed = {word for phrase in PHRASES for word in phrase.split()}
    verdicts = {clear_yes(" ".join(order)) for order in permutations(words)}
    assert "YES" not in verdicts or set(words) <= listed


@REPEATABLE
@given(
    yes_messages(),
    st.sampled_from(["voice", "caption", "reaction", "forwarded", "", "TEXT", "text "]),
)
def test_only_typed_text_confirms(text, source):
    assert read_reply(text, source) == Reply(Verdict.OTHER, Reason.CHANNEL)


@REPEATABLE
@given(
    st.sampled_from([p for p in CORE.split("|") if p[-1] not in "lf" and p[-1].isalpha()]),
    st.integers(1, 20),
)
def test_a_last_letter_may_be_drawn_out(phrase, times):
    assert clear_yes(phrase + phrase[-1] * times) == "YES"


# --- Attacks --------------------------------------------------------------------------------


@REPEATABLE
@given(
    st.text(st.characters(exclude_categories=()), max_size=100), st.sampled_from(["text", "voice"])
)
def test_no_text_at_all_raises(text, source):
    assert clear_yes(text, source) in {"YES", "NO", "OTHER"}
    assert typed_words(text, 14, source) in {True, False}


@pytest.mark.parametrize(
    "text",
    [
        "sí" * 500_000, "s" + "í" * 1_000_000, "😀" * 250_000, "~" * 1_000_000, "." * 1_000_000,
        "\ufdfa" * 1_000_000, "a\u0301\u0316" * 300_000, "\u200e" * 1_000_000 + "sí", "," * 1_000_000,
        "sí" + " " * 1_000_000, "sí" + "!" * 79, "sí" + " " * 79, "\ufdfa" * 80,
    ],
    ids=lambda text: f"{text[:2]!a}-{len(text)}",
)  # fmt: skip
def test_a_very_long_text_is_refused_by_its_length(text):
    assert read_reply(text) == Reply(Verdict.OTHER, Reason.TOO_LONG)
    assert not typed_words(text, 14)


@pytest.mark.parametrize(
    "text", ["\x00", "sí\x00", "\ud800", "sí\udfff", "\udc80sí", "s\x00í", "sí\x1b[8mno", "\ufffe"]
)
def test_surrogates_and_control_characters_are_foreign(text):
    assert clear_yes(text) == "OTHER"
    assert not typed_words(text, 14)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # An accent in the middle of the run is the same letter drawn out; the accent stays.
        ("síííííííííí", "YES"), ("siiiiiiiiii", "YES"), ("síiiii", "YES"), ("siíí", "YES"),
        ("sì", "OTHER"), ("síì", "OTHER"), ("síììì", "OTHER"), ("sïïï", "OTHER"),
        ("aceptóoo", "OTHER"), ("aceptooó", "OTHER"), ("confirmóó", "OTHER"), ("acceptooo", "OTHER"),
        # Words that are written double, or only look drawn out.
        ("Valle", "OTHER"), ("vallle", "OTHER"), ("valllle", "OTHER"), ("valll", "OTHER"),
        ("off course", "OTHER"), ("offf course", "OTHER"), ("off courseee", "OTHER"), ("of courseee", "YES"),
        ("ssíí", "OTHER"), ("okok", "OTHER"), ("vaale", "OTHER"), ("yess", "YES"), ("sisi", "OTHER"),
        ("nooo", "NO"), ("síííí nooo", "OTHER"), ("perooo", "OTHER"), ("ok111", "OTHER"), ("fes---ho", "OTHER"),
    ],
)  # fmt: skip
def test_drawn_out_letters(text, verdict):
    assert clear_yes(text) == verdict


@pytest.mark.parametrize(
    "text",
    [
        # Cyrillic, Greek, Cherokee, small capitals, a dotless and a dotted i.
        "оk", "οκ", "оок", "vаle", "ѕi", "ϲlaro", "Ꮪí", "ꜱí", "sı", "Sİ", "уes", "yeѕ", "dаle",
        # A no in other scripts beside a yes.
        "sí нет", "sí 不", "いいえ", "sí לא", "ok لا", "да", "好", "はい", "✓", "☑️нет",
        # Marks that cross out, enclose or add.
        "👍\u20e0", "sí\u20e0", "s\u20ebí\u20eb", "o\u0336k\u0336", "ok\u0338", "✅\u0336", "sí\u0323",
        "ok\u0301", "va\u0301le", "s\u0332í\u0332", "sí\u0301",
        # Hidden tags, invisible operators, fillers.
        "sí\U000e006e\U000e006f", "👍\U000e006e\U000e006f\U000e007f", "sí\u2063no", "s\u00adí",
        "sí\u3164", "sí\u2800", "sí\u115f",
        # Digits and keycaps, numerals that NFKC would make letters.
        "1️⃣", "sí 1️⃣", "sí①", "sí²", "sí １", "sí ٣", "ⅴale", "sⅰ", "ok 💯", "o\u20e3k",
        # Flags, joined emoji, tones on their own.
        "🇸🇮", "🇳🇴", "🇴🇰", "🆗🇳🇴", "👍🏽🏽", "🏽", "sí🏽", "✅🏽", "❤️‍🔥", "🙅‍♂️", "🙂‍↔️", "👍‍🤔",
        "🏴‍☠️", "👍❤️", "🤞", "🫡", "😂👍", "sí 🙄", "ok 😒", "ok 🙃",
        # Joined where they were apart, and apart where they were joined.
        "no\u200bsí", "sí\u200bno", "s í", "v a l e", "o.k.", "s.í", "va*l*e", "va\nle", "k\no",
        # Read from the right, they say yes; as typed, they do not.
        "\u202eís", "\u202eelav", "\u202eko\u202c", "\u2067on\u2069 sí", "\u200fon",
        # Sarcasm, reserve and conditions that bring a word of their own.
        "sí, hombre, sí", "claro, cómo no", "sí, claro, y qué más", "yeah right", "sure, Jan",
        "vale, tú mismo", "ok boomer", "como quieras", "sí supongo", "sí pero no", "ni sí ni no",
        "sí, mañana", "sí al borrador", "sí, la segunda", "sí, 500", "ok si me dices el total",
        "casi", "así", "sin", "siempre", "sí.es", "ok.com/no", "valedero", "confirmo?", "yes/no",
        "sí&", "sí+", "sí=no", "sí (de momento)", "> sí", "- sí", "[x] sí", "<s>sí</s>", "#sí", "@ok",
        '"sí" es lo que diría', "sí -", "sí –", "sí —", "sí:", "sí;", "sí (", "vale :(", "ok :'(",
        "sí ,", "sí,,,", "«sí,»", "sí, 😀", "*sí*,", "sí,\n", "sí,\u200e", "sí,\ufe0f", "sí،",
        "sí. . .", "sí.\n.", "sí․․", "sí。。", "sí︙", "..sí", "vale… sí", "sí⋯", "hmm", "mmm sí",
        "~no~ sí", "~vale~ ok", "～sí～", "sí ~vale~",
        "s\u00ed\u2062", "sí\u037e", "sí\u037e vale", "sí⸮", "sí ⁉", "sí⁇", "sí ‽", "ʔsí", "sí ¿",
        "no\u200dpe", "№", "Nº 14", "null", "true", "1", "on", "off", "y", "n",
    ],
)  # fmt: skip
def test_an_attack_is_not_a_yes(text):
    assert clear_yes(text) != "YES"


@pytest.mark.parametrize(
    "text",
    [
        "sí.", "'sí'", "“sí”", "‹sí›", "(sí)", "sí :)", "¡¡sí!!", "~sí", "si´", "va\u200dle", "𝐬𝐢", "Ⓥⓐⓛⓔ",
        "sí\u00a0gracias", "sí\u2028vale", "👍🏿👍🏻", "☑\ufe0f✔\ufe0e", "sí👍", "👌ok", "D’ACORD", "d´acord",
        "FES-HO", "I confirm.", "vale.ok", "sí; adelante", "conﬁrmo", "\ufeffsí", "por, favor, sí",
        "_*`sí`*_", "sí sí sí sí sí siii",
    ],
)  # fmt: skip
def test_a_yes_in_an_unusual_dress_is_still_one(text):
    assert clear_yes(text) == "YES"


@pytest.mark.parametrize("mark", "?¿؟‽❓❔？﹖⁇⁈⁉⸮⸘\u037e")
def test_a_question_mark_of_any_script_is_read_as_one(mark):
    assert read_reply(f"sí{mark}") == Reply(Verdict.OTHER, Reason.QUESTION)
    assert read_reply(f"{mark} sí") == Reply(Verdict.OTHER, Reason.QUESTION)


def test_eighty_characters_are_read_and_one_more_is_not():
    assert clear_yes("sí" + "!" * 78) == clear_yes(" " * 78 + "sí") == "YES"
    assert read_reply("sí" + "!" * 79) == Reply(Verdict.OTHER, Reason.TOO_LONG)
    # What nobody sees does not count, up to the length at which nothing is read any more.
    assert clear_yes("sí" + "\u200e" * 318) == "YES"
    assert read_reply("sí" + "\u200e" * 319) == Reply(Verdict.OTHER, Reason.TOO_LONG)
    assert typed_words("14" + " " * 78, 14)
    assert not typed_words("14" + " " * 79, 14)


def test_sarcasm_that_uses_yes_words_only_cannot_be_read():
    """The known limit of any list: what is written is a yes, and tone has no letters."""
    assert clear_yes("sí, claro, claro") == clear_yes("yeah, sure") == "YES"


# --- Typed words ----------------------------------------------------------------------------

TYPED = ["borrar", "delete", "esborrar", "apagar"]


@REPEATABLE
@given(st.integers(1, 10_000), st.integers(1, 10_000))
def test_a_typed_number_is_accepted_for_its_own_count_only(count, other):
    for text in (str(other), *(f"{word} {other}" for word in TYPED)):
        assert typed_words(text, count) is (count == other)


@REPEATABLE
@given(
    st.sampled_from(TYPED),
    st.text(' .!¡*_"«»\n', max_size=5).filter(lambda marks: not re.search(r"\.\s*\.", marks)),
    st.sampled_from([str.upper, str.title, str.lower, str.swapcase]),
    st.integers(1, 999),
)
def test_case_and_outer_marks_change_no_typed_word(word, marks, cased, count):
    for text in (word, f"{word} {count}", str(count)):
        assert typed_words(marks + cased(text) + marks[::-1], count)


@REPEATABLE
@given(st.text(st.characters(exclude_categories=()), max_size=12), st.integers(1, 999))
def test_nothing_else_is_a_typed_word(text, count):
    if typed_words(text, count):
        words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold().replace("_", " "))
        assert words in (
            [str(count)],
            *([word] for word in TYPED),
            *([word, str(count)] for word in TYPED),
        )


@REPEATABLE
@given(
    st.sampled_from([*TYPED, "14", "borrar 14"]),
    st.characters(exclude_categories=()),
    st.integers(0, 12),
)
def test_one_more_character_undoes_a_typed_word_unless_it_is_an_outer_mark(text, extra, at):
    changed = text[:at] + extra + text[at:]
    harmless = (
        unicodedata.normalize("NFKC", extra).strip(
            ' .!¡*_"«»\t\n\r\f\v\x1c\x1d\x1e\x1f\x85\u2028\u2029\u1680'
        )
        == ""
    )
    outer = at == 0 or at >= len(text)
    assert typed_words(changed, 14) is (
        harmless and outer and not re.search(r"\.\.", unicodedata.normalize("NFKC", extra))
    )


@REPEATABLE
@given(yes_messages())
def test_no_yes_is_a_typed_word_and_no_typed_word_is_a_yes(text):
    assert not typed_words(text, 14)
    assert not any(clear_yes(word) == "YES" for word in (*TYPED, "14", "borrar 14"))


@pytest.mark.parametrize(
    "digits",
    ["١٤", "१४", "۱۴", "1\u06604", "1\u200d4", "1️⃣4️⃣", "1\u03364\u0336", "14\u20e3", "ⅩⅣ", "十四"],
)
def test_digits_that_int_would_read_and_others_are_refused(digits):
    assert not typed_words(digits, 14)
    assert not typed_words(f"borrar {digits}", 14)


@pytest.mark.parametrize(
    "text",
    [
        "borrar…", "borrar..", "14...", "14. .", "~borrar~", "~14~", "b\u0336orrar", "borrar?", "¿borrar?",
        "14?", "borrár", "bórrar", "borraar", "BORRAR 14 14", "14 borrar", "borrar  14", "borrar\n14", "borrar14",
        "borrar, 14", "borrar: 14", "-14", "+14", "14.0", "1e1", "0x0e", "0b1110", "1_4", "14 \u202e", "\u200e14",
        "Ьorrar", "borrаr", "sí borrar", "borrar sí", "no", "delete 13", "remove", "delete all", "borrar\x00",
    ],
)  # fmt: skip
def test_an_attack_is_not_a_typed_word(text):
    assert not typed_words(text, 14)


@pytest.mark.parametrize("source", ["voice", "caption", "reaction", "forwarded", "", "TEXT"])
def test_typed_words_are_typed(source):
    assert not typed_words("14", 14, source)
    assert not typed_words("borrar", 14, source)


@pytest.mark.parametrize("count", [0, -1, -14])
def test_a_plan_without_records_has_no_typed_words(count):
    assert not any(typed_words(text, count) for text in (str(count), "borrar", f"borrar {count}"))
