"""The conversation over HTTP: forms without a script, streams, and whoever has no business there."""

import asyncio
import re
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from assistant_desk import ANA, EXPENSE, SENTENCE, Fake, run
from chat_server import browser, sign_in

from semel_facturas.planner import LONGEST
from semel_facturas.web.chat_words import ES

SOMETHING = "01a22f90-f4d8-7248-bbb2-28e7686a8116"


def test_a_form_without_a_script_waits_and_leads_to_the_card(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            answer = await one.send(SENTENCE)
            assert answer.status_code == 303
            (plan,) = await one.at.plans()
            assert answer.headers["location"] == f"/#{plan}"
            page = await one.page()
            assert page.count(f'id="{plan}"') == 1
            assert SENTENCE in page
            assert 'name="do" value="confirm"' in page or "/confirm" in page

    run(work())


def test_the_same_form_sent_twenty_times_at_once_is_one_message(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            fields = await one.fields()
            sent = await asyncio.gather(*(one.send(SENTENCE, **fields) for _ in range(20)))
            assert {answer.headers["location"] for answer in sent} == {
                f"/#{(await one.at.plans())[0]}"
            }
            assert len(await one.at.plans()) == 1
            assert one.at.count("messages") == 3

    run(work())


def test_each_page_has_a_form_of_its_own(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            first, second = await one.fields(), await one.fields()
            assert first["request"] != second["request"]
            for fields in (first, second):
                await one.send(EXPENSE, **fields)
            assert len([line for line in await one.at.lines() if line.role == "person"]) == 2

    run(work())


def test_a_script_is_answered_at_once_and_streams_in_order(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            answer = await one.send(SENTENCE, script=True)
            assert answer.status_code == 202
            told = answer.json()
            assert told["request"] != told["message"]
            events = await one.events(told["message"])
            kinds = [kind for kind, _ in events]
            assert kinds[-1] == "end"
            assert kinds.count("card") == kinds.count("end") == 1
            said = ""
            for kind, data in events:
                if kind == "text":
                    assert data["from"] == len(said)
                    said += data["text"]
            (plan,) = await one.at.plans()
            card = dict(events)["card"]
            assert card["plan"] == plan
            assert plan in card["html"]
            # Whoever comes again has all of it again.
            again = await one.events(told["message"])
            assert [kind for kind, _ in again] == ["text", "card", "end"]
            assert again[0][1] == {"from": 0, "text": said}
            found = (await one.client.get(f"/messages/{told['message']}")).json()
            assert (found["said"], found["state"]) == (SENTENCE, "answered")

    run(work())


def test_a_page_that_is_opened_meanwhile_follows_the_answer(tmp_path: Path):
    async def work() -> None:
        going, seen = asyncio.Event(), asyncio.Event()
        fake = Fake([[("buscar_contacto", {"nombre": "x"})], "Ya está."])

        async def before() -> None:
            if len(fake.asked) == 2:
                going.set()
                await seen.wait()

        fake.before = before
        async with browser(tmp_path, fake) as one:
            told = (await one.send("hola", script=True)).json()
            await going.wait()
            state = (await one.client.get(f"/messages/{told['message']}")).json()["state"]
            assert state == "open"
            page = await one.page()
            assert f'data-answers="{told["message"]}"' in page
            assert ES["writing"] in page
            seen.set()
            events = await one.events(told["message"])
            assert "".join(data["text"] for kind, data in events if kind == "text") == "Ya está."

    run(work())


def test_to_everybody_else_a_message_does_not_exist(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            told = (await one.send(EXPENSE + " de Zoe", script=True)).json()
            await one.events(told["message"])
            for who in ("luis", "eva"):
                await sign_in(one, who)
                for end in ("", "/events"):
                    theirs = await one.client.get(f"/messages/{told['message']}{end}")
                    nobodys = await one.client.get(f"/messages/{SOMETHING}{end}")
                    assert theirs.status_code == nobodys.status_code == 404
                    assert theirs.content == nobodys.content
                assert "Zoe" not in await one.page()
            one.client.cookies.clear()
            assert (await one.client.get(f"/messages/{told['message']}")).status_code == 401

    run(work())


ORIGINS = [None, "null", "https://evil.example", "http://127.0.0.1:1"]


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_form_from_anywhere_else_is_refused_and_nothing_is_kept(
    tmp_path: Path, origin: str | None
):
    async def work() -> None:
        async with browser(tmp_path) as one:
            fields = await one.fields()
            headers = {"origin": origin} if origin else {}
            answer = await one.client.post(
                "/messages", data={**fields, "text": EXPENSE}, headers=headers
            )
            assert answer.status_code == 403
            wrong = await one.send(EXPENSE, **{**fields, "csrf": "x"})
            assert wrong.status_code == 403
            assert one.at.count("messages") == 0

    run(work())


@pytest.mark.parametrize(
    ("text", "request_id", "name"),
    [
        ("  \n ", None, "blank"),
        ("x" * (LONGEST + 1), None, "too_long"),
        ("hola", "1", "no_request"),
    ],
)
def test_a_message_that_is_none_is_refused_with_a_sentence(
    tmp_path: Path, text: str, request_id: str | None, name: str
):
    async def work() -> None:
        async with browser(tmp_path) as one:
            fields = await one.fields()
            fields |= {"request": request_id} if request_id else {}
            said = ES[name].format(longest=LONGEST)
            page = await one.send(text, **fields)
            assert page.status_code == 422
            assert said in page.text
            told = await one.send(text, script=True, **fields)
            assert (told.status_code, told.json()) == (422, {"says": said})
            assert one.at.count("messages") == 0

    run(work())


def test_what_people_write_is_text_on_the_page(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            text = '<script>alert(1)</script>\n"><img src=x onerror=alert(1)>'
            await one.send(text)
            page = await one.page()
            assert "<script>alert" not in page
            assert "<img" not in page

    run(work())


def test_a_message_whose_process_died_shows_a_button_that_sends_the_same_again(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            from semel_facturas.books import conversation  # noqa: PLC0415 - only here

            engine = one.at.engine
            await engine.write(
                lambda tx: conversation.hear(tx, ANA, SOMETHING, EXPENSE, engine.now())
            )
            one.at.clock.move(seconds=16)
            page = await one.page()
            assert ES["stalled"] in page
            form = page.partition('data-answers="')[2].partition("</form>")[0]
            fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
            assert fields["request"] == SOMETHING
            answer = await one.client.post("/messages", data=fields, headers={"origin": one.origin})
            assert answer.status_code == 303
            assert one.at.count("expenses") == 1
            assert ES["stalled"] not in await one.page()

    run(work())


def test_an_empty_conversation_offers_sentences_that_work(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            for n in (1, 2, 3):
                before = len(await one.at.plans())
                example = ES[f"example.{n}"].format(contact="María Carmona")
                # Of one's own books: the contact whom the demo begins with.
                assert n > 1 or example in await one.page()
                answer = await one.send(example)
                assert isinstance(answer, httpx.Response)
                assert len(await one.at.plans()) == before + 1

    run(work())


def test_a_plan_that_was_asked_for_elsewhere_waits_on_the_page(tmp_path: Path):
    async def work() -> None:
        async with browser(tmp_path) as one:
            from semel_facturas.application import ask  # noqa: PLC0415 - only here

            await ask(one.at.engine, ANA, SENTENCE, message="m-9")
            page = await one.page()
            assert ES["elsewhere"] in page
            assert (await one.at.plans())[0] in page

    run(work())


ODD = ["a\x00b", "%00", "../../etc", "x" * 4000]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
@pytest.mark.only_on("sqlite postgres", "PostgreSQL keeps no NUL")
def test_what_nobody_types_breaks_nothing(tmp_path: Path, odd: str):
    async def work() -> None:
        async with browser(tmp_path) as one:
            answer = await one.send(odd)
            assert answer.status_code in {303, 422}
            for path in (
                f"/messages/{quote(odd, safe='')}",
                f"/messages/{quote(odd, safe='')}/events",
            ):
                assert (await one.client.get(path)).status_code == 404
            fields = await one.fields()
            for name in fields:
                answer = await one.send("hola", **{**fields, name: odd})
                assert answer.status_code in {403, 422}

    run(work())
