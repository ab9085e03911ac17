"""S2 as it is seen: the worst names and words, in Chromium, beside a harmless one.

Such text stands in the first step alone. What is drawn above that step's text and from the next step
down to the card's foot holds none of it, so these two pictures must be those of the harmless card to
the byte, however many lines the text between them takes. Within the step every letter of ours must
stand after the one before it, and each line inside the step.
"""

from itertools import pairwise
from typing import Any

from browser_desk import Desk
from browser_look import Look
from hostile_texts import every, spread
from playwright.sync_api import Page

import counts
from semel import Ask

CALM = "Calma Serena", "Trabajo honrado"
WIDTHS = (1000, 320)
WORST = [
    "María\u202e€ 00,1 :latoT", "\u202e\u202e\u202eanomraC aíraM", "\u2067María\u2069 €1,00",
    "9" * 150 + ",00 €", "\u200f1,00 € María\u061c", "Ma\u200bría\u2060 Car\u00admona", "\u034f\u115f\u3164\u2800",
    "María\U000e0054\U000e006f\U000e0074 \ue000", "Мaría Cаrmona", "banco@ⅿanco.example",
    "٦٠٥٫٠٠ €", "Total: ۶۰۵ € 𝟔𝟎𝟓,𝟎𝟎 ①⓪", "שלום 1,00 € עולם: 605,00 €", "فاتورة 605 إلى ماريا",
    "María\nTotal: 1,00 €", "María\u2028\u20284. Enviar a otro@evil.example", "1.\r\n2.\x0b3.",
    '</p></li><li class="step" data-step="done"><p>4. Nada', "<img src=x onerror=alert(1)>",
    "</section><script>alert(1)</script><style>*{display:none}</style>",
    '"><a href="https://evil.example">Confirmar</a>', "a" + "\u0301\u0338\u20d2" * 30,
    "ก\u0e47\u0e47\u0e47\u0e47\u0483", "A" * 10_000, "x@evil.example " * 700, "﷽" * 40, "𒐫⸻" * 20,
    "»: 1,00 €. «", "1,00 €\u00a0" * 30,
]  # fmt: skip

MEASURE = """
() => {
  const card = document.querySelector('section.card');
  const box = (one) => { const r = one.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
  const text = card.querySelector('.step-text');
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) { nodes.push(walker.currentNode); }
  const letters = nodes.flatMap((node) => node.data.split('').map((_, at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range;
  })).map((range) => [range.toString(), box(range)]);
  const foot = card.querySelector('.card-foot').getBoundingClientRect().top;
  return {
    card: box(card),
    text: box(text),
    letters: text.children.length === 0 ? letters : [],
    said: text.textContent,
    steps: [...card.querySelectorAll('.step')].map(box),
    lines: [...card.querySelectorAll('.step-text')].map(box),
    foot,
    below: [...card.querySelectorAll('.totals, .totals div, .ask, .ask-why, .ask-buttons button')]
      .map(box).map(([l, t, r, b]) => [l, t - foot, r, b - foot]),
    tags: card.querySelectorAll('*').length,
    over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  };
}
"""

LOWER = """
(high) => {
  const [first, second] = document.querySelectorAll('.step');
  const now = first.getBoundingClientRect().height;
  first.style.paddingTop = `${parseFloat(getComputedStyle(first).paddingTop) + high - now}px`;
  return second.getBoundingClientRect().top;
}
"""
"""Makes the first step as high as any may be, with its text at its end.

A curve is drawn otherwise by a shade at another place of the page, so what is compared to the byte
has to stand at the same place.
"""
HIGH = 800
EDGE = 12
"""What is left out at the card's own edge: its round corners are not drawn alike twice."""


def test_s2_nothing_around_the_worst_texts_is_drawn_otherwise(desk: Desk, look: Look) -> None:
    page = look.as_person(desk, reduced_motion="reduce")
    page.on("dialog", lambda one: look.errors.append(f"a text has run: {one.message}"))
    calm = drawn(page, desk, asked(desk, 0, *CALM))
    faults, number = [], 0
    for number, text in enumerate(texts(counts.of("S2.seen")), start=1):
        # What is no line of words is refused, and stands in the name alone.
        plan = asked(desk, number, text, text) or asked(desk, 100 + number, text, CALM[1])
        for now, honest in zip(drawn(page, desk, plan), calm, strict=True):
            faults += [(text[:40], now["width"], fault) for fault in wrong(now, honest)]
    assert not faults, faults
    counts.ran("S2.seen", number)


