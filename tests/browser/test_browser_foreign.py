"""S9 in a real browser: what another site's page makes it send decides nothing.

The other site has stolen everything: the plan's number, the session's form and the card's token. At
``127.0.0.1`` on another port it is of the same site as ours, so that the session's cookie goes with
what it sends; as ``localhost`` it is of another. In the end the very same token still works, once.
"""

import logging
import threading
from collections.abc import Callable, Iterator

import pytest
from browser_desk import MARIA, WAIT, Desk
from browser_foreign import Foreign, foreign
from browser_look import ASKING, DONE, Look, press, say
from playwright.sync_api import Page, expect

import counts

KINDS = ("confirm", "cancel", "retry", "undo", "resolve")
SENDING = (
    "form", "new window", "hidden frame", "sandboxed frame", "no referrer", "text as JSON",
    "fetch", "fetch with a header", "beacon",
)  # fmt: skip
NEAR, FAR = "127.0.0.1", "localhost"
SEVERED = """
() => new Promise((told) => {
  const began = performance.now();
  const look = setInterval(() => {
    if (!window.held.closed && performance.now() - began < 3000) { return; }
    clearInterval(look);
    told(window.held.closed);
  }, 20);
})
"""
"""Whether the window that a page has opened is out of its reach, as the browser soon tells it."""


class Heard(logging.Handler):
    """What the server has answered, as it writes it down itself: method, address, status."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[tuple[str, str, int]] = []
        self.more = threading.Condition()

    def emit(self, record: logging.LogRecord) -> None:
        _, method, address, _, status = record.args  # type: ignore[misc]  # as uvicorn has them
        with self.more:
            self.answers.append((str(method), str(address), int(status)))  # type: ignore[call-overload]  # a number
            self.more.notify_all()

    def wait(self, wanted: Callable[[str, str], bool], many: int = 1) -> list[int]:
        """The statuses of so many answers that are looked for, and of what there is beside them."""

        def found() -> list[int]:
            return [status for method, at, status in self.answers if wanted(method, at)]

        with self.more:
            assert self.more.wait_for(lambda: len(found()) >= many, WAIT), self.answers
            return found()


class Mark:
    """A person whose plan asks, and a site that has stolen all there is."""

    def __init__(self, desk: Desk, look: Look, other: Foreign, heard: Heard) -> None:
        self.desk, self.other, self.heard = desk, other, heard
        # The browser says of each refusal that there was one.
        look.allowed.append(".")
        self.page = look.as_person(desk)
        say(self.page, MARIA)
        expect(self.page.locator(ASKING)).to_be_visible()
        self.plan = desk.plans()[0]
        form = self.page.locator('form[action$="/confirm"]')
        self.stolen = {
            name: form.locator(f'input[name="{name}"]').input_value() for name in ("csrf", "token")
        }
        self.before = desk.events(self.plan)

    def opened(self, name: str, kind: str, path: str, **stolen: str) -> Page:
        self.other.attack(kind, self.desk.address, path, **stolen)
        for one in self.page.context.pages[1:]:
            one.close()
        page = self.page.context.new_page()
        page.goto(f"{self.other.site(name)}/", wait_until="commit")
        return page

    def refused(self, name: str, kind: str, path: str, **stolen: str) -> int:
        """What the server answers to what a page of a kind sends."""
        self.heard.answers.clear()
        self.opened(name, kind, path, **stolen)
        found = self.heard.wait(lambda method, at: method != "GET" and at == path)
        return found[0]

    def untouched(self) -> None:
        """Nothing was consumed: the card asks, and its own button works, once."""
        assert self.desk.events(self.plan) == self.before
        assert self.desk.mails() == 0
        assert self.desk.plans() == [self.plan]
        press(self.page, "confirm")
        expect(self.page.locator(DONE)).to_be_visible()
        assert self.desk.mails() == 1
        assert self.desk.events(self.plan).count("confirmed") == 1


@pytest.fixture
def mark(desk: Desk, look: Look) -> Iterator[Mark]:
    log, heard = logging.getLogger("uvicorn.access"), Heard()
    level, passes_on = log.level, log.propagate
    log.addHandler(heard)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        with foreign() as other:
            yield Mark(desk, look, other, heard)
    finally:
        log.removeHandler(heard)
        log.setLevel(level)
        log.propagate = passes_on


def test_s9_what_another_sites_page_sends_is_refused(mark: Mark) -> None:
    done = 0
    for name in (NEAR, FAR):
        for way in SENDING if name == NEAR else ("form", "hidden frame", "fetch", "beacon"):
            for kind in KINDS if way == "form" and name == NEAR else KINDS[:1]:
                path = f"/plans/{mark.plan}/{kind}"
                status = mark.refused(name, way, path, **mark.stolen)
                # The cookie goes with what a page of the same site sends, and with nothing else.
                alone = name == FAR or way == "sandboxed frame"
                expected = 405 if "header" in way else 401 if alone else 403
                assert status == expected, (name, way, kind, status)
                done += 1
    for path, fields in {
        "/sign-in": {"person": "luis"},
        "/sign-out": mark.stolen,
        "/language": {"locale": "en", **mark.stolen},
        "/messages": {"text": "sí", "request": mark.desk.engine.new_id(), **mark.stolen},
    }.items():
        status = mark.refused(NEAR, "form", path, **fields)
        assert status == 403, (path, status)
        done += 1
    mark.untouched()
    counts.ran("S9.browser", done)


def test_s9_what_a_browser_fetches_by_itself_decides_nothing(mark: Mark) -> None:
    done = 0
    for name in (NEAR, FAR):
        for kind in KINDS:
            path = f"/plans/{mark.plan}/{kind}"
            mark.heard.answers.clear()
            mark.opened(name, "pictures and guesses", path, **mark.stolen)
            # A picture, a style, a script and a fetch at least, and the ping of a link.
            found = mark.heard.wait(lambda _, at, path=path: at.startswith(path), 5)  # type: ignore[misc]  # a default binds it
            assert set(found) <= {401, 403, 405}, (name, kind, found)
            done += len(found)
    mark.untouched()
    counts.ran("S9.browser", done)


def test_s9_no_page_of_another_site_holds_ours_or_reaches_into_it(mark: Mark) -> None:
    for name in (NEAR, FAR):
        for path in ("/", f"/plans/{mark.plan}", "/operator", f"/historial/{mark.plan}"):
            page = mark.opened(name, "frame", path)
            page.wait_for_load_state("load")
            (inner,) = page.frames[1:]
            inner.wait_for_url(lambda url: url.startswith("chrome-error:"))
            assert inner.locator("form").count() == 0
        with mark.page.context.expect_page() as opened:
            page = mark.opened(name, "opener", "/")
        opened.value.wait_for_load_state("load")
        # Whoever has opened a window of ours holds a dead one.
        assert page.evaluate(SEVERED), name
        assert opened.value.evaluate("window.opener === null"), name
        opened.value.close()
    mark.untouched()
    counts.ran("S9.browser", 10)
