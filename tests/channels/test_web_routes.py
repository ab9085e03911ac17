"""The routes: what each answers, which headers it carries, and what does not exist for whom."""

import asyncio
import re

import pytest
from app import ANA
from web_bench import RISKY, paths, plan, served, site, token_in

from semel.channels.web.shield import HEADERS

pytestmark = pytest.mark.only_on("sqlite", "what HTTP answers is the same on every store")

JSON = {"accept": "application/json"}
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE")


def test_every_answer_carries_the_headers(tmp_path):
    async def main():
        async with site(tmp_path, prefix="/s") as made, made.browser() as browser:
            number, _ = await made.asked_for()
            inner = made.app._app
            known = {path for _, path in paths(inner)}
            places = [one.format(plan=number, file="card.js") for one in known]
            places += [
                "/s/plans/p_none",
                "/s/card/none.js",
                "/nowhere",
                "/s/plans",
                "/openapi.json",
            ]
            answers = {}
            for place in places:
                for method in METHODS:
                    if method == "GET" and place.endswith("/events"):
                        continue
                    answer = await browser.request(method, place)
                    answers[method, place] = answer
            async with browser.stream("GET", f"/s/plans/{number}/events") as answer:
                answers["GET", "events"] = answer
            assert len({answer.status_code for answer in answers.values()}) >= 4
            for (method, place), answer in answers.items():
                want = dict(HEADERS)
                if answer.headers["cache-control"] == "no-cache":
                    assert place == "/s/card/card.js"
                    del want["cache-control"]
                told = {name: answer.headers.get(name) for name in want}
                assert told == want, (method, place)
                assert "traceback" not in answer.text.lower() if place != "events" else True

    asyncio.run(main())


def test_the_routes_have_their_headers_without_a_shield(tmp_path):
    async def main():
        async with site(tmp_path) as made:
            number, _ = await made.asked_for()
            async with served(made.app._app) as bare, made.browser(origin=bare) as browser:
                for method, place in [
                    ("GET", f"/plans/{number}"),
                    ("PUT", f"/plans/{number}"),
                    ("GET", f"/plans/{number}/confirm"),
                    ("POST", f"/plans/{number}/confirm"),
                    ("GET", "/plans/p_none"),
                    ("GET", "/card/card.js"),
                    ("POST", "/plans"),
                ]:
                    answer = await browser.request(method, bare + place)
                    missing = [name for name in HEADERS if name not in answer.headers]
                    assert not missing, (method, place)

    asyncio.run(main())


