"""The models, the table of transitions and the source name the same things, in every direction."""

import importlib
import re
from functools import cache, reduce
from pathlib import Path

import pytest
from histories import TRANSITIONS, History, read
from written_kinds import Source, Unreadable

ROOT = Path(__file__).parents[2]
MODELS = sorted((ROOT / "spec").glob("*.pml"))
LABEL = re.compile(r"/\*(?:(?!\*/).)*?-> ([a-z_]+(?:, [a-z_]+)*)", re.DOTALL)
"""A comment that names transitions: ``/* -> start */``."""
TABLES = ("plans", "steps", "attempts", "confirmations")
"""What the models are about: the rows that say who may do what, and what was done."""
WRITES = re.compile(rf"\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+semel_(?:{'|'.join(TABLES)})\b")
STATEMENT = re.compile(r"^-- (\w+) --$", re.MULTILINE)

MODELLED = {name for name, one in TRANSITIONS.items() if one.why is None}


@cache
def source() -> Source:
    """The source, read once: parsing it takes most of a second."""
    return Source()


def labels() -> dict[str, set[str]]:
    """The transitions that each model names."""
    return {
        path.name: {
            name
            for found in LABEL.findall(path.read_text(encoding="utf-8"))
            for name in found.split(", ")
        }
        for path in MODELS
    }


def statements(dialect: str) -> dict[str, str]:
    """The named statements of a dialect, without their comments."""
    found = {}
    for path in sorted((ROOT / "src/semel/storage" / dialect).glob("*.sql")):
        _, *parts = STATEMENT.split(path.read_text(encoding="utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            found[f"{path.stem}.{name}"] = re.sub(r"--.*", "", text)
    return found


def test_the_models_name_every_transition_and_no_other():
    named = {name for names in labels().values() for name in names}
    assert named - MODELLED == set()
    assert MODELLED - named == set()


def test_every_model_names_what_it_models():
    assert {name: len(names) > 0 for name, names in labels().items()} == {
        path.name: True for path in MODELS
    }
    assert len(MODELS) >= 10


@pytest.mark.parametrize("name", sorted(TRANSITIONS))
def test_what_implements_a_transition_is_there(name):
    for place in TRANSITIONS[name].functions:
        module, _, path = place.partition(":")
        assert callable(reduce(getattr, path.split("."), importlib.import_module(module))), place
    for dialect in ("sqlite", "postgres"):
        assert {*TRANSITIONS[name].statements} - {*statements(dialect)} == set()
    assert {*TRANSITIONS[name].statements} - source().statements() == set()


def test_a_transition_is_implemented_by_something():
    assert [name for name, one in TRANSITIONS.items() if not one.functions] == []
    # What records an event changes a row with it; these four only tell.
    tell = {name for name, one in TRANSITIONS.items() if not one.statements}
    assert tell == {"contradict", "note", "reject", "tampered"}


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_every_statement_that_writes_a_plan_belongs_to_a_transition(dialect):
    writing = {name for name, text in statements(dialect).items() if WRITES.search(text)}
    named = {statement for one in TRANSITIONS.values() for statement in one.statements}
    assert writing - named == set()
    assert len(writing) >= 30


def test_every_kind_of_event_that_is_written_is_in_the_table_and_no_other():
    kinds = source().kinds()
    named = {one.event for one in TRANSITIONS.values() if one.event is not None}
    assert kinds == named
    assert {kind for one in TRANSITIONS.values() for kind in one.after} <= kinds
    assert {one.then for one in TRANSITIONS.values() if one.then is not None} <= kinds


def test_what_is_not_modelled_says_why():
    for one in TRANSITIONS.values():
        assert one.why is None or (one.why.endswith(".") and len(one.why) > 10)


def test_the_table_speaks_of_states_and_needs_that_exist():
    plan = {"none", "asking", "running", "ended"}
    step = {"waiting", "started", "done", "not_done", "in_doubt"}
    for one in TRANSITIONS.values():
        assert one.plan <= plan, one.name
        assert one.step <= step, one.name
        assert {one.plan_to or "none"} <= plan, one.name
        assert {one.step_to or "done"} <= step, one.name
        assert [need for need in one.needs if not hasattr(History, f"_{need}")] == []
        # Without an event nothing of a history can be held against it.
        assert one.event is not None or not (one.plan or one.step or one.needs), one.name


def test_a_word_that_the_table_does_not_know_is_refused():
    with pytest.raises(ValueError, match="evnt is no part of a transition"):
        read('[start]\ndoes = "x"\nevnt = "y"\nfunctions = []\nstatements = []\n')


def test_a_kind_is_read_through_parameters_constants_and_reasons():
    texts = {
        "one": "TAKEN = 'taken'\ndef a(tx):\n    record.event(tx, 1, 2, TAKEN)\n",
        "two": "def b(tx, kind):\n    event(tx, 1, 2, kind, 3)\n"
        "def c(tx, reason):\n    b(tx, str(reason))\n"
        "def d(tx):\n    c(tx, PlanReason.EXPIRED)\n    work(lambda tx: b(tx, kind='named'))\n",
    }
    texts["three"] = (
        "def e(tx):\n    place, n = (1, 2, 'placed', 3), 4\n    event(tx, *place, n=n)\n"
    )
    assert Source(texts).kinds() == {"taken", "expired", "named", "placed"}
    with pytest.raises(Unreadable, match=r"what is tx\.kind"):
        Source({"one": "def a(tx):\n    event(tx, 1, 2, tx.kind)\n"}).kinds()
