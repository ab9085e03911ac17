"""Who may do what: every permission that an action asks for is somebody's."""

import pytest
from facturas_desk import ANA, ENGLISH, LUIS, Desk, says

from semel import Invalid, Report
from semel_facturas.actions import actions
from semel_facturas.application import EVERYTHING, ROLES


class NoPost:
    """Nothing is sent here."""

    async def send(self, message: bytes, *, sender: str, recipient: str, deadline: float) -> str:
        raise AssertionError(recipient)


@pytest.mark.no_store
@pytest.mark.no_store
def test_the_roles_know_every_permission_and_no_other():
    asked = {action.allow for action in actions(NoPost())}
    assert asked | {"semel.decide"} == EVERYTHING
    assert ROLES["propietario"] == ROLES["admin"] == EVERYTHING
    assert EVERYTHING - ROLES["gestor"] == {"contactos.borrar", "semel.decide"}
    assert ROLES["asesor"] == frozenset()


@pytest.mark.parametrize(
    ("role", "may"), [("propietario", True), ("admin", True), ("gestor", False), ("asesor", False)]
)
def test_only_owners_and_admins_put_contacts_away(desk: Desk, role: str, may: bool):
    contact = desk.made(desk.done(("contacto.crear", {"nombre": "Ana Gil"})))
    desk.sql("UPDATE people SET role = ? WHERE person = 'luis'", role)
    outcome = desk.act(("contacto.borrar", {"contactos": [contact]}), who=LUIS)
    assert isinstance(outcome, Report) is may
    gone = desk.sql("SELECT count(*) FROM contacts WHERE archived_at IS NOT NULL")
    assert gone == [(int(may),)]


@pytest.mark.parametrize("locale", ["es", "en"])
def test_every_sentence_is_filled_in_both_languages(desk: Desk, locale: str):
    invoice = desk.issued()
    given = {
        "contacto.crear": {"nombre": "Ana", "nif": "12345678Z"},
        "contacto.actualizar": {"contacto": desk.maria, "email": "nueva@carmona.example"},
        "contacto.borrar": {"contactos": [desk.maria]},
        "factura.crear_borrador": {
            "contacto": desk.maria, "lineas": [{"concepto": "Logo", "precio": "500"}]
        },
        "factura.emitir": {"factura": "$1"},
        "factura.enviar": {"factura": invoice},
        "factura.registrar_cobro": {"factura": invoice, "importe": "1", "avisar_cliente": True},
        "cobro.avisar": {"cobro": "$1"},
        "factura.programar_recordatorios": {"factura": invoice, "dias_antes": [5]},
        "factura.cancelar_recordatorios": {"factura": invoice},
        "recordatorio.enviar_ahora": {"factura": invoice},
        "gasto.crear": {"concepto": "Adobe", "importe": "1", "iva_incluido": False},
        "gasto.borrar": {"gastos": ["$1"]},
    }  # fmt: skip
    before = {
        "factura.emitir": ("factura.crear_borrador", given["factura.crear_borrador"]),
        "cobro.avisar": ("factura.registrar_cobro", {"factura": invoice, "importe": "2"}),
        "factura.cancelar_recordatorios": (
            "factura.programar_recordatorios", {"factura": invoice, "dias_antes": [1]}
        ),
        "gasto.borrar": ("gasto.crear", given["gasto.crear"]),
    }  # fmt: skip
    assert set(given) == {action.name for action in actions(NoPost())}
    for name, value in given.items():
        first = [before[name]] if name in before else []
        who = ANA if locale == "es" else ENGLISH
        outcome = desk.act(*first, (name, value), who=who)
        assert not isinstance(outcome, Invalid), says(outcome)
        assert "{" not in says(outcome, locale)
        done = outcome if isinstance(outcome, Report) else desk.yes(outcome, who=who)
        assert isinstance(done, Report), says(done)
        assert "{" not in says(done, locale)
        desk.sql("UPDATE contacts SET archived_at = NULL")
