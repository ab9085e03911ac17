"""An undo that fails in the middle says what is back, and what goes on after it repeats nothing."""

import asyncio

from agreement import agrees
from decide_bench import DONE, act, guion, opened, states, told
from pedidos import ANA

from semel import NotDone

REVOKED = ("Refused", "revoked")


def of(bench, plan):
    """Which plan has taken this one back."""
    return bench.sql("SELECT undone_by FROM semel_plans WHERE plan = ?", plan)[0][0]


def failing_for(bench, word):
    """The reversal of one note fails until the test heals it."""
    usual, ill = bench.guion.undo_is, [word]

    def undo(data, ctx):
        if data["paso"] in ill:
            raise NotDone({"es": "Todavía no.", "en": "Not yet."})
        return usual(data, ctx)

    bench.guion.undo_is = undo
    return ill


def test_b58_a_reversal_that_fails_says_which_steps_are_back_and_a_retry_repeats_none(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, guion("uno"), guion("dos"), guion("tres"))
            ill = failing_for(bench, "dos")
            undone = await engine.person(ANA).undo(done.undo_token)
            assert told(undone) == ("Report", "failed")
            assert states(undone) == ["done", "not_done refused", "not_done not_reached"]
            assert bench.notes() == ["dos", "uno"]
            text = undone.card("es").text()
            assert text.index("«tres»") < text.index("«dos»") < text.index("«uno»")
            assert "Todavía no" in text
            shown = await engine.person(ANA).status(done.view.plan)
            assert shown.undo_token is None  # it has been taken back in part: the undo goes on
            # What would fail again is not offered; once it would not, it is.
            assert undone.retry_token is None
            ill.clear()
            offered = await engine.person(ANA).status(undone.view.plan)
            again = await engine.person(ANA).retry(offered.retry_token)
            assert told(again) == DONE
            assert again.view.plan == undone.view.plan
            assert bench.notes() == []
            # Written once and thrown away once, each of them.
            assert bench.sql("SELECT version, gone FROM notas") == [(2, 1)] * 3
            assert bench.events(undone.view.plan).count("step_done") == 3
            await agrees(engine, done.view.plan, undone.view.plan)

    asyncio.run(main())


def test_an_undo_that_changed_nothing_has_not_been_and_is_offered_again(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, guion("uno"), guion("dos"))
            ill = failing_for(bench, "dos")
            undone = await engine.person(ANA).undo(done.undo_token)
            assert told(undone) == ("Report", "failed")
            assert of(bench, done.view.plan) is None
            assert bench.events(done.view.plan)[-2:] == ["undo_pressed", "not_undone"]
            ill.clear()
            # The undo that was not is no way in any more: the original is.
            shown = await engine.person(ANA).status(undone.view.plan)
            assert shown.retry_token is None
            again = await engine.person(ANA).status(done.view.plan)
            assert again.undo_token not in {None, done.undo_token}
            # The old button is used up, and there is no undo any more that it could show.
            assert told(await engine.person(ANA).undo(done.undo_token)) == REVOKED
            assert bench.notes() == ["dos", "uno"]
            assert told(await engine.person(ANA).undo(again.undo_token)) == DONE
            assert bench.sql("SELECT version, gone FROM notas") == [(2, 1)] * 2
            await agrees(engine, done.view.plan, undone.view.plan)

    asyncio.run(main())


def test_the_retry_of_an_undo_that_is_pressed_twice_goes_on_once(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            done = await act(engine, guion("uno"), guion("dos"))
            ill = failing_for(bench, "uno")
            partly = await engine.person(ANA).undo(done.undo_token)
            ill.clear()
            token = (await engine.person(ANA).status(partly.view.plan)).retry_token
            first, second = await asyncio.gather(
                engine.person(ANA).retry(token), engine.person(ANA).retry(token)
            )
            assert told(first) == told(second) == DONE
            assert {first.replayed, second.replayed} == {False, True}
            assert bench.sql("SELECT version, gone FROM notas") == [(2, 1)] * 2

    asyncio.run(main())
