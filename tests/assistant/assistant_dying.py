"""A process that is killed while it answers a message."""

import asyncio
import os
import signal
from pathlib import Path

from assistant_desk import ANA, BEGIN, EXPENSE_STEPS, Fake, opened

from semel.runtime.faces import PersonFace
from semel.testing import MovableClock
from semel.testing.crash import fork
from semel_facturas.assistant import Assistant
from semel_facturas.books import conversation


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed(home: Path, message: str, text: str, where: str) -> None:
    """Have a process killed at this place; it is a fork, so no engine may be open here."""
    assert fork(lambda: asyncio.run(life(home, message, text, where))) == -signal.SIGKILL


async def life(home: Path, message: str, text: str, where: str) -> None:
    engine = opened(home, MovableClock(BEGIN))
    await engine.start(sweeps=False)
    says = PersonFace.says

    async def dying(self, text, **given):
        if where == "before the answer":
            die()
        outcome = await says(self, text, **given)
        if where == "after the answer":
            die()
        return outcome

    PersonFace.says = dying
    replies = [[("actuar", EXPENSE_STEPS)], "Listo."]
    fake = Fake(replies)

    async def before() -> None:
        if len(fake.asked) == (1 if where == "before the plan" else 2):
            die()

    fake.before = before
    if where == "unheard":
        await engine.write(lambda tx: conversation.hear(tx, ANA, message, text, engine.now()))
        die()
    assistant = Assistant(engine, fake.model)
    await assistant.hear(ANA, message, text)
    await assistant.wait(ANA, message)
