"""The reference application at work in a folder of its own, and short ways to act, answer and look."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any

import semel_facturas
import stores
from semel import Ask, Engine, Invalid, Outcome, Report, Who
from semel.testing import MovableClock

ANA = Who("carmona-demo", "ana", "main", "es")
ASIDE = Who("carmona-demo", "ana", "aside", "es")
"""Ana in another conversation: what she does there leaves her question here standing."""
ENGLISH = Who("carmona-demo", "ana", "english", "en")
LUIS = Who("carmona-demo", "luis", "main", "es")
BEGIN = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)
WHEN = datetime(2026, 11, 13, 8, 0, tzinfo=UTC)
"""Nine in Madrid, five days before an invoice of the beginning is due."""

Step = tuple[str, dict[str, Any]]


def borrador(contacto: str, precio: str = "500", **more: Any) -> Step:
    line = {"concepto": "Diseño del logo", "precio": precio}
    return "factura.crear_borrador", {"contacto": contacto, "lineas": [line]} | more


def emitir(factura: str) -> Step:
    return "factura.emitir", {"factura": factura}


def cobrar(factura: str, **more: Any) -> Step:
    return "factura.registrar_cobro", {"factura": factura} | more


def recordar(factura: str, *dias: int) -> Step:
    return "factura.programar_recordatorios", {"factura": factura, "dias_antes": list(dias)}


def gasto(importe: str = "100", concepto: str = "Adobe") -> Step:
    given = {"concepto": concepto, "importe": importe, "iva_incluido": False}
    return "gasto.crear", given


@dataclass
class Desk:
    """A home folder, an engine on it, and the person who sits there."""

    home: Path
    clock: MovableClock = field(default_factory=lambda: MovableClock(BEGIN))
    _messages: "itertools.count[int]" = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.engine = self.another()

    @property
    def face(self) -> Any:
        return self.engine.sync

    @property
    def maria(self) -> str:
        return str(self.sql("SELECT contact FROM contacts WHERE name = 'María Carmona'")[0][0])

    def another(self) -> Engine:
        """One more engine on the same home."""
        return semel_facturas.open(
            stores.url(self.home / "books.db", "facturas"), home=self.home, clock=self.clock
        )

    def sql(self, text: str, *params: object) -> list[tuple[Any, ...]]:
        """Run any SQL from outside, as somebody who goes round the program would."""
        return stores.rows(self.home / "books.db", text, *params)

    def act(self, *steps: Step, who: Who = ANA) -> Outcome:
        """What a plan of these steps is answered with, each time in a message of its own."""
        plan = {"steps": [{"action": action, "input": given} for action, given in steps]}
        outcome: Outcome = self.face.agent.act(who, plan, message=f"m-{next(self._messages)}")
        return outcome

    def asked(self, *steps: Step, who: Who = ANA) -> Ask:
        """A plan that asks."""
        outcome = self.act(*steps, who=who)
        assert isinstance(outcome, Ask), outcome.for_model("es")
        assert outcome.token
        return outcome

    def yes(self, ask: Ask, words: str | None = None, who: Who = ANA) -> Outcome:
        outcome: Outcome = self.face.person(who).confirm(ask.token, words)
        return outcome

    def done(self, *steps: Step, who: Who = ANA) -> Report:
        """A plan that runs, with a yes if it asks for one."""
        outcome = self.act(*steps, who=who)
        if isinstance(outcome, Ask):
            outcome = self.yes(outcome, who=who)
        assert isinstance(outcome, Report), outcome.for_model("es")
        assert outcome.view.reason == "finished", outcome.for_model("es")
        return outcome

    def undo(self, report: Report) -> Outcome:
        assert report.undo_token
        outcome: Outcome = self.face.person(ANA).undo(report.undo_token)
        return outcome

    def refused(self, *steps: Step) -> list[str]:
        """What a plan that cannot be prepared is refused with, and what is asked."""
        outcome = self.act(*steps)
        assert isinstance(outcome, Invalid), outcome.for_model("es")
        asked = [question.ask["es"] for question in outcome.questions if question.ask]
        return [*asked, *(problem.detail or problem.code for problem in outcome.problems)]

    def made(self, report: Report, position: int = 1) -> str:
        """The id of the record that a plan's step made."""
        text = "SELECT id FROM semel_effects WHERE plan = ? AND position = ?"
        return str(self.sql(text, report.view.plan, position)[0][0])

    def issued(self, precio: str = "500", who: Who = ANA) -> str:
        """An issued invoice for María; its id."""
        return self.made(self.done(borrador(self.maria, precio), emitir("$1"), who=who))

    def sweep(self) -> None:
        """Let what is due begin, and wait until it has ended."""
        swept(self.engine)

    def letters(self) -> list[EmailMessage]:
        """The mails that were accepted."""
        return [read(path.read_bytes()) for path in sorted((self.home / "mail").glob("*.eml"))]


def swept(engine: Engine) -> None:
    """Sweep with one engine, and wait until nothing of it runs any more."""
    engine.sync.sweep()
    engine.sync.call(engine.settle())


def says(outcome: Outcome, locale: str = "es") -> str:
    """What a person reads of an outcome."""
    return outcome.card(locale).text()


def read(content: bytes) -> EmailMessage:
    message = message_from_bytes(content, policy=SMTP)
    assert isinstance(message, EmailMessage)
    return message


@contextmanager
def opened(home: Path, clock: MovableClock | None = None) -> Iterator[Desk]:
    """The demo world and an engine on it."""
    desk = Desk(home, clock or MovableClock(BEGIN))
    with desk.face:
        desk.face.call(semel_facturas.seed(desk.engine))
        yield desk


def until(desk: Desk, at: datetime) -> None:
    desk.clock.move(seconds=(at - desk.clock.now()).total_seconds())


def waiting(desk: Desk) -> list[str]:
    return [
        at
        for (at,) in desk.sql(
            "SELECT not_before FROM semel_plans WHERE kind = 'later' AND state = 'running' ORDER BY 1"
        )
    ]


def planned(desk: Desk, *days: int) -> str:
    """An issued invoice, due on 18/11/2026, with reminders."""
    invoice = desk.issued()
    desk.done(recordar(invoice, *days))
    return invoice
