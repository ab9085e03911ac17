"""R20: a request that comes again is one effect; every answer says that it is a replay, of what and when."""

import asyncio
from zoneinfo import ZoneInfo

from app import ANA
from notas_bench import act, crear, opened, told

import counts

DONE = ("Report", "finished")


def named(outcome, plan: str, done_at: tuple[str, str]) -> bool:
    """Whether an answer says that it was done before, which plan it was, and when that was done."""
    telling = [outcome.for_model(locale) for locale in ("es", "en")]
    shown = [outcome.card(locale) for locale in ("es", "en")]
    return (
        outcome.replayed
        and all((one.status, one.plan) == ("already_done", plan) for one in telling)
        and all(plan[:15] in card.text() for card in shown)
        and all(part in told.says for told in telling for part in done_at)
        and all(part in card.title for card in shown for part in done_at)
    )


def test_r20_a_loop_a_double_click_a_second_delivery_and_a_browsers_retry_are_one_effect(tmp_path):
    number = counts.of("R20") // 2
    done = answers = 0

    async def main():
        nonlocal done, answers
        async with opened(tmp_path) as (bench, engine), bench.engine() as other:
            for turn in range(number):
                texto, safe = f"Nota {turn}", f"Segura {turn}"
                # The model calls five times, and a second instance gets the same message at once.
                now = bench.clock.now().astimezone(ZoneInfo("Europe/Madrid"))
                at = f"{now:%d/%m/%Y}", f"{now:%H:%M}"
                first = await act(engine, crear(safe), message=f"s-{turn}")
                again = [await act(engine, crear(safe), message=f"s-{turn}") for _ in range(4)]
                again += await asyncio.gather(
                    *(act(each, crear(safe), message=f"s-{turn}") for each in (engine, other))
                )
                assert (told(first), first.replayed) == (DONE, False)
                assert all(named(one, first.view.plan, at) for one in again)
                ask = await bench.asked(engine, crear(texto, urgente=True), message=f"m-{turn}")
                same = await act(other, crear(texto, urgente=True), message=f"m-{turn}")
                assert (same.token, same.replayed) == (ask.token, True)
                clicks = await asyncio.gather(
                    *(each.person(ANA).confirm(ask.token) for each in (engine, other, engine))
                )
                assert sorted(one.replayed for one in clicks) == [False, True, True]
                late = [one for one in clicks if one.replayed]
                # A browser asks once more a minute later, and the model's loop was restored.
                bench.move(seconds=60)
                late += [await engine.person(ANA).confirm(ask.token)]
                late += [await act(engine, crear(texto, urgente=True), message=f"m-{turn}")]
                assert all(named(one, ask.view.plan, at) for one in late)
                assert bench.notes().count(texto) == bench.notes().count(safe) == 1
                answers += len(again) + len(late)
                done += 1

    asyncio.run(main())
    counts.ran("R20", done)
    assert done >= number
    assert answers == done * 10
