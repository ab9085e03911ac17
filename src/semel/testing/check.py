"""Whether an action keeps what its author promises with it: sentences of what is wrong."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from semel.domain.action import Action
from semel.domain.effect import Local
from semel.domain.report import Ask, Outcome, Report
from semel.errors import CatalogError
from semel.facts import JSON, Count, Fact
from semel.testing.checks.away import sent
from semel.testing.checks.local import ran
from semel.testing.checks.look import looked, unfilled
from semel.testing.checks.stage import Stage, World, Wrong, staged

__all__ = ["World", "check_action"]


def check_action(action: Action, world: World | None = None) -> list[str]:
    """What is wrong with an action, one sentence each; empty when nothing was found.

    It is tried on an example, in a SQLite database of its own that is gone afterwards: previewed
    twice, run and rolled back twice, undone, and at last run as a plan with a yes. An outside
    action is run once for each way in which its other side can refuse it or hang up.

    It has a loop of its own, so it is called from a plain function.

    Args:
        action: the action, as an engine would be given it.
        world: what it needs around it. Without it an input is made up, there are no tables, and
            everybody may do everything.
    """
    world = world or World()
    with tempfile.TemporaryDirectory(prefix="semel-check-") as folder:
        try:
            with staged(action, world, Path(folder)) as stage:
                wrong = _checked(stage)
                # What is wrong already would only be said again, in other words.
                wrong = wrong or _planned(stage)
        except CatalogError as no:
            return [str(no)]
        except Wrong as no:
            wrong = [str(no)]
    return [f"{action.name}: {one.rstrip('.')}." for one in dict.fromkeys(wrong)]


def _checked(stage: Stage) -> list[str]:
    action = stage.action
    shown, wrong = looked(stage)
    made, more = ran(stage) if isinstance(action.effect, Local) else sent(stage)
    wrong += more
    both: Mapping[str, Fact] = {**shown, **made}
    wrong += unfilled("will", action.will, shown, "preview()")  # type: ignore[attr-defined]  # checked at import
    wrong += unfilled("did", action.did, both, "preview() or run()")  # type: ignore[attr-defined]  # as above
    return wrong


def _planned(stage: Stage) -> list[str]:
    """Whether the same runs as a plan, with whatever yes it needs."""
    who, far = stage.world.who, stage.world.far
    step: dict[str, JSON] = {"action": stage.action.name, "input": dict(stage.raw)}
    with stage.engine.sync as face:
        outcome: Outcome = face.agent.act(who, {"steps": [step]}, message="check")
        if isinstance(outcome, Ask) and outcome.token is not None:
            outcome = face.person(who).confirm(outcome.token, _words(outcome))
        said = outcome.card("en").text()
    if not isinstance(outcome, Report) or str(outcome.view.reason) != "finished":
        return [f"as a plan it did not come to its end; its card says: {' '.join(said.split())}"]
    if far is not None and not isinstance(stage.action.effect, Local) and len(far.taken) != 1:
        return [f"as a plan it sent {len(far.taken)} requests and not one"]
    return []


def _words(ask: Ask) -> str | None:
    """What a person types where typed words are asked for: how many records it is."""
    facts = ask.view.steps[0].facts.values()
    return next((str(fact.number) for fact in facts if isinstance(fact, Count)), None)
