"""What comes after a step has run may fail: the answer is the plan's, with its extras or without."""

import asyncio

import pytest
from dudas import CARTA, armed, crear, does, opened, told
from pedidos import ANA

from semel.errors import Conflict, Unreachable
from semel.testing import recorded

FAILED = ("Report", "failed")
ERRORS = [ConnectionError("gone"), Unreachable(), Conflict(), MemoryError(), StopIteration()]


async def partial(banco, engine, message="m-1"):
    """A question whose plan will stop half-way, so that there are two things to offer then."""
    banco.afuera.goes[CARTA] = "refuse"
    return await banco.asked(engine, crear(message), does(CARTA, "$1"), message=message)


def after_the_end(passed):
    """The points that a yes passes once its plan has ended, each with which time it is passed."""
    seen, found = {}, []
    last = len(passed) - 1 - passed[::-1].index("commit:not_made:after")
    for number, name in enumerate(passed):
        seen[name] = seen.get(name, 0) + 1
        if number > last:
            found.append((name, seen[name]))
    return found


def test_b05_whatever_fails_after_the_last_step_the_first_call_tells_what_ran(tmp_path):
    runs = 0

    async def main():
        nonlocal runs
        async with opened(tmp_path) as (banco, engine):
            person = engine.person(ANA)
            ask = await partial(banco, engine)
            with recorded() as passed:
                report = await person.confirm(ask.token)
            assert report.retry_token
            assert report.undo_token
            points = after_the_end(passed)
            assert ("commit:offer:after", 1) in points
            for number, (point, occurrence) in enumerate(points):
                message = f"m-{number + 2}"
                ask = await partial(banco, engine, message)
                error, count = ERRORS[number % len(ERRORS)], 0

                def fails(name, point=point, occurrence=occurrence, error=error):
                    nonlocal count
                    count += name == point
                    if name == point and count == occurrence:
                        raise error

                with armed(fails):
                    first = await person.confirm(ask.token)
                where = f"{point} #{occurrence}: {error!r}"
                assert count >= occurrence, where
                assert (told(first), first.replayed) == (FAILED, False), where
                again = await person.confirm(ask.token)
                assert (told(again), again.replayed) == (FAILED, True), where
                # What could not be offered then is offered to whoever looks again.
                assert again.retry_token, where
                assert again.undo_token, where
                assert banco.sql("SELECT count(*) FROM notas WHERE text = ?", message) == [(1,)]
                runs += 1
            assert banco.calls()["send"] == len(points) + 1

    asyncio.run(main())
    assert runs > 20


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_a_plan_that_was_looked_up_is_shown_even_when_nothing_can_be_offered(tmp_path, error):
    async def main():
        async with opened(tmp_path) as (banco, engine):
            ask = await partial(banco, engine)
            person = engine.person(ANA)
            await person.confirm(ask.token)

            def fails(name):
                if name.startswith(("statement:confirmations", "commit:offer")):
                    raise error

            with armed(fails):
                shown = await person.status(ask.view.plan)
            assert told(shown) == FAILED
            assert (shown.retry_token, shown.undo_token) == (None, None)
            assert (await person.status(ask.view.plan)).retry_token

    asyncio.run(main())


def test_what_no_future_can_carry_still_reaches_who_waits_for_it(tmp_path):
    async def main():
        async with opened(tmp_path) as (_, engine), asyncio.timeout(30):

            def first_of_none(tx):
                return next(iter(()))

            with pytest.raises(RuntimeError) as error:
                await engine.write(first_of_none)
            assert isinstance(error.value.__cause__, StopIteration)

    asyncio.run(main())
