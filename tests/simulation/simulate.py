"""Run seeded schedules of the real engine, with everything that can go wrong, and judge each.

``python tests/simulation/simulate.py --seed 1 --n 6000``; ``--replay SEED`` tells the story of one.
"""

import argparse
import gc
import hashlib
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

HERE = Path(__file__).parent
TESTS = HERE.parent
SRC = TESTS.parent / "src"
sys.path[:0] = [str(SRC), str(HERE), str(TESTS)]
sys.path[:0] = [str(TESTS / name) for name in ("doubt", "decide", "spec")]

from sim_faults import KINDS, NETWORK  # noqa: E402 - found by the lines above
from sim_mutants import MUTANTS, mutated  # noqa: E402 - as above
from sim_prepared import CLASSES, prepare  # noqa: E402 - as above
from sim_schedule import Result, Schedule  # noqa: E402 - as above

import counts  # noqa: E402 - as above

N = 2000
"""Schedules when nobody says how many."""
DRAWS = 64
"""Seeds that are drawn for a schedule until one counts."""
FAR = 10**9
CHUNK = 25
"""Schedules that are run in one go; the digest is taken over them in their order."""
LARGE = 2000
"""From so many schedules on, every kind of fault and of end has to have occurred."""
REPLAYS = 10
PARTS = ("runtime", "domain")
LOOKED_MAX = 200
MUST_RUN = {
    "runtime": "answer begin confirm dismiss draft faces invoke local look offer outside press proof"
    " propose record rehearse resolve run stop sweep undo wait",
    "domain": "consent doubt plan progress step",
}
NEVER = {
    "local": (*NETWORK, "in_doubt"),
    "keyed": ("look unanswered",),
    "opaque": ("look unanswered",),
}
"""What does not occur where all steps are of one class."""
ENDS = ("finished", "failed", "cancelled", "stale", "expired", "superseded", "in_doubt")


@dataclass(frozen=True)
class Choice:
    """What is simulated."""

    seed: int
    effect: str
    mode: str
    race: str

    def schedule(self, seed: int, *, told: bool = False) -> Schedule:
        """The schedule of a seed."""
        effect = self.effect
        if not effect and not self.race:
            effect = CLASSES[seed // DRAWS % FAR % len(CLASSES)]
        return Schedule(seed, effect, self.mode, self.race, told=told)

    def seeds(self, number: int) -> Iterator[int]:
        """The seeds that are drawn for one schedule."""
        first = (self.seed * FAR + number) * DRAWS
        return iter(range(first, first + DRAWS))


@dataclass
class Sum:
    """What came of some schedules."""

    ran: int = 0
    drawn: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    effects: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[int, list[str]]] = field(default_factory=list)
    excused: int = 0
    seconds: float = 0.0
    digests: list[bytes] = field(default_factory=list)

    def add(self, one: Result) -> None:
        self.ran += 1
        self.faults.update(set(one.faults))
        self.ends.update(one.ends)
        self.events.update(one.events)
        self.effects[one.effect] += 1
        self.excused += one.excused
        if one.wrong:
            self.wrong.append((one.seed, one.wrong))

    def join(self, other: "Sum") -> None:
        self.ran += other.ran
        self.drawn += other.drawn
        for name in ("faults", "ends", "events", "effects"):
            getattr(self, name).update(getattr(other, name))
        self.wrong += other.wrong
        self.excused += other.excused
        self.seconds += other.seconds
        self.digests += other.digests

    @property
    def digest(self) -> str:
        """Over every history, in the order of the schedules."""
        return hashlib.sha256(b"".join(self.digests)).hexdigest()[:32]


def chunk(choice: Choice, first: int, last: int) -> Sum:
    """Run the schedules from *first* up to *last*."""
    found, began = Sum(), time.process_time()
    whole = hashlib.sha256()
    # What is there stays; what a chunk leaves is swept up by the next one, and nothing in between.
    gc.collect()
    gc.freeze()
    gc.disable()
    for number in range(first, last):
        for seed in choice.seeds(number):
            result = choice.schedule(seed).run()
            found.drawn += 1
            # A schedule in which nothing went wrong says little; one that fails says all.
            if result.counted or result.wrong:
                found.add(result)
                whole.update(result.digest)
                break
    gc.enable()
    found.seconds = time.process_time() - began
    found.digests = [whole.digest()]
    return found


