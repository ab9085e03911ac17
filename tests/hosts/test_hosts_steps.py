"""A step's own rows and semel's commit together, or not at all."""

import asyncio
import contextlib

import pytest
from hosts_bench import ANA, LUIS, SKU, STOCK, act, guion, opened, pedir, run, told
from side_django import DjangoSide
from side_sqlalchemy import SqlAlchemySide

from semel import Ask, Made


def test_a_safe_step_through_the_orm_is_done(bench):
    async def main():
        async with opened(bench) as engine:
            assert told(await act(engine, pedir(3))) == ("Report", "finished")
            assert (bench.orders(), bench.left()) == (1, STOCK - 3)
            assert told(await act(engine, pedir(3))) == ("Report", "finished")
            assert (bench.orders(), bench.left()) == (1, STOCK - 3)

    run(main())
    assert bench.steps() == [("done", None)]
    traced = bench.sql("SELECT kind, label FROM semel_effects")
    assert traced == [("pedido", f"3 × {SKU}")]


def test_a_rehearsal_leaves_nothing_in_the_hosts_tables(bench):
    async def main():
        async with opened(bench) as engine:
            ask = await act(
                engine, pedir(3, urgente=True), ("pedido.anular", {"pedido": "$1"}), pedir(1)
            )
            assert isinstance(ask, Ask), ask
            assert (bench.orders(), bench.left()) == (0, STOCK)
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "finished")
            assert (bench.orders(), bench.left()) == (2, STOCK - 1)

    run(main())


def test_a_handler_that_raises_after_writing_leaves_nothing(bench, caplog):
    def breaks(ctx):
        bench.side.order(ctx.tx, "roto", ctx.org, SKU, 5)
        if bench.guion.calls > 2:
            raise ValueError("no")

    async def main():
        bench.does(breaks)
        async with opened(bench) as engine:
            ask = await act(engine, guion(seguro=False))
            assert isinstance(ask, Ask), ask
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "failed")
            assert (bench.orders(), bench.left()) == (0, STOCK)
            assert bench.steps() == [("not_done", "failed")]

    run(main())
    assert ValueError in [record.exc_info[0] for record in caplog.records if record.exc_info]


def test_a_row_that_is_refused_at_the_flush_leaves_nothing(bench):
    """With SQLAlchemy the row is pending when the handler returns: the engine's flush is refused."""

    def unknown(ctx):
        sku = "nada" if bench.guion.calls > 2 else SKU
        bench.side.raw(
            ctx.tx,
            "INSERT INTO tienda_pedido (id, org, sku, unidades, version)"
            f" VALUES ('p{bench.guion.calls}', 'o-1', '{sku}', 1, 1)",
        )

    def pending(ctx):
        if bench.guion.calls > 2:
            bench.side.stock(ctx.tx, SKU, 1)

    async def main():
        async with opened(bench) as engine:
            for number, bad in enumerate((unknown, pending)):
                bench.guion.calls = 0
                bench.does(bad)
                ask = await act(engine, guion(f"{number}", seguro=False), message=f"m-{number}")
                assert isinstance(ask, Ask), ask
                done = await engine.person(ANA).confirm(ask.token)
                assert told(done) == ("Report", "failed")
            assert (bench.orders(), bench.left()) == (0, STOCK)

    run(main())
    assert bench.steps() == [("not_done", "failed")] * 2


def test_a_refused_row_whose_error_is_swallowed_leaves_nothing(bench):
    """Nothing after it counts: what stood before it in the step was taken back with it."""

    def swallows(ctx):
        bench.side.order(ctx.tx, f"p{bench.guion.calls}", ctx.org, SKU, 1)
        if bench.guion.calls > 2:
            with contextlib.suppress(Exception):
                bench.side.stock(ctx.tx, SKU, 1)
                bench.side.orders(ctx.tx)  # SQLAlchemy flushes before it asks

    async def main():
        bench.does(swallows)
        async with opened(bench) as engine:
            ask = await act(engine, guion(seguro=False))
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "failed")

    run(main())
    assert bench.steps() == [("not_done", "failed")]
    assert (bench.orders(), bench.left()) == (0, STOCK)


