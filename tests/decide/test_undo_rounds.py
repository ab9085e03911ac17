"""R15: an undo never writes over what somebody changed, whichever moment of it they changed it at."""

import asyncio

from agreement import agrees
from decide_bench import act, crear, opened, told
from pedidos import ANA

import counts
from semel import Outcome
from semel.runtime import points
from semel.testing import interrupt_at

TEXTS = ("uno", "dos", "tres")
ENDS = {("Report", "finished"), ("Report", "stale"), ("Report", "failed"), ("Refused", "revoked")}


def test_r15_an_undo_never_writes_over_anothers_change(tmp_path):
    number = counts.of("R15") // 2
    done = changed = 0

    async def main():
        nonlocal done, changed
        async with opened(tmp_path) as (bench, engine):
            person = engine.person(ANA)

            async def made(turn: int) -> tuple[Outcome, list[str]]:
                texts = [f"{text} {turn}" for text in TEXTS]
                report = await act(engine, *map(crear, texts), message=f"m-{turn}")
                return report, texts

            # The moments of an undisturbed one.
            report, _ = await made(0)
            names: list[str] = []
            points.arm(names.append)
            try:
                assert told(await person.undo(report.undo_token)) == ("Report", "finished")
            finally:
                points.arm(None)
            moments = [(name, names[: at + 1].count(name)) for at, name in enumerate(names)]
            # Inside a transaction SQLite lets nobody else write.
            moments = [
                one for one in moments if one[0].startswith("commit:") and one[0].endswith("after")
            ]
            assert len(moments) >= 4
            for turn in range(1, number + 1):
                report, texts = await made(turn)
                at, which = divmod(turn, len(TEXTS))
                moment = [None, *moments][at % (len(moments) + 1)]
                text = texts[which]
                ids = bench.sql("SELECT id, gone FROM notas WHERE text = ?", text)

                def edit(id: str = ids[0][0], turn: int = turn) -> None:
                    bench.sql(
                        "UPDATE notas SET text = ?, version = version + 1 WHERE id = ?",
                        f"de otra {turn}", id,
                    )  # fmt: skip

                if moment is None:
                    edit()
                    undone = await person.undo(report.undo_token)
                else:
                    with interrupt_at(moment[0], edit, moment[1]):
                        undone = await person.undo(report.undo_token)
                assert told(undone) in ENDS
                ((now, gone),) = bench.sql("SELECT text, gone FROM notas WHERE id = ?", ids[0][0])
                # What somebody wrote stands, and is not thrown away after they wrote it.
                assert now == f"de otra {turn}"
                before = told(undone) == ("Report", "finished")
                if not gone:
                    assert not before, (moment, text)
                    changed += 1
                # What is left of the plan says the same as its rows.
                if turn % 10 == 0:
                    await agrees(engine, report.view.plan, undone.view.plan)
                done += 1

    asyncio.run(main())
    counts.ran("R15", done)
    assert done >= number
    # In many of them the change was in time to stop it.
    assert changed > done / 4