def test_a_foreign_name_is_refused_before_anything_looks(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as browser:
            number, token = await made.asked_for()
            asked = made.asked
            for host in ("evil.example", "127.0.0.1.evil.example", "evil.example:80", ""):
                answer = await browser.post(
                    f"/plans/{number}/confirm", data=made.form(token), headers={"host": host}
                )
                assert answer.status_code in {400, 421}, host
            assert made.asked == asked
            assert made.bench.plans() == [("asking", None)]

    asyncio.run(main())


def test_a_card_is_a_page_a_fragment_and_a_snapshot(tmp_path):
    async def main():
        async with site(tmp_path, prefix="/s", sign_in="/in") as made, made.browser() as browser:
            number, token = await made.asked_for()
            page = (await browser.get(f"/s/plans/{number}")).text
            assert f'<semel-card plan="{number}" src="/s/plans/{number}">' in page
            assert 'id="semel-status"' in page
            assert 'data-sign-in="/in"' in page
            assert '<meta name="referrer" content="same-origin">' in page
            assert " style=" not in page
            assert "<script>" not in page
            fragment = (await browser.get(f"/s/plans/{number}?fragment=1")).text
            assert fragment.startswith("<section")
            assert token_in(fragment) == token
            snapshot = (await browser.get(f"/s/plans/{number}", headers=JSON)).json()
            assert snapshot["html"] == fragment
            assert (snapshot["plan"], snapshot["final"]) == (number, False)
            assert snapshot["seq"] == len(made.bench.events(number))
            assert 0 < snapshot["left"] <= 600

    asyncio.run(main())


def test_a_form_leads_back_and_a_script_gets_the_card(tmp_path):
    async def main():
        async with site(tmp_path, back=lambda number: f"/here#{number}") as made:
            async with made.browser() as browser:
                number, token = await made.asked_for()
                form = made.form(token)
                answer = await browser.post(f"/plans/{number}/confirm", data=form)
                assert (answer.status_code, answer.headers["location"]) == (303, f"/here#{number}")
                again = await browser.post(f"/plans/{number}/confirm", json=form, headers=JSON)
                told = again.json()
                assert again.status_code == 200
                assert told["outcome"]["replayed"] is True
                assert told["outcome"]["status"] == "already_done"
                assert told["final"] is True
                assert "smlc_" not in str(told["outcome"])
            assert made.bench.notes() == ["Logo"]

    asyncio.run(main())


def test_a_refused_form_shows_why_above_the_card(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser(accept="text/html") as browser:
            notas = [await made.bench.note(made.engine, f"Nota {n}") for n in range(3)]
            number, token = await made.asked_for(("nota.borrar_muchas", {"notas": notas}))
            form = made.form(token, words="4")
            answer = await browser.post(f"/plans/{number}/confirm", data=form)
            assert answer.status_code == 409
            assert 'role="alert"' in answer.text
            assert token_in(answer.text) == token
            answer = await browser.post(
                f"/plans/{number}/confirm", data=made.form(token, words="3")
            )
            assert answer.status_code == 303
            assert made.bench.notes() == []

    asyncio.run(main())


def test_a_file_is_told_apart_by_its_content(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser(None) as browser:
            script = await browser.get("/card/card.js")
            assert script.headers["content-type"].startswith("text/javascript")
            tag = script.headers["etag"]
            again = await browser.get("/card/card.js", headers={"if-none-match": f'"x", W/{tag}'})
            assert (again.status_code, again.content) == (304, b"")
            for name in re.findall(r'from "\./([\w.-]+)"', script.text):
                assert (await browser.get(f"/card/{name}")).status_code == 200, name
            words = await browser.get("/card/card-words.js")
            assert "Un momento" in words.text.encode().decode("unicode-escape")
            for name in ("router.py", "..%2frouter.py", "%2e%2e/card.html", "card.html"):
                assert (await browser.get(f"/card/{name}")).status_code in {404, 405}, name

    asyncio.run(main())


async def everywhere(browser, number, made, name):
    """What every route answers about a plan, as bytes."""
    form = made.form("smlc_" + "A" * 32, name, position="1", answer="happened")
    answers = [
        await browser.get(f"/plans/{number}"),
        await browser.get(f"/plans/{number}", headers=JSON),
        await browser.get(f"/plans/{number}", headers={"accept": "text/html"}),
        await browser.get(f"/plans/{number}?fragment"),
        await browser.get(f"/plans/{number}/events"),
    ]
    for kind in ("confirm", "cancel", "retry", "undo", "resolve"):
        for accept in ("application/json", "text/html"):
            answers.append(
                await browser.post(f"/plans/{number}/{kind}", data=form, headers={"accept": accept})
            )
    return [(one.status_code, one.content, one.headers.get("content-type")) for one in answers]


@pytest.mark.parametrize("name", ["eva", "ana"])
def test_what_is_not_theirs_is_not_there_to_the_byte(tmp_path, name):
    async def main():
        async with site(tmp_path) as made, made.browser(name) as browser:
            # luis may look at everybody's of his organization; ana at nobody's, and eva at none.
            theirs, _ = await made.asked_for(name="luis")
            unknown = f"p_{made.engine.new_id()}"
            told = await everywhere(browser, theirs, made, name)
            assert told == await everywhere(browser, unknown, made, name)
            assert told == await everywhere(browser, "p_%C3%B1%00", made, name)
            assert {status for status, _, _ in told} == {404}
            assert made.bench.plans() == [("asking", None)]

    asyncio.run(main())


def test_nobody_is_told_nothing_and_an_agent_decides_nothing(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.agent() as agent, made.browser(None) as nobody:
            number, token = await made.asked_for()
            before = made.bench.dump()
            for kind in ("confirm", "cancel", "retry", "undo", "resolve"):
                for given in ({"data": made.form(token)}, {"json": made.form(token)}):
                    own = {"origin": made.url}
                    answer = await agent.post(f"/plans/{number}/{kind}", headers=own, **given)
                    assert answer.status_code == 403
                    assert answer.json()["status"] == "refused"
                    answer = await nobody.post(f"/plans/{number}/{kind}", **given)
                    assert answer.status_code == 401
            assert (await agent.get(f"/plans/{number}/events")).status_code == 403
            assert (await nobody.get(f"/plans/{number}/events")).status_code == 401
            assert (await nobody.get(f"/plans/{number}")).status_code == 401
            told = await agent.get(f"/plans/{number}")
            assert told.json()["status"] == "needs_person"
            assert "smlc_" not in told.text
            assert made.bench.dump() == before

    asyncio.run(main())


def test_an_agent_proposes_and_gets_no_token(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.agent() as agent:
            body = {**plan(RISKY), "message": "m-1", "sentence": "Crea la nota"}
            first = await agent.post("/plans", json=body)
            assert first.status_code == 200
            assert set(first.json()) == {"status", "says", "next", "plan"}
            assert first.json()["status"] == "needs_person"
            assert (await agent.post("/plans", json=body)).json()["plan"] == first.json()["plan"]
            assert "smlc_" not in first.text
            sentence = made.bench.sql("SELECT sentence FROM semel_plans")
            assert sentence == [("Crea la nota",)]
            outcome = await made.engine.person(ANA).status(first.json()["plan"])
            assert outcome.token

    asyncio.run(main())


def test_the_description_names_every_route_and_its_refusals(tmp_path):
    async def main():
        async with site(tmp_path, prefix="/s") as made, made.browser() as browser:
            told = (await browser.get("/openapi.json")).json()
            assert set(told["paths"]) == {
                "/s/plans", "/s/plans/{plan}", "/s/plans/{plan}/events", "/s/card/{file}",
                *(f"/s/plans/{{plan}}/{kind}" for kind in
                  ("confirm", "cancel", "retry", "undo", "resolve")),
            }  # fmt: skip
            for path, methods in told["paths"].items():
                for method, route in methods.items():
                    assert route["summary"], path
                    if method == "post":
                        assert route["requestBody"]["content"], path
                        assert {"401", "403"} <= set(route["responses"]), path
            for name in ("Answer", "Snapshot", "Decided"):
                assert told["components"]["schemas"][name]["properties"]

    asyncio.run(main())
