"""A batch of statements in one round trip: answered in order, refused as a whole, never out of step."""

import threading
import time

import psycopg
import pytest

import stores
from semel.errors import Conflict
from semel.machine import SystemClock
from semel.storage.postgres.binding import bound
from semel.storage.postgres.connection import connect
from semel.storage.postgres.numbered import ROWS_MAX, numbered, takes_rows
from semel.storage.postgres.statements import STATEMENTS
from semel.storage.postgres.talk import Session
from semel.storage.postgres.tx import PostgresTx
from semel.storage.postgres.wire import Wire

pytestmark = pytest.mark.only_on("postgres", "it is PostgreSQL's protocol")
ECHO = "SELECT %(text)s::text AS text"


@pytest.fixture
def session(tmp_path, store):
    del store
    found = connect(stores.url(tmp_path / "books.db", "talk"))
    yield found
    found.close()


def test_each_statement_has_its_answer_in_order(session):
    batch = [("BEGIN", None), *[(ECHO, {"text": str(n)}) for n in range(50)], ("COMMIT", None)]
    for _ in range(3):  # sent whole, prepared, and from what is prepared
        answers, error = session.talk(batch)
        assert error is None
        assert [answer.rows for answer in answers[1:-1]] == [[{"text": str(n)}] for n in range(50)]
        assert (answers[0].word, answers[-1].word) == (b"BEGIN", b"COMMIT")


def test_after_a_refused_statement_nothing_is_run_and_the_session_stays_in_step(session):
    for n in range(3):
        answers, error = session.talk(
            [("BEGIN", None), ("SELECT 1 / %(n)s AS x", {"n": 0}), (f"SELECT {n} AS unborn", None)]
        )
        assert (len(answers), type(error)) == (1, psycopg.errors.DivisionByZero)
        # What was never parsed is prepared when it is needed next.
        assert session.talk([("ROLLBACK", None)])[1] is None
        assert session.talk([(f"SELECT {n} AS unborn", None)])[0][0].rows == [{"unborn": n}]


def test_a_value_that_cannot_be_sent_leaves_nothing_half_sent(session):
    for _ in range(3):
        with pytest.raises(psycopg.DataError):
            session.talk([("BEGIN", None), (ECHO, {"text": "a"}), (ECHO, {"text": "a\0b"})])
        assert session.talk([(ECHO, {"text": "ñ"})])[0][0].rows == [{"text": "ñ"}]
    assert session.info.transaction_status is psycopg.pq.TransactionStatus.IDLE


def test_a_long_batch_with_long_values_goes_through(session):
    text = "ñ" * 200_000
    answers, error = session.talk([(ECHO, {"text": text})] * 20)
    assert error is None
    assert all(answer.rows == [{"text": text}] for answer in answers)


def test_others_run_while_one_waits_for_its_answer(session):
    waiting = threading.Thread(target=session.talk, args=([("SELECT pg_sleep(0.5)", None)],))
    waiting.start()
    turns, began = 0, time.thread_time()
    while waiting.is_alive():
        turns += 1
    # A thread that held the interpreter while it waits would leave this one a few turns at most.
    assert turns > 1000
    assert time.thread_time() > began


def test_a_session_that_is_ended_says_why(session, tmp_path):
    stores.rows(tmp_path / "books.db", f"SELECT pg_terminate_backend({session.info.backend_pid})")
    with pytest.raises(psycopg.OperationalError):
        while True:
            session.talk([(ECHO, {"text": "a"})])
    assert session.closed
    with pytest.raises(psycopg.OperationalError):
        session.talk([(ECHO, {"text": "a"})])


def test_without_preparing_it_is_the_same(session):
    session.keeps = False
    batch = [("BEGIN", None), (ECHO, {"text": "a"}), ("COMMIT", None)]
    for _ in range(2):
        answers, error = session.talk(batch)
        assert (error, answers[1].rows) == (None, [{"text": "a"}])
    assert session.talk([("SELECT count(*) AS n FROM pg_prepared_statements", None)])[0][
        0
    ].rows == [{"n": 0}]


def test_rows_of_one_table_go_in_together_and_in_their_order(session, monkeypatch):
    """As many as one statement takes; what comes between keeps its place."""
    sent = []
    talk = Session.talk

    def noted(session, batch, *more):
        sent.extend(len(rows) for _, rows in batch if isinstance(rows, list))
        return talk(session, batch, *more)

    monkeypatch.setattr(Session, "talk", noted)
    session.execute("CREATE TEMP TABLE many (n BIGINT, t TEXT, one BIGINT)")
    insert = "INSERT INTO many (n, t, one)\nVALUES (%(n)s, %(t)s, 1)"
    wire = Wire(session, SystemClock(), lent=False)
    wire.begin("BEGIN", 5000)
    for n in range(ROWS_MAX + 3):
        wire.later(insert, {"n": n, "t": None if n % 2 else f"({n})"})
    wire.later("UPDATE many SET one = 2 WHERE n = %(n)s", {"n": 1})
    wire.later(insert, {"n": 1, "t": "last"})
    (found,) = wire.ask(("SELECT n, t, one FROM many ORDER BY n, t", None))
    assert sent == [ROWS_MAX, 3, 1]
    assert [row["n"] for row in found.rows] == sorted([*range(ROWS_MAX + 3), 1])
    assert found.rows[:3] == [
        {"n": 0, "t": "(0)", "one": 1},
        {"n": 1, "t": "last", "one": 1},
        {"n": 1, "t": None, "one": 2},
    ]
    session.talk([("ROLLBACK", None)])


