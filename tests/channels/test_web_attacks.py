"""What another site, another session, another person or another token gets: nothing, and no trace.

Each attack is followed by the same look: the plan still asks, and the very same token still works.
"""

import asyncio
import base64
from contextlib import asynccontextmanager

import pytest
from app import ANA
from notas_bench import crear, deny
from web_bench import RISKY, site, token_in

import counts

pytestmark = pytest.mark.only_on("sqlite", "who is refused is decided before any store")

JSON = {"accept": "application/json"}


@asynccontextmanager
async def attacked(tmp_path, name="ana"):
    """A site with a plan that asks; in the end its token still works, once."""
    async with site(tmp_path) as made, made.browser(name) as browser:
        answers: list[int] = []

        async def answered(answer):
            answers.append(answer.status_code)

        browser.event_hooks["response"].append(answered)
        number, token = await made.asked_for(name=name)
        before = made.bench.dump()
        yield made, browser, number, token
        assert made.bench.dump() == before
        assert min(answers) >= 400
        counts.ran("S9", len(answers))
        answer = await browser.post(f"/plans/{number}/confirm", data=made.form(token, name))
        assert answer.status_code == 303
        assert made.bench.notes() == ["Logo"]


FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": None},
    {"origin": "{url}.evil.example"},
    {"origin": "https://127.0.0.1:{port}"},
    {"origin": "http://127.0.0.1:1"},
    {"origin": "http://127.0.0.1"},
    {"origin": "http://localhost:{port}"},
    {"origin": "{url}/"},
    {"origin": "{url}", "sec-fetch-site": "cross-site"},
    {"origin": "{url}", "sec-fetch-site": "same-site"},
    {"origin": "{url}", "sec-fetch-site": "none"},
    {"origin": "{url}", "sec-purpose": "prefetch;prerender"},
    {"origin": "{url}", "purpose": "prefetch"},
    {"origin": "{url}", "x-purpose": "preview"},
]


@pytest.mark.parametrize("kind", ["confirm", "cancel", "retry", "undo", "resolve"])
def test_no_other_site_and_no_guess_decides(tmp_path, kind):
    async def main():
        async with attacked(tmp_path) as (made, browser, number, token):
            place, port = f"/plans/{number}/{kind}", made.url.rpartition(":")[2]
            for given in FOREIGN:
                headers = {
                    name: value.format(url=made.url, port=port)
                    for name, value in given.items()
                    if value is not None
                }
                request = browser.build_request("POST", place, data=made.form(token))
                for name in given:
                    request.headers.pop(name, None)
                request.headers.update(headers)
                answer = await browser.send(request)
                assert answer.status_code == 403, given
            request = browser.build_request("POST", place, data=made.form(token))
            request.headers = type(request.headers)(
                [*request.headers.multi_items(), ("origin", made.url)]
            )
            assert (await browser.send(request)).status_code == 403
            for method in ("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"):
                form = made.form(token)
                answer = await browser.request(method, place, params=form)
                assert answer.status_code == 405, method
                assert answer.headers["allow"] == "POST"

    asyncio.run(main())


def test_a_form_of_another_session_decides_nothing(tmp_path):
    async def main():
        async with attacked(tmp_path) as (made, browser, number, token):
            good = made.csrf()
            held = base64.urlsafe_b64decode(good)
            for bad in (
                "", "x", made.csrf("eva"), made.csrf("luis"), good[:-1], good + "A", good.lower(),
                good + "\n", "ñ", base64.b64encode(held[::-1]).decode(), "\x00",
            ):  # fmt: skip
                form = {"csrf": bad, "token": token}
                answer = await browser.post(f"/plans/{number}/confirm", data=form)
                assert answer.status_code == 403, bad
            answer = await browser.post(f"/plans/{number}/confirm", data={"token": token})
            assert answer.status_code == 403
            # A header that is wrong is not mended by a body that is right.
            answer = await browser.post(
                f"/plans/{number}/confirm", data=made.form(token), headers={"x-csrf": "x"}
            )
            assert answer.status_code == 403

    asyncio.run(main())


def test_a_form_is_a_form_and_says_nothing_twice(tmp_path):
    async def main():
        async with attacked(tmp_path) as (made, browser, number, token):
            place = f"/plans/{number}/confirm"
            csrf = made.csrf()
            form = "application/x-www-form-urlencoded"
            for kind, body, status in [
                ("text/plain", f"csrf={csrf}&token={token}", 415),
                ("multipart/form-data; boundary=x", "--x--", 415),
                ("application/xml", "<a/>", 415),
                ("", f"csrf={csrf}&token={token}", 415),
                (form, f"csrf={csrf}&token={token}&token={token}", 422),
                (form, "csrf=%ff", 422),
                (form, "é", 422),
                (form, f"csrf={csrf}&&token={token}", 422),
                (form, "a=1&" * 40, 422),
                (form, "a=" + "b" * 70_000, 413),
                ("application/json", '{"csrf": "' + csrf + '", "token": ["' + token + '"]}', 422),
                ("application/json", '{"csrf": "a", "csrf": "b"}', 422),
                ("application/json", "[]", 422),
                ("application/json", "{", 422),
                ("application/json", '{"csrf": true}', 422),
                ("application/json", "[" * 50_000, 422),
            ]:
                headers = {"content-type": kind} if kind else {}
                answer = await browser.post(place, content=body.encode(), headers=headers)
                assert answer.status_code == status, (kind, body[:60])

    asyncio.run(main())


