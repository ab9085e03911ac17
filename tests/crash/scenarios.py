"""María's plan, mixed plans, a safe plan: what is run, killed and recovered.

The next process does what happens next in life: it starts, sweeps, and the person (or the model's
restored loop) repeats the message and the yes.
"""

import asyncio
import email
from pathlib import Path

from crash_judge import Patience, judged, rows, together
from notas import open_notas

import semel_facturas
import stores
from semel import Ask, Engine, Outcome, Who
from semel.domain.key import step_key
from semel.testing.crash import Verdict
from semel_facturas.story.clock import StoryClock
from semel_facturas.story.script import SENTENCE

ANA = Who("carmona-demo", "ana", "main", "es")


class Plan:
    """A plan from its first word to its end; recovery goes through the same door."""

    name = ""

    def __init__(self, template: Path) -> None:
        self.template = template

    def prepare(self, world: Path) -> None:
        stores.copies(self.template, world)

    def run(self, world: Path) -> None:
        asyncio.run(self._whole(world, sweep=False))

    def recover(self, world: Path) -> None:
        asyncio.run(self._whole(world, sweep=True))

    async def _whole(self, world: Path, *, sweep: bool) -> None:
        engine = self.open(world)
        await engine.start(sweeps=False)
        try:
            if sweep:
                await self._sweep(engine)
            outcome = await self.propose(engine)
            if isinstance(outcome, Ask):
                await engine.person(ANA).confirm(outcome.token or "")
            await self._sweep(engine)
        finally:
            await engine.stop()

    async def _sweep(self, engine: Engine) -> None:
        swept = await engine.sweep()
        if swept.running:
            raise AssertionError("A plan is running whose owner is dead, and nobody may have it.")

    def open(self, world: Path) -> Engine:
        raise TypeError(self.name)

    async def propose(self, engine: Engine) -> Outcome:
        raise TypeError(self.name)

    def judge(self, world: Path) -> Verdict:
        raise TypeError(self.name)


class Maria(Plan):
    """The first post's request: draft, invoice, e-mail."""

    name = "maria"

    def __init__(self, template: Path, smtp: str, mail: Path) -> None:
        super().__init__(template)
        self.smtp = smtp
        self.mail = mail
        self._ids: dict[Path, str] = {}

    def open(self, world: Path) -> Engine:
        return semel_facturas.open(
            stores.url(world / "books.db", "facturas"),
            home=world,
            clock=StoryClock(),
            smtp=self.smtp,
        )

    async def propose(self, engine: Engine) -> Outcome:
        outcome = await semel_facturas.ask(engine, ANA, SENTENCE["es"], message="m-1")
        if isinstance(outcome, str):
            raise AssertionError(outcome)
        return outcome

    def judge(self, world: Path) -> Verdict:
        db = world / "books.db"
        drafts = rows(db, "SELECT count(*) FROM invoices")[0][0]
        issued = [row[0] for row in rows(db, "SELECT number FROM invoices WHERE state = 'issued'")]
        mails = 0
        for (plan,) in rows(db, "SELECT plan FROM semel_plans"):
            key = step_key(ANA.org, plan, 3, 1)
            mails += sum(id.startswith(f"<{key}@") for id in self._mail())
        verdict = judged(db, {1: drafts, 2: len(issued), 3: mails}, Patience())
        wrong = () if issued == ["2026-0001"] else (f"the numbers are {issued}",)
        return together(verdict, Verdict(false=wrong))

    def _mail(self) -> list[str]:
        """The ids of every mail of every world; one that has been read does not change."""
        for path in self.mail.glob("*.eml"):
            if path not in self._ids:
                read = email.message_from_bytes(path.read_bytes())
                self._ids[path] = str(read["Message-ID"])
        return list(self._ids.values())


class Mixed(Plan):
    """Local, outside, Local, outside; the yes is one."""

    name = "mixed"
    safe = False
    steps = (
        ("nota.crear", {"text": "una"}),
        ("carta.enviar", {"nota": "$1"}),
        ("nota.firmar", {"nota": "$1"}),
        ("carta.enviar", {"nota": "$1"}),
    )

    def open(self, world: Path) -> Engine:
        return open_notas(world, safe=self.safe)

    async def propose(self, engine: Engine) -> Outcome:
        plan = {"steps": [{"action": name, "input": given} for name, given in self.steps]}
        return await engine.agent.act(ANA, plan, message="m-1")

    def judge(self, world: Path) -> Verdict:
        db = world / "notas.db"
        outside = world / "outside"
        sent = outside.read_text().split() if outside.exists() else []
        notes, signed = rows(db, "SELECT count(*), coalesce(sum(signed), 0) FROM notas")[0]
        plans = [plan for (plan,) in rows(db, "SELECT plan FROM semel_plans")]
        happened = {}
        for position, (name, _) in enumerate(self.steps, start=1):
            keys = [step_key(ANA.org, plan, position, 1) for plan in plans]
            local = {"nota.crear": notes, "nota.firmar": signed}
            happened[position] = local.get(name, sum(sent.count(key) for key in keys))
        return judged(db, happened, Patience())


class SafeLocal(Mixed):
    """All Local and safe: preview and run are one transaction."""

    name = "safe"
    steps = (("nota.crear", {"text": "una"}),)


class SafeOutside(Mixed):
    """Safe with an outside effect: it begins at once, from its mark."""

    name = "safe-outside"
    safe = True
    steps = (("nota.crear", {"text": "una"}), ("carta.enviar", {"nota": "$1"}))
