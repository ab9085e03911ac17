"""The demo world: two organizations that know nothing of each other."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from semel import Tx
from semel.facts import instant_text

from .contacts import Contact, create_contact, due_date
from .drafts import create_draft
from .expenses import create_expense
from .instants import day_of
from .money import Line

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
ZONE = "Europe/Madrid"
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
class Furniture:
    """What an organization of the web's demo has besides; expenses are so many days old."""

    contacts: tuple[dict[str, str], ...]
    expenses: tuple[tuple[int, str, str | None, str, int], ...]
    draft: tuple[str, str] | None
    """Concept and price; its customer is the first of the contacts."""


FURNITURE = {
    "carmona-demo": Furniture(
        contacts=(
            {
                "name": "Librería Altair",
                "nif": "B11223344",
                "address": "Calle Mayor de Prueba 12, 08002 Barcelona",
                "email": "cuentas@altair.example",
            },
            {
                "name": "Talleres Núñez",
                "nif": "44556677L",
                "address": "Polígono de Muestra 7, 15008 A Coruña",
                "email": "taller@nunez.example",
            },
            {
                "name": "Clínica Vera",
                "nif": "B44556678",
                "address": "Paseo del Modelo 3, 29016 Málaga",
                "email": "administracion@vera.example",
            },
        ),
        expenses=(
            (2, "Suscripción de diseño", "Adobe", "59.99", 21),
            (9, "Tren Madrid–Sevilla", "Renfe", "85.45", 10),
            (16, "Papel y tóner", "Papelería Ejemplo", "42.30", 21),
            (23, "Cuota del coworking", "Espacio Muestra", "180.00", 21),
        ),
        draft=("Cartelería de temporada", "400"),
    ),
    "otra-demo": Furniture(
        contacts=(
            {
                "name": "Almazara Modelo",
                "nif": "B33669979",
                "address": "Carretera de la Prueba km 4, 23001 Jaén",
                "email": "pedidos@almazara.example",
            },
        ),
        expenses=((5, "Alojamiento web", "Servidores Ejemplo", "24.00", 21),),
        draft=None,
    ),
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
        if tx.run("organizations.add", zone=ZONE, default_vat="21", now=now_text, **world)
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


def furnish(tx: Tx, org: str, now: datetime, new_id: Callable[[], str]) -> str:
    """Write down what an organization of the web's demo has besides; how many things it was."""
    furniture, now_text, today = FURNITURE[org], instant_text(now), day_of(now, ZONE)
    contacts = [
        create_contact(tx, org, new_id(), now=now_text, payment_days=30, **one)
        for one in furniture.contacts
    ]
    for days, concepto, proveedor, base, iva in furniture.expenses:
        create_expense(
            tx,
            org,
            new_id(),
            concepto=concepto,
            proveedor=proveedor,
            base=Decimal(base),
            iva=Decimal(iva),
            fecha=today - timedelta(days=days),
            now=now_text,
        )
    if furniture.draft is not None:
        concepto, price = furniture.draft
        create_draft(
            tx,
            org,
            new_id(),
            contact=contacts[0],
            lines=(Line(concepto, Decimal(1), Decimal(price), Decimal(0), Decimal(21)),),
            due_date=due_date(today, contacts[0]) or today,
            now=now_text,
        )
    return f"{len(contacts)} contacts, {len(furniture.expenses)} expenses"
