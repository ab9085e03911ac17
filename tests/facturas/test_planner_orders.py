"""The offline planner: orders about issued invoices, expenses and contacts."""

import pytest
from facturas_planner import STORY, only, planned, refused

from semel_facturas.grammar import ENGLISH, SPANISH
from semel_facturas.planner import sentence

pytestmark = pytest.mark.no_store

pytestmark = pytest.mark.no_store

OLD = "<2026-0001>"
REMIND = "factura.programar_recordatorios"
MARIA = "<María Carmona>"
CARMONA = ["<Adobe, 05/10/2026>", "<Tinta, 20/10/2026>"]

# Reminders.


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Recuérdale el pago de la 2026-0001 un día antes", [1]),
        ("Recuérdale el pago cinco días antes de que venza la 2026-0001", [5]),
        ("Recuérdale a María Carmona el pago de la factura 2026-0001 5 días antes", [5]),
        ("Recuérdale a María que me pague la 2026-0001 con 60 días de antelación", [60]),
        ("Recuérdale el pago de la 2026-0001 diez, cinco y dos días antes del vencimiento", [10, 5, 2]),
        ("¿Puedes programar un recordatorio de la 2026-0001 dos semanas antes, por favor?", [14]),
        ("Remind María Carmona about invoice 2026-0001 the day before it's due", [1]),
        ("Remind her to pay invoice 2026-0001 10 and 5 days before the due date", [10, 5]),
        ("Please schedule a payment reminder for invoice 2026-0001 a week before it's due", [7]),
    ],
)  # fmt: skip
def test_a_reminder_is_so_many_days_before_the_invoice_is_due(text, days):
    assert only(text) == (REMIND, {"factura": OLD, "dias_antes": days})


@pytest.mark.parametrize(
    "condition",
    [
        "si no la he marcado pagada",
        "si no la he marcado como pagada",
        "si no está pagada",
        "si aún no está pagada",
        "si no ha pagado",
        "si todavía no me ha pagado",
        "si no se ha pagado",
        "si sigue sin pagar",
        "si sigue pendiente",
        "salvo que esté pagada",
        "salvo si ya está pagada",
        "a no ser que ya esté pagada",
        "if I haven't marked it paid",
        "if I haven’t marked it as paid yet",
        "if it isn't paid",
        "if it has not been paid yet",
        "if it's still unpaid",
        "if she hasn't paid",
        "unless it is paid",
        "unless it's already paid",
        "unless I've marked it as paid",
        "unless they have paid",
    ],
)
def test_the_condition_that_a_reminder_always_has_may_be_said(condition):
    spanish = condition.startswith(("si ", "salvo", "a no"))
    order = "Recuérdale el pago de la 2026-0001 cinco días antes"
    tail = f"{STORY}, y recuérdale el pago cinco días antes"
    if not spanish:
        order = "Remind them about invoice 2026-0001 five days before it's due"
        tail = "Make an invoice for Ana for the logo, €9, and remind her five days before it's due"
    assert only(f"{order} {condition}") == only(order)
    assert planned(f"{tail} {condition}") == planned(tail)


@pytest.mark.parametrize(
    "condition",
    [
        "si la he marcado pagada",
        "si está pagada",
        "si ha pagado",
        "si quiere",
        "si no la he enviado",
        "if I have marked it paid",
        "if it is paid",
        "unless it is unpaid",
        "unless it rains",
    ],
)
def test_no_other_condition_is_understood(condition):
    for order in (
        "Recuérdale el pago de la 2026-0001 cinco días antes",
        "Remind them about invoice 2026-0001 five days before",
    ):
        assert refused(f"{order} {condition}").reason == "partly"


@pytest.mark.parametrize(
    ("language", "text", "one", "days"),
    [
        (SPANISH, "Recuérdale el pago de la 2026-0001 {} antes", "un día", "días"),
        (ENGLISH, "Remind them about invoice 2026-0001 {} before", "one day", "days"),
    ],
    ids=["es", "en"],
)
def test_the_days_may_be_written_in_letters_from_one_to_thirty(language, text, one, days):
    assert only(text.format(one))[1]["dias_antes"] == [1]
    assert set(language.numbers.values()) == set(range(2, 31))
    for word, number in language.numbers.items():
        assert only(text.format(f"{word} {days}"))[1]["dias_antes"] == [number]


