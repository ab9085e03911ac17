"""Memory and SQLite are one store: the same programs leave the same rows and the same refusals."""

import hashlib
import re
from collections import Counter, defaultdict
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from things_app import in_memory, in_sqlite

from semel.errors import Conflict
from semel.storage.memory import store as memory
from semel.storage.memory.statements import STATEMENTS as FUNCTIONS
from semel.storage.sqlite.store import STATEMENTS as SQL
from semel.testing._contract.rows import (
    ASKING,
    EARLIER,
    ENDED,
    LATER,
    NOW,
    ORG,
    OTHER,
    PARAMS,
    RUNNING,
    SOON,
    call,
    everything,
)
from semel.testing.contract import StillClock

FIXED = 8_000
EXAMPLES = 40
TABLES = ("effects", "events", "keys", "confirmations", "attempts", "steps", "plans")
NAMES = sorted(PARAMS)
TIMES = (EARLIER, NOW, SOON, LATER)
# What tells rows apart comes from a small pool each time, so that statements meet and collide.
MEET = {
    "org": (ORG,) * 9 + (OTHER,),
    "plan": ("p_1", "p_1", "p_2", "p_2", "p_3", "p_4"),
    "old": ("p_1", "p_1", "p_2"),
    "position": (1, 1, 1, 2, 3, 4),
    "id": ("1", "1", "2"),
    "seq": (1, 2, 3),
    "epoch": (1, 1, 1, 0, 2),
    "key": ("0" * 64, "5" * 64),
    "token_hash": ("t" * 64, "u" * 64, "v" * 64),
    ("plans.insert", "plan"): ("p_1", "p_3", "p_4", "p_5", "p_6"),
    ("plans.insert", "conversation"): ("main", "p_2", "free", "free", "own"),
    ("plans.prove", "plan"): ("p_1", "p_2", "p_3", "p_3"),
    ("plans.start", "position"): (1, 2, 2, 3),
    ("steps.insert", "position"): (1, 2, 3, 4, 5, 6),
}
# Everything else is good as a rule, and else from here: other good values, and some bad ones.
STRAY = {
    "org": ("",),
    "plan": ("p_", "9", "p_404"),
    "position": (0, 10, 11),
    "epoch": (-1,),
    "seq": (0,),
    "key": ("5" * 63,),
    "token_hash": ("t" * 63,),
    "person": ("luis", ""),
    "message": ("m2", ""),
    "state": ("asking", "running", "ended", "waiting", "started", "done", "not_done", "in_doubt"),
    "reason": ("failed", "cancelled", "in_doubt", "expired", "stale", "refused", "because"),
    "risk": (-1, 0, 2, 3),
    "at": (-1, 0, 1, 2),
    "version": (1, 2, 3),
    "owner": ("host-3",),
    "digest": ("c" * 64, "d" * 63),
    "facts_digest": ("c" * 64, "d" * 65),
    "nonce": (bytes(24), bytes(23), "n" * 24),
    "question": ("undo",),
    "effect": ("local", "local", "keyed"),
    "result": ("[]",),
    "outcome": ("made", "refused", "failed", "unknown", "lost"),
    "kind": ("aviso",),
    "limit": (0, 1, 2, -1),
    "input": (b"{}",),
    "action_version": ("one",),
    **dict.fromkeys(("now", "resume_after", "expires_at", "ended_at", "opened_at"), TIMES),
    **dict.fromkeys(("returned_at", "deadline_at", "started_at"), TIMES),
}
SHAPES = {
    "plans.insert": (ASKING, ASKING, RUNNING, ENDED, {**ENDED, "reason": "in_doubt"}, {}),
    "steps.insert": (
        *({"state": "waiting"}, {"state": "waiting", "effect": "local"}, {"state": "started"}),
        *({"state": "in_doubt"}, {"state": "done", "result": "{}"}, {}),
    ),
}
FATES = ("kept", "kept", "kept", "rolled back", "raised")


class Stop(Exception):
    """Ends a part of a program."""


def operation(number):
    """The statement and the parameters that a number stands for."""
    digest = hashlib.sha256(number.to_bytes(8, "big")).digest()
    name, use, dice = NAMES[digest[0] % len(NAMES)], digest[1] % 3, iter(digest[3:] * 2)
    shapes = SHAPES.get(name, ({},))
    params = {**PARAMS[name], **shapes[digest[2] % len(shapes)]}
    for key in PARAMS[name]:
        luck = next(dice)
        pool = MEET.get((name, key), MEET.get(key))
        if luck < 2:
            params[key] = None
        elif luck < 16 and key in STRAY:
            stray = STRAY[key][luck % len(STRAY[key])]
            # SQLite takes a number for a text and turns it into one; memory refuses it.
            if not (isinstance(stray, int) and isinstance(PARAMS[name][key], str)):
                params[key] = stray
        elif pool:
            params[key] = pool[luck % len(pool)]
            if key == "id":  # a1, c1, f1: the first letter is the good one's
                params[key] = PARAMS[name][key][0] + params[key]
    return name, ("one", "all", "run")[use], params


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
        if name in ("confirmations.revoke", "steps.not_reached"):
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
    return plans, [
        tx.all(name, org=plan["org"], plan=plan["plan"]) for plan in plans for name in parts
    ]


INSERTS = {name for name in NAMES if name.endswith((".insert", ".append", ".open"))} - {
    "keys.insert"
}
REFUSING = {"keys.insert", "plans.requestion", "plans.stop", "steps.mark", "steps.reshow"}


def fixed_programs():
    """The numbers in their order, cut into transactions with savepoints in savepoints."""
    for start in range(0, FIXED, 40):
        numbers = list(range(start, start + 40))
        fates = [FATES[(start // 40 + turn) % len(FATES)] for turn in range(4)]
        inner = (numbers[20:26], fates[0])
        outer = ([*numbers[15:20], inner, *numbers[26:30]], fates[1])
        yield [([*numbers[:15], outer], fates[2]), (numbers[30:], fates[3])]


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
    for program in fixed_programs():
        player = compare(program)
        columns.update(player.columns)
        for name, counted in player.outcomes.items():
            outcomes[name].update(counted)
    assert sum(counted.total() for counted in outcomes.values()) >= 3_000
    assert sum(counted["refused"] for counted in outcomes.values()) >= 300
    for name in NAMES:
        assert set(outcomes[name]) >= possible(name), (name, outcomes[name])
    assert columns.keys() == set(NAMES) - INSERTS
    # Memory looks at the same parameters as SQL does.
    for name, sql in SQL.items():
        assert asked[name] == set(re.findall(r":([a-z_]+)", sql)), name


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
    if name in ("attempts.others_open", "plans.everywhere"):
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
    call(tx, "attempts.open", plan="p_2")
    call(tx, "attempts.open", plan="p_2", id="a2", position=2, outcome="unknown")
    call(tx, "steps.done", plan="p_2")
    call(tx, "plans.start", plan="p_2")
