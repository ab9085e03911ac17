"""The figures are those of the rows, of one organization, and for whoever decides in it."""

import pytest
from pages_place import ANA, LOGO, MAILED, REMINDED

import stores
from semel import Who
from semel.runtime import figures as counting
from semel.runtime.figures import Answers

LUIS = Who("carmona-demo", "luis", "main", "es")
EVA = Who("otra-demo", "eva", "main", "es")
EVAS = "Haz una factura a Bodegas Ejemplo por el diseño del logo, 500 € más IVA"


def rows(place, sql, *params):
    return stores.rows(place.home / "books.db", sql, *params)


def figures(place, who=ANA, days=7):
    return place.call(place.engine.person(who).figures(days))


def stands(found):
    return {str(one.standing): one.plans for one in found.stands}


def confirmed(place, text, after, who=ANA):
    """A sentence whose yes comes *after* so many seconds, if it takes one."""
    ask = place.say(text, who, yes=False)
    if not hasattr(ask, "token"):
        return ask
    place.clock.move(seconds=after)
    found = place.call(place.engine.person(who).confirm(ask.token))
    place.call(place.engine.settle())
    return found


def test_what_is_open_is_counted_however_old_it_is(place):
    place.sink.behaviour.cut = "after storing"
    doubt = confirmed(place, MAILED, 5)
    assert doubt.for_model("es").status == "in_doubt"
    place.clock.move(days=40)
    place.sink.behaviour.cut = None
    reminded = confirmed(place, REMINDED, 5)
    asked = place.say(MAILED, yes=False)
    found = figures(place)
    assert [line.plan for line in found.doubts] == [doubt.view.plan]
    assert [line.plan for line in found.awaiting] == [asked.view.plan]
    waiting = rows(place, "SELECT plan FROM semel_plans WHERE kind = 'later' AND state = 'running'")
    assert [(line.plan,) for line in found.waiting] == waiting
    assert found.waiting[0].parent == reminded.view.plan
    assert (found.running, found.orphans) == ((), ())
    assert stands(found)["in_doubt"] == 1
    # What ended before the time began is not counted; what is open is.
    assert (found.plans, stands(found)["done"]) == (3, 1)


def test_the_time_to_a_yes_is_that_between_two_rows(place):
    for after in (0.5, 1.4, 1.5, 4, 7, 20, 60, 200):
        confirmed(place, MAILED, after)
        place.clock.move(hours=2)
    place.say(MAILED, yes=False)
    found = figures(place).answers
    taken = [
        (used - asked).total_seconds()
        for asked, used in (
            map(_instant, row)
            for row in rows(
                place, "SELECT created_at, used_at FROM semel_confirmations WHERE used_at <> ''"
            )
        )
    ]
    assert found.seconds == tuple(sorted(taken))
    assert (found.yeses, found.unread, found.bins) == (8, 2, (2, 1, 1, 1, 1, 1, 1))
    assert found.median == pytest.approx(5.5)
    assert found.p90 == pytest.approx(200)


def _instant(text):
    return counting.read_instant(text)


def test_what_was_taken_back_and_what_a_warning_came_to(place):
    first = confirmed(place, LOGO, 3)
    undone = place.call(place.engine.person(ANA).undo(first.undo_token))
    assert undone.for_model("es").status in ("done", "already_done")
    confirmed(place, MAILED, 3)
    twin = place.say(MAILED, yes=False)
    assert twin.view.steps[0].similar
    assert figures(place).answers.warned == 0
    place.call(place.engine.person(ANA).cancel(twin.view.plan))
    place.clock.move(seconds=1)
    confirmed(place, MAILED, 3)
    found = figures(place).answers
    assert (found.done, found.undone) == (3, 1)
    (warned,) = rows(
        place,
        "SELECT count(*) FROM semel_steps AS s JOIN semel_plans AS p USING (org, plan)"
        " WHERE s.\"similar\" IS NOT NULL AND p.state <> 'asking'",
    )
    assert (found.warned, found.accepted) == (warned[0], warned[0] - 1)
    (person,) = figures(place).people
    assert (person.name, person.done, person.undone) == ("ana", 3, 1)
    assert {one.name for one in figures(place).actions} <= {
        name for (name,) in rows(place, "SELECT DISTINCT action FROM semel_steps")
    }


