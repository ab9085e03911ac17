"""Contacts: written, changed and archived, with what is asked about and what is taken back."""

import pytest
from facturas_desk import ANA, ASIDE, ENGLISH, borrador, cobrar, emitir, says

from semel import CONFIRM, SAFE, TYPED, Report
from semel.facts import Count, Email, Text


def crear(nombre="Ana Gil", **more):
    return "contacto.crear", {"nombre": nombre} | more


def cambiar(contacto, **more):
    return "contacto.actualizar", {"contacto": contacto} | more


def borrar(*contactos):
    return "contacto.borrar", {"contactos": list(contactos)}


def names(desk, where="archived_at IS NULL"):
    text = f"SELECT name FROM contacts WHERE org = 'carmona-demo' AND {where} ORDER BY name"
    return [name for (name,) in desk.sql(text)]


def test_a_contact_is_written_without_asking_and_taken_back(desk):
    done = desk.done(crear(nif="x1234567l", email="ana@gil.example", plazo_pago_dias=15))
    assert done.view.risk is SAFE
    assert "Contacto Ana Gil creado" in says(done)
    assert done.view.steps[0].facts == {
        "nombre": Text("Ana Gil"), "nif": Text("X1234567L"), "email": Email("ana@gil.example"),
        "direccion": Text("—"), "plazo": Count(15), "aviso": Text(""),
    }  # fmt: skip
    assert names(desk) == ["Ana Gil", "María Carmona"]
    undone = desk.undo(done)
    assert isinstance(undone, Report)
    assert names(desk) == ["María Carmona"]
    assert names(desk, "archived_at IS NOT NULL") == ["Ana Gil"]


def test_a_contact_that_something_points_at_by_now_is_not_taken_back(desk):
    done = desk.done(crear(plazo_pago_dias=15))
    desk.done(borrador(desk.made(done)))
    assert "Ana Gil ya tiene facturas o borradores" in says(desk.undo(done))
    assert names(desk) == ["Ana Gil", "María Carmona"]


def test_a_contact_and_its_change_and_its_draft_are_taken_back_together(desk):
    done = desk.done(
        crear(plazo_pago_dias=15), cambiar("$1", nombre="Ana Gil Ruiz"), borrador("$1")
    )
    assert names(desk) == ["Ana Gil Ruiz", "María Carmona"]
    desk.undo(done)
    assert names(desk, "archived_at IS NOT NULL") == ["Ana Gil"]
    assert desk.sql("SELECT count(*) FROM invoices") == [(0,)]


@pytest.mark.parametrize("same", [{"nif": "12345678-z"}, {"email": "MARIA@Carmona.example"}])
def test_a_second_contact_with_the_same_id_or_address_is_asked_about(desk, same):
    ask = desk.asked(crear(**same))
    assert ask.view.risk is CONFIRM
    assert "ya hay otro con ese NIF o email: María Carmona" in says(ask)
    english = desk.asked(crear(**same), who=ENGLISH)
    assert "another has that tax id or e-mail: María Carmona" in says(english, "en")
    assert names(desk) == ["María Carmona"]
    done = desk.yes(ask)
    assert isinstance(done, Report)
    assert done.undo_token is None
    assert names(desk) == ["Ana Gil", "María Carmona"]


def test_b47_an_id_that_is_none_is_refused_with_the_part_to_look_at(desk):
    assert desk.refused(crear(nif="12345678A")) == [
        "El NIF 12345678A no es correcto: falla la letra o el dígito de control."
    ]
    assert desk.refused(crear(email="ana")) == ["«ana» no es una dirección de correo."]
    assert desk.refused(crear(nombre=" ")) == ["Un contacto necesita un nombre."]
    assert names(desk) == ["María Carmona"]


@pytest.mark.parametrize("days", ["30", 30.0, True])
def test_days_are_a_whole_number(desk, days):
    assert desk.refused(crear(plazo_pago_dias=days))


def test_a_change_shows_what_was_and_what_will_be_and_is_taken_back(desk):
    done = desk.done(cambiar(desk.maria, email="nueva@carmona.example", plazo_pago_dias=15))
    assert done.view.risk is SAFE
    facts = done.view.steps[0].facts
    assert (facts["email_antes"], facts["email"]) == (
        Email("maria@carmona.example"), Email("nueva@carmona.example"),
    )  # fmt: skip
    assert (facts["plazo_pago_dias_antes"], facts["plazo_pago_dias"]) == (Count(30), Count(15))
    assert "nif" not in facts
    for part in ("días de plazo: 30 → 15", "email: maria@carmona.example → nueva@carmona.example"):
        assert part in says(done)
    columns = (
        "SELECT email, payment_days, name, nif, version FROM contacts WHERE name LIKE 'María%'"
    )
    was = ("maria@carmona.example", 30, "María Carmona", "12345678Z")
    assert desk.sql(columns) == [("nueva@carmona.example", 15, *was[2:], 2)]
    desk.undo(done)
    assert desk.sql(columns) == [(*was, 3)]


