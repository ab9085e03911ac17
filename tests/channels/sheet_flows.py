"""Every state of a card, reached by real flows of the reference application on a real engine.

Each flow is what a person and a mail server do; what it yields is an outcome as the engine gave it.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from facturas_desk import ANA, ASIDE, WHEN, Desk, Step, borrador, emitir, gasto, recordar, until

import semel_facturas
import stores
from semel import Engine, Outcome, Who
from semel.testing import interrupt_at
from semel_facturas.sink import Sink

WAIT = 30.0
SENTENCE = "Factura a María Carmona 500 + IVA y envíasela"


@dataclass
class Office(Desk):
    """The desk, with a mail server that a test can make refuse, hang or go silent."""

    smtp: str = ""
    sink: Sink = field(kw_only=True)

    def another(self) -> Engine:
        return semel_facturas.open(
            stores.url(self.home / "books.db", "facturas"),
            home=self.home,
            clock=self.clock,
            smtp=self.sink.url,
        )

    def act(self, *steps: Step, who: Who = ANA) -> Outcome:
        """A plan for a sentence that is known."""
        plan = {"steps": [{"action": action, "input": given} for action, given in steps]}
        message = f"m-{next(self._messages)}"
        outcome: Outcome = self.face.agent.act(who, plan, message=message, sentence=SENTENCE)
        return outcome

    def status(self, outcome: Any, who: Who = ANA) -> Outcome:
        """How a plan stands, as a page that is opened reads it."""
        found: Outcome = self.face.person(who).status(outcome.view.plan)
        return found

    def four(self) -> tuple[Step, ...]:
        """The request of the first post: write, issue, send, remind."""
        return borrador(self.maria), emitir("$1"), enviar("$1"), recordar("$1", 5)

    @contextmanager
    def meanwhile(self, work: Callable[[], Outcome]) -> Iterator[None]:
        """Let *work* come to the mail server, which does not answer until the block has ended."""
        self.sink.behaviour.hang = True
        thread = threading.Thread(target=work)
        thread.start()
        try:
            assert self.sink.hanging.wait(WAIT)
            yield
        finally:
            self.sink.behaviour.hang = False
            self.sink.release()
            thread.join(WAIT)
        assert not thread.is_alive()


@contextmanager
def office(home: Path) -> Iterator[Office]:
    """The demo world, an engine and a mail server."""
    with Sink(home / "mail") as sink:
        desk = Office(home, sink=sink)
        with desk.face:
            desk.face.call(semel_facturas.seed(desk.engine))
            yield desk


def enviar(factura: str) -> Step:
    return "factura.enviar", {"factura": factura}


def expenses(desk: Office, count: int) -> list[str]:
    return [desk.made(desk.done(gasto("10", f"Gasto {n}"))) for n in range(1, count + 1)]


def awaiting(desk: Office) -> Outcome:
    return desk.asked(*desk.four())


def duplicate(desk: Office) -> Outcome:
    desk.issued()
    desk.clock.move(seconds=240)
    return desk.asked(borrador(desk.maria))


def typed(desk: Office) -> Outcome:
    return desk.asked(("gasto.borrar", {"gastos": expenses(desk, 4)}))


def changed(desk: Office) -> Outcome:
    ask = desk.asked(("factura.enviar", {"factura": desk.issued()}))
    new = {"contacto": desk.maria, "email": "nueva@carmona.example"}
    desk.done(("contacto.actualizar", new), who=ASIDE)
    return desk.yes(ask)


def invalid(desk: Office) -> Outcome:
    sala = desk.made(desk.done(("contacto.crear", {"nombre": "Bodega Sala"})))
    return desk.act(borrador(sala), emitir("$1"))


def problem(desk: Office) -> Outcome:
    return desk.act(("factura.emitir", {"factura": "nobody"}))


def malformed(desk: Office) -> Outcome:
    return desk.act(("factura.no_hay", {}))


def _running(desk: Office, look: Callable[[Any], Outcome]) -> Outcome:
    ask = desk.asked(*desk.four())
    with desk.meanwhile(lambda: desk.yes(ask)):
        return look(ask)


def running(desk: Office) -> Outcome:
    return _running(desk, desk.status)


def cancelling(desk: Office) -> Outcome:
    return _running(desk, lambda ask: desk.face.person(ANA).cancel(ask.view.plan))


def _at(point: str, desk: Office, work: Callable[[], Outcome]) -> Outcome:
    """What another engine tells of the newest plan at a point of *work*."""
    found: list[Outcome] = []
    other = desk.another()

    def look() -> None:
        view = other.sync.person(ANA).plans(1)[0]
        found.append(other.sync.person(ANA).status(view.plan))

    with other.sync, interrupt_at(point, look, 1):
        work()
    return found[0]


def done(desk: Office) -> Outcome:
    return desk.done(*desk.four())


def done_safe(desk: Office) -> Outcome:
    return desk.done(gasto("10"), gasto("20", "Correos"))


def done_one(desk: Office) -> Outcome:
    return desk.done(gasto("10"))


def replayed(desk: Office) -> Outcome:
    ask = desk.asked(*desk.four())
    desk.yes(ask)
    return desk.yes(ask)


def partial(desk: Office) -> Outcome:
    ask = desk.asked(*desk.four())
    desk.sink.behaviour.at_rcpt = 550
    return desk.yes(ask)


def nothing_done(desk: Office) -> Outcome:
    ask = desk.asked(enviar(desk.issued()))
    desk.sink.behaviour.at_rcpt = 550
    return desk.yes(ask)


def in_doubt(desk: Office) -> Outcome:
    ask = desk.asked(*desk.four())
    desk.sink.behaviour.cut = "after storing"
    return desk.yes(ask)


def settled(desk: Office) -> Outcome:
    report = in_doubt(desk)
    desk.clock.move(seconds=3600)
    return desk.status(report)


def cancelled(desk: Office) -> Outcome:
    ask = desk.asked(*desk.four())
    outcome: Outcome = desk.face.person(ANA).cancel(ask.view.plan)
    return outcome


def cancelled_mid(desk: Office) -> Outcome:
    ask = desk.asked(*desk.four())
    with desk.meanwhile(lambda: desk.yes(ask)):
        desk.face.person(ANA).cancel(ask.view.plan)
    return desk.status(ask)


def expired(desk: Office) -> Outcome:
    ask = desk.asked(*desk.four())
    desk.clock.move(seconds=3600)
    desk.sweep()
    return desk.status(ask)


def superseded(desk: Office) -> Outcome:
    ask = desk.asked(*desk.four())
    desk.asked(borrador(desk.maria, "600"), emitir("$1"))
    return desk.status(ask)


def rejected(desk: Office) -> Outcome:
    outcome: Outcome = desk.face.person(ANA).status("p_00000000-0000-7000-8000-000000000000")
    return outcome


def not_the_words(desk: Office) -> Outcome:
    return desk.yes(desk.asked(("gasto.borrar", {"gastos": expenses(desk, 4)})), "sí")


def tampered(desk: Office) -> Outcome:
    ask = desk.asked(*desk.four())
    desk.sql("UPDATE semel_steps SET input = replace(input, '500', '900') WHERE position = 1")
    return desk.yes(ask)


def undone(desk: Office) -> Outcome:
    return desk.undo(desk.done(gasto("10"), gasto("20", "Correos")))


def taken_back(desk: Office) -> Outcome:
    report = desk.done(gasto("10"), gasto("20", "Correos"))
    desk.undo(report)
    return desk.status(report)


def undoing(desk: Office) -> Outcome:
    report = desk.done(gasto("10"), gasto("20", "Correos"))
    desk.clock.move(seconds=60)
    return _at("commit:local:after", desk, lambda: desk.undo(report))


def undo_partial(desk: Office) -> Outcome:
    report = desk.done(gasto("10"), gasto("20", "Correos"))
    desk.done(("gasto.borrar", {"gastos": [desk.made(report)]}))
    return desk.undo(report)


def _reminder(desk: Office) -> tuple[str, str]:
    """A planned reminder and its invoice."""
    invoice = desk.issued()
    desk.done(recordar(invoice, 5))
    plans = desk.sql("SELECT plan FROM semel_plans WHERE kind = 'later'")
    return str(plans[0][0]), invoice


def later(desk: Office) -> Outcome:
    plan, _ = _reminder(desk)
    outcome: Outcome = desk.face.person(ANA).status(plan)
    return outcome


def not_needed(desk: Office) -> Outcome:
    plan, invoice = _reminder(desk)
    desk.done(("factura.registrar_cobro", {"factura": invoice}))
    until(desk, WHEN + timedelta(minutes=1))
    desk.sweep()
    outcome: Outcome = desk.face.person(ANA).status(plan)
    return outcome


FLOWS: dict[str, tuple[str, Callable[[Office], Outcome]]] = {
    "awaiting": ("awaiting", awaiting),
    "duplicate": ("awaiting", duplicate),
    "typed": ("awaiting", typed),
    "changed": ("awaiting", changed),
    "invalid": ("invalid", invalid),
    "problem": ("invalid", problem),
    "malformed": ("invalid", malformed),
    "running": ("running", running),
    "cancelling": ("cancelling", cancelling),
    "done": ("done", done),
    "done_safe": ("done", done_safe),
    "done_one": ("done", done_one),
    "replayed": ("done", replayed),
    "partial": ("partial", partial),
    "nothing_done": ("partial", nothing_done),
    "in_doubt": ("in_doubt", in_doubt),
    "settled": ("in_doubt", settled),
    "cancelled": ("cancelled", cancelled),
    "cancelled_mid": ("cancelled_mid", cancelled_mid),
    "expired": ("expired", expired),
    "superseded": ("superseded", superseded),
    "rejected": ("rejected", rejected),
    "not_the_words": ("rejected", not_the_words),
    "tampered": ("rejected", tampered),
    "undoing": ("undoing", undoing),
    "undone": ("undone", undone),
    "taken_back": ("done", taken_back),
    "undo_partial": ("undo_partial", undo_partial),
    "later": ("later", later),
    "not_needed": ("cancelled", not_needed),
}
"""What leads to a card, and the state that it shows."""
