"""Who is signed in: sessions, and what ends them."""

import base64
import json

import httpx
import pytest
from pages_place import HTML, Place, csrf, words

import stores

PAGES = ["/", "/facturas", "/facturas/2026-0001", "/contactos", "/gastos", "/cobros",
         "/recordatorios", "/buzon", "/mailbox", "/buzon/00000001", "/planes/p_1"]  # fmt: skip


def cookie(client: httpx.Client) -> str:
    return client.cookies["semel"]


def is_in(place: Place, value: str, name: str = "semel") -> bool:
    """Whether a cookie lets somebody in; nothing that it holds breaks the server."""
    answer = httpx.get(f"{place.base}/", headers={**HTML, "Cookie": f"{name}={value}".encode()})
    if answer.status_code == 200:
        return True
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in"), answer.text
    return False


def test_a_stranger_is_led_to_where_one_signs_in(place: Place):
    stranger = place.client()
    for path in PAGES:
        answer = stranger.get(path)
        assert (answer.status_code, answer.headers.get("location")) == (303, "/sign-in"), path
    for path in ["/board", "/mailbox.json"]:
        assert stranger.get(path, headers={"Accept": "*/*"}).status_code == 401, path
    page = words(stranger.get("/sign-in", headers={"Accept-Language": "es"}).text)
    for says in ["Ana", "Luis", "Eva", "Carmona Estudio", "Otra Demo", "solo puede mirar"]:
        assert says in page


def test_each_sign_in_is_a_session_of_its_own(place: Place):
    one, two = place.client("ana"), place.client("ana")
    assert cookie(one) != cookie(two)
    assert csrf(one.get("/").text) != csrf(two.get("/").text)
    flags = one.post("/sign-in", data={"person": "ana"}).headers["set-cookie"]
    assert flags.startswith("semel=")
    for flag in ["HttpOnly", "SameSite=lax", "Path=/", "Max-Age=43200"]:
        assert flag in flags
    assert "Secure" not in flags


def test_nobody_else_signs_in(place: Place):
    stranger = place.client()
    for person in ["root", "", "ANA", "ana\x00", "maria"]:
        answer = stranger.post("/sign-in", data={"person": person})
        assert answer.status_code in {404, 422}, person
        assert "set-cookie" not in answer.headers
    assert stranger.post("/sign-in").status_code == 422


@pytest.mark.parametrize("headers", [
    {"Origin": "https://elsewhere.example"}, {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
])  # fmt: skip
def test_another_site_signs_nobody_in_or_out(place: Place, headers: dict[str, str]):
    answer = place.client().post("/sign-in", data={"person": "ana"}, headers=headers)
    assert (answer.status_code, answer.headers.get("set-cookie")) == (403, None)
    ana = place.client("ana")
    token = csrf(ana.get("/").text)
    answer = ana.post("/sign-out", data={"csrf": token}, headers=headers)
    assert (answer.status_code, answer.headers.get("set-cookie")) == (403, None)


def test_a_session_ends_after_a_working_day(place: Place):
    held = cookie(place.client("ana"))
    place.clock.move(hours=11, minutes=59)
    assert is_in(place, held)
    place.clock.move(minutes=1)
    assert not is_in(place, held)


def test_one_signs_out_with_a_form_of_the_session(place: Place):
    ana, other = place.client("ana"), place.client("ana")
    token = csrf(other.get("/").text)
    assert ana.post("/sign-out").status_code == 403
    assert ana.post("/sign-out", data={"csrf": token}).status_code == 403
    assert ana.get("/").status_code == 200
    answer = ana.post("/sign-out", data={"csrf": csrf(ana.get("/").text)})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert ana.get("/").status_code == 303
    assert other.get("/").status_code == 200


def test_a_cookie_that_this_program_did_not_make_lets_nobody_in(place: Place):
    held = cookie(place.client("luis"))
    text, mac = held.split(".")
    fields = json.loads(base64.urlsafe_b64decode(text))
    fields[1] = "ana"
    other = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode()
    forged = [
        "", ".", "..", held[:-1], held[1:], f"{other}.{mac}", f"{text}.", f"{text}.{mac}x",
        f"{text}.{mac[::-1]}", text, f".{mac}", "x" * 5000, "a.b", '"', "%00", "é.é", "=;=",
        base64.urlsafe_b64encode(b"[]").decode() + "." + mac,
    ]  # fmt: skip
    for value in forged:
        assert not is_in(place, value), value
    assert is_in(place, held)
    assert not is_in(place, held, "__Host-semel")


def test_somebody_who_was_removed_or_has_another_role_is_so_at_once(place: Place):
    ana = place.client("ana")
    assert "Operación" in ana.get("/").text
    books = place.home / "books.db"
    stores.rows(books, "UPDATE people SET role = 'asesor' WHERE person = 'ana'")
    page = ana.get("/").text
    assert "Operación" not in page
    assert "asesoría" in page
    stores.rows(books, "DELETE FROM people WHERE person = 'ana'")
    assert ana.get("/").status_code == 303
    assert "Ana" not in words(ana.get("/sign-in").text)
    assert place.client().post("/sign-in", data={"person": "ana"}).status_code == 404


def test_the_language_is_the_session_s(place: Place):
    ana = place.client("ana")
    home = ana.get("/")
    assert '<html lang="es">' in home.text
    token = csrf(home.text)
    assert ana.post("/language", data={"locale": "en"}).status_code == 403
    assert ana.post("/language", data={"locale": "fr", "csrf": token}).status_code == 422
    answer = ana.post(
        "/language",
        data={"locale": "en", "csrf": token},
        headers={"Referer": f"{place.base}/facturas"},
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/facturas")
    page = ana.get("/facturas").text
    assert '<html lang="en">' in page
    assert "There is no invoice yet." in page
    assert csrf(page) == token
    assert '<html lang="es">' in place.client("ana").get("/").text
    away = ana.post(
        "/language",
        data={"locale": "es", "csrf": token},
        headers={"Referer": "https://elsewhere.example//evil"},
    )
    assert away.headers["location"] == "/"


def test_who_chooses_english_before_signing_in_reads_english(place: Place):
    stranger = place.client()
    page = stranger.get("/sign-in?lang=en").text
    assert "Sign in as" in page
    assert stranger.get("/sign-in?lang=xx", headers={"Accept-Language": "en-GB"}).text.count(
        "Sign in as"
    )
    stranger.post("/sign-in", data={"person": "ana", "lang": "en"})
    assert '<html lang="en">' in stranger.get("/").text
