"""What surrounds the pages: the mailbox as data, static files, health, and what goes wrong."""

import re
from email import message_from_string
from pathlib import Path

import httpx
import pytest
from pages_place import LOGO, MAILED, Place, served, words

import semel_facturas
import stores
from semel_facturas.web import statics
from semel_facturas.web.words import en, es

LOST_ZONE = "UPDATE organizations SET zone = 'Nowhere/None' WHERE org = 'otra-demo'"
JSON = {"Accept": "application/json"}


def test_the_mailbox_as_data_is_what_the_sink_accepted_for_the_organization(place: Place):
    ana = place.client("ana")
    assert ana.get("/mailbox.json").json() == []
    place.say(MAILED)
    (mail,) = ana.get("/mailbox.json").json()
    (file,) = (place.home / "mail").glob("*.eml")
    message = message_from_string(file.read_text())
    assert mail == {
        "file": file.name,
        "to": "maria@carmona.example",
        "from": "facturas@carmona-demo.example",
        "subject": "Factura de Carmona Estudio",
        "message_id": message["Message-ID"].strip("<>"),
        "at": "2026-10-19T08:00:00.000000Z",
        "accepted": True,
    }
    assert place.client("luis").get("/mailbox.json").json() == [mail]
    assert place.client("eva").get("/mailbox.json").json() == []


def test_a_message_is_read_as_text_whatever_it_holds(place: Place):
    hostile = "<script>alert(1)</script>"
    (place.home / "mail" / "00000007.eml").write_text(
        "Return-Path: <facturas@carmona-demo.example>\r\nDelivered-To: x@y.example\r\n"
        f"Subject: {hostile}\r\nDate: yesterday\r\nContent-Type: text/html\r\n\r\n{hostile}"
    )
    ana = place.client("ana")
    page = ana.get("/buzon/00000007")
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;" in page.text
    raw = ana.get("/buzon/00000007.eml")
    assert raw.headers["content-type"] == "text/plain; charset=utf-8"
    assert raw.text.endswith(hostile)
    assert "&lt;script&gt;" in ana.get("/buzon").text


def test_no_other_file_is_read(place: Place):
    (place.home / "mail" / "secret.txt").write_text("secret")
    ana = place.client("ana")
    for name in ["secret.txt", "..%2fkey", "%2e%2e%2fbooks.db", "00000001.eml%00", "1.eml", "x"]:
        assert ana.get(f"/buzon/{name}").status_code == 404, name