def simulate(
    choice: Choice, n: int, jobs: int = 1, *, stop_at_once: bool = False,
    progress: Callable[[Sum], None] = lambda found: None,
) -> Sum:  # fmt: skip
    """Run *n* schedules on *jobs* processor cores."""
    found = Sum()
    pieces = [(choice, at, min(at + CHUNK, n)) for at in range(0, n, CHUNK)]
    with Workers(jobs) as run:
        for part in run(pieces):
            found.join(part)
            progress(found)
            if stop_at_once and found.wrong:
                break
    gc.unfreeze()
    return found


class Workers:
    """Maps pieces to sums, here or in processes of their own, in order either way."""

    def __init__(self, jobs: int) -> None:
        context = multiprocessing.get_context("fork")
        self._pool = context.Pool(jobs) if jobs > 1 else None

    def __enter__(self) -> Callable[[Sequence[Any]], Iterator[Sum]]:
        if self._pool is None:
            return lambda pieces: (chunk(*piece) for piece in pieces)
        pool = self._pool
        return lambda pieces: pool.imap(_piece, pieces)

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()


def _piece(piece: tuple[Choice, int, int]) -> Sum:
    return chunk(*piece)


def modules() -> dict[str, list[str]]:
    """The engine's own modules, which have to come from this tree."""
    found: dict[str, list[str]] = {}
    for part in PARTS:
        names = [name for name in sys.modules if name.startswith(f"semel.{part}.")]
        for name in names:
            file = Path(str(sys.modules[name].__file__)).resolve()
            assert file == (SRC / f"{name.replace('.', '/')}.py").resolve(), f"{name} is {file}"
        found[part] = sorted(name.rpartition(".")[2] for name in names)
    return found


def ran() -> dict[str, list[str]]:
    """Which of these modules schedules really run: as many as it takes for those that must."""
    seen: dict[str, set[str]] = {part: set() for part in PARTS}
    files = {str((SRC / "semel" / part).resolve()): part for part in PARTS}

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            folder, _, file = frame.f_code.co_filename.rpartition("/")
            if folder in files:
                seen[files[folder]].add(file.removesuffix(".py"))

    for number in range(LOOKED_MAX):
        if all({*MUST_RUN[part].split()} <= seen[part] for part in PARTS):
            break
        race = ("", "offers", "cancel")[number % 3]
        schedule = Choice(7, CLASSES[number % len(CLASSES)], "both", race).schedule(number)
        sys.setprofile(look)
        try:
            schedule.run()
        finally:
            sys.setprofile(None)
    return {part: sorted(names) for part, names in seen.items()}


def replay(choice: Choice, seed: int) -> int:
    """Tell the story of one schedule, and see that it comes out the same every time."""
    first = choice.schedule(seed, told=True).run()
    print("\n".join(first.lines))
    for what in first.wrong:
        print(f"WRONG: {what}")
    same = sum(choice.schedule(seed).run().digest == first.digest for _ in range(REPLAYS))
    print(f"replay: seed {seed}, {len(first.wrong)} wrong, the same {same} times of {REPLAYS}")
    return 1 if first.wrong or same < REPLAYS else 0


def missing(choice: Choice, found: Sum) -> list[str]:
    """Faults and ends that have to occur in many schedules and did not."""
    if found.ran < LARGE:
        return []
    never = NEVER.get(choice.effect, ())
    kinds = [kind for kind in KINDS if not found.faults[kind] and kind not in never]
    return kinds + [end for end in ENDS if not found.ends[end] and end not in never]


def told(choice: Choice, found: Sum) -> None:
    """Print what occurred."""
    print("faults, in so many of 100 schedules:")
    for kind in KINDS:
        print(f"  {kind:<22} {100 * found.faults[kind] / max(found.ran, 1):6.1f}")
    print("ways in which a plan was said to have ended, in 100 of all that were said:")
    for end, count in found.ends.most_common():
        print(f"  {end:<22} {100 * count / found.ends.total():6.1f}")
    print("events seen:")
    for kind, count in found.events.most_common():
        print(f"  {kind:<22} {count:6}")
    print("classes: " + ", ".join(f"{name} {found.effects[name]}" for name in CLASSES))
    share = 100 * found.ran / max(found.drawn, 1)
    print(f"drawn: {found.drawn}, of which {share:.1f} of 100 count")
    print(f"excused by a clock that jumped forward in mid-send: {found.excused}")
    rate = found.ran / found.seconds if found.seconds else 0
    print(f"per core: {rate:.0f}/s")


