"""The card's own layers against a second press, each by itself: the server is not asked to help."""

from browser_desk import MARIA, Desk
from browser_look import ASKING, DONE, Look, say, settle
from playwright.sync_api import Page, Route, expect

YES = 'button[name="do"][value="confirm"]'

PRESS = """
() => {
  const section = document.querySelector('section.card');
  section.querySelector('button[name=do][value=confirm]').click();
  const off = (one) => one.getAttribute('aria-disabled') === 'true';
  return [section.dataset.state, [...section.querySelectorAll('button[name=do]')].every(off)];
}
"""
POINT = """
(value) => {
  const button = document.querySelector(`button[name=do][value=${value}]`);
  const pointer = new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 });
  document.querySelector('semel-card').shownAt = performance.now();
  return button.dispatchEvent(pointer);
}
"""


def asked(desk: Desk, look: Look) -> tuple[Page, list[str]]:
    """A page whose card asks, and what it sends from now on."""
    page = look.as_person(desk)
    say(page, MARIA)
    expect(page.locator(ASKING)).to_be_visible()
    settle(page)
    sent: list[str] = []
    page.on(
        "request",
        lambda one: sent.append(one.url.rpartition("/")[2]) if one.method == "POST" else None,
    )
    return page, sent


def test_a_press_is_shown_and_closes_every_button_before_the_next_event(
    desk: Desk, look: Look
) -> None:
    page, sent = asked(desk, look)
    assert page.evaluate(PRESS) == ["confirming", True]
    expect(page.locator(DONE)).to_be_visible()
    assert sent == ["confirm"]


def test_a_card_that_has_just_moved_takes_no_click_of_a_pointer(desk: Desk, look: Look) -> None:
    page, sent = asked(desk, look)
    assert page.evaluate(POINT, "confirm") is False
    # To stop is never dangerous, and waits for nothing.
    page.evaluate(POINT, "cancel")
    expect(page.locator('section.card[data-state="cancelled"]')).to_be_visible()
    assert sent == ["cancel"]


def test_a_yes_whose_answer_is_lost_is_asked_about_and_not_sent_again(
    desk: Desk, look: Look
) -> None:
    look.allowed.append("ERR_FAILED")
    page, sent = asked(desk, look)

    def lost(route: Route) -> None:
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/confirm", lost)
    page.locator(YES).last.click()
    expect(page.locator(DONE)).to_be_visible()
    assert sent == ["confirm"]
    assert desk.mails() == 1
