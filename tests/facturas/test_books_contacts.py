"""Contacts in the books: written, changed, archived, and who is alike."""

from dataclasses import replace

import pytest
from facturas_world import NOW, ORG, TODAY

from semel.errors import NotDone
from semel_facturas.books.contacts import (
    archive_contact,
    change_contact,
    checked,
    contact,
    contacts_alike,
    contacts_named,
    create_contact,
    invoices_of,
    restore_contact,
)
from semel_facturas.books.drafts import create_draft
from semel_facturas.books.invoices import unpaid_of


def test_a_change_writes_what_differs_and_is_one_version_on(world):
    maria = world.maria
    with world.books() as tx:
        made = change_contact(
            tx, maria, replace(maria, email=" nueva@carmona.example ", payment_days=None)
        )
        assert contact(tx, ORG, maria.id) == made
    assert made == replace(
        maria, email="nueva@carmona.example", payment_days=None, version=maria.version + 1
    )


def test_a_contact_that_changed_since_is_neither_changed_nor_archived(world):
    with world.books() as tx:
        now = change_contact(tx, world.maria, replace(world.maria, payment_days=15))
        for stale in (
            lambda: change_contact(tx, world.maria, replace(world.maria, name="Otra")),
            lambda: archive_contact(tx, world.maria, NOW),
            lambda: restore_contact(tx, now),
        ):
            with pytest.raises(NotDone, match="changed after it was read"):
                stale()
        assert contact(tx, ORG, world.maria.id) == now


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"name": " "}, "Un contacto necesita un nombre."),
        ({"nif": "12345678A"}, "El NIF 12345678A no es correcto: falla la letra o el dígito"),
        ({"nif": "123"}, "El NIF 123 no es correcto: falla la longitud."),
        ({"email": "maria"}, "«maria» no es una dirección de correo."),
        ({"email": "a@b.example\r\nBcc: c@d.example"}, "no es una dirección de correo."),
        ({"email": "a@b.example, c@d.example"}, "no es una dirección de correo."),
        ({"address": "  "}, "La dirección postal está vacía."),
        ({"payment_days": -1}, "Un plazo de pago va de 0 a 365 días."),
        ({"payment_days": 366}, "Un plazo de pago va de 0 a 365 días."),
    ],
)
def test_no_contact_can_be_like_that(world, wrong, why):
    with world.books() as tx:
        for write in (
            lambda: create_contact(tx, ORG, "id-x", now=NOW, **({"name": "Ana"} | wrong)),
            lambda: change_contact(tx, world.maria, replace(world.maria, **wrong)),
        ):
            with pytest.raises(NotDone) as no:
                write()
            assert why in no.value.says("es")
        assert contact(tx, ORG, world.maria.id) == world.maria


def test_alike_are_those_with_the_same_id_or_address_and_nobody_else(world):
    with world.books() as tx:
        other = create_contact(tx, ORG, "id-x", name="Otra", email="MARIA@carmona.example", now=NOW)
        create_contact(tx, ORG, "id-y", name="Sin nada", now=NOW)
        assert contacts_alike(tx, replace(other, id="")) == [world.maria, other]
        assert contacts_alike(tx, replace(world.maria, id="", email=None)) == [world.maria]
        assert contacts_alike(tx, world.maria) == [other]
        assert contacts_alike(tx, replace(other, id="", email=None)) == []
        assert contacts_alike(tx, replace(world.maria, org="otra-demo")) == []
        archive_contact(tx, other, NOW)
        assert contacts_alike(tx, world.maria) == []


def test_an_archived_contact_is_found_only_by_whoever_looks_for_it_and_takes_no_draft(world):
    made = world.issued()
    with world.books() as tx:
        gone = archive_contact(tx, world.maria, NOW)
        assert (gone.archived, gone.version) == (True, 2)
        assert contact(tx, ORG, gone.id) is None
        assert contacts_named(tx, ORG, "María") == []
        assert contact(tx, ORG, gone.id, archived=True) == gone
        assert contact(tx, "otra-demo", gone.id, archived=True) is None
        with pytest.raises(NotDone, match="archived"):
            create_draft(tx, ORG, "id-x", contact=gone, lines=made.lines, due_date=TODAY, now=NOW)
        with pytest.raises(NotDone):
            archive_contact(tx, gone, NOW)
        with pytest.raises(NotDone):
            change_contact(tx, gone, replace(gone, name="Otra"))
        with pytest.raises(NotDone):
            restore_contact(tx, replace(gone, version=1))
        back = restore_contact(tx, gone)
        assert back == contact(tx, ORG, gone.id) == replace(world.maria, version=3)


def test_what_points_at_a_contact_is_counted_and_what_is_unpaid_is_found(world):
    with world.books() as tx:
        assert (invoices_of(tx, world.maria), unpaid_of(tx, world.maria)) == (0, [])
        world.draft(tx)
        assert (invoices_of(tx, world.maria), unpaid_of(tx, world.maria)) == (1, [])
    made = world.issued()
    with world.books() as tx:
        assert unpaid_of(tx, world.maria) == [made]
    with world.books() as tx:
        other = create_contact(tx, ORG, "id-x", name="Otra", now=NOW)
        assert (invoices_of(tx, other), unpaid_of(tx, other)) == (0, [])
    world.paid(made, "605")
    with world.books() as tx:
        assert (invoices_of(tx, world.maria), unpaid_of(tx, world.maria)) == (2, [])


def test_b47_what_is_shown_is_what_is_written(world):
    raw = replace(world.maria, id="", name=" Ana Gil ", nif="x-1234567-l", email=" a@b.example")
    with world.books() as tx:
        made = create_contact(
            tx, ORG, "id-x", name=raw.name, nif=raw.nif, email=raw.email,
            address=raw.address, payment_days=raw.payment_days, now=NOW,
        )  # fmt: skip
        assert contact(tx, ORG, "id-x") == made == replace(checked(raw), id="id-x")
    assert (made.name, made.nif, made.email) == ("Ana Gil", "X1234567L", "a@b.example")