@pytest.mark.no_store
def test_what_does_more_than_insert_a_row_stands_alone():
    insert = "INSERT INTO many (n) VALUES (%(n)s)"
    assert takes_rows(insert)
    assert numbered(insert, insert, insert).sql == b"INSERT INTO many (n) VALUES ($1), ($2), ($3)"
    for more in (" ON CONFLICT DO NOTHING", " RETURNING n", ", (%(n)s)"):
        assert not takes_rows(f"{insert}{more}")
    assert not takes_rows("INSERT INTO many (n) SELECT %(n)s")
    taking = {name for name, sql in STATEMENTS.items() if takes_rows(sql)}
    assert {"steps.insert", "attempts.open", "events.append", "effects.insert"} <= taking


def test_rows_of_several_tables_go_in_as_one_statement_though_one_refers_to_another(session):
    session.execute("CREATE TEMP TABLE whole (id BIGINT PRIMARY KEY, t TEXT)")
    session.execute("CREATE TEMP TABLE part (whole BIGINT REFERENCES whole, n BIGINT, share TEXT)")
    whole = "INSERT INTO whole (id, t) VALUES (%(id)s, %(t)s || '%%')"
    part = "INSERT INTO part (whole, n, share) VALUES (%(id)s, %(n)s, %(id)s::bigint * 100 || '%%')"
    joined = "SELECT whole, n, share, t FROM part JOIN whole ON id = whole"
    both = numbered(part, part, whole)
    assert both.names == ("id", "n", "id", "n", "id", "t")
    for id in range(1, 4):  # sent whole, prepared, and from what is prepared
        wire = Wire(session, SystemClock(), lent=False)
        wire.begin("BEGIN", 5000)
        for n in (1, 2):
            wire.later(part, {"id": id, "n": n})
        wire.later(whole, {"id": id, "t": "a"})
        (found,) = wire.ask((f"{joined} ORDER BY whole, n", None))
        wire.commit()
        assert found.rows[-2:] == [
            {"whole": id, "n": n, "share": f"{id}00%", "t": "a%"} for n in (1, 2)
        ]


def test_of_rows_that_go_in_together_none_stays_when_one_is_refused(session):
    session.execute("CREATE TEMP TABLE whole (id BIGINT PRIMARY KEY)")
    session.execute("CREATE TEMP TABLE part (whole BIGINT REFERENCES whole)")
    for id, of, refused in ((1, 2, True), (1, 1, False), (1, 1, True)):
        wire = Wire(session, SystemClock(), lent=False)
        wire.begin("BEGIN", 5000)
        wire.later("INSERT INTO whole (id) VALUES (%(id)s)", {"id": id})
        wire.later("INSERT INTO part (whole) VALUES (%(of)s)", {"of": of})
        if not refused:
            wire.commit()
            continue
        with pytest.raises(Conflict, match="refused the row"):
            wire.ask(("SELECT 1 AS after", None))
        # It was sent on trust, so nothing can go on from it.
        with pytest.raises(Conflict):
            wire.check()
        session.talk([("ROLLBACK", None)])
    counts = "SELECT (SELECT count(*) FROM whole) AS wholes, (SELECT count(*) FROM part) AS parts"
    assert session.execute(counts).fetchone() == {"wholes": 1, "parts": 1}


def test_a_savepoint_right_inside_another_is_the_same_place_and_is_said_once(session, monkeypatch):
    said = []
    talk = Session.talk

    def noted(session, batch, *more):
        said.extend(text for text, _ in batch if "SAVEPOINT" in text)
        return talk(session, batch, *more)

    monkeypatch.setattr(Session, "talk", noted)
    session.execute("CREATE TEMP TABLE many (n BIGINT)")
    statements = bound(
        {"add": "INSERT INTO many (n) VALUES (:n) RETURNING n", "all": "SELECT n FROM many"}
    )
    wire = Wire(session, SystemClock(), lent=False)
    wire.begin("BEGIN", 5000)
    tx = PostgresTx(wire, statements, {})
    tx.one("add", n=0)
    with tx.savepoint() as outer:
        with tx.savepoint() as inner:
            tx.one("add", n=1)
            inner.roll_back()
        assert tx.all("all") == [{"n": 0}]
        with tx.savepoint(), tx.savepoint():
            tx.one("add", n=2)
        with pytest.raises(ValueError, match="taken back"), tx.savepoint():
            tx.one("add", n=3)
            raise ValueError("taken back")
        assert tx.all("all") == [{"n": 0}, {"n": 2}]
        outer.roll_back()
    with tx.savepoint(), tx.savepoint() as inner:
        inner.roll_back()
    assert tx.all("all") == [{"n": 0}]
    assert said == [
        *("SAVEPOINT semel_1", "ROLLBACK TO SAVEPOINT semel_1"),
        *("SAVEPOINT semel_2", "SAVEPOINT semel_2", "ROLLBACK TO SAVEPOINT semel_2"),
        "ROLLBACK TO SAVEPOINT semel_1",
    ]
    session.talk([("ROLLBACK", None)])


def test_what_nobody_reads_is_not_read(session):
    batch = [(ECHO, {"text": "a"}), (ECHO, {"text": "b"}), ("SELECT 1 / 0 AS n", None)]
    answers, error = session.talk(batch, 1)
    assert ([answer.rows for answer in answers], error.sqlstate) == ([[], [{"text": "b"}]], "22012")
