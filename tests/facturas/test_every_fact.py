"""Every fact that a bundled action shows binds the yes: changed before the run, nothing happens.

The facts are taken from the cards themselves, so that a new one is tested without being listed; an
action without a way to propose it fails the test.
"""

from dataclasses import replace
from datetime import timedelta

import pytest
from facturas_desk import Desk, borrador, cobrar, emitir, gasto, recordar

import counts
import semel_facturas
from semel import Preview, Report
from semel.facts import Count, Date, Email, Fact, Instant, Money, Text
from semel.testing import interrupt_at
from semel_facturas.actions import actions

TABLES = ("contacts", "invoices", "invoice_lines", "invoice_series", "expenses", "payments")


def issued(desk):
    report = desk.done(borrador(desk.contact), emitir("$1"))
    return desk.sql("SELECT id FROM semel_effects WHERE plan = ?", report.view.plan)[0][0]


def made(desk, *steps):
    report = desk.done(*steps)
    return desk.sql("SELECT id FROM semel_effects WHERE plan = ?", report.view.plan)[0][0]


def another_self(desk, number):
    """A change of everything about María, another one each time."""
    now = desk.sql("SELECT nif FROM contacts WHERE contact = ?", desk.contact)[0][0]
    given = {"nombre": f"María {number}", "email": f"m{number}@c.example",
             "direccion": f"Calle {number}", "plazo_pago_dias": number % 60,
             "nif": next(nif for nif in NIFS if nif != now)}  # fmt: skip
    return "contacto.actualizar", {"contacto": desk.contact, **given}


NIFS = ("B12345674", "B58378431")
WAYS = {
    "contacto.crear": lambda d: ("contacto.crear", {
        "nombre": "Talleres Ruiz", "nif": "B12345674", "email": "hola@ruiz.example",
        "direccion": "Calle Mayor 1", "plazo_pago_dias": 15}),
    "contacto.actualizar": lambda d: another_self(d, d.price()),
    "contacto.borrar": lambda d: ("contacto.borrar", {
        "contactos": [made(d, ("contacto.crear", {"nombre": "Sin Uso"}))]}),
    "factura.crear_borrador": lambda d: borrador(d.contact, "61.50"),
    "factura.emitir": lambda d: emitir(made(d, borrador(d.contact, "70.70"))),
    "factura.enviar": lambda d: ("factura.enviar", {"factura": issued(d)}),
    "factura.registrar_cobro": lambda d: cobrar(issued(d), importe="10.00", medio="Efectivo"),
    "cobro.avisar": lambda d: ("cobro.avisar", {"cobro": made(d, cobrar(issued(d)))}),
    "factura.programar_recordatorios": lambda d: recordar(issued(d), 5),
    "factura.cancelar_recordatorios": lambda d: ("factura.cancelar_recordatorios", {
        "factura": made(d, recordar(issued(d), 3))}),
    "recordatorio.enviar_ahora": lambda d: (
        "recordatorio.enviar_ahora", {"factura": issued(d)}),
    "gasto.crear": lambda d: ("gasto.crear", {
        "concepto": "Papel", "importe": "12.10", "iva_incluido": True, "proveedor": "Carlin"}),
    "gasto.borrar": lambda d: ("gasto.borrar", {"gastos": [made(d, gasto("33"))]}),
}  # fmt: skip


def other(fact: Fact) -> Fact:
    """The same kind of fact, saying something else."""
    match fact:
        case Money():
            return replace(fact, amount=fact.amount + 1)
        case Date():
            return replace(fact, day=fact.day + timedelta(days=1))
        case Instant():
            return replace(fact, at=fact.at + timedelta(hours=1))
        case Email():
            return replace(fact, address=f"otra.{fact.address}")
        case Count():
            return replace(fact, number=fact.number + 1)
        case Text():
            return replace(fact, text=f"{fact.text}, y algo más")
    raise TypeError(fact)


class World:
    """An action whose preview tells another story from some moment on, in one fact."""

    def __init__(self, desk, name):
        self.action = desk.engine._core.catalog.get(name)
        self.preview = self.action.preview
        self.changed = None

    def __enter__(self):
        vars(self.action)["preview"] = self.shows
        return self

    def __exit__(self, *_):
        del vars(self.action)["preview"]

    def shows(self, i, ctx):
        preview = self.preview(i, ctx)
        facts = dict(preview.facts)
        if self.changed in facts:
            facts[self.changed] = other(facts[self.changed])
        return Preview(missing=preview.missing, makes=preview.makes, **facts)


def books(desk):
    return [desk.sql(f"SELECT * FROM {table} ORDER BY 1, 2") for table in TABLES]


def asked(desk, step):
    """A plan of the step and one that always asks; what runs is ended by the first."""
    return desk.asked(step, emitir(made(desk, borrador(desk.contact, str(desk.price())))))


@pytest.fixture
def desk(tmp_path):
    table = Desk(tmp_path)
    prices = iter(range(1000, 9000, 7))
    table.price = lambda: next(prices)
    with table.engine.sync as face:
        face.call(semel_facturas.seed(table.engine))
        table.contact = table.maria
        yield table


@pytest.mark.no_store
def test_every_action_can_be_proposed_here():
    assert sorted(WAYS) == sorted(action.name for action in actions(None))


@pytest.mark.parametrize("name", WAYS)
def test_a_fact_that_changed_after_the_yes_stops_the_step_and_both_are_shown(desk, name):
    first = desk.asked(WAYS[name](desk), emitir(made(desk, borrador(desk.contact, "45"))))
    step = first.view.steps[0]
    facts = [(name, fact) for fact in step.facts.items()]
    child = {"factura.programar_recordatorios": "recordatorio.enviar_ahora"}.get(name)
    facts += [(child, fact) for later in step.later for fact in later.facts.items()]
    assert facts or name == "factura.cancelar_recordatorios", "a card without a figure"
    assert not [fact for fact in step.facts if f"fact.{fact}" not in step.wording], "no name"
    stale = 0
    for of, (fact, value) in facts:
        ask = asked(desk, WAYS[name](desk))
        before, mails = books(desk), len(list((desk.home / "mail").glob("*.eml")))
        with World(desk, of) as world:

            def change(fact=fact, world=world):
                world.changed = fact

            with interrupt_at("commit:confirm:after", change):
                report = desk.yes(ask)
        assert isinstance(report, Report)
        if value.volatile:
            assert report.view.reason == "finished", (fact, report.view)
            continue
        assert (report.view.reason, report.view.steps[0].reason) == ("stale", "stale"), fact
        assert [s.state for s in report.view.steps] == ["not_done", "not_done"]
        assert books(desk) == before
        assert len(list((desk.home / "mail").glob("*.eml"))) == mails
        shown = {change.name: change for change in report.view.steps[0].changed}
        assert of != name or shown[fact].shown == value or shown[fact].shown != shown[fact].now
        stale += 1
    counts.ran("S1", len(facts))
    assert stale == sum(not value.volatile for _, (_, value) in facts)
