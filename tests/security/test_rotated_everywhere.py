"""S11: the process goes away at any commit or send and the keys are other ones when it is back.

With the old key beside the new one nothing is refused; with the old one retired everything that was
signed with it is, and no later step of it runs.
"""

import asyncio
from contextlib import suppress

from app import ANA, KEYS
from notas_bench import Bench, crear, enviar, firmar, told, until

import counts
import stores
from semel import Keyring
from semel.runtime import points
from semel.testing import interrupt_at

BOTH = Keyring((("k2", b"2" * 32), *KEYS.keys))
RETIRED = Keyring((("k2", b"2" * 32),))
DONE = ("Report", "finished")
STEPS = crear("Logo", urgente=True), firmar("$1"), enviar("$1")


def gone() -> None:
    raise ConnectionError("the process went away")


async def passed(folder) -> list[str]:
    """The moments of a life at which a process may go away."""
    bench, names = Bench(folder), []
    async with bench.engine() as engine:
        ask = await bench.asked(engine, *STEPS)
        points.arm(names.append)
        try:
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
        finally:
            points.arm(None)
    # What raises elsewhere is an error that is dealt with; after a commit it ends the run.
    ended = [name for name in names if name.startswith("send:") or name.endswith(":after")]
    return [name for name in dict.fromkeys(ended) if name.startswith(("commit:", "send:"))]


async def rotated(folder, point: str, keys: Keyring) -> tuple[Bench, str, list[str], list[str]]:
    """A plan whose process goes away at a point and comes back with other keys."""
    bench = Bench(folder)
    async with bench.engine() as engine:
        ask = await bench.asked(engine, *STEPS)
        with suppress(ConnectionError), interrupt_at(point, gone):
            await engine.person(ANA).confirm(ask.token)
        await engine.settle()
        before = [state for state, _ in bench.steps()]
    bench.move(minutes=2)
    async with bench.engine(keys=keys) as engine:
        await engine.sweep()
        await until(lambda: bench.plans()[0][0] != "running")
        if bench.plans()[0][0] == "asking":
            # The yes was not written: it is given now.
            await engine.person(ANA).confirm(ask.token)
        await engine.settle()
        found = (await engine.operator.audit()).edited
        # What was signed with a key that is there fits, whoever signed it.
        assert found == () or keys is RETIRED
    return bench, bench.plans()[0][1], before, [state for state, _ in bench.steps()]


def test_s11_a_key_beside_the_new_one_refuses_nothing_and_a_retired_one_everything(tmp_path):
    number = counts.of("S11") // 2
    done = 0

    async def main():
        nonlocal done
        first = tmp_path / "first"
        first.mkdir()
        moments = await passed(first)
        assert len(moments) >= 6, moments
        while done < number:
            point = moments[done // 2 % len(moments)]
            keys = (BOTH, RETIRED)[done % 2]
            folder = tmp_path / str(done)
            folder.mkdir()
            bench, reason, before, after = await rotated(folder, point, keys)
            if keys is BOTH:
                # A letter that may have left is in doubt, whichever key it was signed with.
                assert reason in ({"finished", "in_doubt", "failed"}), (point, reason, after)
                assert reason != "refused"
                assert after[:2] == ["done", "done"], (point, after)
            elif before.count("done") < len(STEPS) and "in_doubt" not in after:
                new = [b != "done" and a == "done" for b, a in zip(before, after, strict=True)]
                # A started letter is resolved by what its effect allows; nothing new begins.
                assert not any(new) or before[2] == "started", (point, before, after)
                assert reason == "refused" or before[2] == "started", (point, reason, after)
            assert bench.mundo.sends <= 1
            stores.forget(bench.path)
            done += 1

    asyncio.run(main())
    counts.ran("S11", done)
    assert done >= number