def test_a_part_of_a_step_that_is_its_own_may_be_refused(bench):
    def tries(ctx):
        bench.side.order(ctx.tx, f"p{bench.guion.calls}", ctx.org, SKU, 1)
        with contextlib.suppress(Exception), bench.side.part(ctx.tx):
            bench.side.stock(ctx.tx, SKU, 1)

    async def main():
        bench.does(tries)
        async with opened(bench) as engine:
            ask = await act(engine, guion(seguro=False))
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "finished")

    run(main())
    assert (bench.orders(), bench.left()) == (1, STOCK - 1)


def test_what_was_made_in_a_part_that_was_taken_back_is_not_written_later(bench):
    async def main():
        seen = []

        def works(ctx):
            # A rehearsal ran in this same transaction before; nothing of it is in the session.
            seen.append(bench.side.orders(ctx.tx))
            bench.side.order(ctx.tx, ctx.new_id(), ctx.org, SKU, 1)

        bench.does(works)
        async with opened(bench) as engine:
            # Its second step is refused, so that the first one's row was pending and taken back.
            outcome = await act(engine, guion(), ("pedido.anular", {"pedido": "nobody"}))
            assert told(outcome)[0] == "Invalid"
            assert seen == [0]
            assert told(await act(engine, guion("dos"), message="m-2")) == ("Report", "finished")
            assert seen == [0, 0]
            assert (bench.orders(), bench.left()) == (1, STOCK - 1)

    run(main())


def ways():
    return [
        pytest.param(name, way, id=f"{side.name}-{way}")
        for side in (SqlAlchemySide, DjangoSide)
        for name in [side.name]
        for way in side.ways_out
    ]


@pytest.mark.parametrize(("host", "way"), ways())
def test_a_step_cannot_end_its_transaction(bench, way):
    """Whatever it tries, and whatever it makes of the error: it is not done and left nothing."""

    def leaves(ctx):
        bench.side.order(ctx.tx, f"fuera {bench.guion.calls}", ctx.org, SKU, 1)
        if bench.guion.calls > 2:
            bench.side.ways_out[way](ctx.tx)

    async def main():
        async with opened(bench) as engine:
            bench.does(leaves)
            ask = await act(engine, guion(seguro=False))
            assert isinstance(ask, Ask), ask
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done)[0] in {"Report", "Running"}, told(done)
            assert (bench.orders(), bench.left()) == (0, STOCK)
            assert "done" not in [state for state, _ in bench.steps()]
            # What was lent is in order again: the next one is done.
            bench.does(lambda ctx: None)
            ask = await act(engine, guion("dos", seguro=False), message="m-2")
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "finished")

    run(main())


@pytest.mark.parametrize(("host", "way"), ways())
def test_whatever_a_step_makes_of_the_refusal_both_sides_agree(bench, way):
    def swallows(ctx):
        bench.side.order(ctx.tx, f"fuera {bench.guion.calls}", ctx.org, SKU, 1)
        if bench.guion.calls > 2:
            with contextlib.suppress(BaseException):
                bench.side.ways_out[way](ctx.tx)

    async def main():
        bench.does(swallows)
        async with opened(bench) as engine:
            ask = await act(engine, guion(seguro=False))
            await engine.person(ANA).confirm(ask.token)

    run(main())
    done = [state for state, _ in bench.steps()].count("done")
    assert (bench.orders(), bench.left()) == (done, STOCK - done)


def test_the_sentence_says_what_a_step_may_not_do(bench):
    said = []

    def tries(ctx):
        for way in ("commit", "COMMIT"):
            try:
                bench.side.ways_out[way](ctx.tx)
            except Exception as no:
                said.append(str(no))
        return Made()

    async def main():
        bench.does(tries)
        async with opened(bench) as engine:
            assert told(await act(engine, guion())) == ("Report", "finished")

    run(main())
    assert len(said) == 2
    assert "A step may not end its transaction" in said[1]
    expected = {"sqlalchemy": "A step may not end its transaction", "django": "atomic"}
    assert expected[bench.side.name] in said[0]