def test_another_organization_is_never_counted(place):
    confirmed(place, LOGO, 3)
    assert figures(place, EVA).plans == 0
    place.say(EVAS, EVA)
    for who, person in ((ANA, "ana"), (EVA, "eva")):
        found = figures(place, who)
        assert found.plans == 1
        assert [one.name for one in found.people] == [person]
    assert figures(place, LUIS) is None
    assert figures(place, Who("carmona-demo", "mallory", "main", "es")) is None


def test_a_repeat_is_counted_where_it_was_answered(place):
    ask = place.say(MAILED, yes=False)
    face = place.engine.person(ANA)
    for _ in range(3):
        place.call(face.confirm(ask.token))
    assert dict(figures(place).repeats)["press"] == 2
    assert "press" not in dict(figures(place, EVA).repeats)
    place.call(place.engine.person(LUIS).confirm(ask.token))
    assert dict(figures(place).repeats)["rejected"] == 1


def test_too_many_plans_are_said_to_be_too_many(place, monkeypatch):
    for _ in range(3):
        confirmed(place, LOGO, 3)
    assert figures(place).whole
    monkeypatch.setattr(counting, "COUNT_PLANS", 2)
    found = figures(place)
    assert (found.plans, found.whole) == (2, False)


def test_an_orphan_is_a_plan_that_nobody_is_heard_of(place):
    ask = place.say(MAILED, yes=False)
    past = "2026-10-19T07:00:00.000000Z"
    rows(
        place,
        "UPDATE semel_plans SET state = 'running', owner = 'gone', resume_after = ?, epoch = 1".replace(
            "?", f"'{past}'"
        ),
    )
    found = figures(place)
    assert [line.plan for line in found.orphans] == [ask.view.plan]
    assert [line.plan for line in found.running] == [ask.view.plan]


def test_pages_of_the_past_hold_every_plan_once(place):
    made = []
    for _ in range(7):
        made.append(confirmed(place, LOGO, 1).view.plan)
        place.clock.move(seconds=1)
    face = place.engine.person(ANA)
    seen, before, pages = [], "p_~", 0
    while before is not None:
        page = place.call(face.past(limit=3, before=before))
        seen += [line.plan for line in page.lines]
        before = page.before
        pages += 1
    assert (pages, seen) == (3, made[::-1])


def test_a_search_finds_by_word_by_record_by_person_and_by_number(place):
    one = confirmed(place, MAILED, 1).view.plan
    place.clock.move(seconds=1)
    two = confirmed(place, "Haz una factura a María Carmona por pintar la tapia, 90 € más IVA", 1)
    face = place.engine.person(ANA)

    def found(words, **more):
        return [line.plan for line in place.call(face.past(words, **more)).lines]

    assert found("2026-0001") == found("factura:2026-0001") == [one]
    assert found("TAPIA maria") == found(two.view.plan) == [two.view.plan]
    assert found("ana") == found("", person="ana") == [two.view.plan, one]
    assert found("", person="an") == found("nobody") == found("' OR 1=1 --") == []
    assert place.call(place.engine.person(EVA).past("tapia")).lines == ()
    page = place.call(place.engine.person(LUIS).past("tapia"))
    assert (page.lines, page.everybody) == ((), False)


@pytest.mark.no_store
def test_nothing_is_divided_by_nothing():
    nobody = Answers("", (), 0, 0, 0, 0)
    assert (nobody.median, nobody.p90, nobody.unread, sum(nobody.bins)) == (None, None, 0, 0)
