"""What a test does with pages: open them as a person, speak, press, wait, take a picture."""

import re
from contextlib import ExitStack
from typing import Any

import browser_states
from axe_playwright_python.sync_playwright import Axe
from browser_desk import Desk
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect

ASKING = 'section.card[data-state="awaiting"]'
DONE = 'section.card[data-state="done"]'
AXE = Axe()


class Look:
    """The pages of one test."""

    def __init__(self, browser: Browser, stack: ExitStack, test: str) -> None:
        self.browser, self.stack, self.test = browser, stack, test
        self.errors: list[str] = []
        self.allowed: list[str] = []

    def context(self, **settings: Any) -> BrowserContext:
        settings.setdefault("viewport", {"width": 1280, "height": 900})
        made = self.browser.new_context(locale="es-ES", **settings)
        made.set_default_timeout(15_000)
        self.stack.callback(made.close)
        return made

    def page(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append(f"{error}"))
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not any(
            re.search(one, f"{message.text} {message.location.get('url', '')}")
            for one in self.allowed
        ):
            self.errors.append(f"{message.text} ({message.location})")

    def as_person(
        self,
        desk: Desk,
        person: str = "ana",
        context: BrowserContext | None = None,
        **settings: Any,
    ) -> Page:
        """A page of a person who is signed in, at the conversation; of the way there nothing was drawn."""
        page = self.page(context or self.context(**settings))
        signed_in = page.request.post(
            f"{desk.address}/sign-in", form={"person": person}, headers={"Origin": desk.address},
            max_redirects=0,
        )  # fmt: skip
        assert signed_in.status == 303, signed_in.status
        page.goto(f"{desk.address}/")
        return page

    def signs_in(self, desk: Desk, person: str = "ana", **settings: Any) -> Page:
        """The same, by the page that asks who it is."""
        page = self.page(self.context(**settings))
        page.goto(f"{desk.address}/sign-in")
        page.locator(f'button[name="person"][value="{person}"]').click()
        page.wait_for_url(f"{desk.address}/")
        return page

    def reached(self, desk: Desk, page: Page, state: str, *, axe: bool = True) -> Locator:
        """Wait for a card's state, look at its accessibility, and write down how it was reached."""
        bare, _, variant = state.partition(".")
        wanted = f'section.card[data-state="{bare}"]' + (
            f'[data-variant~="{variant}"]' if variant else ""
        )
        card = page.locator(wanted).last
        expect(card).to_be_visible(timeout=15_000)
        if axe:
            accessible(page)
        self.note(desk, page, state, card.get_attribute("data-plan") or "")
        return card

    def note(self, desk: Desk, page: Page, state: str, plan: str) -> None:
        picture = browser_states.BUILD / "states" / f"{state}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=picture)
        entry = {
            "test": self.test,
            "plan": plan,
            "events": desk.events(plan) if plan else [],
            "picture": f"states/{state}.png",
        }
        browser_states.note(state, entry)


def accessible(page: Page) -> None:
    """No rule of axe is broken on a page."""
    page.evaluate(AXE.axe_script)
    # What is as it should be, of every element by every rule, stays in the browser.
    found = page.evaluate(
        "axe.run({resultTypes: ['violations']}).then((found) => found.violations)"
    )
    told = [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]
    assert not told, told


def say(page: Page, text: str) -> None:
    """Write a message into the conversation and send it."""
    box = page.get_by_role("textbox").last
    box.fill(text)
    box.press("Enter")


def card(page: Page) -> Locator:
    """The newest card."""
    return page.locator("section.card").last


def press(page: Page, do: str) -> None:
    """Press a button of the newest card that has it, once it takes clicks."""
    settle(page)
    page.locator(f'section.card button[name="do"][value="{do}"]').last.click()


def settle(page: Page) -> None:
    """Wait until the cards take clicks: not while one may just have slid under the pointer."""
    page.wait_for_function(
        "() => [...document.querySelectorAll('semel-card')]"
        ".every((card) => performance.now() - (card.shownAt ?? Infinity) > 700)"
    )
