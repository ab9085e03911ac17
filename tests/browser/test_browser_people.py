"""Who cannot see, cannot use a mouse, has no script, a small screen, or large letters."""

import re

from browser_desk import MARIA, Desk
from browser_look import ASKING, DONE, Look, accessible, press, say
from playwright.sync_api import Page, expect

EXPENSE = "Apunta un gasto de Adobe, 72,59 € IVA incluido, del 12/10/2026"

LISTEN = """
() => {
  window.told = [];
  const region = document.getElementById('semel-status');
  new MutationObserver(() => {
    const text = region.textContent.trim();
    if (text) window.told.push(text);
  }).observe(region, { childList: true, characterData: true, subtree: true });
}
"""


def test_the_keyboard_alone_leads_from_a_request_to_its_undo(desk: Desk, look: Look) -> None:
    page = look.signs_in(desk)
    box = page.get_by_role("textbox").last
    box.focus()
    page.keyboard.insert_text(EXPENSE)
    page.keyboard.press("Enter")
    expect(page.locator(DONE)).to_be_visible()
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA", "the focus stays"
    tab_to(page, "undo")
    page.keyboard.press("Enter")
    expect(page.locator('section.card[data-state="undone"]')).to_be_visible()


def test_the_keyboard_alone_confirms_and_meets_cancel_first(desk: Desk, look: Look) -> None:
    page = look.signs_in(desk)
    say(page, MARIA)
    expect(page.locator(ASKING)).to_be_visible()
    page.keyboard.press("Alt+p")
    met = []
    for _ in range(30):
        page.keyboard.press("Tab")
        met.append(page.evaluate("document.activeElement.value ?? ''"))
        if met[-1] == "confirm":
            break
    assert met[-1] == "confirm", met
    assert "cancel" in met
    page.keyboard.press("Space")
    expect(page.locator(DONE)).to_be_visible()
    assert desk.mails() == 1


def tab_to(page: Page, do: str) -> None:
    for key in ("Tab", "Shift+Tab"):
        page.get_by_role("textbox").last.focus()
        for _ in range(60):
            page.keyboard.press(key)
            if page.evaluate("document.activeElement.value ?? ''") == do:
                return
    raise AssertionError(f"The keyboard does not lead to {do}.")


def test_escape_decides_nothing(desk: Desk, look: Look) -> None:
    page = look.signs_in(desk)
    say(page, MARIA)
    expect(page.locator(ASKING)).to_be_visible()
    tab_to(page, "cancel")
    page.keyboard.press("Escape")
    expect(page.locator(ASKING)).to_be_visible()
    assert "dismissed" not in desk.events(desk.plans()[0])


def test_each_thing_is_announced_once(desk: Desk, look: Look) -> None:
    page = look.signs_in(desk)
    page.evaluate(LISTEN)
    say(page, MARIA)
    expect(page.locator(ASKING)).to_be_visible()
    press(page, "confirm")
    expect(page.locator(DONE)).to_be_visible()
    page.wait_for_function("() => window.told.at(-1).includes('2026-0001')")
    told = page.evaluate("window.told")
    assert len(told) == len(set(told)), told
    assert "4 pasos" in told[0], told
    assert page.locator("[aria-live]").count() == 1


def test_without_a_script_forms_confirm_cancel_and_undo(desk: Desk, look: Look) -> None:
    page = look.signs_in(desk, java_script_enabled=False)
    send(page, MARIA)
    page.locator('button[name="do"][value="cancel"]').click()
    expect(page.locator('section.card[data-state="cancelled"]')).to_be_visible()
    send(page, f"{MARIA}.")
    page.locator('button[name="do"][value="confirm"]').click()
    expect(page.locator(DONE)).to_be_visible()
    send(page, EXPENSE)
    page.locator('button[name="do"][value="undo"]').click()
    expect(page.locator('section.card[data-state="undone"]')).to_be_visible()
    assert desk.mails() == 1


def send(page: Page, text: str) -> None:
    page.get_by_role("textbox").last.fill(text)
    page.locator('form[action$="/messages"] button').last.click()


def test_both_languages_say_the_same(desk: Desk, look: Look) -> None:
    page = look.signs_in(desk)
    say(page, MARIA)
    expect(page.locator(ASKING)).to_contain_text("605,00 €")
    page.locator('header button[value="en"]').click()
    card = page.locator(ASKING)
    expect(card).to_have_attribute("lang", "en")
    expect(card).to_contain_text("605,00 €")
    expect(card).to_contain_text("18/11/2026")
    accessible(page)


def test_nothing_is_cut_or_scrolls_sideways(desk: Desk, look: Look) -> None:
    for width in (320, 640, 1280):
        for scheme in ("light", "dark"):
            page = look.as_person(
                desk, viewport={"width": width, "height": 800}, color_scheme=scheme
            )
            if width == 320 and scheme == "light":
                say(page, MARIA)
            expect(page.locator(ASKING)).to_be_visible()
            over = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert over <= 0, (width, scheme, over)
            accessible(page)
            for button in page.locator("section.card button:visible").all():
                box = button.bounding_box()
                assert box is not None
                assert box["height"] >= 44, (width, box)
            page.context.close()


def test_no_secret_stands_in_an_address(desk: Desk, look: Look) -> None:
    page = look.signs_in(desk)
    seen: list[str] = []
    page.on("request", lambda one: seen.append(one.url))
    say(page, MARIA)
    expect(page.locator(ASKING)).to_be_visible()
    press(page, "confirm")
    expect(page.locator(DONE)).to_be_visible()
    assert seen
    assert not [url for url in seen if re.search("smlc_|csrf", url)]