def test_two_instances_one_press_each_one_effect(bench):
    async def main():
        async with opened(bench) as one, opened(bench) as other:
            ask = await act(one, pedir(3, urgente=True))
            assert isinstance(ask, Ask)
            both = await asyncio.gather(
                *(engine.person(ANA).confirm(ask.token) for engine in (one, other))
            )
            assert {told(outcome)[0] for outcome in both} <= {"Report", "Running"}
            await one.settle()
            await other.settle()
            assert (bench.orders(), bench.left()) == (1, STOCK - 3)

    run(main())
    assert bench.steps() == [("done", None)]


def test_equal_calls_of_two_instances_have_one_effect(bench):
    async def main():
        async with opened(bench) as one, opened(bench) as other:
            outcomes = await asyncio.gather(
                *(act((one, other)[n % 2], pedir(1), message="same") for n in range(12))
            )
            assert {told(outcome) for outcome in outcomes} == {("Report", "finished")}
            assert (bench.orders(), bench.left()) == (1, STOCK - 1)

    run(main())


def test_many_orders_at_once_lose_no_unit(bench):
    """Each reads the stock and writes what is left: nobody else of this organization meanwhile."""

    async def main():
        async with opened(bench) as one, opened(bench) as other:
            outcomes = await asyncio.gather(
                *(
                    act(
                        (one, other)[n % 2],
                        pedir(1),
                        message=f"m-{n}",
                        who=(ANA, LUIS)[n % 2],
                    )
                    for n in range(12)
                )
            )
            assert {told(outcome) for outcome in outcomes} == {("Report", "finished")}

    run(main())
    assert (bench.orders(), bench.left()) == (12, STOCK - 12)


def test_an_undo_takes_the_hosts_rows_back(bench):
    async def main():
        async with opened(bench) as engine:
            done = await act(engine, pedir(3))
            assert bench.left() == STOCK - 3
            undone = await engine.person(ANA).undo(done.undo_token)
            assert told(undone) == ("Report", "finished")
            assert bench.left() == STOCK

    run(main())


def test_an_outside_step_reads_the_hosts_rows_after_their_transaction(bench):
    async def main():
        async with opened(bench) as engine:
            ask = await act(engine, pedir(4), ("pedido.avisar", {"pedido": "$1"}))
            assert isinstance(ask, Ask)
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "finished")
            assert bench.avisar.sent == ["4 4"]

    run(main())


def test_a_look_alike_is_asked_about(bench):
    async def main():
        async with opened(bench) as engine:
            bench.repetir.alike = lambda ctx: []
            first = await act(engine, pedir(2))
            assert told(first) == ("Report", "finished")
            id = bench.sql("SELECT id FROM tienda_pedido")[0][0]
            bench.repetir.alike = lambda ctx: [bench.side.find(ctx.tx, ctx.org, id)]
            ask = await act(engine, ("pedido.repetir", {"unidades": "2"}), message="m-2")
            assert isinstance(ask, Ask)
            done = await engine.person(ANA).confirm(ask.token)
            assert told(done) == ("Report", "finished")
            assert bench.orders() == 2

    run(main())


def test_the_applications_own_transactions(bench):
    async def main():
        async with opened(bench) as engine:
            order = await engine.write(lambda tx: bench.side.order(tx, "w", "o-1", SKU, 1))
            assert order.unidades == 1
            assert await engine.read(lambda tx: bench.side.left(tx, SKU)) == STOCK - 1

            def twice(tx):
                bench.side.order(tx, "again", "o-1", SKU, 1)
                return "value"

            for _ in range(2):
                assert await engine.once("k", twice) == "value"
            with pytest.raises(Exception, match=r"(?i)unique|duplicate"):
                await engine.write(lambda tx: insert_twice(bench, tx))
            assert (bench.orders(), bench.left()) == (2, STOCK - 2)
            with pytest.raises(Exception, match=r"(?i)readonly|read-only|refused|writes"):
                await engine.read(lambda tx: writes(bench, tx))
            await engine.write(lambda tx: bench.side.order(tx, "after", "o-1", SKU, 1))
        assert (bench.orders(), bench.left()) == (3, STOCK - 3)

    run(main())


def insert_twice(bench, tx):
    for _ in range(2):
        bench.side.raw(
            tx, "INSERT INTO tienda_articulo (sku, quedan, version) VALUES ('dos', 1, 1)"
        )


def writes(bench, tx):
    bench.side.raw(tx, "UPDATE tienda_articulo SET quedan = 0")