def options(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for; an empty word is as good as none."""
    parser = argparse.ArgumentParser(description=__doc__)

    def number(text: str) -> int | None:
        return int(text) if text else None

    parser.add_argument("--seed", type=number, default="", help="where chance begins (1)")
    parser.add_argument("--n", type=number, default="", help="how many schedules count (2000)")
    parser.add_argument(
        "--mutant", default="", choices=["", *MUTANTS], help="a wrong design to find"
    )
    parser.add_argument(
        "--class", dest="effect", default="", choices=["", *CLASSES], help="of steps (each in turn)"
    )
    modes = ["both", "safety", "liveness"]
    parser.add_argument("--mode", default="both", choices=modes, help="whether the faults stop")
    parser.add_argument(
        "--race", default="", choices=["", "cancel", "offers"], help="what is pressed at once"
    )
    parser.add_argument("--jobs", type=number, default="", help="processes (one for each core)")
    parser.add_argument("--replay", type=number, default="", help="tell the story of one seed")
    parser.add_argument("--bar", default="", help="the bar of tests/prove that this counts for")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Simulate as the command line says; the exit status."""
    asked = options(given)
    mutant = MUTANTS.get(asked.mutant)
    effect = asked.effect or (mutant.effect if mutant else "")
    race = asked.race or (mutant.race if mutant else "")
    choice = Choice(1 if asked.seed is None else asked.seed, effect, asked.mode, race)
    n, jobs = asked.n or N, asked.jobs or os.cpu_count() or 1
    loaded = modules()
    prepare()
    with mutated(asked.mutant):
        if asked.replay is not None:
            return replay(choice, asked.replay)
        if mutant is None:
            for part, names in ran().items():
                assert {*MUST_RUN[part].split()} <= {*names}, f"of {part} ran only {names}"
                print(
                    f"semel.{part}: {len(names)} of {len(loaded[part])} modules ran: {', '.join(names)}"
                )
        else:
            print(f"mutant {asked.mutant}: {mutant.says}")
        began, steps = time.perf_counter(), iter(range(n // 10, n, max(n // 10, 1)))
        due = next(steps, n)

        def progress(found: Sum) -> None:
            nonlocal due
            if found.ran >= due:
                print(f"  {found.ran} of {n}, {len(found.wrong)} wrong", flush=True)
                due = next((step for step in steps if step > found.ran), n + 1)

        found = simulate(choice, n, jobs, stop_at_once=mutant is not None, progress=progress)
        took = time.perf_counter() - began
        told(choice, found)
        for seed, wrong in found.wrong[:5]:
            print(f"seed {seed}: {'; '.join(wrong)}")
        if found.wrong:
            print()
            print("\n".join(choice.schedule(found.wrong[0][0], told=True).run().lines))
            flags = [f"--replay {found.wrong[0][0]}", f"--mode {asked.mode}"]
            flags += [f"--class {effect}"] * bool(effect) + [f"--race {race}"] * bool(race)
            flags += [f"--mutant {asked.mutant}"] * (mutant is not None)
            print(f"again: python tests/simulation/simulate.py {' '.join(flags)}")
    failed = problems(choice, found, n, asked.mutant)
    if asked.bar and not failed:
        counts.ran(asked.bar, found.ran)
    for what in failed:
        print(what)
    rate = found.ran / took if took else 0
    print(
        f"simulate: {found.ran} schedules, {len(found.wrong)} violations, "
        f"digest {found.digest}, {rate:.0f}/s"
    )
    return 1 if failed else 0


def problems(choice: Choice, found: Sum, n: int, mutant: str = "") -> list[str]:
    """Why this run is not as it should be."""
    if mutant:
        return [] if found.wrong else [f"mutant {mutant} was not found"]
    failed = [f"{len(found.wrong)} schedules are wrong"] if found.wrong else []
    if found.ran < n:
        failed.append(f"only {found.ran} of {n} schedules count")
    absent = missing(choice, found)
    if absent:
        failed.append(f"it never came to: {', '.join(absent)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
