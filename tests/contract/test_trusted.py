"""A row that is trusted to go in costs no round trip, and its handler never sees the difference."""

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from things_app import in_memory, in_postgres

import counts
import stores
from semel.errors import Bug, Conflict
from semel.storage.postgres.numbered import ROWS_MAX
from semel.storage.postgres.talk import Session
from semel.testing.contract import StillClock

pytestmark = pytest.mark.only_on("postgres", "only a server is a round trip away")
LEFT_OUT = """
    CREATE FUNCTION left_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER left_out BEFORE INSERT ON things FOR EACH ROW
        WHEN (new.id LIKE 'no%') EXECUTE FUNCTION left_out();
"""
RULE = "CREATE RULE aside AS ON INSERT TO things DO INSTEAD NOTHING"
LATER = "ALTER TABLE things ADD CONSTRAINT one_value UNIQUE (value) DEFERRABLE INITIALLY DEFERRED"
PROGRAMS = {"smoke": 60, "quick": 200, "full": 2_000}


class Mine(Exception):
    """What a handler makes of a refusal, or of nothing."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "books.db"


@pytest.fixture
def store(path, store):
    """A store with its tables; *store* is the name of its kind."""
    del store
    found = in_postgres(stores.url(path, "things"), StillClock())
    found.migrate()
    yield found
    found.close()


@pytest.fixture
def batches(monkeypatch):
    """How many statements went over the line together, each time."""
    talk, sent = Session.talk, []

    def noted(session, batch, *more):
        sent.append(len(batch))
        return talk(session, batch, *more)

    monkeypatch.setattr(Session, "talk", noted)
    return sent


def put(tx, id, value=None):
    return tx.app.run("things.put", id=id, value=value)


def raised(store, work):
    """What a transaction ends with, when it ends badly."""
    try:
        store.transact(work)
    except Exception as no:
        return no
    return None


def is_refused(error):
    """Whether it says that the row is there already."""
    return isinstance(error, Conflict) and "unique" in str(error)


def things(store):
    return store.read(lambda tx: tx.app.one("things.count"))["n"]


def test_rows_go_in_with_the_commit(store, batches):
    assert store.transact(lambda tx: [put(tx, id) for id in "abcde"]) == [1] * 5
    assert batches == [8]  # what begins, five rows, and the COMMIT
    assert things(store) == 5


def test_a_part_that_is_kept_before_anything_was_asked_is_none(store, batches):
    def work(tx):
        with tx.savepoint():
            for id in "abc":
                with tx.savepoint():
                    put(tx, id)

    store.transact(work)
    assert batches == [6]  # what begins, three rows, and the COMMIT
    assert things(store) == 3


def test_only_so_many_wait(store, batches):
    many = 3 * ROWS_MAX
    assert store.transact(lambda tx: sum(put(tx, f"{n}") for n in range(many))) == many
    assert max(batches) <= ROWS_MAX + 1
    assert len(batches) <= 5
    assert things(store) == many


def test_what_is_asked_finds_what_was_put(store, batches):
    def work(tx):
        put(tx, "a", "x")
        return tx.app.one("things.get", id="a")

    assert store.transact(work) == {"id": "a", "value": "x"}
    assert len(batches) == 2


def test_a_handler_hears_of_a_row_that_is_left_out(store, path):
    stores.rows(path, LEFT_OUT)
    runs = []

    def work(tx):
        runs.append([put(tx, "yes"), put(tx, "no")])
        return runs[-1]

    assert store.transact(work) == [1, 0]
    assert runs == [[1, 1], [1, 0]]
    assert things(store) == 1


def test_a_table_whose_rows_go_elsewhere_is_written_as_ever(store, path):
    stores.rows(path, RULE)
    assert store.transact(lambda tx: [put(tx, "a"), put(tx, "b")]) == [0, 0]


def test_a_handler_hears_of_a_refusal_where_it_happened(store):
    def work(tx):
        try:
            put(tx, "a")
            put(tx, "a")
        except Conflict:
            raise Mine("It is taken.") from None
        put(tx, "b")

    assert repr(raised(store, work)) == "Mine('It is taken.')"
    assert things(store) == 0


@pytest.mark.parametrize("error", [KeyError, Mine, Conflict])
def test_an_error_that_only_came_of_going_on_does_not_count(store, error):
    def work(tx):
        put(tx, "a")
        put(tx, "a")
        raise error("after it")

    assert is_refused(raised(store, work))
    assert things(store) == 0


def test_an_error_of_its_own_counts_where_nothing_was_refused(store):
    def work(tx):
        put(tx, "a")
        raise Mine

    assert isinstance(raised(store, work), Mine)
    assert things(store) == 0


def test_a_refusal_is_heard_of_though_a_handler_wraps_it(store):
    def work(tx):
        put(tx, "a")
        put(tx, "a")
        try:
            tx.app.one("things.count")
        except Exception as no:
            raise Mine from no

    assert is_refused(raised(store, work))


def test_what_is_taken_back_was_tried(store):
    def work(tx):
        put(tx, "a")
        with tx.savepoint() as part:
            put(tx, "a")
            part.roll_back()

    assert is_refused(raised(store, work))
    assert things(store) == 0


def test_what_is_refused_of_what_was_asked_is_no_reason_to_run_again(store):
    runs = []

    def work(tx):
        runs.append(put(tx, "a"))
        tx.app.one("things.put", id="a", value=None)

    assert is_refused(raised(store, work))
    assert runs == [1]


def test_what_the_commit_refuses_is_refused(store, path):
    stores.rows(path, LATER)
    assert is_refused(raised(store, lambda tx: [put(tx, id, "same") for id in "ab"]))
    assert things(store) == 0


def test_nothing_is_trusted_where_nothing_may_be_written(store):
    try:
        answer = store.read(lambda tx: put(tx, "a"))
    except Bug as no:
        answer = str(no)
    assert answer == "A statement that writes was run in a read."


IDS = st.sampled_from(["a", "b", "no", "c"])
OPERATION = st.tuples(
    st.sampled_from(["put", "put", "put", "ask", "get", "count"]), IDS, st.booleans()
)
FATE = st.sampled_from(["kept", "kept", "rolled back", "raised"])
PART = st.recursive(
    OPERATION,
    lambda inner: st.tuples(st.just("part"), st.lists(inner, max_size=4), FATE),
    max_leaves=8,
)
PROGRAM = st.lists(st.tuples(st.lists(PART, max_size=6), FATE), min_size=1, max_size=3)


def asked(tx, kind, id):
    """What is answered at once: a row too, when it is asked whether it gives any."""
    if kind == "ask":
        return tx.app.one("things.put", id=id, value=None)
    return tx.app.one(f"things.{kind}", id=id)


def play(tx, nodes, trace):
    """Play a part of a program; what came back is in *trace*."""
    for kind, what, how in nodes:
        if kind == "part":
            with suppress(Mine), tx.savepoint() as part:
                play(tx, what, trace)
                if how == "rolled back":
                    part.roll_back()
                if how == "raised":
                    raise Mine
            continue
        try:
            answer = put(tx, what) if kind == "put" else asked(tx, kind, what)
        except Conflict:
            if not how:
                raise
            # A handler that goes on after a refusal is stopped by the next thing that it does.
            answer = "refused"
        trace.append((kind, what, answer))


def played(store, program):
    """Each transaction's trace, its end, and what is there at last."""
    found = []
    for nodes, fate in program:
        trace = []

        def work(tx, nodes=nodes, fate=fate, trace=trace):
            trace.clear()
            play(tx, nodes, trace)
            if fate != "kept":
                raise Mine
            return "kept"

        try:
            end = store.transact(work)
        except (Conflict, Mine) as no:
            end = "refused" if isinstance(no, Conflict) else "raised"
        found.append((list(trace), end))
    ids = ["a", "b", "no", "c"]
    return found, store.read(lambda tx: [tx.app.one("things.get", id=id) for id in ids])


def test_whatever_a_handler_does_it_sees_what_it_would_without_trust(store, path):
    @settings(
        max_examples=PROGRAMS[counts.level()],
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(PROGRAM)
    def equal(program):
        stores.rows(path, "DELETE FROM things")
        memory = in_memory(StillClock())
        memory.migrate()
        assert played(store, program) == played(memory, program)

    equal()
