"""The reference application in a folder of its own: its engine, its clock, and ways to look."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app import NOW

import semel_facturas
import stores
from semel import Action, Ask, Engine, Host, Keyring, Report, Who
from semel.testing import MovableClock
from semel_facturas.application import SQL, may
from semel_facturas.post import LocalPost

ANA = Who("carmona-demo", "ana", "main", "es")
LUIS = Who("carmona-demo", "luis", "main", "es")
EVA = Who("otra-demo", "eva", "main", "es")

Step = tuple[str, dict[str, Any]]


def borrador(contacto: str, concepto: str = "Diseño del logo", precio: str = "500") -> Step:
    line = {"concepto": concepto, "precio": precio}
    return "factura.crear_borrador", {"contacto": contacto, "lineas": [line]}


def emitir(factura: str) -> Step:
    return "factura.emitir", {"factura": factura}


def enviar(factura: str) -> Step:
    return "factura.enviar", {"factura": factura}


def plan(*steps: Step) -> dict[str, Any]:
    return {"steps": [{"action": action, "input": given} for action, given in steps]}


@dataclass
class Facturas:
    """A home folder: the books, the key, the mail."""

    home: Path
    clock: MovableClock = field(default_factory=lambda: MovableClock(NOW))
    drafts: int = 0

    @property
    def url(self) -> str:
        return stores.url(self.path, "facturas")

    @property
    def path(self) -> Path:
        return self.home / "books.db"

    def engine(self) -> Engine:
        """The application as it is opened everywhere."""
        return semel_facturas.open(self.url, home=self.home, clock=self.clock)

    def built(
        self, actions: Sequence[Action], keys: Keyring | None = None, host: Host | None = None
    ) -> Engine:
        """The application with actions of a test's own."""
        return Engine(
            self.url, actions, allow=may, sql=SQL, keys=keys, key_file=self.home / "key",
            clock=self.clock, host=host,
        )  # fmt: skip

    def post(self) -> LocalPost:
        return LocalPost(self.home / "mail")

    def sql(self, text: str, *params: object) -> list[tuple[Any, ...]]:
        """Run any SQL from outside, as somebody who goes round the program would."""
        return stores.rows(self.path, text, *params)

    def dump(self) -> list[str]:
        """Everything in the database as SQL."""
        return stores.dump(self.path)

    def numbers(self, org: str = "carmona-demo") -> list[str]:
        """The numbers of the issued invoices, in order."""
        text = "SELECT number FROM invoices WHERE org = ? AND state = 'issued' ORDER BY number"
        return [number for (number,) in self.sql(text, org)]

    def letters(self) -> list[bytes]:
        """The mails that were accepted."""
        return [path.read_bytes() for path in sorted((self.home / "mail").glob("*.eml"))]

    def contact(self, org: str = "carmona-demo") -> str:
        """The id of the demo's one contact of an organization."""
        return str(self.sql("SELECT contact FROM contacts WHERE org = ? LIMIT 1", org)[0][0])

    def made_by(self, plan: str, position: int = 1) -> str:
        """The id of the record that a plan's step made."""
        text = "SELECT id FROM semel_effects WHERE plan = ? AND position = ?"
        return str(self.sql(text, plan, position)[0][0])

    async def draft(self, engine: Engine, who: Who = ANA, message: str = "d-1") -> str:
        """A draft in the books; its id."""
        # A total of its own: two drafts of one total within ten minutes look alike, and ask.
        self.drafts += 1
        step = borrador(self.contact(who.org), f"Trabajo {message}", str(500 + self.drafts))
        outcome = await engine.agent.act(who, plan(step), message=message)
        assert isinstance(outcome, Report), outcome
        return self.made_by(outcome.view.plan)

    async def asked(
        self, engine: Engine, *steps: Step, who: Who = ANA, message: str = "m-1"
    ) -> Ask:
        """A plan that asks."""
        outcome = await engine.agent.act(who, plan(*steps), message=message)
        assert isinstance(outcome, Ask), outcome
        assert outcome.token is not None
        return outcome


@asynccontextmanager
async def opened(home: Path) -> AsyncIterator[tuple[Facturas, Engine]]:
    """The demo world and an open engine."""
    facturas = Facturas(home)
    async with facturas.engine() as engine:
        await semel_facturas.seed(engine)
        yield facturas, engine
