"""A batch of statements in one round trip: answered in order, refused as a whole, never out of step."""

import threading
import time

import psycopg
import pytest

import stores
from semel.storage.postgres.connection import connect

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
