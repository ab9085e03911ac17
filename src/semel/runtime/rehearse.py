"""A rehearsal: every step previewed and, when it is Local, run for real and taken back.

So step 3 sees what step 1 will make, from the application's own functions, and the database's
constraints speak at the preview instead of at the run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from semel.domain.action import Action, Ctx, Made, Missing, Preview, Risk
from semel.domain.canonical import compact
from semel.domain.effect import Local
from semel.domain.plan import StepRow, StepState, Who
from semel.domain.report import Problem
from semel.domain.step import name_of
from semel.errors import Conflict, NotDone, StorageError
from semel.ports import EngineTx
from semel.runtime.core import Core
from semel.runtime.invoke import (
    ChangedSince,
    Forbidden,
    Given,
    Missed,
    NotFound,
    Place,
    Seen,
    Stand,
    bind,
    context,
    perform,
    permit,
    see,
)
from semel.runtime.later import Plans
from semel.runtime.result import Touched, touched


class Broken(Exception):
    """An action raised something that it does not declare."""


class Scene(NamedTuple):
    """A step as it was rehearsed."""

    position: int
    action: Action
    stored: str
    seen: Seen
    made: Made | None
    rows: list[Touched]
    stand: Stand | None
    risk: Risk
    """The step's own, or that of what it plans for later, whichever is higher."""
    later: Plans | None = None

    def row(self, state: StepState = StepState.WAITING, result: str | None = None) -> StepRow:
        """The step as it is stored."""
        return StepRow(
            position=self.position,
            action=self.action.name,
            action_version=self.action.version,
            effect=name_of(self.action.effect),
            input=self.stored,
            preview=compact(self.seen.stored),
            facts_digest=self.seen.digest,
            risk=self.risk,
            state=state,
            reason=None,
            detail=None,
            result=result,
            later=self.later.text() if self.later else None,
            similar=self.seen.similar,
        )


@dataclass(slots=True)
class Rehearsal:
    """What came out: the steps, or what stands in the way."""

    scenes: list[Scene] = field(default_factory=list)
    questions: list[Missing] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    forbidden: str | None = None

    @property
    def good(self) -> bool:
        """Whether the plan could run as it is."""
        return not (self.questions or self.problems or self.forbidden)

    @property
    def risk(self) -> Risk:
        """The highest risk of the steps."""
        return max([scene.risk for scene in self.scenes], default=Risk.SAFE)

    @property
    def looks_alike(self) -> bool:
        """Whether a step would make another of something that is there."""
        return any(scene.seen.similar is not None for scene in self.scenes)

    @property
    def immediate(self) -> bool:
        """Whether preview and run can be the same transaction: all Local, all safe."""
        local = all(isinstance(scene.action.effect, Local) for scene in self.scenes)
        return self.good and local and self.risk is Risk.SAFE


def rehearse(
    core: Core,
    tx: EngineTx,
    who: Who,
    plan: str,
    steps: Sequence[tuple[Action, str]],
    round_: int = 1,
    done: Sequence[Touched] = (),
    first: int = 1,
) -> Rehearsal:
    """Rehearse a plan's steps in order, inside *tx*; the caller takes the writes back.

    Args:
        core: the engine's parts.
        tx: the transaction; what Local steps write stays in it.
        who: the person, for permissions and organization.
        plan: the plan's number, part of every digest.
        steps: action and stored input, in order.
        round_: the round whose keys the handlers see.
        done: what the plan's steps before these have made or touched.
        first: the position of the first of *steps*.

    Raises:
        Broken: an action raised something it does not declare.
    """
    rehearsal = Rehearsal()
    made: list[Touched] = list(done)
    stands: dict[int, Stand] = {}
    now, app = tx.now(), tx.app
    for position, (action, stored) in enumerate(steps, start=first):
        ctx = context(core, app, who, plan, position, round_, now)
        place = Place(who.org, plan, position, made, stands)
        scene = _scene(core, tx, rehearsal, who, action, stored, ctx, place)
        if rehearsal.forbidden:
            return rehearsal
        if scene is not None:
            rehearsal.scenes.append(scene)
            made.extend(scene.rows)
            if scene.stand is not None:
                stands[position] = scene.stand
    return rehearsal


