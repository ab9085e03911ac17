"""Whatever is sent to the address for proposals is answered in a sentence, and never breaks it."""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from notas_bench import crear
from web_bench import RISKY, plan, site

pytestmark = pytest.mark.only_on("sqlite", "what is malformed is refused before any store")

KIND = {"content-type": "application/json"}
NOTE = '{"action": "nota.crear", "input": {"texto": "a"}}'
HOSTILE = [
    b"", b"\x00", b"\xff\xfe", b"nul", b"null", b"0", b'"a"', b"[]", b"{}", b"[{}]", b"{" * 70_000,
    b"[" * 40 + b"]" * 40, b'{"steps": ' + b"[" * 500_000, b'{"a":1,"a":2}',
    b'{"steps": [], "message": "m"}', b'{"steps": {}, "message": "m"}',
    b'{"steps": "x", "message": "m"}', b'{"steps": [1], "message": "m"}',
    b'{"steps": [null], "message": "m"}', b'{"steps": [{"action": 1, "input": {}}], "message": "m"}',
    f'{{"steps": [{NOTE}]}}'.encode(),
    f'{{"steps": [{NOTE}], "message": 1}}'.encode(),
    f'{{"steps": [{NOTE}], "message": null}}'.encode(),
    f'{{"steps": [{NOTE}], "message": ""}}'.encode(),
    f'{{"steps": [{NOTE}], "message": "a\\u0000b"}}'.encode(),
    f'{{"steps": [{NOTE}], "message": "\\ud800"}}'.encode(),
    f'{{"steps": [{NOTE}], "message": "{"m" * 5000}"}}'.encode(),
    f'{{"steps": [{NOTE}], "message": "m", "sentence": 4}}'.encode(),
    f'{{"steps": [{NOTE}], "message": "m", "who": "eva"}}'.encode(),
    f'{{"steps": [{NOTE}], "message": "m", "message": "n"}}'.encode(),
    f'{{"steps": [{", ".join([NOTE] * 11)}], "message": "m"}}'.encode(),
    b'{"steps": [{"action": "nota.crear", "input": {"texto": "a", "importe": NaN}}], "message": "m"}',
    b'{"steps": [{"action": "nota.crear", "input": {"texto": "a", "importe": 1e999}}], "message": "m"}',
    b'{"steps": [{"action": "nota.crear", "input": {"texto": "a", "importe": '
    + b"9" * 5000 + b'}}], "message": "m"}',
    b'{"steps": [{"action": "nota.crear", "input": {"texto": ["a"]}}], "message": "m"}',
    b'{"steps": [{"action": "nota.firmar", "input": {"nota": "$1"}}], "message": "m"}',
    b'{"steps": [{"action": "__class__", "input": {}}], "message": "m"}',
]  # fmt: skip


def test_hostile_bodies_are_answered_and_nothing_is_kept(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.agent() as agent:
            before = made.bench.dump()
            for body in HOSTILE:
                answer = await agent.post("/plans", content=body, headers=KIND)
                assert answer.status_code == 422, body[:80]
                assert answer.json()["status"] == "invalid", body[:80]
                assert answer.json()["says"]
            assert made.bench.dump() == before

    asyncio.run(main())


def test_a_body_has_a_megabyte_at_most_whatever_it_says_of_itself(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.agent() as agent:
            long = b'{"a": "' + b"b" * 1024 * 1024 + b'"}'

            async def parts():
                for _ in range(40):
                    yield b" " * 65_536

            for body in (long, parts()):
                answer = await agent.post("/plans", content=body, headers=KIND)
                assert answer.status_code == 413
                assert answer.json()["status"] == "refused"
            for kind in ("text/plain", "application/x-www-form-urlencoded", "application/xml"):
                answer = await agent.post("/plans", content=b"{}", headers={"content-type": kind})
                assert answer.status_code == 415

    asyncio.run(main())


def test_a_persons_own_page_proposes_with_its_form_and_from_this_site(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.browser() as ana, made.browser(None) as nobody:
            body = {**plan(RISKY), "message": "m-1"}
            assert (await nobody.post("/plans", json=body)).status_code == 401
            assert (await ana.post("/plans", json=body)).status_code == 403
            held = {"x-csrf": made.csrf()}
            foreign = {**held, "origin": "https://evil.example"}
            assert (await ana.post("/plans", json=body, headers=foreign)).status_code == 403
            assert (await ana.post("/plans", json=body, headers=held)).status_code == 200
            within = {**body, "message": "m-2", "csrf": made.csrf()}
            assert (await ana.post("/plans", json=within)).json()["status"] == "needs_person"
            assert len(made.bench.plans()) == 2

    asyncio.run(main())


def test_figures_are_read_exactly(tmp_path):
    async def main():
        async with site(tmp_path) as made, made.agent() as agent:
            body = json.dumps({**plan(crear("A", 0)), "message": "m"}).replace(
                '"importe": 0', '"importe": 0.30000000000000001'
            )
            answer = await agent.post("/plans", content=body.encode(), headers=KIND)
            assert answer.json()["status"] == "done"
            assert made.bench.sql("SELECT importe FROM notas") == [("0.30000000000000001",)]

    asyncio.run(main())


@pytest.mark.parametrize("kind", ["agent", "person", "nobody"])
def test_requests_made_from_the_description_never_break_it(tmp_path, kind):
    import schemathesis  # noqa: PLC0415 - it takes half a second, of each worker that collects tests

    made_from: dict[str, object] = {}

    async def main():
        async with site(tmp_path) as made, made.browser(None) as browser:
            number, _ = await made.asked_for()
            told = (await browser.get("/openapi.json")).json()
            headers = {
                "agent": {"authorization": "Bearer agent-ana"},
                "person": {"cookie": "who=ana", "origin": made.url, "x-csrf": made.csrf()},
                "nobody": {},
            }[kind]
            schema = schemathesis.openapi.from_dict(told)
            for found in schema.get_all_operations():
                operation = found.ok()
                if operation.path.endswith("/events"):
                    continue
                await asyncio.to_thread(tried, operation, made.url, headers, number)
            made_from.update(notes=made.bench.notes(), plans=made.bench.plans())

    asyncio.run(main())
    assert made_from["plans"][0][0] in {"asking", "ended"}


def tried(operation, url, headers, number):
    """Send requests that fit the description, and some that do not."""

    @settings(
        max_examples=5, deadline=None, database=None, phases=[Phase.generate], derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def one(case):
        if "{plan}" in operation.path and len(str(case.body or "")) % 2:
            case.path_parameters["plan"] = number
        answer = case.call(base_url=url, headers=headers)
        assert answer.status_code < 500, (operation.label, answer.text)

    given(case=operation.as_strategy())(one)()
