"""Retry, undo and what a person says of a doubt, each by the very form that the card shows."""

import asyncio
import re

import pytest
from notas_bench import act, crear
from web_bench import site

pytestmark = pytest.mark.only_on("sqlite", "what a form does is the engine's, proved on each store")

JSON = {"accept": "application/json"}


def forms(html: str) -> list[tuple[str, dict[str, str]]]:
    """The forms of a card: where each is sent, and its fields."""
    found = []
    for action, inside in re.findall(
        r'<form method="post" action="([^"]+)"[^>]*>(.*?)</form>', html, re.DOTALL
    ):
        fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', inside)
        found.append((action, dict(fields)))
    return found


def form(html: str, kind: str, answer: str | None = None) -> tuple[str, dict[str, str]]:
    for action, fields in forms(html):
        if action.endswith(f"/{kind}") and fields.get("answer") == answer:
            return action, fields
    raise AssertionError(f"There is no form for {kind} {answer}: {html}")


async def card(browser, number):
    return (await browser.get(f"/plans/{number}", headers=JSON)).json()


async def press(browser, sent, **more):
    action, fields = sent
    return await browser.post(action, data={**fields, **more}, headers=JSON)


async def in_doubt(made, browser):
    """A letter that may have left: its plan's number and its card."""
    nota = await made.bench.note(made.engine)
    made.bench.mundo.goes = "break"
    number, token = await made.asked_for(("carta.enviar", {"nota": nota}))
    answer = await browser.post(f"/plans/{number}/confirm", data=made.form(token), headers=JSON)
    assert answer.json()["state"] == "in_doubt"
    made.bench.mundo.goes = "ok"
    return number, answer.json()["html"]


def test_what_is_left_is_done_by_the_form_of_the_card_and_the_rest_is_not_repeated(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            nota = await made.bench.note(made.engine)
            made.bench.mundo.goes = "refuse"
            number, token = await made.asked_for(crear("Dos"), ("carta.enviar", {"nota": nota}))
            answer = await ana.post(f"/plans/{number}/confirm", data=made.form(token), headers=JSON)
            assert answer.json()["state"] == "partial"
            retry = form(answer.json()["html"], "retry")
            assert retry[1]["token"] != token
            # A retry is no yes, and no undo.
            for kind in ("confirm", "undo"):
                wrong = (f"/plans/{number}/{kind}", retry[1])
                assert (await press(ana, wrong)).status_code == 404
            made.bench.mundo.goes = "ok"
            answers = await asyncio.gather(*(press(ana, retry) for _ in range(5)))
            assert {one.json()["state"] for one in answers} == {"done"}
            assert len(made.bench.mundo.letters) == 1
            assert made.bench.notes() == ["Dos", "Logo"]

    asyncio.run(main())


def test_an_undo_answers_with_its_own_plan_and_leads_to_its_page(tmp_path):
    async def main():
        back = "/#{}".format
        async with site(tmp_path, back=back) as made, made.browser() as ana:
            done = await act(made.engine, ("nota.anotar", {}))
            number = done.view.plan
            before = await card(ana, number)
            undo = form(before["html"], "undo")
            first = await ana.post(undo[0], data=undo[1])
            assert first.status_code == 303
            page = first.headers["location"]
            assert page.startswith("/plans/p_")
            assert not page.endswith(number)
            assert made.bench.notes() == []
            told = await ana.get(page, headers=JSON)
            assert told.json()["state"] == "undone"
            again = (await press(ana, undo)).json()
            assert again["outcome"]["plan"] == told.json()["plan"]
            assert again["plan"] == number
            assert again["outcome"]["replayed"] is True
            assert again["seq"] > before["seq"]

    asyncio.run(main())


def test_it_happened_is_taken_at_any_time(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            number, html = await in_doubt(made, ana)
            answer = await press(ana, form(html, "resolve", "happened"))
            assert answer.json()["state"] == "done"
            # The same press again reads what came of it.
            assert (await press(ana, form(html, "resolve", "happened"))).status_code == 200
            assert len(made.bench.mundo.letters) == 1
            assert number in answer.json()["html"]

    asyncio.run(main())


def test_it_did_not_counts_only_from_a_card_that_was_drawn_late_enough(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            number, early = await in_doubt(made, ana)
            place = f"/plans/{number}/resolve"
            base = made.form(position="1", answer="did_not")
            # Without what its card was drawn from it is not even read.
            assert (await ana.post(place, data=base, headers=JSON)).status_code == 422
            drawn = [fields for _, fields in forms(early) if fields.get("answer") == "did_not"]
            epoch = drawn[0]["epoch"] if drawn else "1"
            made.bench.move(minutes=30)
            late = {**base, "epoch": epoch, "settled": "0"}
            answer = await ana.post(place, data=late, headers=JSON)
            assert (answer.status_code, answer.json()["state"]) == (409, "in_doubt")
            now = await card(ana, number)
            sent = form(now["html"], "resolve", "did_not")
            assert sent[1]["settled"] == "1"
            forged = {**sent[1], "epoch": str(int(sent[1]["epoch"]) + 1)}
            assert (await ana.post(place, data=forged, headers=JSON)).status_code == 409
            answer = await press(ana, sent)
            assert answer.json()["state"] == "partial"
            assert len(made.bench.mundo.letters) == 1

    asyncio.run(main())


def test_sending_once_more_takes_its_words(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            number, html = await in_doubt(made, ana)
            again = form(html, "resolve", "send_anyway")
            for words in ("", "sí", "ENVIAR", "1"):
                answer = await press(ana, again, words=words)
                assert (answer.status_code, answer.json()["state"]) == (409, "in_doubt"), words
            assert len(made.bench.mundo.letters) == 1
            answer = await press(ana, again, words="enviar otra vez")
            assert answer.json()["state"] == "done"
            assert len(made.bench.mundo.letters) == 2
            assert number == answer.json()["plan"]

    asyncio.run(main())


def test_what_makes_no_sense_of_a_doubt_is_refused(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            number, _ = await in_doubt(made, ana)
            before = made.bench.dump()
            for position, answer, status in [
                ("", "happened", 422), ("x", "happened", 422), ("-1", "happened", 422),
                ("9" * 12, "happened", 422), ("¹", "happened", 422), ("1", "", 422),
                ("1", "maybe", 422), ("0", "happened", 409), ("2", "happened", 409),
            ]:  # fmt: skip
                given = made.form(position=position, answer=answer)
                told = await ana.post(f"/plans/{number}/resolve", data=given, headers=JSON)
                assert told.status_code == status, (position, answer)
            long = made.form(position="1", answer="happened", id="x" * 5000)
            assert (
                await ana.post(f"/plans/{number}/resolve", data=long, headers=JSON)
            ).status_code == 409
            assert made.bench.dump() == before

    asyncio.run(main())


def test_a_question_whose_facts_have_changed_asks_again_on_the_same_card(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            nota = await made.bench.note(made.engine)
            number, token = await made.asked_for(("nota.firmar", {"nota": nota}))
            await made.engine.write(
                lambda tx: tx.run("notas.reprice", org="o-1", id=nota, importe="600")
            )
            answer = await ana.post(f"/plans/{number}/confirm", data=made.form(token), headers=JSON)
            assert answer.json()["state"] == "awaiting"
            assert "600,00" in answer.json()["html"]
            new = form(answer.json()["html"], "confirm")
            assert new[1]["token"] != token
            old = await ana.post(f"/plans/{number}/confirm", data=made.form(token), headers=JSON)
            assert old.status_code == 409
            assert (await press(ana, new)).json()["state"] == "done"

    asyncio.run(main())
