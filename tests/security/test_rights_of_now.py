# Longer than 300 lines: both promises are about the same check, at the same three moments.
"""S8 and S17: a person's rights are those of now, at the preview, the yes and each step; a check
that cannot answer refuses."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from app import ANA, DECIDE
from contenders import no_power_cut
from notas_bench import Bench, act, armed, crear, enviar, firmar, opened, told, until

import counts
from semel import SAFE, Ask, Engine, NotDone, Outcome, Report
from semel.domain.report import Refusal
from semel.errors import Conflict, TimeLimit
from semel.testing import interrupt_at

DONE = ("Report", "finished")
STEPS = ["notas.crear", "notas.firmar", "cartas.enviar"]
"""What the three steps of the plan need, in their order."""

RISKY = crear("Logo", urgente=True)


@dataclass
class Rights:
    """Who may what, now; and when it was asked, beside the points that were passed."""

    gone: set[str] = field(default_factory=set)
    timeline: list[str] = field(default_factory=list)
    passed: int = 0
    at: int = -1
    then: frozenset[str] = frozenset()

    def allow(self, ctx: Any, permission: str, records: Sequence[object]) -> bool:
        self.timeline.append(permission)
        return permission not in {DECIDE, *self.gone}

    def point(self, name: str) -> None:
        if self.passed == self.at:
            self.gone.update(self.then)
        self.passed += 1
        self.timeline.append(f"point {name}")


@dataclass
class World:
    """What has happened in the world so far."""

    notes: int
    signed: int
    letters: int

    @classmethod
    def of(cls, bench: Bench) -> "World":
        notes, signed = bench.sql("SELECT count(*), count(folio) FROM notas")[0]
        return cls(notes, signed, len(bench.mundo.letters))


Flow = Callable[[Bench, Engine, str, Rights], Any]


async def by_button(bench: Bench, engine: Engine, message: str, rights: Rights) -> Outcome:
    ask = await bench.asked(engine, RISKY, firmar("$1"), enviar("$2"), message=message)
    with watched(rights):
        return await engine.person(ANA).confirm(ask.token)


async def in_words(bench: Bench, engine: Engine, message: str, rights: Rights) -> Outcome:
    await bench.asked(engine, RISKY, firmar("$1"), enviar("$2"), message=message)
    with watched(rights):
        return await engine.person(ANA).says("sí")


async def without_asking(bench: Bench, engine: Engine, message: str, rights: Rights) -> Outcome:
    with watched(rights):
        return await act(engine, crear("Logo"), enviar("$1"), message=message)


@contextmanager
def watched(rights: Rights) -> Iterator[None]:
    rights.timeline.clear()
    rights.passed = 0
    with armed(rights.point):
        yield


def expected(timeline: list[str], steps: list[str], at: int, gone: frozenset[str]) -> int:
    """How many steps get done when these rights go at a point; -1 when the plan is not begun.

    Worked out from an undisturbed run: a step is done if its last check came before that.
    """
    moment = [n for n, entry in enumerate(timeline) if entry.startswith("point ")][at]
    asked = [(n, entry) for n, entry in enumerate(timeline) if not entry.startswith("point ")]
    # The first checks are the rehearsal's.
    if any(n > moment and entry in gone for n, entry in asked[: len(steps)]):
        return -1
    late = [entry in gone and max(n for n, e in asked if e == entry) > moment for entry in steps]
    return late.index(True) if True in late else len(steps)


FLOWS = {by_button: STEPS, in_words: STEPS, without_asking: [STEPS[0], STEPS[2]]}
GONE = {name: frozenset({name}) for name in STEPS} | {"all": frozenset(STEPS)}


CASES = [(flow, gone) for flow, steps in FLOWS.items() for gone in ("all", *steps)]
STEP = 3 if counts.level() == "smoke" else 1
"""In a case, every how manyth point; the cases of a flow begin at different ones, and meet all."""


@pytest.mark.parametrize(
    ("flow", "gone"), [c for c in CASES if c[0] is not in_words or c[1] == "all"]
)
def test_s8_a_right_that_goes_at_any_point_stops_every_later_step(tmp_path, flow, gone):
    steps = FLOWS[flow]
    seen: set[int] = set()
    runs = 0

    async def main():
        nonlocal runs
        async with opened(tmp_path) as (bench, engine):
            no_power_cut(engine)
            bench.carta.asks = SAFE
            rights = Rights()
            engine._core.allow = rights.allow
            assert told(await flow(bench, engine, "undisturbed", rights)) == DONE
            whole = list(rights.timeline)
            points = [entry for entry in whole if entry.startswith("point ")]
            chosen = range(CASES.index((flow, gone)) % STEP, len(points), STEP)
            for at in chosen:
                before = World.of(bench)
                rights.gone.clear()
                rights.at, rights.then = at, GONE[gone]
                outcome = await flow(bench, engine, f"m-{at}", rights)
                done = expected(whole, steps, at, GONE[gone])
                judge(bench, outcome, steps, done, before)
                seen.add(done)
                runs += 1
                rights.gone.clear()
                rights.at = -1
            assert runs == len(chosen)

    asyncio.run(main())
    counts.ran("S8", runs)
    assert runs * STEP > 30
    # The right went before the plan began, just before its step, and too late to matter.
    mine = {at for at, permission in enumerate(steps) if permission in GONE[gone]}
    assert seen == {-1, len(steps), *mine}


def judge(bench: Bench, outcome: Outcome, steps: list[str], done: int, before: World) -> None:
    """The steps before the right went are done, not one later, and the person is told why."""
    plan = getattr(getattr(outcome, "view", None), "plan", None)
    happened = [(permission in steps[: max(done, 0)]) for permission in STEPS]
    after = World.of(bench)
    assert after == World(
        before.notes + happened[0], before.signed + happened[1], before.letters + happened[2]
    )
    if done == len(steps):
        assert told(outcome) == DONE
        return
    read = outcome.for_model("es")
    if done == -1:
        assert told(outcome) == ("Refused", "forbidden")
        assert read.status == "refused"
        assert bench.sql("SELECT count(*) FROM semel_plans WHERE state = 'running'") == [(0,)]
        return
    assert told(outcome) == ("Report", "failed")
    assert read.status == ("partial" if done else "not_done")
    assert "ya no hay permiso para hacerlo" in read.says
    assert "ya no hay permiso para hacerlo" in outcome.card("es").text()
    reached = [("done", None)] * done + [("not_done", "forbidden")]
    assert bench.steps(plan) == reached + [("not_done", "not_reached")] * (len(steps) - done - 1)


@pytest.mark.parametrize(
    ("point", "occurrence", "done"),
    [
        ("commit:propose:after", 1, -1),
        ("commit:confirm:after", 1, 0),
        ("commit:local:after", 1, 1),
        ("commit:local:after", 2, 2),
        ("prepare:before", 1, 2),
        ("prepare:after", 1, 2),
        ("commit:mark:after", 1, 3),
        ("send:before", 1, 3),
    ],
)
def test_s8_a_right_taken_in_the_books_between_two_transactions_counts_at_once(
    tmp_path, point, occurrence, done
):
    async def main():
        async with opened(tmp_path) as (bench, engine):

            def revoke() -> None:
                for permission in STEPS:
                    bench.sql("INSERT INTO negados VALUES ('o-1', 'ana', ?)", permission)

            before = World.of(bench)
            with interrupt_at(point, revoke, occurrence):
                ask = await bench.asked(engine, RISKY, firmar("$1"), enviar("$2"))
                outcome = await engine.person(ANA).confirm(ask.token)
            judge(bench, outcome, STEPS, done, before)

    asyncio.run(main())


def test_s8_a_plan_that_is_taken_over_runs_with_the_rights_of_then(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):

            def stop() -> None:
                raise ConnectionError("the process went away")

            before = World.of(bench)
            ask = await bench.asked(engine, RISKY, firmar("$1"), enviar("$2"))
            with interrupt_at("commit:local:after", stop):
                await engine.person(ANA).confirm(ask.token)
            bench.sql("INSERT INTO negados VALUES ('o-1', 'ana', 'notas.firmar')")
            bench.move(minutes=1)
            await engine.sweep()
            await until(lambda: bench.plans()[0][0] == "ended")
            outcome = await engine.person(ANA).status(ask.view.plan)
            judge(bench, outcome, STEPS, 1, before)

    asyncio.run(main())


def test_s8_a_question_outlives_a_right_that_comes_back_and_no_longer(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            rights = Rights({"notas.crear"})
            ask = await bench.asked(engine, RISKY)
            engine._core.allow = rights.allow
            for press in (engine.person(ANA).confirm(ask.token), engine.person(ANA).says("sí")):
                refused = await press
                assert (refused.why, refused.plan) == (Refusal.FORBIDDEN, ask.view.plan)
            rights.gone.clear()
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            assert bench.notes() == ["Logo"]

    asyncio.run(main())


def raising(error: BaseException) -> Callable[[], bool]:
    def check() -> bool:
        raise error

    return check


ERRORS = [
    RuntimeError("rights are gone"), KeyError("role"), ConnectionError("directory"), TimeoutError(),
    OSError("ldap"), MemoryError(), RecursionError(), AssertionError(), NotDone("no"), NotDone(),
    Conflict(), TimeLimit(), SystemExit(0), StopIteration(), Exception(),
]  # fmt: skip
BROKEN: dict[str, Callable[[], Any]] = {
    f"raises {type(error).__name__} {number}": raising(error) for number, error in enumerate(ERRORS)
}
ANSWERS: list[Any] = [None, 0, "", [], 1, "no", "yes", object(), [True], (False,), NotImplemented]


async def later() -> bool:
    """What an ``allow`` that was written as a coroutine gives to a caller that does not wait."""
    return False


def unawaited() -> Any:
    answer = later()
    answer.close()  # it is never awaited, which is the point
    return answer


BROKEN |= {
    f"answers {number} {answer!r:.9}": lambda answer=answer: answer
    for number, answer in enumerate(ANSWERS)
}
BROKEN |= {"answers a coroutine": unawaited}


@pytest.mark.parametrize("moment", ["preview", "yes", "run"])
@pytest.mark.parametrize("broken", BROKEN)
def test_s17_a_check_that_does_not_say_yes_executes_nothing(tmp_path, broken, moment):
    check = BROKEN[broken]

    async def main():
        async with opened(tmp_path) as (bench, engine):
            note = await bench.note(engine)
            whole = engine._core.allow
            before = World.of(bench)
            rows = bench.counts()
            if moment == "preview":
                engine._core.allow = lambda ctx, permission, records: check()
                for steps in ([crear("Logo")], [RISKY], [enviar(note)], [crear("a"), enviar("$1")]):
                    outcome = await act(engine, *steps)
                    assert not isinstance(outcome, Ask | Report)
                assert bench.counts() == rows
            elif moment == "yes":
                ask = await bench.asked(engine, RISKY, firmar("$1"), enviar("$2"))
                engine._core.allow = lambda ctx, permission, records: check()
                presses = (engine.person(ANA).confirm(ask.token), engine.person(ANA).says("sí"))
                assert [told(await press) for press in presses].count(DONE) == 0
                assert bench.plans()[0][0] in {"asking", "ended"}
                assert bench.sql("SELECT count(*) FROM semel_attempts") == [(0,)]
            else:
                ask = await bench.asked(engine, RISKY, firmar("$1"), enviar("$2"))

                def break_it() -> None:
                    engine._core.allow = lambda ctx, permission, records: check()

                with interrupt_at("commit:confirm:after", break_it):
                    outcome = await engine.person(ANA).confirm(ask.token)
                assert told(outcome) == ("Report", "failed")
                assert bench.steps(ask.view.plan)[0][0] == "not_done"
            assert World.of(bench) == before
            assert bench.mundo.sends == 0
            engine._core.allow = whole

    asyncio.run(main())
