"""What a proposal says of its plan is what reading the plan back gives, row for row."""

import asyncio

import pytest
from notas_bench import act, crear, enviar, opened

from semel import SAFE
from semel.runtime import look
from semel.runtime.draft import Draft

PLANS = {
    "done": [crear("uno"), crear("dos", importe="7")],
    "asking": [crear("uno", urgente=True), enviar("$1")],
    "running": [crear("uno"), enviar("$1")],
}


@pytest.mark.parametrize("name", PLANS)
def test_a_new_plan_is_answered_as_it_was_stored(tmp_path, monkeypatch, name):
    compared = []
    real = Draft._stored

    def stored(self, tx, plan, steps, *shown):
        found = real(self, tx, plan, steps, *shown)
        compared.append((found, look.load(tx, plan.org, plan.plan)))
        return found

    monkeypatch.setattr(Draft, "_stored", stored)

    async def main():
        async with opened(tmp_path) as (bench, engine):
            if name == "running":
                bench.carta.asks = SAFE
            await act(engine, *PLANS[name])

    asyncio.run(main())
    [(said, kept)] = compared
    assert said.plan == kept.plan
    assert said.steps == kept.steps
    assert said.sends == kept.sends == {}
