"""Running actors: one process or many at once, each answer kept where the judge finds it."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semel_facturas.story.clock import START
from semel_facturas.story.judge.ledger import rows
from semel_facturas.story.nursery import Child, Nursery
from semel_facturas.story.place import Place


class StoryBroken(Exception):
    """A process of the story did not do what processes do; the sentence says which."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What a scene is played on: its folder, where its worlds are kept, and who starts actors."""

    folder: Path
    place: Place
    nursery: Nursery

    def world(self, name: str, lang: str) -> "World":
        """A fresh world."""
        home = self.folder / name
        self.place.make(home)
        return World(home, lang, self.place.environment(home), self.nursery)


@dataclass(slots=True)
class World:
    """A fresh home for one scene, with the answers that were given in it."""

    home: Path
    lang: str
    environment: Mapping[str, str]
    """Where its books are, as the actors are told."""
    nursery: Nursery
    clock: str = START
    answers: list[dict[str, Any]] = field(default_factory=list)

    def play(self, do: str, **task: Any) -> dict[str, Any]:
        """Do one task in a process of its own, and keep its answer."""
        return self.together([{"do": do, **task}])[0]

    def together(self, tasks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Do tasks in as many processes, which all begin at once."""
        wait = len(tasks) > 1
        actors = [self._start({**task, "wait": wait}) for task in tasks]
        if wait:
            for actor in actors:
                if actor.stdout.readline() != b"ready\n":
                    raise StoryBroken("An actor of the story did not get ready.")
            for actor in actors:
                actor.stdin.write(b"go\n")
                actor.stdin.flush()
        return [self._end(task, actor) for task, actor in zip(tasks, actors, strict=True)]

    def during(self, task: dict[str, Any], meanwhile: Callable[[], None]) -> dict[str, Any]:
        """Do one task whose e-mail hangs; *meanwhile* happens before the server answers."""
        actor = self._start({**task, "mail": {"hang": True}})
        if actor.stdout.readline() != b"hanging\n":
            raise StoryBroken("The e-mail of the story did not hang.")
        meanwhile()
        actor.stdin.write(b"go\n")
        actor.stdin.flush()
        return self._end(task, actor)

    def _start(self, task: dict[str, Any]) -> Child:
        full = {"clock": self.clock, "lang": self.lang, **task}
        return self.nursery.start(
            "semel_facturas.story.actor",
            str(self.home),
            json.dumps(full),
            env=os.environ | self.environment,
            errors=2,
        )

    def _end(self, task: dict[str, Any], actor: Child) -> dict[str, Any]:
        said, _ = actor.communicate()
        answer: dict[str, Any] = {"task": task, "exit": actor.returncode}
        if actor.returncode == 0:
            answer["answer"] = json.loads(said.splitlines()[-1])
        elif "kill" not in task:
            raise StoryBroken(f"The actor for «{task['do']}» ended with {actor.returncode}.")
        self.answers.append(answer)
        return answer

    def invoice(self, number: str) -> str:
        """The id of the invoice with that number, read from the books as anybody could."""
        found = rows(
            self.environment["SEMEL_DB"], "SELECT invoice FROM invoices WHERE number = ?", number
        )
        return str(found[0][0])

    def keep(self) -> None:
        """Write the answers down for the judge."""
        text = json.dumps(self.answers, ensure_ascii=False, indent=1)
        (self.home / "answers.json").write_text(text, encoding="utf-8")
