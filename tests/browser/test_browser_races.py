"""A tired person, two tabs, a lost line, a killed server: one effect, the same card everywhere."""

from collections.abc import Callable
from pathlib import Path

from browser_child import Child
from browser_desk import MARIA, Desk
from browser_look import ASKING, DONE, Look, press, say, settle
from facturas_smtp import HANG, WAIT
from playwright.sync_api import Page, expect


def asked(desk: Desk, look: Look) -> Page:
    page = look.as_person(desk)
    say(page, MARIA)
    expect(page.locator(ASKING)).to_be_visible()
    settle(page)
    return page


def yeses(desk: Desk) -> int:
    return sum(desk.events(plan).count("confirmed") for plan in desk.plans())


def test_two_clicks_in_one_tick_are_one_yes(desk: Desk, look: Look) -> None:
    page = asked(desk, look)
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.url) if one.method == "POST" else None)
    page.evaluate(
        "() => { const yes = document.querySelector('button[name=do][value=confirm]');"
        " yes.click(); yes.click(); }"
    )
    expect(page.locator(DONE)).to_be_visible()
    assert [url.rpartition("/")[2] for url in sent] == ["confirm"]
    assert desk.mails() == 1
    assert yeses(desk) == 1


def test_two_presses_of_enter_are_one_yes(desk: Desk, look: Look) -> None:
    page = asked(desk, look)
    page.locator('button[name="do"][value="confirm"]').focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator(DONE)).to_be_visible()
    assert desk.mails() == 1
    assert yeses(desk) == 1


def test_a_script_that_is_off_lets_a_double_click_through_and_the_server_makes_it_one(
    desk: Desk, look: Look
) -> None:
    page = look.as_person(desk, java_script_enabled=False)
    page.get_by_role("textbox").last.fill(MARIA)
    page.locator('form[action$="/messages"] button').last.click()
    page.locator('button[name="do"][value="confirm"]').dblclick()
    expect(page.locator(DONE)).to_be_visible()
    assert desk.mails() == 1
    assert yeses(desk) == 1


def test_two_tabs_press_at_once(desk: Desk, look: Look) -> None:
    one = asked(desk, look)
    other = look.page(one.context)
    other.goto(f"{desk.address}/")
    expect(other.locator(ASKING)).to_be_visible()
    click = "() => document.querySelector('button[name=do][value=confirm]').click()"
    for page in (one, other):
        page.evaluate(f"setTimeout({click}, 50)")
    for page in (one, other):
        expect(page.locator(DONE)).to_be_visible()
    assert one.locator(DONE).inner_text() == other.locator(DONE).inner_text()
    assert desk.mails() == 1
    assert yeses(desk) == 1


def test_a_yes_in_one_tab_beside_a_cancel_in_another(desk: Desk, look: Look) -> None:
    one = asked(desk, look)
    other = look.page(one.context)
    other.goto(f"{desk.address}/")
    expect(other.locator(ASKING)).to_be_visible()
    for page, do in ((one, "confirm"), (other, "cancel")):
        page.evaluate(
            f"setTimeout(() => document.querySelector('button[name=do][value={do}]').click(), 50)"
        )
    over = 'section.card[data-state="done"], section.card[data-state^="cancelled"]'
    for page in (one, other):
        expect(page.locator(over)).to_be_visible()
    states = {page.locator(over).get_attribute("data-state") for page in (one, other)}
    assert len(states) == 1, states
    assert desk.mails() <= 1
    assert (desk.mails() == 1) == (states == {"done"})


def test_back_and_reload_show_how_it_stands_and_send_nothing(desk: Desk, look: Look) -> None:
    page = asked(desk, look)
    press(page, "confirm")
    expect(page.locator(DONE)).to_be_visible()
    page.goto(f"{desk.address}/sign-in")
    page.go_back()
    expect(page.locator(DONE)).to_be_visible()
    page.reload()
    expect(page.locator(DONE)).to_be_visible()
    assert desk.mails() == 1
    assert len(desk.plans()) == 1 + 1, "María's plan, and the reminder that it has planned"


def test_a_message_that_is_sent_again_by_the_browser_is_the_same_message(
    desk: Desk, look: Look
) -> None:
    page = look.as_person(desk, java_script_enabled=False)
    page.get_by_role("textbox").last.fill(MARIA)
    form = page.locator('form[action$="/messages"]').last
    fields = {one.get_attribute("name"): one.input_value() for one in form.locator("[name]").all()}
    form.locator("button").click()
    expect(page.locator(ASKING)).to_be_visible()
    for _ in range(2):
        page.request.post(
            f"{desk.address}/messages",
            form={name or "": value for name, value in fields.items()},
            headers={"Origin": desk.address},
        )
    page.goto(f"{desk.address}/")
    expect(page.locator(ASKING)).to_have_count(1)
    assert len(desk.plans()) == 1


def test_the_line_goes_in_the_middle_of_a_yes_and_comes_back(desk: Desk, look: Look) -> None:
    look.allowed.append("ERR_INTERNET_DISCONNECTED|ERR_")
    page = asked(desk, look)
    with desk.hold("commit:confirm:before") as held:
        press(page, "confirm")
        assert held.reached.wait(WAIT)
        page.context.set_offline(True)
        expect(page.locator('section.card[data-state="disconnected"]')).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(DONE)).to_be_visible()
    assert desk.mails() == 1
    assert yeses(desk) == 1


def test_a_session_that_has_expired_is_said_and_nothing_is_done(desk: Desk, look: Look) -> None:
    look.allowed.append("401|ERR_")
    page = asked(desk, look)
    plan = desk.plans()[0]
    page.context.clear_cookies()
    page.locator('button[name="do"][value="confirm"]').last.click()
    expect(page.get_by_role("link", name="Entrar")).to_be_visible()
    assert "confirmed" not in desk.events(plan)
    assert desk.mails() == 0


def test_a_server_that_is_killed_at_step_two_is_started_again_and_ends_the_plan(
    look: Look, tmp_path: Path
) -> None:
    look.allowed.append("ERR_")
    child = Child(tmp_path / "home", hold=("commit:local:before", 2))
    with child:
        page = look.as_person(child)
        say(page, MARIA)
        expect(page.locator(ASKING)).to_be_visible()
        press(page, "confirm")
        expect(page.locator('section.card[data-state="running"]')).to_contain_text("Paso 2 de 4")
        child.kill()
        expect(page.locator('section.card[data-state="disconnected"]')).to_be_visible()
    with Child(tmp_path / "home", port=child.port) as again:
        # What was begun is due again when the limits of its dead owner have passed.
        expect(page.locator(DONE)).to_be_visible(timeout=60_000)
        expect(page.locator(DONE)).to_contain_text("2026-0001")
        assert again.mails() == 1


def test_a_step_that_hangs_is_watched_from_a_second_tab(
    desk_with: Callable[..., Desk], look: Look
) -> None:
    desk = desk_with(BODY=HANG)
    page = asked(desk, look)
    press(page, "confirm")
    assert desk.smtp is not None
    assert desk.smtp.hanging.wait(WAIT)
    other = look.page(page.context)
    other.goto(f"{desk.address}/")
    expect(other.locator('section.card[data-state="running"]')).to_contain_text("Paso 3 de 4")
    desk.let_go()
    for one in (page, other):
        expect(one.locator(DONE)).to_be_visible()
