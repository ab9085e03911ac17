"""One process of the story: it does what it is told, says what came of it, and may be killed.

The task comes as JSON on the command line, the answer goes as JSON to standard output; where the
books are is in ``SEMEL_DB``. With
``"wait": true`` the process opens its engine, says ``ready`` and begins when it reads a line, so
that several of them can begin at once. With ``"mail"`` its mail server misbehaves as it says; one
that ``hang``s says ``hanging`` once it has a message, and answers when a line is read.
"""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from semel import Engine, Happened, Outcome, Who
from semel.facts import JSON
from semel.testing import crash_at
from semel_facturas.application import ask, open, seed
from semel_facturas.sink import Behaviour, Sink
from semel_facturas.story.clock import StoryClock

TOKENS = ("token", "retry_token", "undo_token")


def told(outcome: Outcome | str, locale: str) -> dict[str, JSON]:
    """An answer with the fixed keys, as the terminal gives it."""
    if isinstance(outcome, str):
        return {"status": "invalid", "says": outcome, "plan": None, "replayed": False}
    model = outcome.for_model(locale)
    tokens = {name: getattr(outcome, name, None) for name in TOKENS}
    answer: dict[str, JSON] = {
        "status": str(model.status),
        "says": outcome.card(locale).text(),
        "next": str(model.next),
        "plan": model.plan,
        "replayed": outcome.replayed,
        "model": model.plain(),
    }
    return answer | {name: token for name, token in tokens.items() if token}


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
        case "confirm" | "retry" | "undo" as verb:
            press = getattr(engine.person(who), verb)
            return told(await press(task["token"]), who.locale)
        case "cancel" | "status" as verb:
            return told(await getattr(engine.person(who), verb)(task["plan"]), who.locale)
        case "resolve":
            answer = Happened(task.get("id"))
            outcome = await engine.person(who).resolve(task["plan"], task["position"], answer)
            return told(outcome, who.locale)
        case "sweep":
            swept = await engine.sweep()
            return {"resumed": list(swept.resumed)}
        case other:
            raise ValueError(other)


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


@contextmanager
def _mail(home: Path, behaviour: dict[str, Any] | None) -> Iterator[str | None]:
    """A mail server that does what *behaviour* says; without it the application brings its own."""
    if behaviour is None:
        yield None
        return
    with Sink(home / "mail") as sink:
        sink.behaviour = Behaviour(**behaviour)
        if sink.behaviour.hang:
            threading.Thread(target=_hold, args=(sink,), daemon=True).start()
        yield sink.url


def _hold(sink: Sink) -> None:
    sink.hanging.wait()
    _say("hanging")
    sys.stdin.readline()
    sink.release()


async def main(home: Path, task: dict[str, Any]) -> None:
    """Open the engine at the story's time, wait if told so, do the task, say what came of it."""
    clock = StoryClock(task["clock"])
    with _mail(home, task.get("mail")) as smtp:
        engine = open(os.environ["SEMEL_DB"], home=home, clock=clock, smtp=smtp)
        await engine.start(sweeps=False)
        try:
            if task.get("wait"):
                _say("ready")
                sys.stdin.readline()
            with crash_at(*task["kill"]) if "kill" in task else nullcontext():
                answer = await act(engine, task)
                await engine.settle()
        finally:
            await engine.stop()
    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), json.loads(sys.argv[2])))
