"""A rehearsed plan on its way into the tables: as done, as running, or as a question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from semel.domain.action import Made, Risk
from semel.domain.consent import (
    CONFIRM_TTL,
    NONCE_BYTES,
    Confirmation,
    Question,
    expiry,
    plan_digest,
    seal_plan,
    token_hash,
    token_of,
)
from semel.domain.plan import (
    Owner,
    PlanKind,
    PlanReason,
    PlanRow,
    PlanState,
    StepRow,
    StepState,
    Who,
)
from semel.domain.report import Because
from semel.errors import Bug
from semel.facts import JSON, instant_text
from semel.ports import EngineTx
from semel.runtime import record
from semel.runtime.core import Core
from semel.runtime.look import Shown, Stored
from semel.runtime.record import Begun
from semel.runtime.rehearse import Rehearsal
from semel.runtime.result import kept_result

NOTHING: Mapping[int, Shown] = {}
"""What is told of the steps of a plan that has not run."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a proposal's transaction did."""

    stored: Stored
    new: bool
    token: str | None = field(default=None, repr=False)
    owner: Owner | None = None
    """Set when the plan begins at once and this process has to run it."""
    expired: bool = False


@dataclass(slots=True)
class Draft:
    """A rehearsed plan on its way into the tables."""

    core: Core
    who: Who
    message: str
    sentence: str | None
    plan: str
    at: str
    rehearsal: Rehearsal
    because: tuple[Because, ...]

    @property
    def risk(self) -> Risk:
        """The steps' highest risk; a reason to ask that is not theirs asks for a plain yes."""
        return max(self.rehearsal.risk, Risk.CONFIRM if self.because else Risk.SAFE)

    def keep_done(self, tx: EngineTx) -> Proposed:
        """Everything was Local and safe and has just run: keep it instead of taking it back."""
        org, plan, scenes = self.who.org, self.plan, self.rehearsal.scenes
        steps, shown = list[StepRow](), dict[int, Shown]()
        for scene in scenes:
            text, result = kept_result(cast("Made", scene.made), scene.rows)
            steps.append(scene.row(StepState.DONE, text))
            shown[scene.position] = scene.seen.facts, result
        row = self._insert(tx, tuple(steps), PlanState.ENDED, PlanReason.FINISHED, at=len(steps))
        # One look at the clock for all that is noted here: it is one commit.
        now = tx.now()
        at = instant_text(now)
        # Table by table: a database is told the rows of one together.
        for scene in scenes:
            record.effects(tx, org, plan, scene.rows)
        for scene in scenes:
            begun = Begun(org, plan, scene.position, 1, 0, scene.seen.digest)
            record.ran(self.core, tx, begun, now, at)
        link = self._proposed(tx, at)
        for scene in scenes:
            link = record.event(tx, org, plan, "step_done", scene.position, after=link, at=at)
        record.event(tx, org, plan, "ended", after=link, at=at, reason=str(PlanReason.FINISHED))
        for scene in scenes:
            if scene.later is not None:
                scene.later.keep(plan, self.message, self.who.locale)
        return Proposed(self._stored(tx, row, tuple(steps), shown), new=True)

    def keep_running(self, tx: EngineTx) -> Proposed:
        """Safe, with an effect outside: it begins at once, from its mark on disk."""
        after = self.core.resume_after(tx.now())
        steps = self._steps()
        row = self._insert(tx, steps, PlanState.RUNNING, None, epoch=1, resume_after=after)
        self._proposed(tx)
        owner = Owner(self.who.org, self.plan, 1)
        return Proposed(self._stored(tx, row, steps), new=True, owner=owner)

    def keep_asking(self, tx: EngineTx) -> Proposed:
        """It asks once, for everything that was shown."""
        steps = self._steps()
        row = self._insert(tx, steps, PlanState.ASKING, None, expires_at=expiry(self.at))
        self._proposed(tx)
        stored = self._stored(tx, row, steps)
        token = ask(self.core, tx, stored)
        return Proposed(stored, new=True, token=token)

    def _insert(
        self,
        tx: EngineTx,
        steps: tuple[StepRow, ...],
        state: PlanState,
        reason: PlanReason | None,
        *,
        at: int = 0,
        epoch: int = 0,
        resume_after: str | None = None,
        expires_at: str | None = None,
    ) -> PlanRow:
        """Write the plan and its steps; the plan as reading it back would give it."""
        who, kid, ended = self.who, self.core.keys.newest, state is PlanState.ENDED
        digest = plan_digest(who.org, self.plan, steps)
        seal = seal_plan(self.core.keys, kid, who, self.plan, digest)
        if seal is None:
            raise Bug(f"The signing key {kid} is gone.")
        row = PlanRow(
            org=who.org, plan=self.plan, person=who.person, conversation=who.conversation,
            message=self.message, locale=who.locale, state=state, reason=reason, risk=self.risk,
            version=1, epoch=epoch, at=at, round=1, stall=0,
            owner=self.core.host.identity if state is PlanState.RUNNING else None,
            digest=digest, seal=seal, kid=kid, created_at=self.at, expires_at=expires_at,
            why=" ".join(self.because) or None, kind=PlanKind.PLAN, parent=None, undone_by=None,
            cancelled_at=None, ended_at=self.at if ended else None, not_before=None,
            not_after=None, unless=None, sentence=self.sentence, resume_after=resume_after,
        )  # fmt: skip
        record.insert_plan(tx, row)
        for step in steps:
            record.insert_step(tx, who.org, self.plan, step, row.ended_at)
        return row

    def _steps(self) -> tuple[StepRow, ...]:
        """The steps as they are kept that have not been done yet."""
        return tuple(scene.row() for scene in self.rehearsal.scenes)

    def _proposed(self, tx: EngineTx, at: str | None = None) -> record.Link:
        who = self.who
        names: list[JSON] = [scene.action.name for scene in self.rehearsal.scenes]
        return record.event(
            tx, who.org, self.plan, "proposed", after=record.NEW, at=at,
            actions=names, person=who.person, message=self.message,
        )  # fmt: skip

    def _stored(
        self,
        tx: EngineTx,
        plan: PlanRow,
        steps: tuple[StepRow, ...],
        shown: Mapping[int, Shown] = NOTHING,
    ) -> Stored:
        """What has just been written, as reading it back would give it, without the way there."""
        return Stored(plan, steps, instant_text(tx.now()), shown=shown)


