"""Two scenarios of an application's author: one that holds, and one whose duplicate is to be found."""

import os
from pathlib import Path

from good_actions import SQL, Add

from semel import Ask, Engine, Who
from semel.runtime import points
from semel.testing.crash import Verdict

ANA = Who("org", "ana", "main")


def opened(world: Path) -> Engine:
    return Engine(
        f"sqlite:///{world / 'things.db'}", [Add()], allow=lambda ctx, may, rows: True, sql=SQL
    )


class Added:
    """A thing is added by a plan; whoever comes back says the same message again."""

    name = "added"

    def prepare(self, world: Path) -> None:
        with opened(world).sync:
            pass

    def run(self, world: Path) -> None:
        step = {"action": "thing.add", "input": {"name": "Lamp", "price": "1"}}
        with opened(world).sync as face:
            outcome = face.agent.act(ANA, {"steps": [step]}, message="m-1")
            if isinstance(outcome, Ask) and outcome.token:
                face.person(ANA).confirm(outcome.token)

    recover = run

    def judge(self, world: Path) -> Verdict:
        engine = opened(world)
        with engine.sync as face:
            rows = face.read(lambda tx: tx.all("things.named", org="org", name="Lamp"))
        twice = ("there are two lamps",) if len(rows) > 1 else ()
        return Verdict(twice, (), () if rows else ("there is no lamp",))


class Printed(Added):
    """A label is printed first and noted after it: a crash in between prints another one."""

    name = "printed"

    def run(self, world: Path) -> None:
        with opened(world).sync as face:
            if not face.read(lambda tx: tx.all("things.named", org="org", name="Lamp")):
                with (world / "printed").open("a") as labels:
                    labels.write("Lamp\n")
                given = {"org": "org", "id": "1", "name": "Lamp", "price": "1"}
                face.write(lambda tx: tx.run("things.add", **given))

    recover = run

    def judge(self, world: Path) -> Verdict:
        labels = (world / "printed").read_text().count("Lamp")
        return Verdict(("a label was printed twice",) if labels > 1 else ())


class Moody(Added):
    """It passes another point each time, so that an armed one is never reached."""

    name = "moody"

    def prepare(self, world: Path) -> None:
        pass

    def run(self, world: Path) -> None:
        points.reach(f"process:{os.getpid()}")

    recover = run

    def judge(self, world: Path) -> Verdict:
        return Verdict()


class Silent(Moody):
    """It passes no point at all."""

    name = "silent"

    def run(self, world: Path) -> None:
        pass

    recover = run