def test_a_token_that_is_not_this_one_to_the_letter_is_none(tmp_path):
    async def main():
        async with attacked(tmp_path) as (made, browser, number, token):
            raw = token.removeprefix("smlc_")
            other = "A" if raw[0] != "A" else "B"
            decoded = base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4))
            guesses = [
                "", "smlc_", raw, token[:-1], token + "A", token.swapcase(), token.upper(),
                f" {token}", f"{token} ", f"{token}\n", f"{token}\x00", f"{token}=",
                f"smlc_{other}{raw[1:]}", f"smlс_{raw}", f"smlc＿{raw}", f"smlc_{decoded.hex()}",
                f"smlc_{base64.b32encode(decoded).decode()}", f"{token}\u200b", "%00", "smlc_" * 200,
            ]  # fmt: skip
            for guess in guesses:
                form = {"csrf": made.csrf(), "token": guess}
                for kind in ("confirm", "retry", "undo"):
                    answer = await browser.post(f"/plans/{number}/{kind}", data=form)
                    assert answer.status_code == 404, (kind, guess)
            csrf = {"csrf": made.csrf()}
            place = f"/plans/{number}/confirm"
            own = {"x-token": token, "authorization": f"Token {token}", "referer": f"/?{token}"}
            assert (await browser.post(place, data=csrf, headers=own)).status_code == 404
            assert (await browser.post(f"{place}?token={token}", data=csrf)).status_code == 404

    asyncio.run(main())


def test_a_token_is_one_persons_in_one_conversation_for_one_kind_and_one_plan(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana:
            number, token = await made.asked_for()
            other, others = await made.asked_for(name="ana2", message="m-2")
            for name in ("eva", "luis", "ana2"):
                async with made.browser(name) as browser:
                    for kind in ("confirm", "retry", "undo"):
                        answer = await browser.post(
                            f"/plans/{number}/{kind}", data=made.form(token, name)
                        )
                        assert answer.status_code == 404, (name, kind)
            for kind in ("retry", "undo"):
                answer = await ana.post(f"/plans/{number}/{kind}", data=made.form(token))
                assert answer.status_code == 404, kind
            # The right person, the right token, and another plan's address.
            before = made.bench.dump()
            unknown = f"p_{made.engine.new_id()}"
            for place in (other, unknown):
                answer = await ana.post(f"/plans/{place}/confirm", data=made.form(token))
                assert answer.status_code == 404, place
            answer = await ana.post(f"/plans/{number}/confirm", data=made.form(others))
            assert answer.status_code == 404
            # Another conversation's token is a mismatch, which is on record; the rest left nothing.
            assert made.bench.events(number)[:3] == ["proposed", "asked", "rejected"]
            assert [state for state, _ in made.bench.plans()] == ["asking", "asking"]
            assert len(made.bench.dump()) >= len(before)
            answer = await ana.post(f"/plans/{number}/confirm", data=made.form(token))
            assert answer.status_code == 303
            assert made.bench.notes() == ["Logo"]

    asyncio.run(main())


def test_what_is_old_used_or_stopped_opens_nothing(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser(**JSON) as ana:

            async def press(number, token):
                answer = await ana.post(f"/plans/{number}/confirm", data=made.form(token))
                return answer.status_code, answer.json()["outcome"]["status"]

            late, token = await made.asked_for()
            made.bench.move(minutes=10, milliseconds=1)
            assert await press(late, token) == (409, "expired")
            old, first = await made.asked_for(message="m-2")
            new, second = await made.asked_for(crear("Otra", urgente=True), message="m-3")
            assert (await press(old, first))[0] == 409
            gone = await ana.post(f"/plans/{new}/cancel", data=made.form())
            assert gone.json()["outcome"]["status"] == "cancelled"
            assert (await press(new, second))[0] == 409
            assert made.bench.notes() == []
            number, token = await made.asked_for(message="m-4")
            assert await press(number, token) == (200, "done")
            assert await press(number, token) == (200, "already_done")
            assert made.bench.notes() == ["Logo"]

    asyncio.run(main())


def test_a_right_that_was_taken_away_is_gone_at_the_yes(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser(**JSON) as ana:
            number, token = await made.asked_for()
            await made.engine.write(deny("ana", "notas.crear"))
            answer = await ana.post(f"/plans/{number}/confirm", data=made.form(token))
            assert (answer.status_code, answer.json()["outcome"]["status"]) == (409, "refused")
            assert made.bench.notes() == []

    asyncio.run(main())


def test_twenty_presses_at_once_are_one_effect_and_one_page(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser(**JSON) as ana:
            number, token = await made.asked_for()
            form = made.form(token)
            answers = await asyncio.gather(
                *(ana.post(f"/plans/{number}/confirm", data=form) for _ in range(20))
            )
            assert {answer.status_code for answer in answers} == {200}
            assert len({answer.json()["html"] for answer in answers}) == 1
            assert [one.json()["outcome"]["replayed"] for one in answers].count(False) == 1
            assert made.bench.notes() == ["Logo"]
            assert made.bench.guion.calls == 0

    asyncio.run(main())


def test_yes_and_cancel_at_once_show_one_end(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser(**JSON) as one, made.browser(**JSON) as two:
            for turn in range(8):
                number, token = await made.asked_for(RISKY, message=f"m-{turn}")
                first, second = await asyncio.gather(
                    one.post(f"/plans/{number}/confirm", data=made.form(token)),
                    two.post(f"/plans/{number}/cancel", data=made.form()),
                )
                assert {first.status_code, second.status_code} <= {200, 409}
                shown = [
                    (await browser.get(f"/plans/{number}")).json()["html"] for browser in (one, two)
                ]
                assert shown[0] == shown[1]
                assert token_in(shown[0]) is None
                outcome = await made.engine.person(ANA).status(number)
                assert str(outcome.view.state) == "ended"

    asyncio.run(main())