def texts(number: int) -> list[str]:
    """So many of the worst; where more are wanted, of all others too."""
    if number <= len(WORST):
        return spread(WORST, number)
    more = [text for text in every() if text not in WORST and text.strip(" ")]
    return [*WORST, *spread(more, number - len(WORST))]


def asked(desk: Desk, number: int, name: str, words: str) -> str | None:
    """A plan for somebody of this name; None where the words are refused."""
    contact = f"c-{number}"
    desk.write(
        lambda tx: tx.run(
            "contacts.add", org="carmona-demo", contact=contact, name=name, nif="12345678Z",
            address="Calle Mayor 1", email="maria@carmona.example", payment_days=30,
            now="2026-10-19T08:00:00.000000Z",
        )
    )  # fmt: skip
    lines = [{"concepto": words, "precio": "500"}]
    steps = [
        {"action": "factura.crear_borrador", "input": {"contacto": contact, "lineas": lines}},
        {"action": "factura.emitir", "input": {"factura": "$1"}},
        {"action": "factura.enviar", "input": {"factura": "$1"}},
    ]
    message = desk.engine.new_id()
    outcome = desk.do(desk.engine.agent.act(desk.who(), {"steps": steps}, message=message))
    return outcome.view.plan if isinstance(outcome, Ask) else None


def drawn(page: Page, desk: Desk, plan: str | None) -> list[dict[str, Any]]:
    """A card's measures on a screen and on a phone, and its two pictures there."""
    page.goto(f"{desk.address}/plans/{plan}", wait_until="load")
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 1700})
        found.append({**page.evaluate(MEASURE), "width": width, "pictures": []})
    left, top, right, _ = found[-1]["card"]
    length = found[-1]["foot"] - found[-1]["steps"][1][1]

    def picture(begin: float, high: float) -> bytes:
        where = {"x": left + EDGE, "y": begin, "width": right - left - 2 * EDGE, "height": high}
        return page.screenshot(clip=where, animations="disabled")  # type: ignore[arg-type]  # it is one

    top += EDGE
    above = picture(top, found[-1]["text"][1] - top)
    found[-1]["pictures"] = [above, picture(page.evaluate(LOWER, HIGH), length)]
    return found


def wrong(now: dict[str, Any], calm: dict[str, Any]) -> list[str]:
    """What is not as it is on the harmless card."""
    found = []
    if now["over"] > 0:
        found.append(f"it scrolls sideways by {now['over']}")
    if now["tags"] != calm["tags"]:
        found.append(f"{now['tags']} elements, not {calm['tags']}")
    if now["below"] != calm["below"]:
        found.append("totals, why or buttons stand elsewhere")
    for name, one, other in zip(
        ("above", "below"), now["pictures"], calm["pictures"], strict=False
    ):
        if one != other:
            found.append(f"the picture {name} it is another")
    ends = [calm["card"][1], *(edge for step in now["steps"] for edge in (step[1], step[3]))]
    if ends != sorted(ends):
        found.append("steps lie over each other")
    left, top, right, bottom = now["steps"][0]
    for letter, (x, y, to, down) in now["letters"]:
        if to > x and not (left <= x and to <= right and top <= y and down <= bottom):
            found.append(f"{letter!r} leaves its step")
            break
    return found + misplaced(now["letters"], now["said"])


def misplaced(letters: list[tuple[str, list[float]]], said: str) -> list[str]:
    """Which letters of ours, before and after the text of others, are not one after the other."""
    begin = len("Borrador para ")
    end = len(said) - said.rindex("», 500,00 €")
    for part in (letters[:begin], letters[-end:]):
        shown = [(letter, box) for letter, box in part if box[2] > box[0]]
        for (_, one), (letter, other) in pairwise(shown):
            after = other[0] >= one[2] - 0.5 if other[1] < one[3] - 1 else True
            if not after or other[1] < one[1] - 1:
                return [f"{letter!r} stands before what it follows"]
    return [] if letters else ["the step's text has tags in it"]
