"""What is run and killed: María's plan, mixed plans, a safe plan; and who looks at the world after.

Each run dies once at one point. Then a second process does what happens next in life: it starts,
sweeps, and the person (or the model's restored loop) repeats the message and the yes.
"""

import asyncio
import email
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from notas import open_notas

import semel_facturas
from semel import Ask, Engine, Outcome, Who
from semel.domain.key import step_key
from semel.testing.crash import Verdict
from semel_facturas.story.clock import StoryClock
from semel_facturas.story.scenes import SENTENCE

ANA = Who("carmona-demo", "ana", "main", "es")


class Plan:
    """A plan from its first word to its end; recovery goes through the same door."""

    name = ""

    def __init__(self, template: Path) -> None:
        self.template = template

    def prepare(self, world: Path) -> None:
        shutil.copytree(self.template, world, dirs_exist_ok=True)

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


def rows(path: Path, sql: str, *values: object) -> list[tuple]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as books:
        return books.execute(sql, values).fetchall()


def judged(db: Path, happened: dict[int, int], steps: int) -> Verdict:
    """Compare what is said with what happened.

    Args:
        db: the database.
        happened: how often each step's effect is in the world, by position.
        steps: how many steps the plan has.
    """
    plans = rows(db, "SELECT plan, state, reason FROM semel_plans")
    duplicates = [f"step {p} happened {n} times" for p, n in happened.items() if n > 1]
    if len(plans) != 1 or plans[0][1] != "ended" or plans[0][2] not in {"finished", "in_doubt"}:
        return Verdict(tuple(duplicates), (), (f"the plans are {plans}",))
    said = dict(rows(db, "SELECT position, state FROM semel_steps"))
    false = []
    for position in range(1, steps + 1):
        state, count = said.get(position), happened.get(position, 0)
        if state == "done" and count == 0:
            false.append(f"step {position} is said to be done and did not happen")
        if state in {"not_done", "waiting"} and count:
            false.append(f"step {position} is said to be {state} and happened")
        if state == "started":
            false.append(f"step {position} is said to be under way in a plan that has ended")
    if plans[0][2] == "finished" and set(said.values()) != {"done"}:
        false.append("the plan is said to be finished and its steps are not")
    if plans[0][2] == "in_doubt" and "in_doubt" not in said.values():
        false.append("the plan is said to be in doubt and none of its steps is")
    return Verdict(tuple(duplicates), tuple(false), ())


class Maria(Plan):
    """The first post's request: draft, invoice, e-mail."""

    name = "maria"

    def __init__(self, template: Path, smtp: str, mail: Path) -> None:
        super().__init__(template)
        self.smtp = smtp
        self.mail = mail

    def open(self, world: Path) -> Engine:
        return semel_facturas.open(
            f"sqlite:///{world / 'books.db'}", home=world, clock=StoryClock(), smtp=self.smtp
        )

    async def propose(self, engine: Engine) -> Outcome:
        outcome = await semel_facturas.ask(engine, ANA, SENTENCE["es"], message="m-1")
        if isinstance(outcome, str):
            raise AssertionError(outcome)
        return outcome

    def judge(self, world: Path) -> Verdict:
        db = world / "books.db"
        (plan,) = rows(db, "SELECT plan FROM semel_plans")[0]
        drafts = rows(db, "SELECT count(*) FROM invoices")[0][0]
        issued = rows(db, "SELECT number FROM invoices WHERE state = 'issued' ORDER BY number")
        key = step_key(ANA.org, plan, 3, 1)
        mails = [
            path
            for path in self.mail.glob("*.eml")
            if str(email.message_from_bytes(path.read_bytes())["Message-ID"]).startswith(f"<{key}@")
        ]
        verdict = judged(db, {1: drafts, 2: len(issued), 3: len(mails)}, 3)
        if issued != [("2026-0001",)]:
            return Verdict(verdict.duplicates, (*verdict.false, f"numbers {issued}"), verdict.lost)
        return verdict


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
        (plan,) = rows(db, "SELECT plan FROM semel_plans")[0]
        outside = world / "outside"
        sent = outside.read_text().split() if outside.exists() else []
        notes, signed = rows(db, "SELECT count(*), coalesce(sum(signed), 0) FROM notas")[0]
        happened = {}
        for position, (name, _) in enumerate(self.steps, start=1):
            local = {"nota.crear": notes, "nota.firmar": signed}
            happened[position] = local.get(name, sent.count(step_key(ANA.org, plan, position, 1)))
        return judged(db, happened, len(self.steps))


class SafeLocal(Mixed):
    """All Local and safe: preview and run are one transaction."""

    name = "safe"
    steps = (("nota.crear", {"text": "una"}),)


class SafeOutside(Mixed):
    """Safe with an outside effect: it begins at once, from its mark."""

    name = "safe-outside"
    safe = True
    steps = (("nota.crear", {"text": "una"}), ("carta.enviar", {"nota": "$1"}))
