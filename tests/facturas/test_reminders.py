"""Reminders: when they leave, once, and only of what is still to be paid."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta
from threading import Barrier

import pytest
from facturas_desk import (
    ANA,
    WHEN,
    borrador,
    cobrar,
    emitir,
    opened,
    planned,
    recordar,
    says,
    swept,
    until,
    waiting,
)

from semel.testing import MovableClock, interrupt_at
from semel_facturas.actions import recordatorio
from semel_facturas.books.instants import day_of, end_of, instant

MADRID = "Europe/Madrid"
PAID = """INSERT INTO payments
    SELECT org, 'p-1', invoice, total, issue_date, NULL, 1, issued_at, NULL FROM invoices"""


def fate(desk):
    """What became of the one reminder."""
    ((plan,),) = desk.sql("SELECT plan FROM semel_plans WHERE kind = 'later'")
    return says(desk.face.person(ANA).status(plan))


@pytest.mark.no_store
@pytest.mark.no_store
@pytest.mark.parametrize(
    ("day", "at", "zone", "utc"),
    [
        (date(2026, 11, 13), time(9), MADRID, "2026-11-13T08:00"),
        (date(2026, 10, 19), time(9), MADRID, "2026-10-19T07:00"),
        (date(2026, 10, 25), time(2, 30), MADRID, "2026-10-25T00:30"),
        (date(2026, 10, 25), time(2, 30, fold=1), MADRID, "2026-10-25T00:30"),
        (date(2026, 10, 25), time(3, 0), MADRID, "2026-10-25T02:00"),
        (date(2026, 3, 29), time(1, 59), MADRID, "2026-03-29T00:59"),
        (date(2026, 3, 29), time(2, 30), MADRID, "2026-03-29T01:30"),
        (date(2026, 3, 29), time(3, 0), MADRID, "2026-03-29T01:00"),
        (date(2026, 11, 13), time(9), "Atlantic/Canary", "2026-11-13T09:00"),
    ],
)
def test_b52_a_day_and_a_time_are_one_instant_on_every_night(day, at, zone, utc):
    assert instant(day, at, zone) == datetime.fromisoformat(utc).replace(tzinfo=UTC)
    assert day_of(instant(day, at, zone), zone) == day


@pytest.mark.no_store
@pytest.mark.no_store
def test_a_day_ends_with_its_last_instant_also_when_it_has_25_hours():
    assert end_of(date(2026, 11, 18), MADRID) == datetime(2026, 11, 18, 22, 59, 59, 999_999, UTC)
    # In Nuuk the hour before midnight is lived twice on this night.
    assert end_of(date(2026, 10, 24), "America/Nuuk") == datetime(
        2026, 10, 25, 1, 59, 59, 999_999, UTC
    )
    assert day_of(end_of(date(2026, 10, 24), "America/Nuuk"), "America/Nuuk") == date(2026, 10, 24)
    assert end_of(date(9999, 12, 31), MADRID) == datetime(9999, 12, 31, 22, 59, 59, 999_999, UTC)


def test_b53_a_paid_invoice_is_not_reminded_of_even_when_the_payment_is_taken_back_later(desk):
    invoice = planned(desk, 5)
    until(desk, WHEN - timedelta(seconds=1))
    done = desk.done(cobrar(invoice))
    until(desk, WHEN)
    desk.sweep()
    assert desk.letters() == []
    assert "Ya no hacía falta, y no se ha hecho" in fate(desk)
    desk.undo(done)
    for _ in range(3):
        desk.clock.move(hours=1)
        desk.sweep()
    assert desk.letters() == []


def test_b53_a_payment_taken_back_in_time_leaves_the_reminder(desk):
    invoice = planned(desk, 5)
    desk.undo(desk.done(cobrar(invoice)))
    until(desk, WHEN)
    desk.sweep()
    assert len(desk.letters()) == 1


def test_b53_what_is_no_longer_as_it_was_shown_is_not_sent(desk):
    for change in (
        "UPDATE contacts SET email = NULL",
        "UPDATE contacts SET email = 'otra@nadie.example'",
        PAID.replace("total", "'1.00'"),
    ):
        with opened(desk.home / str(len(change))) as other:
            planned(other, 5)
            other.sql(change)
            until(other, WHEN)
            other.sweep()
            assert other.letters() == [], change
            assert "ya no es como se mostró" in fate(other)


@pytest.mark.parametrize("change", [PAID, "UPDATE contacts SET email = NULL"])
def test_b53_what_changes_while_the_letter_is_written_stops_it(desk, change):
    planned(desk, 5)
    until(desk, WHEN)
    with interrupt_at("prepare:after", lambda: desk.sql(change)):
        desk.sweep()
    assert desk.letters() == []
    assert waiting(desk) == []


def test_b53_two_workers_send_one(desk):
    planned(desk, 5)
    others = [desk.another() for _ in range(2)]
    until(desk, WHEN)
    with ThreadPoolExecutor(3) as pool:
        together = Barrier(3)

        def work(engine):
            together.wait()
            swept(engine)

        list(pool.map(work, [desk.engine, *others]))
    for other in others:
        other.sync.close()
    assert len(desk.letters()) == 1


def test_b53_a_reminder_too_late_is_not_sent_and_that_is_said(desk):
    planned(desk, 5)
    until(desk, datetime(2026, 11, 18, 23, 0, tzinfo=UTC))  # the day after in Madrid
    desk.sweep()
    assert desk.letters() == []
    assert "Ya había pasado el día, y no se ha hecho" in fate(desk)


def test_a_reminder_of_the_last_minute_is_sent(desk):
    planned(desk, 5)
    until(desk, datetime(2026, 11, 18, 22, 59, tzinfo=UTC))
    desk.sweep()
    assert len(desk.letters()) == 1


@pytest.mark.parametrize(
    ("night", "first", "last"),
    [
        (
            date(2026, 10, 25),
            datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
            datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
        ),
        (
            date(2026, 3, 29),
            datetime(2026, 3, 29, 1, 0, tzinfo=UTC),
            datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
        ),
    ],
)
def test_b52_a_reminder_at_half_past_two_leaves_once_on_both_nights(
    tmp_path, monkeypatch, night, first, last
):
    monkeypatch.setattr(recordatorio, "HOUR", time(2, 30))
    start = datetime.combine(night - timedelta(days=10), time(8), UTC)
    with opened(tmp_path, MovableClock(start)) as desk:
        due = (night + timedelta(days=1)).isoformat()
        desk.done(borrador(desk.maria, vencimiento=due), emitir("$1"), recordar("$1", 1))
        others = [desk.another(), desk.another()]
        until(desk, first - timedelta(microseconds=1))
        for engine in (desk.engine, *others):
            swept(engine)
        assert desk.letters() == []
        while desk.clock.now() < last + timedelta(hours=2):
            desk.clock.move(minutes=15)
            for engine in (desk.engine, *others):
                swept(engine)
            if desk.clock.now() <= last:
                others[1].sync.close()
                others[1] = desk.another()
        for engine in others:
            engine.sync.close()
        (letter,) = desk.letters()
        assert first <= letter["Date"].datetime <= last + timedelta(minutes=15)


def test_a_reminder_leaves_only_while_the_person_may_still_send(desk):
    planned(desk, 5)
    desk.sql("UPDATE people SET role = 'asesor' WHERE person = 'ana'")
    until(desk, WHEN)
    desk.sweep()
    assert desk.letters() == []
