"""A process that is killed while it answers a message: ``home url message text where``."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from assistant_desk import BEGIN, EXPENSE_STEPS, Fake

import semel_facturas
from semel import Who
from semel.runtime.faces import PersonFace
from semel.testing import MovableClock
from semel_facturas.assistant import Assistant
from semel_facturas.books import conversation


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def main(home: str, url: str, message: str, text: str, where: str) -> None:
    engine = semel_facturas.open(url, home=Path(home), clock=MovableClock(BEGIN))
    await engine.start(sweeps=False)
    who = Who("carmona-demo", "ana", "main", "es")
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
        await engine.write(lambda tx: conversation.hear(tx, who, message, text, engine.now()))
        die()
    assistant = Assistant(engine, fake.model)
    await assistant.hear(who, message, text)
    await assistant.wait(who, message)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
