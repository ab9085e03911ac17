"""The pages of the business show what the books and the plans hold, to whom it belongs."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from pages_place import ANA, LOGO, MAILED, REMINDED, Place, rows, shape, words
from pages_place import place as placed

from semel import Tx
from semel_facturas.books.contacts import create_contact
from semel_facturas.books.drafts import create_draft
from semel_facturas.books.expenses import create_expense
from semel_facturas.books.money import Line
from semel_facturas.web import business

NOW = "2026-10-19T08:00:00.000000Z"
TODAY, DUE = date(2026, 10, 19), date(2026, 11, 18)

PAGES = ["/", "/facturas", "/contactos", "/gastos", "/cobros", "/recordatorios", "/buzon"]


def test_every_page_of_a_fresh_world_says_what_one_can_ask_for(place: Place):
    ana = place.client("ana")
    for path in PAGES:
        assert ana.get(path).status_code == 200, path
    home = words(ana.get("/").text)
    for says in ["Todavía no hay ninguna factura", "No ha salido ningún correo", "María Carmona"]:
        assert says in home
    assert f'data-again="{LOGO}"' in ana.get("/").text
    assert "Siguiente número: 2026-0001" in words(ana.get("/facturas").text)


def test_every_sentence_that_is_offered_is_understood(place: Place):
    place.say(f"{LOGO}, y emítela")
    pages = [place.client("ana").get(path).text for path in PAGES]
    offered = {line.split('"')[0] for page in pages for line in page.split('data-again="')[1:]}
    assert len(offered) >= 4
    # What marks it as paid is said last: afterwards there is nothing to remind of.
    for sentence in sorted(offered, key=lambda one: one.startswith("Marca")):
        place.say(sentence, yes=False)


def test_an_invoice_goes_from_draft_to_paid_in_the_words_of_its_state(place: Place):
    ana = place.client("ana")
    place.say(LOGO)
    (draft,) = rows(ana.get("/facturas").text)
    assert rows(ana.get("/facturas").text) == {draft: "draft"}
    assert "Borrador" in words(ana.get(f"/facturas/{draft}").text)
    place.say("Haz una factura a María Carmona por los rótulos, 300 € más IVA, y emítela")
    place.clock.move(hours=2)
    place.say(REMINDED)
    states = rows(ana.get("/facturas").text)
    assert states == {draft: "draft", "2026-0001": "issued", "2026-0002": "sent"}
    page = words(ana.get("/facturas").text)
    assert "Por cobrar 968,00 €" in page
    assert "Vencido 0,00 €" in page
    assert "Siguiente número: 2026-0003" in page
    assert "El 13/11/2026 a las 09:00, si no está pagada" in words(ana.get("/recordatorios").text)

    place.say("Marca como pagada la 2026-0001")
    place.clock.move(days=33)
    page = place.client("ana").get("/facturas").text
    assert rows(page) == {draft: "draft", "2026-0001": "paid", "2026-0002": "late"}
    assert "Vencida, 3 días" in words(page)
    assert "Vencido 605,00 €" in words(page)
    assert "Por cobrar, 1 factura emitida 605,00 €" in words(page)


def test_what_was_collected_is_that_of_this_month(place: Place):
    ana = place.client("ana")
    place.say(f"{LOGO}, y emítela")
    place.say("Marca como pagada la 2026-0001")
    assert "Cobrado en octubre 605,00 €" in words(ana.get("/cobros").text)
    place.clock.move(days=14)
    ana = place.client("ana")
    assert "Cobrado en noviembre 0,00 €" in words(ana.get("/cobros").text)


def test_a_send_in_doubt_is_said_of_its_invoice_and_its_mailbox_leads_to_the_card(place: Place):
    ana = place.client("ana")
    place.sink.behaviour.cut = "before storing"
    outcome = place.say(MAILED)
    assert outcome.view.reason == "in_doubt"  # type: ignore[union-attr] # a report has one
    assert rows(ana.get("/").text) == {"2026-0001": "doubt"}
    assert "En duda 1 envío" in words(ana.get("/facturas").text)
    box = ana.get("/buzon").text
    plan = outcome.view.plan  # type: ignore[union-attr] # a report has one
    assert f'<a class="button button--small" href="/planes/{plan}">Aclarar</a>' in box
    assert "sin respuesta desde el 19/10/2026 a las 10:00" in words(box)
    assert "Este mensaje está en el buzón" not in box
    card = ana.get(f"/planes/{plan}").text
    assert f'data-plan="{plan}"' in card


def test_of_a_doubt_whose_message_was_taken_the_mailbox_says_so(place: Place):
    place.sink.behaviour.cut = "after storing"
    place.say(MAILED)
    box = place.client("ana").get("/buzon").text
    assert '<a href="/buzon/00000001">Este mensaje está en el buzón</a>' in box


def test_one_invoice_shows_its_figures_its_sides_and_where_it_comes_from(place: Place):
    place.say(REMINDED)
    page = place.client("ana").get("/facturas/2026-0001").text
    text = words(page)
    for says in [
        "Factura 2026-0001", "Enviada", "Base imponible 500,00 €", "IVA 21 % 105,00 €",
        "Total 605,00 €", "12345678Z", "B12345674", "Vence 18/11/2026", "El 13/11/2026",
    ]:  # fmt: skip
        assert says in text, says
    assert 'href="/historial/factura/2026-0001"' in page


def test_the_board_is_the_part_of_the_first_page_that_changes(place: Place):
    ana = place.client("ana")
    before = ana.get("/board").text
    assert before.strip() in ana.get("/").text
    assert "<html" not in before
    place.say(MAILED)
    after = ana.get("/board").text
    assert rows(after) == {"2026-0001": "sent"}
    assert after.strip() in ana.get("/").text


def test_an_adviser_reads_the_books_and_is_offered_nothing(place: Place):
    place.say(REMINDED)
    luis = place.client("luis")
    assert "Operación" not in luis.get("/").text
    page = luis.get("/board").text
    assert rows(page) == {"2026-0001": "issued"}
    assert "data-again" not in page
    assert "En duda" not in words(page)
    assert "Aquí salen solo los que has pedido tú" in words(luis.get("/recordatorios").text)
    assert words(place.client("ana").get("/").text).count("Operación") == 1


def test_another_organization_sees_nothing_of_it(place: Place):
    place.sink.behaviour.cut = "after storing"
    outcome = place.say(REMINDED)
    plan = outcome.view.plan  # type: ignore[union-attr] # a report has one
    eva = place.client("eva")
    for path in [*PAGES, "/board", "/mailbox.json"]:
        text = eva.get(path).text
        for secret in ["Carmona", "María", "data-invoice", "605,00", "carmona-demo", plan]:
            assert secret not in text, (path, secret)
    mine, other, none = (
        eva.get(path) for path in ["/facturas/2026-0001", f"/planes/{plan}", "/buzon/00000001"]
    )
    for answer, nothing in [
        (mine, "/facturas/2026-0009"),
        (other, "/planes/p_01a1532c-b000-7e73-bde1-878e4affa33c"),
        (none, "/buzon/00000009"),
    ]:
        assert answer.status_code == 404
        assert answer.text == eva.get(nothing).text


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></tr></table><h1>500,00 €</h1>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt; &amp; &#x202e;",
    "'+alert(1)+'",
    "<!-- ",
    "a" * 300,
    "María \u202e\u2066\u200bCarmona",
]


def shapes(place: Place, texts: list[str]) -> list[str]:
    """Every page of a world in which customers, concepts and suppliers are called like that."""

    def write(tx: Tx) -> None:
        for at, text in enumerate(texts):
            contact = create_contact(
                tx, ANA.org, f"c{at}", name=text, now=NOW, address=text, payment_days=30
            )
            line = Line(text, Decimal(1), Decimal(10), Decimal(0), Decimal(21))
            draft = {"contact": contact, "lines": (line, line), "due_date": DUE, "now": NOW}
            create_draft(tx, ANA.org, f"d{at}", **draft)
            figures = {"base": Decimal(10), "iva": Decimal(21), "fecha": TODAY, "now": NOW}
            create_expense(tx, ANA.org, f"e{at}", concepto=text, proveedor=text, **figures)

    place.write(write)
    ana = place.client("ana")
    sheets = [f"/facturas/d{at}" for at in range(len(texts))]
    return [ana.get(path).text for path in [*PAGES, "/board", *sheets]]


def test_hostile_names_and_concepts_are_text_and_change_no_markup(place: Place, tmp_path: Path):
    pages = shapes(place, HOSTILE)
    with placed(tmp_path / "plain") as other:
        plain = shapes(other, [f"Normal {at}" for at in range(len(HOSTILE))])
    for page, like in zip(pages, plain, strict=True):
        assert sorted(shape(page)) == sorted(shape(like))
        assert "<script>alert" not in page
        assert "<img" not in page
        assert not {*"\u202e\u2066\u200b"} & {*page}
    assert "{{ 7 * 7 }}{% raw %}" in words(pages[1])


def test_a_path_that_no_database_takes_for_text_is_not_there(place: Place):
    ana = place.client("ana")
    for path in ["/facturas/%00", "/planes/%00", "/buzon/%00", "/facturas/%F0%9F%92%A3"]:
        assert ana.get(path).status_code == 404, path


def test_a_reminder_and_a_doubt_are_never_too_old_to_be_shown(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(business, "PLANS", 1)
    place.say(REMINDED)
    place.sink.behaviour.cut = "before storing"
    place.clock.move(hours=2)
    place.say(
        "Haz una factura a María Carmona por los rótulos, 300 € más IVA, y envíasela por correo"
    )
    place.say("Crea el contacto Marta Gil con email marta@gil.example")
    ana = place.client("ana")
    assert "El 13/11/2026 a las 09:00" in words(ana.get("/recordatorios").text)
    assert "No se sabe si salió: 2026-0002" in words(ana.get("/buzon").text)
    assert rows(ana.get("/facturas").text) == {"2026-0001": "issued", "2026-0002": "doubt"}
