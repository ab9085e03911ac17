"""The business beside the conversation, and on pages of its own, in a real browser."""

import pytest
from browser_desk import MARIA, Desk
from browser_look import DONE, Look, accessible, say
from playwright.sync_api import Page, expect

EXPENSE = "Apunta un gasto de Adobe, 72,59 € IVA incluido, del 12/10/2026"
PAGES = [
    "/", "/facturas", "/facturas/2026-0001", "/contactos", "/gastos", "/cobros",
    "/recordatorios", "/buzon", "/buzon/00000001",
]  # fmt: skip


def yes(page: Page) -> None:
    """Confirm by the keyboard: a pointer would have to wait until the card has settled."""
    page.locator('section.card button[value="confirm"]').last.press("Enter")


def test_the_board_follows_what_the_cards_do(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    page.evaluate("window.same = true")
    say(page, EXPENSE)
    expect(page.locator("#expenses")).to_contain_text("72,59 €")
    # While an answer is being written the box sends nothing.
    expect(page.locator(".turn--it[data-writing]")).to_have_count(0)
    page.reload()
    page.evaluate("window.same = true")
    say(page, MARIA)
    yes(page)
    expect(page.locator("#invoices")).to_contain_text("Enviada")
    expect(page.locator("#reminders")).to_contain_text("si no está pagada")
    expect(page.locator("#mailbox")).to_contain_text("maria@carmona.example")
    expect(page.locator(".figures")).to_contain_text("605,00 €")
    assert page.evaluate("window.same"), "The page was loaded anew."
    assert page.locator("#negocio").count() == 1


def test_focus_stays_on_the_link_that_the_board_still_has(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    page.evaluate("window.old = document.getElementById('negocio')")
    page.locator('#newest a[href="/historial"]').focus()
    page.evaluate("document.dispatchEvent(new CustomEvent('semel:change'))")
    page.wait_for_function("() => document.getElementById('negocio') !== window.old")
    page.wait_for_function("() => document.activeElement.getAttribute('href') === '/historial'")


@pytest.mark.parametrize("script", [True, False])
def test_a_sentence_of_the_board_is_put_into_the_box_and_not_sent(
    desk: Desk, look: Look, script: bool
) -> None:
    page = look.as_person(desk, java_script_enabled=script)
    sentence = page.locator("#negocio .say").first
    said = sentence.inner_text()
    sentence.click()
    expect(page.get_by_role("textbox").last).to_have_value(said)
    assert page.locator(".turn--me").count() == 0


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (640, "dark"), (320, "light")])
def test_every_page_of_the_business_fits_and_is_accessible(
    desk: Desk, look: Look, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 800}
    page = look.as_person(desk, viewport=size, color_scheme=scheme)
    say(page, MARIA)
    yes(page)
    expect(page.locator(DONE)).to_be_visible()
    for path in PAGES:
        page.goto(f"{desk.address}{path}")
        over = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, (path, over)
        accessible(page)
        for link in page.locator(".top a:visible, .top button:visible").all():
            box = link.bounding_box()
            assert box is not None
            assert box["height"] >= 24, (path, box)


def test_on_a_phone_the_conversation_is_first_and_the_business_one_tap_away(
    desk: Desk, look: Look
) -> None:
    page = look.as_person(desk, viewport={"width": 360, "height": 740})
    expect(page.locator("#chat")).to_be_visible()
    expect(page.locator("#negocio")).to_be_hidden()
    page.get_by_role("link", name="Facturas", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Facturas")
