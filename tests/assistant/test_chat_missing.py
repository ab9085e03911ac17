"""What is missing for a plan, in the conversation: one card that asks, in whatever language."""

import html
import re
from pathlib import Path

from assistant_desk import ANA, EXPENSE, Fake, run
from chat_server import Browser, browser

NEW = "Crea un contacto: Talleres Nuevos, email hola@nuevos.example"
LACKS = "Haz una factura a Talleres Nuevos por el rótulo, 300 € más IVA"
ASKED = "¿A cuántos días vence la factura de Talleres Nuevos? Lo legal si no hay pacto son 30."
ASKED_ENGLISH = (
    "In how many days is the invoice for Talleres Nuevos due? Without an agreement the law says 30."
)
EVIL = "</section><script>x</script> *sí* smlc_\u202e"


async def lacking(one: Browser, text: str = LACKS) -> str:
    """Say something that lacks something; the message's id."""
    told = (await one.send(text, script=True)).json()
    await one.events(told["message"])
    return str(told["message"])


def asking(page: str) -> list[str]:
    """The places of cards that ask for what is missing, and whether each is past."""
    return re.findall(r'<li class="(turn turn--card(?: turn--past)?)" id="a-[0-9a-f-]+">', page)


def test_what_is_missing_is_a_card_with_its_choices_in_a_stream_and_on_the_page(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            await one.send(NEW)
            message = await lacking(one)
            events = await one.events(message)
            assert [kind for kind, _ in events] == ["text", "card", "end"]
            card = events[1][1]
            assert (card["plan"], card["announce"]) == (None, ASKED)
            assert ASKED not in events[0][1]["text"]
            page = await one.page()
            for drawn in (card["html"], page):
                assert 'data-state="invalid"' in drawn
                assert ASKED in drawn
                assert '<a class="button button--small" href="/?say=30" data-answer="30">' in drawn
            assert f'id="a-{message}"' in page
            assert page.count(ASKED) == 2  # its title, and what the card is called
            assert len(await one.at.plans()) == 1

    run(work())


def test_without_a_script_a_choice_is_put_into_the_box_that_is_ready(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            box = re.compile(r"<textarea id=\"say\"([^>]*)>([^<]*)<")
            for path, focus, held in (
                ("/", False, ""),
                ("/?say=", True, ""),
                ("/?say=30", True, "30"),
            ):
                found = box.search((await one.client.get(path)).text)
                assert found
                assert ("autofocus" in found[1], found[2]) == (focus, held)

    run(work())


def test_it_is_asked_in_the_language_of_whoever_reads_it(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            await one.send(NEW)
            await one.send(LACKS)
            csrf = (await one.fields())["csrf"]
            to = {"locale": "en", "csrf": csrf}
            await one.client.post("/language", data=to, headers={"origin": one.origin})
            page = await one.page()
            assert ASKED_ENGLISH in page
            assert ASKED not in page
            assert ">Answer</a>" in page

    run(work())


def test_only_the_newest_asks_and_none_once_a_plan_has_come(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            await one.send(NEW)
            await one.send(LACKS)
            assert asking(await one.page()) == ["turn turn--card"]
            await one.send(LACKS)
            past = "turn turn--card turn--past"
            page = await one.page()
            assert asking(page)[-1] == "turn turn--card"
            assert set(asking(page)[:-1]) == {past}
            await one.send(EXPENSE)
            assert set(asking(await one.page())) == {past}

    run(work())


def test_nothing_that_a_model_has_written_is_more_than_words_on_it(tmp_path: Path):
    async def work() -> None:
        steps = [{"action": EVIL, "input": {EVIL: EVIL}}]
        wrong = {"action": "factura.emitir", "input": {"factura": EVIL}}
        fake = Fake([[("actuar", {"steps": steps})], "No sale."])
        async with browser(tmp_path, fake) as one:
            calm = await lacking(one, "uno")
            fake.replies = [[("actuar", {"steps": [wrong]})], "Tampoco."]
            other = await lacking(one, "dos")
            page = html.unescape(await one.page())
            for message in (calm, other):
                assert f'id="a-{message}"' in page
            assert "<script>x" not in page
            assert "\u202e" not in page
            lines = await one.at.lines(ANA)
            kept = [line.text for line in lines if line.role == "invalid"]
            assert len(kept) == 2
            assert all(text.isascii() for text in kept)

    run(work())