def test_a_change_that_somebody_has_changed_since_is_not_taken_back(desk):
    first = desk.done(cambiar(desk.maria, plazo_pago_dias=15))
    desk.done(cambiar(desk.maria, plazo_pago_dias=45))
    desk.undo(first)
    assert desk.sql("SELECT payment_days FROM contacts WHERE name LIKE 'María%'") == [(45,)]


def test_a_change_of_nothing_is_said_and_not_written(desk):
    same = ["María Carmona ya está así: no hay nada que cambiar."]
    assert desk.refused(cambiar(desk.maria)) == same
    assert desk.refused(cambiar(desk.maria, nombre=" María Carmona ", plazo_pago_dias=30)) == same
    assert desk.sql("SELECT version FROM contacts WHERE name LIKE 'María%'") == [(1,)]


def test_a_new_address_is_asked_about_while_something_is_to_be_sent_there(desk):
    desk.done(borrador(desk.maria))
    assert desk.done(cambiar(desk.maria, email="a@carmona.example")).view.risk is SAFE
    invoice = desk.issued("100")
    ask = desk.asked(cambiar(desk.maria, email="b@carmona.example"))
    assert ask.view.risk is CONFIRM
    assert "email desde ahora: b@carmona.example" in says(ask)
    assert desk.done(cambiar(desk.maria, plazo_pago_dias=15)).view.risk is SAFE
    desk.done(cobrar(invoice))
    assert desk.done(cambiar(desk.maria, email="c@carmona.example")).view.risk is SAFE


def test_a_long_new_value_does_not_hide_a_new_address(desk):
    desk.issued()
    ask = desk.asked(cambiar(desk.maria, email="b@carmona.example", direccion="x" * 500))
    assert "email: maria@carmona.example → b@carmona.example" in says(ask)
    assert "email desde ahora: b@carmona.example" in says(ask)


def test_how_much_is_said_before_contacts_are_archived_depends_on_how_many_and_how_used(desk):
    ids = [desk.made(desk.done(crear(f"Cliente {n}"))) for n in range(7)]
    assert desk.done(borrar(ids[0])).view.risk is SAFE
    assert desk.asked(borrar(ids[1], ids[2])).view.risk is CONFIRM
    desk.done(borrador(desk.maria))
    assert desk.asked(borrar(desk.maria)).view.risk is CONFIRM
    ask = desk.asked(borrar(*ids[1:4]))
    assert ask.view.risk is TYPED
    assert "Archivar contactos (3): Cliente 1, Cliente 2, Cliente 3" in says(ask)
    assert not isinstance(desk.yes(ask), Report)
    assert desk.yes(ask, "3").view.reason == "finished"
    assert names(desk) == ["Cliente 4", "Cliente 5", "Cliente 6", "María Carmona"]


def test_an_archived_contact_takes_no_new_draft_and_comes_back(desk):
    contact = desk.made(desk.done(crear(plazo_pago_dias=15)))
    done = desk.done(borrar(contact))
    assert names(desk) == ["María Carmona"]
    assert desk.refused(borrador(contact)) == [f"contacto {contact}"]
    desk.undo(done)
    assert names(desk) == ["Ana Gil", "María Carmona"]
    desk.done(borrador(contact))


def test_a_contact_is_named_once(desk):
    assert desk.refused(borrar(desk.maria, desk.maria)) == ["Hay un contacto repetido en la lista."]
    assert desk.refused(borrar())
    assert "at most 50 items" in desk.refused(borrar(*["x"] * 51))[0]
    assert names(desk) == ["María Carmona"]


def test_a_draft_that_was_shown_is_not_made_for_a_contact_archived_meanwhile(desk):
    contact = desk.made(desk.done(crear(plazo_pago_dias=15)))
    ask = desk.asked(borrador(contact), borrador(desk.maria, "9"), emitir("$2"))
    desk.done(borrar(contact), who=ASIDE)
    desk.face.person(ANA).confirm(ask.token)
    assert desk.sql("SELECT count(*) FROM invoices") == [(0,)]
