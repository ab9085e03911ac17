"""Expenses that are deleted: kept, brought back, and asked about by how many they are."""

from dataclasses import replace
from decimal import Decimal

import pytest
from facturas_desk import gasto, says
from facturas_world import NOW, ORG, TODAY

from semel import CONFIRM, SAFE, TYPED, Report
from semel.errors import NotDone
from semel.facts import Count, Money, Text
from semel_facturas.books.expenses import (
    create_expense,
    delete_expense,
    expense,
    restore_expense,
)


def test_a_deleted_expense_is_found_only_by_whoever_looks_for_it(world):
    with world.books() as tx:
        made = create_expense(
            tx, ORG, "g-1", concepto="Adobe", base=Decimal("59.99"), iva=Decimal(21), fecha=TODAY, now=NOW
        )  # fmt: skip
        gone = delete_expense(tx, made, NOW)
        assert (gone.deleted, gone.version) == (True, 2)
        assert expense(tx, ORG, "g-1") is None
        assert expense(tx, ORG, "g-1", deleted=True) == gone
        assert expense(tx, "otra-demo", "g-1", deleted=True) is None
        for stale in (
            lambda: delete_expense(tx, made, NOW),
            lambda: delete_expense(tx, gone, NOW),
            lambda: restore_expense(tx, made),
        ):
            with pytest.raises(NotDone, match="changed after it was read"):
                stale()
        back = restore_expense(tx, gone)
        assert expense(tx, ORG, "g-1") == back == replace(made, version=3)
        for stale in (lambda: restore_expense(tx, back), lambda: delete_expense(tx, made, NOW)):
            with pytest.raises(NotDone):
                stale()
        assert expense(tx, ORG, "g-1") == back


def borrar(*gastos):
    return "gasto.borrar", {"gastos": list(gastos)}


def noted(desk, how_many):
    return [desk.made(desk.done(gasto(str(n), f"Gasto {n}"))) for n in range(1, how_many + 1)]


def left(desk):
    return desk.sql("SELECT concepto FROM expenses WHERE deleted_at IS NULL ORDER BY concepto")


def test_a_noted_expense_is_taken_back_and_kept(desk):
    done = desk.done(gasto())
    desk.undo(done)
    assert left(desk) == []
    assert desk.sql("SELECT concepto, version FROM expenses") == [("Adobe", 2)]


def test_one_is_deleted_at_once_and_comes_back(desk):
    one, other = noted(desk, 2)
    done = desk.done(borrar(one))
    assert done.view.risk is SAFE
    assert "Gastos borrados (1), 1,21 € en total: Gasto 1 1,21 €" in says(done)
    assert left(desk) == [("Gasto 2",)]
    desk.undo(done)
    assert left(desk) == [("Gasto 1",), ("Gasto 2",)]
    # It is the same expense as before, and may be deleted again.
    desk.done(borrar(one))
    assert left(desk) == [("Gasto 2",)]
    assert desk.refused(borrar(one)) == [f"gasto {one}"]
    assert desk.refused(borrar(other, other)) == ["Hay un gasto repetido en la lista."]


def test_two_are_confirmed_and_three_are_typed_out(desk):
    ids = noted(desk, 5)
    ask = desk.asked(borrar(*ids[:2]))
    assert ask.view.risk is CONFIRM
    done = desk.yes(ask)
    assert isinstance(done, Report)
    assert done.undo_token is None
    ask = desk.asked(borrar(*ids[2:]))
    assert ask.view.risk is TYPED
    assert not isinstance(desk.yes(ask, "2"), Report)
    assert len(left(desk)) == 3
    assert isinstance(desk.yes(ask, "3"), Report)
    assert left(desk) == []


def test_the_first_ten_are_listed_and_the_rest_is_counted(desk):
    assert desk.refused(borrar())
    assert "at most 50 items" in desk.refused(borrar(*["x"] * 51))[0]
    ids = noted(desk, 12)
    facts = desk.asked(borrar(*ids)).view.steps[0].facts
    listed = ", ".join(f"Gasto {n} {n},{21 * n:02} €" for n in range(1, 5))
    assert facts["lista"].text.startswith(listed)
    assert facts["lista"].text.endswith("Gasto 10 12,10 €, … +2")
    assert facts["cuantos"] == Count(12)
    assert facts["total"] == Money(Decimal("94.38"))
    facts = desk.asked(borrar(*ids[:10])).view.steps[0].facts
    assert facts["lista"] == Text(facts["lista"].text.removesuffix(", … +2"))


def test_an_expense_that_changed_since_does_not_come_back(desk):
    (one,) = noted(desk, 1)
    done = desk.done(borrar(one))
    desk.sql("UPDATE expenses SET version = version + 1")
    desk.undo(done)
    assert left(desk) == []
