"""Many people at once: what would have been asked one after the other is asked, or not done."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier

from facturas_desk import Desk, Step, borrador, cobrar, emitir, gasto

from semel import Ask, Outcome, Report, Who


def at_once(desk: Desk, steps: Callable[[int], list[Step]], count: int) -> list[Outcome]:
    """What as many plans are answered with, each in a conversation of its own, all at once."""
    together = Barrier(count)

    def one(position: int) -> Outcome:
        who = Who("carmona-demo", "ana", f"c-{position}", "es")
        together.wait()
        return desk.act(*steps(position), who=who)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def kinds(outcomes: list[Outcome]) -> Counter[str]:
    for outcome in outcomes:
        if isinstance(outcome, Report):
            assert outcome.view.reason == "finished", outcome.for_model("es")
    return Counter(type(outcome).__name__ for outcome in outcomes)


def cents(desk: Desk) -> list[str]:
    return [amount for (amount,) in desk.sql("SELECT importe FROM payments ORDER BY importe")]


def test_twenty_payments_at_once_never_come_to_more_than_the_invoice(desk):
    """Of 605 €, 20 are paid at once in parts of 100: six are recorded, the others are asked about."""
    invoice = desk.issued()
    parts = [Decimal(100) + Decimal(position) / 100 for position in range(20)]
    got = kinds(at_once(desk, lambda at: [cobrar(invoice, importe=str(parts[at]))], 20))
    assert got == {"Report": 6, "Ask": 14}
    assert len(cents(desk)) == 6
    assert sum(map(Decimal, cents(desk))) <= Decimal("605.00")


def test_all_that_is_outstanding_is_paid_once_however_often_it_is_said_at_once(desk):
    invoice = desk.issued()
    got = kinds(at_once(desk, lambda _: [cobrar(invoice)], 10))
    assert got == {"Report": 1, "Invalid": 9}
    assert cents(desk) == ["605.00"]


def test_ten_equal_drafts_at_once_are_one_and_nine_questions(desk):
    maria = desk.maria
    outcomes = at_once(desk, lambda _: [borrador(maria)], 10)
    assert kinds(outcomes) == {"Report": 1, "Ask": 9}
    assert desk.sql("SELECT count(*) FROM invoices") == [(1,)]


def test_ten_contacts_with_one_tax_id_at_once_are_one_and_nine_questions(desk):
    given = {"nombre": "Ana Gil", "nif": "X1234567L"}
    got = kinds(at_once(desk, lambda _: [("contacto.crear", given)], 10))
    assert got == {"Report": 1, "Ask": 9}
    assert desk.sql("SELECT count(*) FROM contacts WHERE nif = 'X1234567L'") == [(1,)]


def test_an_expense_is_deleted_once_however_many_delete_it_at_once(desk):
    made = desk.made(desk.done(gasto()))
    got = kinds(at_once(desk, lambda _: [("gasto.borrar", {"gastos": [made]})], 8))
    assert got == {"Report": 1, "Invalid": 7}
    assert desk.sql("SELECT version FROM expenses") == [(2,)]


def test_bulks_that_overlap_in_opposite_orders_do_not_lock_each_other_out(desk):
    made = [desk.made(desk.done(gasto(concepto=f"Gasto {number}"))) for number in range(4)]
    orders = [made, made[::-1]] * 3
    asked = [
        outcome
        for outcome in at_once(desk, lambda at: [("gasto.borrar", {"gastos": orders[at]})], 6)
        if isinstance(outcome, Ask)
    ]
    assert len(asked) == 6
    together = Barrier(6)

    def press(position: int) -> Outcome:
        together.wait()
        who = Who("carmona-demo", "ana", f"c-{position}", "es")
        token = asked[position].token
        outcome: Outcome = desk.face.person(who).confirm(token, "BORRAR 4")
        return outcome

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(press, range(6)))
    done = [o for o in outcomes if isinstance(o, Report) and o.view.reason == "finished"]
    assert len(done) == 1, [outcome.for_model("es") for outcome in outcomes]
    assert desk.sql("SELECT version, count(*) FROM expenses GROUP BY version") == [(2, 4)]


def test_one_undo_takes_a_plan_back_however_often_it_is_pressed_at_once(desk):
    report = desk.done(gasto())
    together = Barrier(6)

    def press(_: int) -> Outcome:
        together.wait()
        return desk.undo(report)

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(press, range(6)))
    assert len({outcome.for_model("es").plan for outcome in outcomes}) == 1
    assert sorted(outcome.replayed for outcome in outcomes) == [False] + [True] * 5
    assert desk.sql("SELECT version, deleted_at IS NOT NULL FROM expenses") == [(2, True)]


def test_b45_issues_at_once_through_the_engine_have_numbers_without_a_gap(desk):
    maria = desk.maria
    drafts = [desk.made(desk.done(borrador(maria, str(500 + number)))) for number in range(8)]
    asked = at_once(desk, lambda at: [emitir(drafts[at])], 8)
    together = Barrier(8)

    def press(position: int) -> Outcome:
        together.wait()
        who = Who("carmona-demo", "ana", f"c-{position}", "es")
        return desk.yes(asked[position], who=who)

    with ThreadPoolExecutor(8) as pool:
        assert kinds(list(pool.map(press, range(8)))) == {"Report": 8}
    found = desk.sql("SELECT number FROM invoices ORDER BY number")
    assert found == [(f"2026-{number:04d}",) for number in range(1, 9)]