@pytest.mark.parametrize(
    "text",
    [
        "Manda un recordatorio de la 2026-0001 ahora",
        "Mándale ahora un recordatorio de pago de la factura 2026-0001 si no ha pagado",
        "Envía un recordatorio de la 2026-0001 ahora mismo, por favor",
        "Recuérdale a María Carmona el pago de la 2026-0001 ahora",
        "Send them a reminder about invoice 2026-0001 right now",
        "Remind María Carmona about invoice 2026-0001 now unless it is paid",
    ],
)
def test_a_reminder_goes_at_once_only_if_the_sentence_says_so(text):
    assert only(text) == ("recordatorio.enviar_ahora", {"factura": OLD})


@pytest.mark.parametrize(
    "text",
    [
        "Quita los recordatorios de la 2026-0001",
        "Cancela el recordatorio de la factura 2026-0001",
        "Borra todos los recordatorios de la 2026-0001",
        "Cancel the reminders of invoice 2026-0001",
        "Stop all the reminders for invoice 2026-0001, please",
    ],
)
def test_reminders_are_taken_back(text):
    assert only(text) == ("factura.cancelar_recordatorios", {"factura": OLD})


# Payments.


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Registra el cobro de la 2026-0001", {}),
        ("Registra el cobro de María Carmona de la 2026-0001", {}),
        ("Marca la 2026-0001 como pagada", {}),
        ("La factura 2026-0001 ya está pagada", {}),
        ("maria carmona me ha pagado la 2026-0001", {}),
        ("María ya ha pagado 100 € de la 2026-0001", {"importe": "100.00"}),
        ("He cobrado 1.234,5 € de la 2026-0001", {"importe": "1234.50"}),
        ("Marca como pagada la 2026-0001 y avisa al cliente", {"avisar_cliente": True}),
        ("Mark invoice 2026-0001 as paid", {}),
        ("Invoice 2026-0001 has been paid", {}),
        ("María Carmona has paid invoice 2026-0001", {}),
        ("María Carmona paid €100 for invoice 2026-0001", {"importe": "100.00"}),
        ("Record the payment for invoice 2026-0001 and tell her by email", {"avisar_cliente": True}),
    ],
)  # fmt: skip
def test_a_payment_of_all_or_of_an_amount_is_recorded(text, more):
    assert only(text) == ("factura.registrar_cobro", {"factura": OLD, **more})


@pytest.mark.parametrize(
    "text",
    [
        "¿María Carmona ha pagado la 2026-0001?",
        "¿María Carmona me ha pagado la 2026-0001?",
        "María Carmona ha pagado la 2026-0001?",
        "¿María Carmona ha pagado la 2026-0001",
        "¿Está pagada la 2026-0001?",
        "Has María Carmona paid invoice 2026-0001?",
        "María Carmona no ha pagado la 2026-0001",
        "Si María Carmona ha pagado la 2026-0001",
        "When María Carmona has paid invoice 2026-0001",
        "María Carmona hasn't paid invoice 2026-0001",
        "Mark invoice 2026-0001",
    ],
)
def test_a_question_or_a_condition_is_no_payment(text):
    assert refused(text).reason in {"partly", "not_understood", "unknown_contact"}


# Expenses.


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Borra el gasto de Adobe", CARMONA[:1]),
        ("Quita el gasto de tinta del 20/10/2026", CARMONA[1:]),
        ("¿Puedes eliminar el gasto de la «tinta», por favor?", CARMONA[1:]),
        ("Borra todos los gastos de octubre de 2026", CARMONA),
        ("Borra los gastos de Hosting", ["<Hosting, 02/12/2025>", "<Hosting, 02/09/2026>"]),
        ("Borra los gastos de hosting de diciembre de 2025", ["<Hosting, 02/12/2025>"]),
        ("Borra el gasto de septiembre", ["<Hosting, 02/09/2026>"]),
        ("Delete the Adobe expense", CARMONA[:1]),
        ("Remove Adobe's expense from October 5, 2026", CARMONA[:1]),
        ("Delete the October expenses", CARMONA),
        ("Delete October's expenses", CARMONA),
        ("Delete all the expenses from Adobe", CARMONA[:1]),
        ("Delete every Hosting expense", ["<Hosting, 02/12/2025>", "<Hosting, 02/09/2026>"]),
    ],
)
def test_expenses_are_deleted_by_the_ids_that_are_found_now(text, ids):
    assert only(text) == ("gasto.borrar", {"gastos": ids})