def ask(core: Core, tx: EngineTx, stored: Stored) -> str:
    """Put the question of an asking plan to its person; the token, which is stored nowhere."""
    plan = stored.plan
    if plan.expires_at is None:
        raise Bug(f"{plan.plan} asks for ever; a question stands for {CONFIRM_TTL}.")
    token = put(core, tx, stored, Question.CONFIRM, plan.expires_at)
    record.event(tx, plan.org, plan.plan, "asked", version=plan.version)
    return token


def put(core: Core, tx: EngineTx, stored: Stored, question: Question, expires_at: str) -> str:
    """Write a question of a kind to the plan's person; its token, which is stored nowhere."""
    plan, kid, now = stored.plan, core.keys.newest, tx.now()
    bare = Confirmation(
        org=plan.org,
        id=core.new_id(now),
        nonce=core.entropy.bytes(NONCE_BYTES),
        kid=kid,
        question=question,
        plan=plan.plan,
        version=plan.version,
        epoch=plan.epoch,
        digest=plan.digest,
        person=plan.person,
        conversation=plan.conversation,
        expires_at=expires_at,
        mac="",
    )
    token = token_of(core.keys, bare)
    mac = bare.mac_by(core.keys)
    if token is None or mac is None:
        raise Bug(f"The signing key {kid} is gone.")
    tx.send(
        "confirmations.insert",
        org=bare.org, id=bare.id, token_hash=token_hash(token), nonce=bare.nonce, kid=kid,
        question=str(question), plan=bare.plan, version=bare.version, epoch=bare.epoch,
        digest=bare.digest, person=bare.person, conversation=bare.conversation,
        expires_at=bare.expires_at, mac=mac, now=instant_text(now),
    )  # fmt: skip
    return token