def _scene(
    core: Core,
    tx: EngineTx,
    rehearsal: Rehearsal,
    who: Who,
    action: Action,
    stored: str,
    ctx: Ctx[Any],
    place: Place,
) -> Scene | None:
    where = f"steps[{place.position}]"
    try:
        with tx.savepoint():
            given = bind(core, action, stored, ctx, place)
            permit(core, action, given.records, ctx)
            seen = see(given, ctx, place)
            rehearsal.questions.extend(seen.preview.missing)
            if seen.preview.missing:
                given, seen = _stand_in(given, seen, ctx, place)
            earlier = [one.later for one in rehearsal.scenes if one.later is not None]
            plans = Plans(core, tx, who, place, rehearsing=True, earlier=earlier)
            return _played(rehearsal, plans, given, seen, ctx, stored)
    except Forbidden as no:
        rehearsal.forbidden = str(no)
    except Missed:
        _unless_asked(rehearsal, Problem("reference_makes_nothing", where))
    except NotFound as no:
        problem = Problem("record_not_found", f"{where}.input.{no.pointer.path}", str(no))
        _unless_asked(rehearsal, problem)
    except ChangedSince as no:
        _unless_asked(rehearsal, Problem("changed_since", where, str(no)))
    except NotDone as no:
        _unless_asked(rehearsal, Problem("action_says_no", where, no.says(ctx.locale)))
    except StorageError as no:
        if not isinstance(no, Conflict):
            raise
        if not rehearsal.questions:
            raise Broken(f"{action.name} broke a constraint in a rehearsal") from no
    except BaseException as no:
        # A handler's SystemExit ends its step, not the process. And with a question open the step
        # ran on a stand-in or on nothing; its failure says nothing.
        if not rehearsal.questions:
            raise Broken(f"{action.name} failed in a rehearsal") from no
    return None


def _played(
    rehearsal: Rehearsal, plans: Plans, given: Given, seen: Seen, ctx: Ctx[Any], stored: str
) -> Scene:
    """Run a step as far as it can be run in a rehearsal, and look at what it plans for later."""
    action, position = given.action, plans.place.position
    stand = _stand(action, seen.preview)
    if not isinstance(action.effect, Local):
        return Scene(position, action, stored, seen, None, [], stand, seen.risk)
    made = perform(given, ctx, plans)
    rows = touched(position, action.makes, made)
    missing, risk = plans.look(rows)
    rehearsal.questions.extend(missing)
    return Scene(position, action, stored, seen, made, rows, stand, max(seen.risk, risk), plans)


def _stand(action: Action, preview: Preview) -> Stand | None:
    if action.makes is None or preview.makes is None:
        return None
    kind = cast("Any", action.makes())
    return Stand(kind.name, str(kind.key(preview.makes)), preview.makes)


def _unless_asked(rehearsal: Rehearsal, problem: Problem) -> None:
    """Keep a problem, unless it may only follow from a question that is still open."""
    if not rehearsal.questions:
        rehearsal.problems.append(problem)


def _stand_in(given: Given, seen: Seen, ctx: Ctx[Any], place: Place) -> tuple[Given, Seen]:
    """Go on with the stand-ins of what is missing, so that later steps ask too."""
    values = {
        missing.field: missing.stand_in
        for missing in seen.preview.missing
        if missing.stand_in is not None and missing.field in type(given.input).model_fields
    }
    if not values:
        return given, seen
    changed = Given(given.action, given.input.model_copy(update=values), given.refs, given.records)
    return changed, see(changed, ctx, place)