def test_health_is_said_to_everybody_and_is_not_well_without_a_database(
    place: Place, tmp_path: Path
):
    answer = httpx.get(f"{place.base}/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    engine = semel_facturas.open(f"sqlite:///{tmp_path / 'none' / 'books.db'}", home=tmp_path)
    with served(engine, tmp_path) as base:
        answer = httpx.get(f"{base}/healthz")
        assert answer.status_code == 503
        assert answer.json()["status"] == "unusable"
        assert "none" not in answer.text
        page = httpx.get(f"{base}/sign-in", headers={"Accept": "text/html"})
        assert page.status_code == 503
        assert "No se puede leer la base de datos" in page.text
    engine.close()


def test_static_files_are_a_fixed_list_with_an_etag(place: Place):
    stranger = place.client()
    for name in statics.FILES:
        answer = stranger.get(f"/static/{name}")
        assert answer.status_code == 200
        again = stranger.get(f"/static/{name}", headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    for name in ["../application.py", "..%2fapplication.py", "app.css%00", "none.css", ".", ""]:
        assert stranger.get(f"/static/{name}").status_code == 404, name


def test_what_a_page_needs_is_served_and_nothing_is_inline(place: Place):
    place.say(LOGO)
    ana = place.client("ana")
    for path in ["/", "/sign-in", "/facturas", "/buzon"]:
        page = ana.get(path).text
        own = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
        assert own
        for file in own:
            assert ana.get(file).status_code == 200, file
        assert not re.search(r"<[^>]+\s(?:style|on\w+)=", page), path
        assert not re.search(r"<style|<script(?![^>]* src=)", page), path
        assert not re.search(r'(?:src|href|action)="(?!/|#)', page), path


def test_every_answer_is_shielded_whatever_it_is(place: Place):
    ana, stranger, eva = place.client("ana"), place.client(), place.client("eva")
    stores.rows(place.home / "books.db", LOST_ZONE)
    answers = [
        ana.get("/"), ana.get("/facturas"), ana.get("/facturas/none"), ana.get("/board"),
        ana.get("/buzon"), eva.get("/facturas"), ana.put("/buzon"), ana.get("/static/app.css"), ana.get("/healthz"),
        stranger.get("/"), stranger.get("/sign-in"), stranger.post("/sign-in"),
        stranger.get("/mailbox.json", headers=JSON), stranger.get("/healthz", headers={"Host": "evil.example"}),
    ]  # fmt: skip
    assert sorted({one.status_code for one in answers}) == [200, 303, 401, 404, 405, 421, 422, 500]
    for answer in answers:
        where = (answer.request.url.path, answer.status_code)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy, where
        assert "trusted-types semel" in policy, where
        assert answer.headers["x-content-type-options"] == "nosniff", where
        assert answer.headers["referrer-policy"] == "no-referrer", where
        kept = "no-cache" if where[0].startswith("/static") else "no-store"
        assert answer.headers["cache-control"] == kept, where


def test_a_sentence_that_was_chosen_without_a_script_is_in_the_box_and_not_sent(place: Place):
    page = place.client("ana").get("/", params={"say": 'Hola </textarea><b>"'}).text
    assert "Hola &lt;/textarea&gt;&lt;b&gt;&#34;</textarea>" in page
    assert "turn--me" not in page


@pytest.mark.parametrize("lang", ["es", "en"])
def test_a_page_that_is_not_there_says_so_in_both_languages(place: Place, lang: str):
    says = {"es": "Aquí no hay nada", "en": "There is nothing here"}[lang]
    stranger = place.client(**{"Accept-Language": lang})
    answer = stranger.get("/nowhere")
    assert answer.status_code == 404
    assert says in words(answer.text)
    data = stranger.get("/nowhere", headers=JSON)
    assert data.json()["detail"].startswith(says)


def test_a_fault_of_the_program_is_a_page_without_its_insides(place: Place):
    eva = place.client("eva")
    stores.rows(place.home / "books.db", LOST_ZONE)
    answer = eva.get("/facturas")
    assert answer.status_code == 500
    assert "Ha fallado el programa, no tú" in answer.text
    assert "Traceback" not in answer.text
    assert "Nowhere" not in answer.text
    assert str(place.home) not in answer.text


@pytest.mark.no_store
def test_both_languages_have_the_same_sentences_with_the_same_blanks():
    def blanks(value: object) -> object:
        if isinstance(value, str):
            return sorted(re.findall(r"\{\w+\}", value))
        if isinstance(value, dict):
            return {key: blanks(one) for key, one in value.items()}
        assert isinstance(value, tuple)
        return [blanks(one) for one in value]

    assert list(es.SAYS) == list(en.SAYS)
    assert blanks(es.SAYS) == blanks(en.SAYS)
    assert len(es.MONTHS) == len(en.MONTHS) == 12


def test_the_furniture_of_the_demo_is_put_up_once_and_issues_nothing(place: Place):
    place.call(semel_facturas.application.furnish(place.engine))
    place.call(semel_facturas.application.furnish(place.engine))
    ana, eva = place.client("ana"), place.client("eva")
    contacts = words(ana.get("/contactos").text)
    for name in ["Clínica Vera", "Librería Altair", "María Carmona", "Talleres Núñez"]:
        assert contacts.count(name) == 1, name
    assert "Gastado en octubre" in words(ana.get("/gastos").text)
    assert "Siguiente número: 2026-0001" in words(ana.get("/facturas").text)
    assert "Almazara Modelo" in eva.get("/contactos").text
    assert "Almazara Modelo" not in ana.get("/contactos").text
