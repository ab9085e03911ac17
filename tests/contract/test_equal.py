"""Memory and SQLite are one store: the same programs leave the same rows and the same refusals."""

import re
from collections import Counter, defaultdict
from functools import partial
from itertools import count

import pytest
from calls import MEET, NAMES, operation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from things_app import in_memory, in_sqlite

from semel.errors import Conflict
from semel.storage.memory import store as memory
from semel.storage.memory.statements import STATEMENTS as FUNCTIONS
from semel.storage.sqlite.store import STATEMENTS as SQL
from semel.testing._contract.rows import ORG, OTHER, PARAMS
from semel.testing._contract.world import call, everything
from semel.testing.contract import StillClock

CALLS = MEET["calls.insert", "key"]
FIXED = 8_000
EXAMPLES = 40
TABLES = ("calls", "effects", "events", "keys", "confirmations", "attempts", "steps", "plans")
TABLES += ("database", "gone")
ALWAYS = ("keys.hold", "database.find", "database.fenced", "gone.latest")
FATES = ("kept", "kept", "kept", "rolled back", "raised")


class Stop(Exception):
    """Ends a part of a program."""


class Player:
    """Plays a program on one store and keeps what came back."""

    def __init__(self, store) -> None:
        self.store = store
        self.trace = []
        self.columns = {}
        self.outcomes = defaultdict(Counter)

    def play(self, program):
        for nodes, fate in program:
            try:
                self.store.transact(partial(self.part, nodes=nodes, fate=fate))
                self.trace.append("committed")
            except Conflict:
                self.trace.append("refused at the end")
            except Stop:
                self.trace.append("stopped")
            self.trace.append(self.store.read(world))

    def part(self, tx, nodes, fate):
        for node in nodes:
            if isinstance(node, int):
                self.operation(tx, *operation(node))
                continue
            inner, end = node
            try:
                with tx.savepoint() as part:
                    self.part(tx, inner, end)
                    if end == "rolled back":
                        part.roll_back()
            except Stop:
                self.trace.append("stopped inside")
        if fate == "raised":
            raise Stop

    def operation(self, tx, name, use, params):
        try:
            answer = getattr(tx, use)(name, **params)
        except Conflict:
            self.trace.append((name, "refused"))
            self.outcomes[name]["refused"] += 1
            return
        rows = answer if isinstance(answer, list) else [answer] if use == "one" and answer else []
        shown = [list(row.items()) for row in rows]
        if rows:
            self.columns[name] = list(rows[0])
        if name in ("confirmations.revoke", "steps.not_reached", "steps.reset"):
            # The order in which RETURNING gives several rows is nobody's promise.
            shown = sorted(shown) if use == "all" else len(shown)
        self.trace.append((name, shown))
        if use == "run":
            self.trace.append(answer)
        # Only run() tells an INSERT that gives no row from one that did nothing.
        happened = answer if use == "run" else rows or name in INSERTS
        self.outcomes[name]["some" if happened else "none"] += 1


def world(tx):
    """Everything that can be seen of the two organizations."""
    plans = [
        row
        for org in (ORG, OTHER)
        for row in tx.all("plans.listed", org=org, person=None, limit=-1)
    ]
    parts = [name for name in NAMES if name.endswith(".of_plan")]
    calls = [tx.one("calls.find", org=org, key=key) for org in (ORG, OTHER) for key in CALLS]
    return (
        plans,
        calls,
        [tx.all(name, org=plan["org"], plan=plan["plan"]) for plan in plans for name in parts],
    )


INSERTS = {name for name in NAMES if name.endswith((".insert", ".append", ".open"))} - {
    "keys.insert",
    "gone.insert",
}
REFUSING = {
    *("keys.insert", "plans.requestion", "plans.stop", "plans.retry", "steps.mark"),
    *("steps.reshow", "steps.reset", "steps.remark", "steps.answered"),
}


