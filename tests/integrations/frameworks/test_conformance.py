"""Every adapter, held to the same scenarios in its framework's own loop."""

import asyncio

import conformance
import pytest
from driving import DRIVERS, WORDS, driver_of

EVERY = [(name, scenario) for name in DRIVERS for scenario in conformance.EVERY]
APPROVING = [(name, conformance.APPROVING) for name in DRIVERS if not name.startswith("chat")]


@pytest.mark.parametrize(
    ("name", "scenario"),
    [*EVERY, *APPROVING, ("langchain", conformance.ENTERING)],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_an_adapter_conforms(opened, name, scenario):
    async def main():
        async with opened(driver_of(name)) as world:
            await conformance.hold(world, scenario)

    asyncio.run(main())


@pytest.mark.no_store
def test_what_a_framework_has_is_what_is_tried():
    drivers = {name: driver_of(name) for name in DRIVERS}
    approving = {name for name, driver in drivers.items() if driver.approves}
    assert approving == {name for name, _ in APPROVING}
    assert [name for name, driver in drivers.items() if driver.enters_again] == ["langchain"]


@pytest.mark.parametrize(
    ("name", "sort"), [("openai_agents", '"type": "function"'), ("langchain", "ToolMessage")]
)
def test_what_is_traced_is_among_what_is_searched_for_tokens(opened, name, sort):
    async def main():
        async with opened(driver_of(name)) as world:
            await world.driver.run([[world.invoice()], WORDS], world.call())
            traced = [one for one in world.driver.kept if sort in one]
            assert any("needs_person" in one for one in traced)

    asyncio.run(main())
