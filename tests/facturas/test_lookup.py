"""What the planner looks up in real books, and what the application does with its plans."""

from datetime import date
from decimal import Decimal

import pytest
from facturas_desk import ANA, Desk, says
from facturas_planner import ACTIONS, UTTERANCES
from facturas_world import NOW, ORG, TODAY, World

import semel_facturas
from semel import Ask
from semel.catalog import Catalog, Parsed
from semel_facturas.actions import actions
from semel_facturas.books.expenses import create_expense, delete_expense
from semel_facturas.lookup import Books
from semel_facturas.post import LocalPost

OTHER = "otra-demo"


def spent(tx, id: str, concepto: str, day: str, supplier: str | None = None, org: str = ORG):
    return create_expense(
        tx,
        org,
        id,
        concepto=concepto,
        base=Decimal(10),
        iva=Decimal(21),
        fecha=date.fromisoformat(day),
        now=NOW,
        proveedor=supplier,
    )


@pytest.fixture
def found(world: World):
    """The ids of what has these words, in books with a few expenses."""
    with world.books() as tx:
        spent(tx, "b", "Licencia de Photoshop", "2026-10-05", "Adobe")
        spent(tx, "a", "Tinta, papel & sobres", "2026-10-05", "Carlin")
        spent(tx, "c", "Adobe", "2026-09-30")
        spent(tx, "theirs", "Adobe", "2026-10-05", org=OTHER)
        delete_expense(tx, spent(tx, "gone", "Adobe", "2026-10-05"), NOW)

    def ids(words: str, *period: str, org: str = ORG) -> list[str]:
        days = tuple(map(date.fromisoformat, period)) or None
        with world.books() as tx:
            return [id for id, _ in Books(tx, org, TODAY).expenses(words, days)]

    return ids


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("Adobe", ["c", "b"]),
        ("ADOBE", ["c", "b"]),
        ("licencia", ["b"]),
        ("licencia de photoshop", ["b"]),
        ("tinta papel", []),
        ("tinta, papel", ["a"]),
        ("papel", ["a"]),
        ("&", ["a"]),
        ("+", []),
        ("Ado", []),
        ("photoshop licencia", []),
        ("photoshop adobe", []),
        ("%", []),
        ("", ["c", "a", "b"]),
    ],
)
def test_words_name_an_expense_whole_and_in_their_order(found, words, ids):
    assert found(words) == ids


def test_a_period_has_both_its_ends_and_an_organization_its_own_expenses(found):
    assert found("", "2026-10-01", "2026-10-31") == ["a", "b"]
    assert found("", "2026-09-30", "2026-10-05") == ["c", "a", "b"]
    assert found("Adobe", "2026-10-06", "2026-10-31") == []
    assert found("", org=OTHER) == ["theirs"]


def test_an_expense_is_named_by_what_it_was_for_and_its_day(found, world):
    with world.books() as tx:
        names = [name for _, name in Books(tx, ORG, TODAY).expenses("Adobe", None)]
    assert names == ["Adobe, 30/09/2026", "Licencia de Photoshop (Adobe), 05/10/2026"]


def test_an_invoice_is_told_with_its_contact_and_only_at_home(world):
    issued = world.issued()
    with world.books() as tx:
        assert Books(tx, ORG, TODAY).invoices("2026-0001") == [(issued.id, world.maria.id)]
        assert Books(tx, ORG, TODAY).invoices("2026-0002") == []
        assert Books(tx, OTHER, TODAY).invoices("2026-0001") == []
        assert Books(tx, OTHER, TODAY).contacts("María") == []
        assert Books(tx, ORG, TODAY).contacts("maria") == [(world.maria.id, "María Carmona")]


@pytest.mark.no_store
@pytest.mark.no_store
def test_every_step_of_the_sixty_plans_is_one_that_its_action_takes(tmp_path):
    post = LocalPost(tmp_path)
    catalog = Catalog(actions(post))
    post.close()
    steps = [step for said in UTTERANCES for step in said["expect"].get("steps", [])]
    assert {step["action"] for step in steps} == ACTIONS
    for step in steps:
        assert isinstance(catalog.parse(step["action"], step["input"], "step"), Parsed), step


def told(desk: Desk, text: str) -> str:
    """What the person reads in the end, with a yes if there is a question."""
    outcome = desk.face.call(semel_facturas.ask(desk.engine, ANA, text, message=text))
    if isinstance(outcome, Ask):
        outcome = desk.yes(outcome)
    return outcome if isinstance(outcome, str) else says(outcome)


def test_the_sentences_do_what_they_say_in_the_real_application(desk: Desk):
    begin = (
        "Haz una factura a María Carmona por el logo, 500 €, envíasela, y recuérdale el pago cinco "
        "días antes si no la he marcado pagada"
    )
    for text, end in {
        begin: "programado para el 13/11/2026 (5 días antes del vencimiento)",
        "Recuérdale el pago de la 2026-0001 dos días antes": "16/11/2026 (2 días antes",
        "Quita los recordatorios de la 2026-0001": "quitados de la factura 2026-0001: 2",
        "Manda un recordatorio de la 2026-0001 ahora": "enviado a maria@carmona.example",
        "María Carmona ha pagado 100 € de la 2026-0001": "quedan 505,00 € por cobrar",
        "Apunta un gasto de Adobe, 20 € más IVA": "Gasto apuntado: Adobe, 24,20 €",
        "Borra los gastos de octubre": "Gastos borrados (1), 24,20 € en total: Adobe",
        "Borra el gasto de Adobe": "Ningún gasto encaja con «Adobe»",
        "Crea un contacto: Talleres, dirección Calle Mayor 1, 28013 Madrid": "Talleres creado",
        "Cambia el email de Talleres a a@talleres.example": "→ a@talleres.example",
        "Borra el contacto Talleres": "Contactos archivados (1): Talleres",
        "Delete the contact Talleres": "Ningún contacto se llama «Talleres»",
        "Registra el cobro de la 2026-0001": "quedan 0,00 € por cobrar",
    }.items():
        assert end in told(desk, text), text
    assert desk.sql("SELECT address FROM contacts WHERE name = 'Talleres'") == [
        ("Calle Mayor 1, 28013 Madrid",)
    ]
    subjects = [letter["Subject"].split()[0] for letter in desk.letters()]
    assert subjects == ["Factura", "Recordatorio"]
