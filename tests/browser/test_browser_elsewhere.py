"""The card in an application that has nothing of the reference one's."""

from pathlib import Path

from browser_look import Look
from browser_small import WAIT, Small
from playwright.sync_api import expect


def test_a_plan_that_nobody_is_asked_about_is_watched_and_the_card_is_fetched_by_its_element(
    look: Look, tmp_path: Path
) -> None:
    with Small(tmp_path) as small:
        small.act("Cerrado el lunes", "Abierto el martes")
        assert small.at_two.wait(WAIT)
        page = look.page(look.context())
        page.goto(f"{small.address}/{small.newest()}")
        running = look.reached(small, page, "running_safe")
        expect(running).to_contain_text("Paso 2 de 2")
        small.let_go()
        expect(page.locator('section.card[data-state="done"]')).to_be_visible()
    assert small.board == ["Cerrado el lunes", "Abierto el martes"]
