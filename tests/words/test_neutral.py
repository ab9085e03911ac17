"""Text from outside changes nothing around it: promise H41, attack by attack and as properties."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from semel.words.neutral import LRM, inside, neutral, neutral_email, quotable, visible

patient = settings(deadline=None)  # what is shown is tested here, not how fast

HOSTILE = [
    ("María\u202e0056", "María⟨U+202E⟩0056"),
    ("\u2066María\u2069", "⟨U+2066⟩María⟨U+2069⟩"),
    ("Мaría", "⟨U+041C⟩aría"),
    ("Carmоna y Cía", "Carm⟨U+043E⟩na y Cía"),
    ("Ma\u200bría", "Ma⟨U+200B⟩ría"),
    ("Ma\u00adría", "Ma⟨U+00AD⟩ría"),
    ("María\nTotal: 1,00 €", "María Total: 1,00 €"),
    ("María\r\n\r\n\tTotal: 1,00 €", "María Total: 1,00 €"),
    ("María\u2028Total: 1,00 €", "María⟨U+2028⟩Total: 1,00 €"),
    ("María\u0085Total", "María⟨U+0085⟩Total"),
    ("\x1b[2J\x1b[31mTotal", "⟨U+001B⟩(2J⟨U+001B⟩(31mTotal"),
    ("[paga aquí](https://evil.example/x)", "(paga aquí)(https:∕∕evil․example/x)"),
    ("![foto](//evil.example)", "!(foto)(//evil․example)"),
    ("www.evil.example", "www․evil․example"),
    ("<b>María</b><script>", "‹b›María‹/b›‹script›"),
    ("*María* _Carmona_ ~no~ `x`", "∗María∗ ˍCarmonaˍ ∼no∼ 'x'"),
    ("٦٠٥ €", "⟨U+0666⟩⟨U+0660⟩⟨U+0665⟩ €"),
    ("４", "⟨U+FF14⟩"),
    ("María\U000e0041\U000e007f", "María⟨U+E0041⟩⟨U+E007F⟩"),
    ("María\U000e0100", "María⟨U+E0100⟩"),
    ("María\ue000", "María⟨U+E000⟩"),
    ("María\ud800", "María⟨U+D800⟩"),
    ("María\u3164\u2800", "María⟨U+3164⟩⟨U+2800⟩"),
    ("\u0336María", "⟨U+0336⟩María"),
    ("a" + "\u0301" * 5, "a\u0301\u0301\u0301⟨U+0301⟩⟨U+0301⟩"),
    ("smlc_QWxsIHlvdXJz-_x1 dame", "⟨token⟩ dame"),
    ("", ""),
    (" \t\n ", ""),
]

HONEST = [
    "María Carmona",
    "Mª José Núñez, 1º B",
    "Carmona & Hijos, S.L.",
    "Diseño del logo (azul), 500,00 € + IVA 21 % = 605,00 €",
    "Łukasz Żółć",
    "Nguyễn Thị Ánh",
    unicodedata.normalize("NFD", "Nguyễn Thị Ánh"),
    "Иван Петров",
    "Ελένη",
    "東京タワー 株式会社",
    "김민준",
    "★ 12 m² ½ ❤️",
    "O'Brien, l'Hospitalet",
    "maria_c@carmona.example",
    "1.234,50",
]


@pytest.mark.parametrize(("text", "shown"), HOSTILE)
def test_what_could_deceive_is_shown_for_what_it_is(text: str, shown: str) -> None:
    assert neutral(text) == shown


@pytest.mark.parametrize("text", HONEST)
def test_what_people_write_is_left_alone(text: str) -> None:
    assert neutral(text) == text


def test_a_text_cannot_close_the_quotation_marks_around_it() -> None:
    assert inside('logo», «otro “y” "más"') == "logo›, ‹otro ‘y’ 'más'"
    assert quotable("Borrador: «Logo»") == "Borrador: ‹Logo›"


def test_right_to_left_text_is_fenced_so_that_the_figures_around_keep_their_order() -> None:
    assert neutral("משה כהן") == f"{LRM}משה כהן{LRM}"
    assert neutral(f"{LRM}María{LRM}") == "María"
    assert neutral(f"Ma{LRM}ría") == "Ma⟨U+200E⟩ría"


def test_a_long_text_ends_in_an_ellipsis() -> None:
    assert neutral("a" * 10_000) == "a" * 199 + "…"
    assert neutral("a" * 200) == "a" * 200
    assert neutral("uno dos", 5) == "uno…"
    assert neutral("María Carmona", 0) == "…"


def test_an_ellipsis_never_cuts_an_address_a_code_point_or_an_accent() -> None:
    assert neutral("escribe a maria@carmona.example ya", 25) == "escribe a…"
    assert neutral("María\u202e0056 y otros", 10) == "María…"
    assert neutral("abcde\u0301fgh", 6) == "abcd…"


def test_ten_megabytes_are_cut_before_they_are_read() -> None:
    assert len(neutral("\u202e" * 10_000_000)) <= 200
    assert len(neutral(" " * 10_000_000 + "x")) <= 200
    assert neutral_email("a" * 10_000_000 + "@carmona.example").endswith("…@carmona.example")
    assert len(neutral_email("@" + "b." * 5_000_000)) < 300


def test_what_a_model_wrote_stays_as_it_wrote_it_when_it_can_be_seen() -> None:
    assert visible("steps[1].input.lineas.0.*") == "steps[1].input.lineas.0.*"
    assert visible("steps[1]\u202e") == "steps[1]⟨U+202E⟩"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("maria@carmona.example", "maria@carmona.example"),
        ("maria_c+logo@sub.carmona.example", "maria_c+logo@sub.carmona.example"),
        ("root@localhost", "root@localhost"),
        ("maria@peña.example", "maria@xn--pea-8ma.example"),
        ("maria@cаrmona.example", "maria@xn--crmona-3nf.example"),
        ("maria@carmona\u202e.example", "maria@carmona⟨U+202E⟩․example"),
        ("maria@carmona.example\n", "maria@carmona․example⟨U+000A⟩"),
        ("ma ria@carmona.example", "ma⟨U+0020⟩ria@carmona.example"),
        ("mаria@carmona.example", "m⟨U+0430⟩ria@carmona.example"),
        ("_maria_@carmona.example", "ˍmariaˍ@carmona.example"),
        ("<maria@carmona.example>", "‹maria@carmona․example›"),
        ("a@b@carmona.example", "a@b@carmona.example"),
        ("x" * 300 + "@carmona.example", "x" * 63 + "…@carmona.example"),
        ("x@a b (https://evil.example/x)", "x@a⟨U+0020⟩b⟨U+0020⟩(https:∕∕evil․example/x)"),
        ("www.evil.example/@carmona.example", "www․evil․example/@carmona.example"),
        ("maria@carmona_[x].example", "maria@carmonaˍ(x)․example"),
        ("no es una dirección", "no es una dirección"),
        ("משה@carmona.example", f"{LRM}משה@carmona.example{LRM}"),
        ("", ""),
    ],
)
def test_an_address_is_shown_whole_and_its_domain_as_a_mail_server_reads_it(
    address: str, shown: str
) -> None:
    assert neutral_email(address) == shown
    assert neutral_email(shown) == shown


UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
anything = st.text(st.characters(), max_size=300)
hostile = st.lists(st.sampled_from([text for text, _ in HOSTILE] + HONEST), max_size=6).map("".join)


@patient
@given(anything | hostile)
@example("⟨U+202E⟩")
@example("~\u0338")
@example("<\u0300")
@example("_0@0.00@0.AA")
def test_neutral_is_one_line_that_can_be_seen_and_stays_as_it_is(text: str) -> None:
    shown = neutral(text)
    assert neutral(shown) == shown
    assert len(shown) <= 202  # the fence of right-to-left text included
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(c) in UNSEEN for c in shown.strip(LRM))
    assert not any(
        c.isdigit() and unicodedata.category(c) == "Nd" and not c.isascii() for c in shown
    )


@patient
@given(anything | hostile)
def test_no_mark_that_a_program_acts_on_is_left(text: str) -> None:
    # Only an underscore inside an address survives, where no program takes it for a mark.
    kept = neutral(text.replace("@", ""))
    assert not set("*_~`<>[]") & set(kept)
    assert "://" not in kept


@patient
@given(anything | hostile, anything | hostile)
def test_the_domain_of_an_address_is_never_out_of_sight(local: str, domain: str) -> None:
    shown = neutral_email(f"{local}@carmona.example")
    assert shown.strip(LRM).endswith("@carmona.example")
    other = neutral_email(f"{local}@{domain.replace('@', '')}")
    assert len(other.splitlines()) <= 1
    assert "://" not in other
    assert not set("*~`<>[]") & set(other)
    assert not any(unicodedata.category(c) in UNSEEN for c in other.strip(LRM))
