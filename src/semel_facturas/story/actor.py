"""One process of the story: it does what it is told, says what came of it, and may be killed.

The task comes as JSON on the command line, the answer goes as JSON to standard output. With
``"wait": true`` the process opens its engine, says ``ready`` and begins when it reads a line, so
that several of them can begin at once.
"""

import asyncio
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from semel import Engine, Outcome, Who
from semel.facts import JSON
from semel.testing import crash_at
from semel_facturas.application import ask, open, seed
from semel_facturas.story.clock import StoryClock


def told(outcome: Outcome | str, locale: str) -> dict[str, JSON]:
    """An answer with the fixed keys, as the terminal gives it."""
    if isinstance(outcome, str):
        return {"status": "invalid", "says": outcome, "plan": None, "replayed": False}
    model = outcome.for_model(locale)
    token = getattr(outcome, "token", None)
    answer: dict[str, JSON] = {
        "status": str(model.status),
        "says": outcome.card(locale).text(),
        "next": str(model.next),
        "plan": model.plan,
        "replayed": outcome.replayed,
        "model": model.plain(),
    }
    return answer | ({"token": token} if token else {})


async def act(engine: Engine, task: dict[str, Any]) -> dict[str, JSON]:
    """Do one task."""
    person, org = task.get("as", "ana@carmona-demo").split("@")
    who = Who(org, person, task.get("conversation", "main"), task.get("lang", "es"))
    match task["do"]:
        case "seed":
            made = await seed(engine)
            return {"contacts": {c.name: c.id for c in made.contacts}}
        case "ask":
            return told(await ask(engine, who, task["text"], message=task["message"]), who.locale)
        case "act":
            outcome = await engine.agent.act(who, task["plan"], message=task["message"])
            return told(outcome, who.locale)
        case "say":
            return told(await engine.person(who).says(task["text"]), who.locale)
        case "confirm":
            return told(await engine.person(who).confirm(task["token"]), who.locale)
        case "sweep":
            swept = await engine.sweep()
            return {"resumed": list(swept.resumed)}
        case other:
            raise ValueError(other)


async def main(home: Path, task: dict[str, Any]) -> None:
    """Open the engine at the story's time, wait if told so, do the task, say what came of it."""
    clock = StoryClock(task["clock"])
    engine = open(f"sqlite:///{home / 'books.db'}", home=home, clock=clock)
    await engine.start(sweeps=False)
    try:
        if task.get("wait"):
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            sys.stdin.readline()
        with crash_at(*task["kill"]) if "kill" in task else nullcontext():
            answer = await act(engine, task)
    finally:
        await engine.stop()
    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), json.loads(sys.argv[2])))
