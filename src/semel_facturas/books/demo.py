"""The demo world: two organizations that know nothing of each other."""

from collections.abc import Callable
from dataclasses import dataclass

from semel import Tx

from .contacts import Contact, create_contact

# Every domain ends in .example, which nobody can own (RFC 2606).
WORLD = (
    {
        "org": "carmona-demo",
        "name": "Carmona Estudio",
        "nif": "B12345674",
        "address": "Calle del Ejemplo 1, 28013 Madrid",
        "email": "facturas@carmona-demo.example",
    },
    {
        "org": "otra-demo",
        "name": "Otra Demo",
        "nif": "B76543214",
        "address": "Plaza de Prueba 2, 46001 Valencia",
        "email": "facturas@otra-demo.example",
    },
)
PEOPLE = (
    ("carmona-demo", "ana", "propietario"),
    ("carmona-demo", "luis", "asesor"),
    ("otra-demo", "eva", "propietario"),
)
CONTACTS = {
    "carmona-demo": {
        "name": "María Carmona",
        "nif": "12345678Z",
        "address": "Avenida de la Muestra 3, 41001 Sevilla",
        "email": "maria@carmona.example",
    },
    "otra-demo": {
        "name": "Bodegas Ejemplo",
        "nif": "B98765431",
        "address": "Camino de la Viña 4, 26001 Logroño",
        "email": "compras@bodegas.example",
    },
}


@dataclass(frozen=True, slots=True)
class Seeded:
    """What a seed made; all of it is empty when the demo world was there already."""

    organizations: tuple[str, ...]
    people: tuple[str, ...]
    contacts: tuple[Contact, ...]


def seed(tx: Tx, now_text: str, new_id: Callable[[], str]) -> Seeded:
    """Make each organization of the demo that is missing, with its people and its contact.

    An organization that exists is left alone, whatever has become of it.
    """
    fresh = [
        world["org"]
        for world in WORLD
        if tx.run(
            "organizations.add", zone="Europe/Madrid", default_vat="21", now=now_text, **world
        )
    ]
    people = [person for person in PEOPLE if person[0] in fresh]
    for org, person, role in people:
        tx.run("organizations.add_person", org=org, person=person, role=role, locale="es")
    contacts = [
        create_contact(tx, org, new_id(), now=now_text, payment_days=30, **CONTACTS[org])
        for org in fresh
    ]
    return Seeded(
        tuple(fresh), tuple(f"{person}@{org}" for org, person, _ in people), tuple(contacts)
    )