def test_one_expense_of_several_is_asked_for_and_never_guessed():
    no = refused("Borra el gasto de Hosting")
    assert no.choices == ("Hosting, 02/12/2025", "Hosting, 02/09/2026")
    assert "Hosting, 02/12/2025, Hosting, 02/09/2026" in sentence(no, "es")
    many = refused("Delete the Café expense")
    assert many.reason == "ambiguous_expense"
    assert (len(many.choices), many.choices[-1]) == (6, "…")


def test_a_month_that_is_also_a_supplier_is_asked_for():
    for text in ("Borra los gastos de julio", "Borra el gasto de julio"):
        no = refused(text)
        assert no.reason == "ambiguous_expense"
        assert no.choices == ("Tren, 30/07/2026", "Julio, 09/01/2026")
    tren = ["<Tren, 30/07/2026>"]
    for text in ("Borra el gasto de julio de 2026", "Delete July's expenses"):
        assert only(text)[1]["gastos"] == tren


def test_more_expenses_than_a_step_takes_are_not_deleted():
    no = refused("Borra los gastos de Peaje")
    assert (no.reason, no.choices) == ("too_many", ("51",))
    assert len(only("Borra los gastos de Peaje de enero de 2024")[1]["gastos"]) == 25


# Contacts.


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("Crea un contacto: Talleres Nuevos", {}),
        ("Da de alta un nuevo cliente: Talleres Nuevos, CIF b-1234567-4", {"nif": "B12345674"}),
        ("Añade un contacto nuevo llamado Talleres Nuevos con NIF 12345678z y email a@b.example", {"nif": "12345678Z", "email": "a@b.example"}),
        ("Crea un contacto: Talleres Nuevos, dirección: Calle Mayor 1, 2º B, 28013 Madrid, y plazo de pago de 60 días", {"direccion": "Calle Mayor 1, 2º B, 28013 Madrid", "plazo_pago_dias": 60}),
        ("Crea un contacto: Talleres Nuevos, dirección C/ Mayor 1 y email a+b@c.example.", {"direccion": "C/ Mayor 1", "email": "a+b@c.example"}),
        ("Add a contact called Talleres Nuevos with address 1 Main Street, London", {"direccion": "1 Main Street, London"}),
        ("Add a new client: Talleres Nuevos, VAT number B12345674, net 15", {"nif": "B12345674", "plazo_pago_dias": 15}),
    ],
)  # fmt: skip
def test_a_contact_is_made_with_what_is_said_of_it_and_nothing_else(text, given):
    assert only(text) == ("contacto.crear", {"nombre": "Talleres Nuevos", **given})


def test_the_name_of_a_contact_is_what_stands_there():
    assert (
        only("Crea un contacto: A Coruña Diseño S.L., paga a 30 días")[1]["nombre"]
        == "A Coruña Diseño S.L"
    )
    assert only("Add a contact: Mark & Daughters")[1]["nombre"] == "Mark & Daughters"


@pytest.mark.parametrize(
    "text",
    [
        "Cambia el email de María Carmona a m+2@carmona.example",
        "Actualiza el correo electrónico de maria carmona: m+2@carmona.example",
        "Corrige la dirección de correo de María Carmona por m+2@carmona.example",
        "Change María Carmona’s email address to m+2@carmona.example",
        "Please update the email of María Carmona to m+2@carmona.example",
    ],
)
def test_a_contact_gets_another_email(text):
    given = {"contacto": MARIA, "email": "m+2@carmona.example"}
    assert only(text) == ("contacto.actualizar", given)


@pytest.mark.parametrize(
    ("text", "contact"),
    [
        ("Borra el contacto Talleres Ruiz", "<Talleres Ruiz SL>"),
        ("Elimina el contacto de la Acme Studio", "<Acme Studio>"),
        ("Borra el contacto Ana", "<Ana>"),
        ("Delete the Acme Studio contact", "<Acme Studio>"),
        ("Remove the client Lucía Ferrer, please", "<Lucía Ferrer>"),
    ],
)
def test_one_contact_is_deleted(text, contact):
    assert only(text) == ("contacto.borrar", {"contactos": [contact]})
