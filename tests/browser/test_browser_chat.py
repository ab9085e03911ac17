"""The conversation in a browser: what is sent arrives once, and what is typed is never lost."""

import re
from collections.abc import Callable

import pytest
from browser_desk import MARIA, Desk
from browser_look import ASKING, DONE, Look, accessible, say
from playwright.sync_api import Page, Request, Route, expect

EXPENSE = "Apunta un gasto de Adobe, 72,59 € IVA incluido, del 12/10/2026"
ME, IT = ".turn--me .turn-text", ".turn--it .turn-text"


def posts(page: Page) -> list[str]:
    sent: list[str] = []

    def one(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/messages"):
            sent.append(request.post_data or "")

    page.on("request", one)
    return sent


def request_of(sent: str) -> str:
    found = re.search(r"request=([\w-]+)", sent)
    assert found
    return found[1]


def test_a_double_enter_sends_one_message_and_the_box_is_empty(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    sent = posts(page)
    box = page.get_by_role("textbox").last
    box.fill(MARIA)
    box.press("Enter")
    box.press("Enter")
    expect(page.locator(ASKING)).to_be_visible()
    expect(box).to_have_value("")
    expect(page.locator(ME)).to_have_text([MARIA])
    expect(page.locator(IT)).to_have_count(1)
    assert len(sent) == 1
    assert len(desk.plans()) == 1
    assert page.evaluate("document.activeElement.id") == "say"


def test_shift_and_enter_begin_a_line_and_send_nothing(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    sent = posts(page)
    box = page.get_by_role("textbox").last
    box.fill("Apunta")
    box.press("Shift+Enter")
    expect(box).to_have_value("Apunta\n")
    assert sent == []


def test_each_message_has_an_id_of_its_own_and_a_reload_shows_the_same(
    desk: Desk, look: Look
) -> None:
    page = look.as_person(desk)
    sent = posts(page)
    for count, text in enumerate((EXPENSE, MARIA), 1):
        say(page, text)
        expect(page.locator(ME).last).to_have_text(text)
        expect(page.locator("semel-card")).to_have_count(count)
        expect(page.locator(f"{ASKING}, {DONE}").last).to_be_visible()
        expect(page.locator(".turn--it[data-writing]")).to_have_count(0)
    assert len({request_of(one) for one in sent}) == 2
    before = page.locator(".turn-text").all_inner_texts()
    plans = page.locator("semel-card").evaluate_all(
        "all => all.map((one) => one.getAttribute('plan'))"
    )
    page.reload()
    assert page.locator(".turn-text").all_inner_texts() == before
    again = page.locator("semel-card").evaluate_all(
        "all => all.map((one) => one.getAttribute('plan'))"
    )
    assert again == plans
    assert len(plans) == 2


def test_an_example_goes_into_the_box_and_is_sent_by_the_person(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    sent = posts(page)
    example = page.locator(".example").first
    text = example.inner_text()
    example.click()
    box = page.get_by_role("textbox").last
    expect(box).to_have_value(text)
    expect(box).to_be_focused()
    assert sent == []
    box.press("Enter")
    expect(page.locator(ASKING)).to_be_visible()
    expect(page.locator(".example")).to_have_count(0)


def never(route: Route) -> None:
    """The line is lost before anything was sent."""
    if route.request.method == "POST":
        route.abort("connectionreset")
    else:
        route.continue_()


def arrives(route: Route) -> None:
    """The line is lost after the server has it."""
    if route.request.method == "POST":
        route.fetch()
        route.abort("connectionreset")
    else:
        route.continue_()


@pytest.mark.parametrize(("line", "kept"), [(never, True), (arrives, False)])
def test_a_line_that_is_lost_is_asked_about_and_nothing_is_sent_twice(
    desk: Desk, look: Look, line: Callable[[Route], None], kept: bool
) -> None:
    look.allowed.append("Failed to load resource")
    page = look.as_person(desk)
    sent = posts(page)
    page.route("**/messages", line)
    say(page, EXPENSE)
    box = page.get_by_role("textbox").last
    if kept:
        expect(page.locator(".composer-no")).to_contain_text("No hay conexión")
        expect(box).to_have_value(EXPENSE)
        expect(page.locator(ME)).to_have_count(0)
        page.unroute("**/messages")
        box.press("Enter")
    expect(page.locator(DONE)).to_be_visible()
    expect(page.locator(ME)).to_have_count(1)
    expect(box).to_have_value("")
    assert len({request_of(one) for one in sent}) == 1
    assert len(desk.plans()) == 1


def test_a_session_that_has_ended_says_so_and_keeps_what_was_typed(desk: Desk, look: Look) -> None:
    look.allowed.append("401")
    page = look.as_person(desk)
    page.context.clear_cookies()
    say(page, EXPENSE)
    expect(page.locator(".composer-no")).to_contain_text("Tu sesión ha terminado")
    expect(page.get_by_role("textbox").last).to_have_value(EXPENSE)
    assert desk.plans() == []


def test_a_yes_in_words_is_answered_and_the_card_moves_by_itself(desk: Desk, look: Look) -> None:
    page = look.as_person(desk)
    say(page, MARIA)
    expect(page.locator(ASKING)).to_be_visible()
    expect(page.locator(".waiting")).to_have_text("1 plan espera tu sí")
    say(page, "sí")
    expect(page.locator(DONE)).to_be_visible()
    expect(page.locator(IT)).to_have_count(2)
    expect(page.locator(".waiting")).to_be_hidden()
    expect(page.locator("semel-card")).to_have_count(1)
    assert desk.mails() == 1


def test_a_page_that_is_left_in_the_middle_has_the_answer_when_it_comes_back(
    desk: Desk, look: Look
) -> None:
    page = look.as_person(desk)
    with page.expect_response(lambda one: one.url.endswith("/messages")):
        say(page, MARIA)
    page.goto(f"{desk.address}/")
    expect(page.locator(ASKING)).to_be_visible()
    expect(page.locator(IT)).to_have_count(1)
    expect(page.locator(IT)).not_to_contain_text("Contestando")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
def test_the_conversation_breaks_no_rule_and_fits(
    desk: Desk, look: Look, width: int, scheme: str
) -> None:
    page = look.as_person(desk, viewport={"width": width, "height": 900}, color_scheme=scheme)
    accessible(page)
    say(page, f"hola {'x' * 120}")
    expect(page.locator(IT)).to_contain_text("No he entendido")
    say(page, EXPENSE)
    expect(page.locator(DONE)).to_be_visible()
    accessible(page)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0


def test_what_a_button_took_back_is_still_there_after_a_reload(desk: Desk, look: Look) -> None:
    page = look.as_person(desk, java_script_enabled=False)
    page.get_by_role("textbox").last.fill(EXPENSE)
    page.locator(".composer button").click()
    page.locator('button[name="do"][value="undo"]').click()
    expect(page.locator('section.card[data-state="undone"]')).to_be_visible()
    page.goto(f"{desk.address}/")
    expect(page.locator('section.card[data-state="undone"]')).to_have_count(1)
    expect(page.locator("semel-card")).to_have_count(2)


def test_a_sentence_of_a_link_stands_in_the_box_without_a_script(desk: Desk, look: Look) -> None:
    page = look.as_person(desk, java_script_enabled=False)
    page.goto(f"{desk.address}/?say=%3C/textarea%3Ehola")
    expect(page.get_by_role("textbox").last).to_have_value("</textarea>hola")
