"""What is told of a writing statement is what it leaves in the rows, and no statement is left out."""

import re
from functools import partial

from things_app import in_memory

from semel.runtime.retold import as_they_are, tell
from semel.runtime.written import INSERTS, QUESTION, REVOKE, TOLD, UNTOLD, UPDATES, told
from semel.storage.sqlite.store import STATEMENTS as SQL
from semel.testing._contract.apart import targets, twins
from semel.testing._contract.base import StillClock
from semel.testing._contract.refused import NEW
from semel.testing._contract.rows import PARAMS
from semel.testing._contract.world import call, everything

PLANS = ("p_1", "p_2", "p_3", "p_4", "p_5", "p_6", "p_8", "p_9", "p_11")
OF_PLAN = {
    "step": "steps", "attempt": "attempts", "question": "confirmations", "key": "keys",
    "effect": "effects",
}  # fmt: skip


def test_every_statement_that_writes_is_told_or_has_its_reason():
    writing = {
        name for name, sql in SQL.items()
        if re.search(r"^\s*(INSERT|UPDATE|DELETE)\b", sql, re.MULTILINE)
    }  # fmt: skip
    assert writing | {"keys.hold"} == TOLD | UNTOLD.keys()
    assert not TOLD & UNTOLD.keys()


def rows_of(tx):
    """Every row of every plan of the first organization, in the words of the events."""
    found = {}
    for plan in PLANS:
        several = {kind: call(tx, f"{noun}.of_plan", plan=plan) for kind, noun in OF_PLAN.items()}
        several["plan"] = call(tx, "plans.find", plan=plan)
        found |= {(plan, *name): cells for name, cells in as_they_are(several).items()}
    return found


def told_of(before, name, params, rows):
    """The rows as they are by what is told of a statement."""
    now = {place: dict(cells) for place, cells in before.items()}
    for row, cells in told(name, params, rows):
        plan = params["plan"]
        mine = {place[1:]: cells for place, cells in now.items() if place[0] == plan}
        if row[0] == "key" and row not in mine:
            # A key that moves was another plan's.
            moved = [place for place in now if place[1:] == row]
            for place in moved:
                mine[row] = now.pop(place)
        tell(mine, row, {column: value for column, value in cells.items() if column != "from"})
        now |= {(plan, *place): cells for place, cells in mine.items()}
    return now


def test_what_is_told_of_a_statement_is_what_it_leaves_in_the_rows(tmp_path):
    store = in_memory(StillClock())
    met = set()

    def work(tx, name, target):
        params = {**PARAMS[name], **target}
        with tx.savepoint() as part:
            before = rows_of(tx)
            rows = tx.all(name, **params)
            after = rows_of(tx)
            part.roll_back()
        if after == before and not rows:
            return
        met.add(name)
        # What is put is told when it is asked, and a question's row has defaults of its own.
        fresh = told_of(before, name, params, rows)
        for place in after:
            cells = {c: value for c, value in fresh.get(place, {}).items() if c in after[place]}
            assert cells == after[place], (name, place)
        assert fresh.keys() == after.keys(), name

    store.transact(twins)
    for name in [*INSERTS, *UPDATES, REVOKE, QUESTION]:
        for target in [NEW[name]] if name in NEW else targets(name):
            store.transact(partial(work, name=name, target=target))
    assert TOLD - met == set()


def test_nothing_is_told_of_a_statement_that_wrote_nothing(tmp_path):
    # Whoever calls looks at the rows that came back; what nobody looks at is told by its name alone.
    assert list(told("plans.find", PARAMS["plans.find"], [])) == []
    assert list(told(REVOKE, PARAMS[REVOKE], [])) == []
    store = in_memory(StillClock())
    store.transact(everything)
    assert store.read(rows_of)
