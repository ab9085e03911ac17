"""An outside action: one request for each run, and no word that is not so when the line is cut."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from semel.domain.action import Ctx, Made
from semel.domain.effect import Checked, Keyed
from semel.domain.key import send_key
from semel.domain.step import bounds
from semel.errors import NotDone
from semel.facts import Fact
from semel.ports import EngineTx
from semel.runtime.invoke import Given, for_outside
from semel.runtime.outside import Request
from semel.testing.checks.far import Mood, Outside
from semel.testing.checks.local import as_kept, lost
from semel.testing.checks.stage import PLAN, SENDS, Stage, Wrong
from semel.testing.checks.watch import CONNECTS

LIMIT_SECONDS = 5.0
"""What a run may take here, whatever it declares: the other side answers at once or hangs up."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a run said, and what the other side knows of it."""

    made: Made | None
    error: BaseException | None
    asked: int
    taken: int
    told: bool
    ctx: Ctx[Any]


def sent(stage: Stage) -> tuple[Mapping[str, Fact], list[str]]:
    """The facts of the step's result, and what is wrong with its sends."""
    far = stage.world.far
    if far is None:
        raise Wrong("nobody counts what it sends: give World(far=…) and let it send there")
    return asyncio.run(_Line(stage, far).all())


class _Line:
    """The action and its other side; each run is that of another plan, hence has another key."""

    def __init__(self, stage: Stage, far: Outside) -> None:
        self.stage = stage
        self.far = far
        self.action = cast("Any", stage.action)
        self.number = 0

    async def all(self) -> tuple[Mapping[str, Fact], list[str]]:
        wrong = await self.prepares()
        plain = await self.run()
        answers, requests = self.far.said, list(self.far.taken)
        if plain.made is None:
            raise Wrong(f"run() ended with {_name(plain.error)}, though the other side took all")
        if plain.taken == 0:
            raise Wrong("run() answered Made, and the other side has taken nothing: is it there?")
        wrong += _once(plain, "when all goes well")
        wrong += lost(plain.made, as_kept(plain.made, []))
        wrong += self.keyed(plain, requests)
        wrong += await self.looks(plain)
        for mood, said in ((Mood.REFUSES, "refuses"), (Mood.BUSY, "is busy")):
            wrong += self.refused(await self.run(mood), said)
        for answer in range(1, answers + 1):
            wrong += self.cut(await self.run(cut=answer))
        self.far.begin()
        return plain.made.facts, list(dict.fromkeys(wrong))

    async def prepares(self) -> list[str]:
        """Preparing sends nothing and, where it may be sent again, gives the same each time."""
        if not hasattr(self.action, "prepare"):
            return []
        given, ctx = self.bound()
        with self.stage.watched() as does:
            first = await self.prepare(given, ctx)
        second = await self.prepare(given, ctx)
        wrong = []
        # It may read and write files, for what it prepares may be a document.
        sends = [what for what in does if what in {CONNECTS, SENDS}]
        wrong += [f"prepare() {what}; it may run again, so it sends nothing" for what in sends]
        if isinstance(self.stage.action.effect, Keyed):
            digests = {Request(given, ctx, one).digest for one in (first, second)}
            if len(digests) > 1 or "" in digests:
                wrong.append(
                    "prepare() gives other bytes for the same key and the same instant, so that"
                    " nothing could ever be sent again"
                )
        return wrong

    async def prepare(self, given: Given, ctx: Ctx[Any]) -> object:
        """What the action prepares.

        Raises:
            Wrong: it raised something; then nothing can be sent.
        """
        try:
            return await self.action.prepare(given.input, ctx)
        except Exception as no:
            raise Wrong(f"prepare() raised {_name(no)}") from no

    def bound(self) -> tuple[Given, Ctx[Any]]:
        """The example as a send of a plan of its own is given it."""
        self.number += 1
        effect = self.stage.action.effect
        limit = min(bounds(effect)[0], LIMIT_SECONDS)

        def work(tx: EngineTx) -> tuple[Given, Ctx[Any]]:
            given, ctx, _ = self.stage.bound(tx, f"{PLAN}_{self.number}")
            return given, for_outside(ctx, limit)

        given, ctx = self.stage.core.store.read(work)
        if isinstance(effect, Checked) and effect.void:
            ctx = replace(ctx, key=send_key(ctx.key, str(self.number)))
        return given, ctx

    async def run(self, mood: Mood = Mood.TAKES, cut: int | None = None) -> Sent:
        """Prepare and send once."""
        given, ctx = self.bound()
        self.far.begin()
        prepares = hasattr(self.action, "prepare")
        more = [await self.prepare(given, ctx)] if prepares else []
        self.far.begin(mood, cut)
        answer: object = None
        error: BaseException | None = None
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                answer = await self.action.run(given.input, ctx, *more)
        except Exception as no:  # noqa: BLE001 - what it is, is looked at
            error = no
        made = answer if isinstance(answer, Made) else None
        return Sent(made, error, self.far.asked, len(self.far.taken), self.far.told, ctx)

    def keyed(self, plain: Sent, requests: list[bytes]) -> Iterator[str]:
        """Whether the other side was told the key, where it is to know repeats by it."""
        if isinstance(self.stage.action.effect, Keyed | Checked):
            key = plain.ctx.key.encode()
            if not all(key in request for request in requests):
                yield "run() does not send ctx.key, so that nobody can tell a repeat"

    async def looks(self, plain: Sent) -> list[str]:
        """Whether what was sent is found, what was not is not, and what was closed stays so."""
        effect = self.stage.action.effect
        if not isinstance(effect, Checked):
            return []
        wrong = []
        keys = [plain.ctx.key]
        if await self.action.check(keys, plain.ctx) is None:
            wrong.append("check() does not find what has arrived")
        _, other = self.bound()
        if await self.action.check([other.key], other) is not None:
            wrong.append("check() finds what nobody has sent")
        if effect.void:
            await self.action.void(keys, plain.ctx)
            if await self.action.check(keys, plain.ctx) is None:
                wrong.append("void() takes back what has arrived")
        return wrong

    def refused(self, found: Sent, said: str) -> Iterator[str]:
        """What it says of a request that the other side did not take."""
        if found.made is not None and not found.taken:
            yield f"run() answers Made when the other side {said}"
        yield from _once(found, f"when the other side {said}")

    def cut(self, found: Sent) -> Iterator[str]:
        """What it says when the line is cut instead of an answer."""
        if found.taken and isinstance(found.error, NotDone):
            yield "run() raises NotDone though the request was taken: the line was cut after it"
        if found.made is not None and not found.told:
            yield "run() answers Made without a proof: the line was cut before the answer"
        yield from _once(found, "when the line is cut")


def _once(found: Sent, when: str) -> Iterator[str]:
    if found.asked > 1:
        yield f"run() sends {found.asked} requests {when}; one run is one request"


def _name(error: BaseException | None) -> str:
    return "no Made" if error is None else f"{type(error).__name__}: {error}"
