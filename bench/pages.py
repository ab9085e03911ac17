"""How soon a person sees it: a card after a message, and each step of a plan after it was written.

The demo runs in a process of its own, as anybody starts it, and a real Chromium looks at it. Times
are the browser's: a card counts from the press of Enter, a step from the instant of its event in
the database (one machine, so one clock) until the frame in which it was painted.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from bench import places
from bench.rows import Unusable
from semel.facts import read_instant

CARD_MS: Final = 300
"""Promised from a message to its card, with the offline planner, at the median."""

PIXEL_MS: Final = 250
"""Promised from an event to its pixel, at the median."""

PLANS: Final = 15
"""Plans of a run: each is a message, a card, a yes and three to four events that are painted."""

SENTENCE: Final = (
    "Haz una factura a María Carmona por el diseño del logo, {n} € más IVA, y envíasela"
)

WATCH: Final = """
() => {
  window.painted = [];
  document.addEventListener('semel:change', ({ target }) => {
    const { plan, seq } = target;
    requestAnimationFrame(() => setTimeout(() => {
      window.painted.push([plan, seq, performance.timeOrigin + performance.now()]);
    }));
  });
}
"""

CARD: Final = """
(text) => new Promise((done) => {
  const cards = () => document.querySelectorAll('section.card[data-state=awaiting]').length;
  const before = cards();
  const box = document.querySelector('textarea[name=text]');
  box.value = text;
  const began = performance.now();
  const look = () => {
    if (cards() > before) { setTimeout(() => done(performance.now() - began)); }
    else { requestAnimationFrame(look); }
  };
  box.form.requestSubmit();
  look();
})
"""


def run() -> int:
    """Measure and print; 1 when a promise was not kept.

    Raises:
        Unusable: there is no browser here, or no demo.
    """
    with places.folder() as folder, _demo(folder) as address, _page(address) as page:
        cards = _plans(page)
        painted = page.evaluate("window.painted")
        pixels = list(_pixels(folder, painted))
    if len(cards) < PLANS or len(pixels) < 2 * PLANS:
        raise Unusable(f"Of {PLANS} plans, {len(cards)} cards and {len(pixels)} events were seen.")
    kept = [
        _told("card", "from a message to its card", cards, CARD_MS),
        _told("pixel", "from an event to its pixel", pixels, PIXEL_MS),
    ]
    return 0 if all(kept) else 1


def _told(name: str, what: str, found: list[float], promised: int) -> bool:
    middle, ninth = median(found), quantiles(found, n=10)[-1]
    kept = middle <= promised
    sys.stdout.write(
        f"{name:<6}{what:<28}median {middle:6.0f} ms   p90 {ninth:6.0f} ms   n {len(found):<4}"
        f" promised {promised} ms{'' if kept else ' !'}\n"
    )
    return kept


def _plans(page: Any) -> list[float]:
    cards = []
    for n in range(PLANS):
        cards.append(page.evaluate(CARD, SENTENCE.format(n=500 + n)))
        # The first 700 ms of a card are no time for a click of a pointer; a key's press is one.
        yes = page.locator("section.card[data-state=awaiting] button[value=confirm]").last
        yes.press("Enter")
        page.wait_for_function(
            "n => document.querySelectorAll('section.card[data-state=done]').length > n", arg=n
        )
    return cards


def _pixels(folder: Path, painted: list[tuple[str, int, float]]) -> Iterator[float]:
    """From each event that has its own picture to that picture, in milliseconds."""
    instants: dict[str, list[str]] = {}
    first: dict[tuple[str, int], float] = {}
    for plan, seq, at in painted:
        first.setdefault((plan, seq), at)
    for (plan, seq), at in first.items():
        if plan not in instants:
            instants[plan] = [event["at"] for event in _shown(folder, plan)["events"]]
        # The one before the yes was drawn with the message's answer and is the card's own row.
        if 2 < seq <= len(instants[plan]):
            yield at - read_instant(instants[plan][seq - 1]).timestamp() * 1000


def _shown(folder: Path, plan: str) -> dict[str, Any]:
    semel = Path(sys.executable).with_name("semel")
    told = subprocess.run(  # noqa: S603 - this very program
        [semel, "show", plan, "--home", folder / "home", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(told.stdout)
    return found


@contextmanager
def _demo(folder: Path) -> Iterator[str]:
    semel = Path(sys.executable).with_name("semel")
    demo = subprocess.Popen(  # noqa: S603 - this very program
        [semel, "demo", "--port", "0", "--home", folder / "home"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        line = demo.stdout.readline() if demo.stdout else ""
        found = re.search(r"ready (http://\S+)", line)
        if found is None:
            raise Unusable(f"The demo did not begin: {line}")
        yield found[1]
    finally:
        demo.terminate()
        demo.wait()
        if demo.stdout:
            demo.stdout.close()


@contextmanager
def _page(address: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only this row needs it

    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))
    from browser_find import arguments, chromium  # noqa: PLC0415 - the path leads to it only now

    try:
        where = chromium()
    except LookupError as no:
        raise Unusable(str(no)) from no
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=where, args=arguments())
        page = browser.new_page(locale="es-ES")
        page.goto(f"{address}/sign-in")
        page.locator('button[name="person"][value="ana"]').click()
        page.wait_for_url(f"{address}/")
        page.evaluate(WATCH)
        yield page
        browser.close()