def fixed_programs():
    """The numbers in their order, cut into transactions with savepoints in savepoints."""
    for start in range(0, FIXED, 40):
        numbers = list(range(start, start + 40))
        fates = [FATES[(start // 40 + turn) % len(FATES)] for turn in range(4)]
        inner = (numbers[20:26], fates[0])
        outer = ([*numbers[15:20], inner, *numbers[26:30]], fates[1])
        yield [([*numbers[:15], outer], fates[2]), (numbers[30:], fates[3])]
    # Only a key whose plan never comes is seen by an audit, and only before its transaction ends.
    lonely = first("keys.insert", "all", plan="p_404", key="5" * 64, org=ORG, layer="act")
    yield [([lonely, first("plans.lost", "all")], "kept")]


def first(name, use, **wanted):
    """The first number that stands for a call of this kind."""
    return next(n for n in count() if matches(operation(n), name, use, wanted))


def matches(call, name, use, wanted):
    return call[:2] == (name, use) and wanted.items() <= call[2].items()


def drawn_programs():
    numbers = st.integers(0, 2**63 - 1)
    inner = st.tuples(st.lists(numbers, min_size=1, max_size=6), st.sampled_from(FATES))
    outer = st.tuples(st.lists(numbers | inner, min_size=1, max_size=6), st.sampled_from(FATES))
    nodes = st.lists(numbers | numbers | outer, min_size=6, max_size=30)
    return st.lists(st.tuples(nodes, st.sampled_from(FATES)), min_size=1, max_size=4)


@pytest.fixture
def compare(tmp_path):
    """Play a program on both stores from the same beginning; what its statements came to."""
    sqlite = in_sqlite(tmp_path / "books.db", StillClock())
    sqlite.migrate()
    # Nothing here has to survive a power cut.
    sqlite._connection.execute("PRAGMA synchronous = OFF")

    def both(program):
        for table in TABLES:
            sqlite._connection.execute(f"DELETE FROM semel_{table}")
        players = [Player(sqlite), Player(in_memory(StillClock()))]
        for player in players:
            player.store.transact(prologue)
            player.play(program)
        one, two = players
        assert one.trace == two.trace
        assert one.columns == two.columns
        return one

    yield both
    sqlite.close()


def test_both_stores_have_the_same_statements_and_the_contract_has_them_all():
    assert set(FUNCTIONS) == set(SQL) == set(PARAMS)


def test_the_contract_gives_each_statement_all_its_parameters():
    for name, sql in SQL.items():
        assert set(re.findall(r":([a-z_]+)", sql)) == PARAMS[name].keys(), name


def test_the_same_programs_have_the_same_answers(compare, monkeypatch):
    asked = defaultdict(set)
    watched = {name: watch(function, asked[name]) for name, function in FUNCTIONS.items()}
    monkeypatch.setattr(memory, "STATEMENTS", watched)
    outcomes = defaultdict(Counter)
    columns = {}
    late = 0
    for program in fixed_programs():
        player = compare(program)
        late += player.trace.count("refused at the end")
        columns.update(player.columns)
        for name, counted in player.outcomes.items():
            outcomes[name].update(counted)
    assert sum(counted.total() for counted in outcomes.values()) >= 3_000
    assert sum(counted["refused"] for counted in outcomes.values()) >= 300
    assert late >= 10  # a key or an undo whose plan never came
    for name in NAMES:
        assert set(outcomes[name]) >= possible(name), (name, outcomes[name])
    assert columns.keys() == set(NAMES) - INSERTS
    # Memory looks at the same parameters as SQL does.
    for name, sql in SQL.items():
        assert asked[name] == set(re.findall(r":([a-z_]+)", sql)), name


def test_a_row_may_point_at_itself_in_both(tmp_path):
    itself = {"plan": "p_9", "conversation": "free", "kind": "undo", "parent": "p_9"}
    for store in (in_memory(StillClock()), in_sqlite(tmp_path / "books.db", StillClock())):
        store.migrate()
        store.transact(lambda tx: call(tx, "plans.insert", **itself))
        assert store.read(lambda tx: call(tx, "plans.find", plan="p_9"))[0]["parent"] == "p_9"
        store.close()


def test_programs_that_nobody_thought_of_have_the_same_answers(compare):
    @settings(
        derandomize=True,
        deadline=None,
        database=None,
        max_examples=EXAMPLES,
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn_programs())
    def play(program):
        compare(program)

    play()


def watch(function, asked):
    """The same statement, which notes the parameters that it asks for."""

    class Watched(dict):
        def __getitem__(self, name) -> object:
            asked.add(name)
            return super().__getitem__(name)

    return lambda tables, params: function(tables, Watched(params))


def possible(name):
    """What a statement may come to, all of which must have occurred."""
    if name in INSERTS:
        return {"some", "refused"}
    if name in ALWAYS:
        return {"some"}
    return {"some", "none"} | ({"refused"} if name in REFUSING else set())


def prologue(tx):
    """Something in every state, so that each statement may find what it is for."""
    everything(tx)
    for plan, position, state in (
        *(("p_2", 3, "waiting"), ("p_2", 4, "in_doubt")),
        *(("p_3", 2, "started"), ("p_3", 3, "waiting"), ("p_3", 4, "in_doubt")),
    ):
        call(tx, "steps.insert", plan=plan, position=position, state=state)
    call(tx, "events.append", plan="p_6", kind="rejected")
    call(tx, "confirmations.insert", plan="p_6", id="c9", token_hash="9" * 64)
    call(tx, "confirmations.take", plan="p_6", id="c9")
    call(tx, "attempts.open", plan="p_2")
    call(tx, "attempts.open", plan="p_2", id="a2", position=2, outcome="unknown")
    call(tx, "steps.done", plan="p_2")
    call(tx, "plans.start", plan="p_2")
