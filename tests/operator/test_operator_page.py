"""The operator's page and the history: who sees them, what they say, and what nobody can make them say."""

import json
import re

import pytest
from hostile_texts import every, spread
from pages_place import ANA, LOGO, MAILED, shape, words

from semel import Who

HOSTILE = spread(every(), 60)
PATHS = ("/operator", "/operator/figures")
JSON = {"Accept": "application/json"}


def doubt(place):
    """A plan in doubt: the mail server has the message, and has not said so."""
    place.sink.behaviour.cut = "after storing"
    found = place.say(MAILED)
    place.sink.behaviour.cut = None
    assert found.for_model("es").status == "in_doubt"
    return found.view.plan


def form(page, plan, answer):
    """The form of a card that gives this answer to a doubt."""
    for one in re.findall(r"<form.*?</form>", page, re.DOTALL):
        if f"/plans/{plan}/resolve" in one and f'value="{answer}"' in one:
            return dict(re.findall(r'name="(\w+)" value="([^"]*)"', one))
    raise AssertionError(page)


def test_to_whoever_may_not_decide_it_does_not_exist(place):
    place.say(MAILED)
    stranger = place.client()
    for path in PATHS:
        no = place.client("luis").get(path)
        missing = place.client("luis").get("/plans/p_404")
        assert (no.status_code, no.content) == (404, missing.content)
        assert stranger.get(path, headers=JSON).status_code == 401
        assert place.client("ana").get(path).status_code == 200
        for method in ("POST", "PUT", "DELETE"):
            assert place.client("ana").request(method, path).status_code == 405


def test_it_shows_one_organization_in_both_languages(place):
    plan = doubt(place)
    ana, eva = place.client("ana"), place.client("eva")
    page = ana.get("/operator")
    assert page.headers["cache-control"] == "no-store"
    assert f'data-plan="{plan}"' in page.text
    assert "Qué está abierto y qué no se sabe" in words(page.text)
    theirs = eva.get("/operator").text
    assert plan not in theirs
    assert "factura.emitir" in page.text
    assert "factura.emitir" not in theirs
    csrf = re.search(r'name="csrf" value="([^"]+)"', ana.get("/").text)[1]
    spoken = ana.post(
        "/language", data={"csrf": csrf, "locale": "en"}, headers={"Origin": place.base}
    )
    assert spoken.status_code == 303, spoken.text
    english = ana.get("/operator")
    assert "What is open, and what is not known" in words(english.text)
    assert shape(english.text.partition("<main")[0]) == shape(page.text.partition("<main")[0])


def test_a_doubt_is_settled_from_it_and_nothing_else_can_be_pressed(place):
    plan = doubt(place)
    ana = place.client("ana", Origin=place.base)
    page = ana.get("/operator").text
    posted = re.findall(r'method="post" action="([^"]+)"', page)
    assert posted
    assert set(posted) == {f"/plans/{plan}/resolve"}
    answer = ana.post(f"/plans/{plan}/resolve", data=form(page, plan, "happened"))
    assert answer.status_code == 303
    after = ana.get("/operator").text
    assert f'data-plan="{plan}"' not in after
    assert 'data-doubts="0"' in ana.get("/operator/figures").text


def test_the_part_that_changes_is_the_one_on_the_page(place):
    place.say(MAILED)
    ana = place.client("ana")
    part = ana.get("/operator/figures").text
    assert part in ana.get("/operator").text
    assert "<html" not in part
    place.say(LOGO)
    assert ana.get("/operator/figures").text != part


def test_a_plan_is_found_from_it(place):
    found = place.say(MAILED).view.plan
    ana = place.client("ana")
    for asked in ({"object": "factura:2026-0001"}, {"plan": found}, {"person": "ana"}):
        page = ana.get("/operator", params=asked).text
        listed = page.partition('id="op-found"')[2].partition("</ul>")[0]
        assert f"/historial/{found}" in listed, asked
    page = ana.get("/operator", params={"object": "nothing like it"}).text
    assert found not in page.partition('id="op-found"')[2].partition("</section>")[0]


def test_the_history_of_a_person_is_theirs_and_of_who_decides_everybodys(place):
    found = place.say(MAILED).view.plan
    ana, luis, eva = (place.client(name) for name in ("ana", "luis", "eva"))
    assert f"/historial/{found}" in ana.get("/historial").text
    for other in (luis, eva):
        assert found not in other.get("/historial").text
        random = other.get("/historial/p_01a22fad-26da-744c-869e-5155f244dc5b")
        for path in (f"/historial/{found}", "/historial/factura/2026-0001"):
            no = other.get(path)
            assert (no.status_code, no.content) == (404, random.content)
            assert other.get(f"{path}.json").status_code == 404
    assert place.client().get("/historial").headers["location"] == "/sign-in"


def test_a_trace_leads_from_an_invoice_to_its_sentence(place):
    found = place.say(MAILED).view.plan
    ana = place.client("ana")
    page = words(ana.get("/historial/factura/2026-0001").text)
    for said in (MAILED, "605,00 €", "maria@carmona.example", "ana dijo que sí", "Los 8 sucesos"):
        assert said in page, said
    told = ana.get("/historial/factura/2026-0001.json").json()
    assert (told["plan"], told["sentence"], told["who"]) == (found, MAILED, "ana")
    assert [one["outcome"] for one in told["attempts"]] == ["made"] * 3
    assert ana.get(f"/historial/{found}.json").json() == told
    assert "smlc_" not in json.dumps(told)


def test_further_presses_are_told_to_have_done_nothing(place):
    ask = place.say(MAILED, yes=False)
    luis = place.engine.person(Who("carmona-demo", "luis", "main", "es"))
    for _ in range(2):
        place.call(luis.confirm(ask.token))
    page = words(place.client("ana").get(f"/historial/{ask.view.plan}").text)
    assert "Otras 2 pulsaciones no hicieron nada." in page


def test_paging_goes_back_to_the_first_plan(place):
    plans = [place.say(LOGO).view.plan for _ in range(35)]
    ana, seen, path = place.client("ana"), [], "/historial"
    while path:
        page = ana.get(path).text
        seen += re.findall(r'href="/historial/(p_[^"]+)"', page)
        older = re.search(r'href="([^"]+)" rel="next"', page)
        path = older and older[1].replace("&amp;", "&")
    assert sorted(seen) == sorted(plans)


@pytest.mark.parametrize("start", range(0, len(HOSTILE), 20))
def test_hostile_words_change_no_shape_and_run_nothing(place, start):
    ana = place.client("ana")
    plain = act(place, "Un gasto")
    calm = {path: shape(ana.get(path).text) for path in (f"/historial/{plain}",)}
    rows = len(re.findall('<li class="plan">', ana.get("/historial").text))
    for said in HOSTILE[start : start + 20]:
        plan = act(place, said)
        page = ana.get(f"/historial/{plan}").text
        assert shape(page) == calm[f"/historial/{plain}"], said
        for path in ("/historial", "/operator"):
            assert "<script>" not in ana.get(path, params={"q": said, "object": said}).text
        rows += 1
    assert min(rows, 30) == len(re.findall('<li class="plan">', ana.get("/historial").text))


def act(place, sentence):
    given = {"concepto": "Adobe", "importe": "10", "iva_incluido": False}
    plan = {"steps": [{"action": "gasto.crear", "input": given}]}
    done = place.call(
        place.engine.agent.act(ANA, plan, message=place.engine.new_id(), sentence=sentence)
    )
    return done.view.plan
