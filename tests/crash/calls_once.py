"""A single call under a key: killed anywhere, repeated by whoever comes next, done once."""

import asyncio
import json
from pathlib import Path

from crash_judge import rows
from notas import open_notas

import stores
from semel import Tx
from semel.testing.crash import Verdict

KEY = "nota de la llamada 7"


class Once:
    """The caller writes down what it was told; the next process asks again with the same key."""

    name = "once"

    def __init__(self, template: Path) -> None:
        self.template = template

    def prepare(self, world: Path) -> None:
        stores.copies(self.template, world)

    def run(self, world: Path) -> None:
        asyncio.run(self._call(world))

    def recover(self, world: Path) -> None:
        asyncio.run(self._call(world))

    async def _call(self, world: Path) -> None:
        engine = open_notas(world)
        await engine.start(sweeps=False)
        try:

            def write(tx: Tx) -> str:
                id = engine.new_id()
                tx.run("notas.add", org="o-1", id=id, text="una")
                tx.run("notas.sign", org="o-1", id=id)
                return id

            id = await engine.once(KEY, write, org="o-1")
            with (world / "told").open("a", encoding="utf-8") as told:
                told.write(f"{id}\n")
            # Whoever asks once more, in the same life, is told the same.
            if await engine.once(KEY, write, org="o-1") != id:
                raise AssertionError("The second answer is another one.")
        finally:
            await engine.stop()

    def judge(self, world: Path) -> Verdict:
        db = world / "notas.db"
        notes = [id for (id,) in rows(db, "SELECT id FROM notas WHERE signed = 1")]
        kept = [json.loads(value) for (value,) in rows(db, "SELECT result FROM semel_calls")]
        told = {*(world / "told").read_text(encoding="utf-8").split()}
        return Verdict(
            duplicates=("it was done more than once",) if len(notes) > 1 else (),
            lost=("it was not done",) if not notes else (),
            false=() if kept == notes and told == {*notes} else (f"{kept}, {told}, {notes}",),
        )
