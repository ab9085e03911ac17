"""What is missing for a plan: its card puts answers into the box, and is past once another came."""

from browser_desk import Desk
from browser_look import Look, accessible, say
from playwright.sync_api import Page, expect

NEW = "Crea un contacto: Talleres Nuevos, email hola@nuevos.example"
LACKS = "Haz una factura a Talleres Nuevos por el rótulo, 300 € más IVA"
ASKED = "¿A cuántos días vence la factura de Talleres Nuevos?"
INVALID = 'section.card[data-state="invalid"]'


def lacking(desk: Desk, look: Look, **settings: object) -> Page:
    page = look.as_person(desk, **settings)
    say(page, NEW)
    expect(page.locator('section.card[data-state="done"]')).to_be_visible()
    say(page, LACKS)
    expect(page.locator(INVALID)).to_contain_text(ASKED)
    return page


def test_choices_go_into_the_box_and_what_is_typed_there_stays(desk: Desk, look: Look) -> None:
    page = lacking(desk, look)
    box = page.get_by_role("textbox").last
    expect(page.locator("#semel-status")).to_contain_text(ASKED)
    asked = page.locator(INVALID)
    asked.get_by_role("link", name="30").click()
    expect(box).to_have_value("30")
    expect(box).to_be_focused()
    box.fill("Sobre el rótulo")
    asked.get_by_role("link", name="30").press("Enter")
    expect(box).to_have_value("Sobre el rótulo, 30")
    asked.get_by_role("link", name="Responder").click()
    expect(box).to_have_value("Sobre el rótulo, 30")
    expect(box).to_be_focused()
    assert page.url == f"{desk.address}/"


def test_a_reload_shows_the_same_card_and_another_plan_leaves_it_behind(
    desk: Desk, look: Look
) -> None:
    page = lacking(desk, look)
    before = page.locator(INVALID).inner_text()
    page.reload()
    assert page.locator(INVALID).inner_text() == before
    expect(page.locator(INVALID).get_by_role("link", name="Responder")).to_be_visible()
    say(page, f"{LACKS}, a 30 días")
    expect(page.locator('section.card[data-state="done"]')).to_have_count(2)
    for _ in range(2):
        past = page.locator(INVALID)
        expect(past).to_contain_text(ASKED)
        expect(past.get_by_role("link")).to_have_count(0)
        accessible(page)
        page.reload()


def test_two_of_them_and_only_the_newer_asks(desk: Desk, look: Look) -> None:
    page = lacking(desk, look)
    say(page, LACKS)
    expect(page.locator(INVALID)).to_have_count(2)
    for _ in range(2):
        expect(page.get_by_role("link", name="Responder")).to_have_count(1)
        expect(page.locator(INVALID).last.get_by_role("link", name="30")).to_be_visible()
        page.reload()


def test_without_a_script_the_card_leads_to_a_box_that_is_ready(desk: Desk, look: Look) -> None:
    page = look.as_person(desk, context=look.context(java_script_enabled=False))
    for text in (NEW, LACKS):
        page.locator("#say").fill(text)
        page.locator(".composer button").click()
    page.locator(INVALID).get_by_role("link", name="30").click()
    expect(page.locator("#say")).to_have_value("30")
    expect(page.locator("#say")).to_be_focused()
    page.locator(INVALID).get_by_role("link", name="Responder").click()
    expect(page.locator("#say")).to_have_value("")
    expect(page.locator("#say")).to_be_focused()
