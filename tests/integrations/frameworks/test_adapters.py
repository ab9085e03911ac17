"""What an adapter reads of its framework's context, and what it refuses before anything happens."""

import asyncio
import sys
from dataclasses import dataclass
from importlib import import_module

import pytest
from driving import DRIVERS, WORDS, Driver, Script, driver_of
from facturas_bench import ANA

from semel import Who
from semel.errors import NoCall
from semel.integrations import chat
from semel.integrations.tool import Call, Tool, given

PLAIN = {"who": {"org": "carmona-demo", "person": "ana", "conversation": "main"}, "message": "m-1"}


def no_call(error: BaseException) -> str:
    """The sentence, of an error that a framework may have wrapped."""
    found: BaseException | None = error
    while not isinstance(found, NoCall):
        assert found is not None, error
        found = found.__cause__
    return str(found)


@pytest.mark.parametrize("name", DRIVERS)
def test_a_run_that_does_not_say_whose_it_is_ends_at_once(opened, name):
    async def main():
        async with opened(driver_of(name)) as world:
            for missing in (None, PLAIN, Call(ANA, " "), "ana"):
                world.driver.requests.clear()
                with pytest.raises(Exception, match="comes from the channel") as no:
                    await world.driver.run([[world.invoice()], WORDS], missing)
                assert no_call(no.value).endswith("Nothing was done.")
                # The model is not asked what to make of it.
                assert len(world.driver.requests) == 1
                assert world.books() == (0, [], 0)

    asyncio.run(main())


@pytest.mark.no_store
@pytest.mark.parametrize(
    ("found", "says"),
    [
        (Call(Who("", "ana", "main"), "m-1"), "names no organization"),
        (Call(Who("carmona-demo", "\n", "main"), "m-1"), "names no person"),
        (Call(Who("carmona-demo", "ana", "  "), "m-1"), "names no conversation"),
        (Call(ANA, ""), "names no message"),
        (Call(ANA, 7), "names no message"),  # type: ignore[arg-type]  # what is not typed does it
        (Call(PLAIN["who"], "m-1"), "no Call but a Call"),  # type: ignore[arg-type]  # as above
        (ANA, "no Call but a Who"),
    ],
)
def test_a_call_that_lacks_a_part_is_none(found, says):
    with pytest.raises(NoCall, match=says):
        given(found, "the run's context")


@pytest.mark.no_store
def test_a_call_is_taken_as_it_is():
    call = Call(ANA, "m-1", "Haz una factura")
    assert given(call, "the run's context") is call


EXTRAS = {
    "openai_agents": ("agents", r"pip install 'semel\[openai-agents\]'"),
    "pydantic_ai": ("pydantic_ai", r"pip install 'semel\[pydantic-ai\]'"),
    "langchain": ("langgraph.runtime", r"pip install 'semel\[langchain\]'"),
}


@pytest.mark.no_store
@pytest.mark.parametrize("name", EXTRAS)
def test_without_its_package_an_adapter_says_what_to_install(monkeypatch, name):
    package, says = EXTRAS[name]
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"semel.integrations.{name}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=says):
        import_module(f"semel.integrations.{name}")


@dataclass
class Deps:
    """What an application passes on, semel's among its own."""

    books: str
    call: Call


def test_whose_call_it_is_may_be_part_of_what_an_application_passes_on(opened):
    async def main():
        import agents
        import pydantic_ai
        from agents.testing import ScriptedModel, assistant_message, function_call
        from drive_langchain import Scripted
        from langchain.agents import create_agent
        from pydantic_ai.models.test import TestModel

        from semel.integrations import langchain, openai_agents
        from semel.integrations import pydantic_ai as adapter

        async with opened(driver_of("chat_openai")) as world:
            invoice = world.invoice()
            deps, tool = Deps("2026", world.call()), Tool(world.engine.agent, "es")
            model = ScriptedModel([
                [function_call("actuar", invoice, call_id="c-1")],
                [assistant_message(WORDS)],
            ])  # fmt: skip
            agent = agents.Agent(
                name="a", model=model, tools=[openai_agents.as_tool(tool, lambda own: own.call)]
            )
            agents.set_trace_processors([])
            await agents.Runner.run(agent, "…", context=deps)
            assert world.books() == (1, [], 0)
            other = pydantic_ai.Agent(
                TestModel(), deps_type=Deps, tools=[adapter.as_tool(tool, lambda own: own.call)]
            )
            # The framework's own test model invents arguments by the schema: a contact called "a".
            said = await other.run("…", deps=deps)
            assert "Contacto a creado" in said.output
            text = "SELECT org FROM contacts WHERE name = 'a'"
            assert world.facturas.sql(text) == [("carmona-demo",)]
            script = Script(world.driver, [[invoice], WORDS])
            graph = create_agent(
                Scripted(script=script, driver=world.driver),
                [langchain.as_tool(tool, lambda config: config["configurable"]["deps"].call)],
            )
            config = {"configurable": {"deps": deps}}
            await graph.ainvoke({"messages": [("user", "…")]}, config)
            assert [answer["status"] for answer in world.told()] == ["needs_person"]
            assert world.books() == (2, [], 0)

    asyncio.run(main())


def test_langchains_configuration_may_say_it_and_the_runs_context_wins(opened):
    async def main():
        from drive_langchain import Scripted
        from langchain.agents import create_agent

        from semel.integrations.langchain import as_tool

        async with opened(driver_of("langchain")) as world:
            tool = as_tool(world.driver.tool)
            other = world.call(who=Who("otra-demo", "eva", "main"))
            args = {"type": "tool_call", "id": "c-1", "name": "actuar", "args": {"steps": []}}
            # By itself, as a tool of no graph.
            said = await tool.ainvoke(args, {"configurable": {"semel": world.call()}})
            assert "invalid" in said.content
            with pytest.raises(NoCall):
                await tool.ainvoke(args)
            script = Script(world.driver, [[world.invoice()], WORDS])
            graph = create_agent(
                Scripted(script=script, driver=world.driver), [tool], context_schema=Call
            )
            said = {"messages": [("user", "…")]}
            await graph.ainvoke(said, {"configurable": {"semel": other}}, context=world.call())
            assert (await world.pending()).view.plan == world.told()[0]["plan"]

    asyncio.run(main())


def test_a_context_that_langgraph_makes_from_a_mapping_is_no_call(opened):
    async def main():
        from langchain_core.messages import HumanMessage

        async with opened(driver_of("langchain")) as world:
            script = Script(world.driver, [[world.invoice()], WORDS])
            said = {"messages": [HumanMessage("…")]}
            with pytest.raises(NoCall, match="no Call but a Call"):
                await world.driver.agent(script).ainvoke(said, world.driver.config(), context=PLAIN)
            assert world.books() == (0, [], 0)

    asyncio.run(main())


def test_a_stored_state_of_the_openai_sdk_does_not_say_whose_it_is(opened):
    async def main():
        import agents

        async with opened(driver_of("openai_agents")) as world:
            driver = world.driver
            stored = await driver.paused([[world.invoice()]], world.call())
            # The SDK writes the context into the state; it comes back as a mapping.
            assert '"person": "ana"' in stored.replace('":"', '": "')

            async def resumed(**more):
                agent = driver.agent(Script(driver, [WORDS]), approves=True)
                state = await agents.RunState.from_string(agent, stored)
                for item in state.get_interruptions():
                    state.approve(item)
                await agents.Runner.run(agent, state, **more)

            with pytest.raises(agents.UserError) as no:
                await resumed()
            assert "no Call but a dict" in no_call(no.value)
            assert world.books() == (0, [], 0)
            await resumed(context=world.call())
            assert world.books() == (1, [], 0)

    asyncio.run(main())


def test_langchains_tool_says_that_it_waits_for_the_world(opened):
    async def main():
        from semel.integrations.langchain import as_tool

        async with opened(driver_of("langchain")) as world:
            with pytest.raises(NotImplementedError, match="use ainvoke"):
                as_tool(world.driver.tool).invoke({"steps": []})

    asyncio.run(main())


def test_calls_of_other_tools_are_left_to_the_loop(opened):
    async def main():
        async with opened(driver_of("chat_openai")) as world:
            tool, call = world.driver.tool, world.call()
            function = {"name": "actuar", "arguments": world.invoice()}
            other = {"id": "c-2", "type": "function", "function": {"name": "buscar"}}
            custom = {"id": "c-3", "type": "custom", "custom": {"name": "actuar", "input": "x"}}
            calls = [other, {"id": "c-1", "type": "function", "function": function}, custom]
            (message,) = await chat.openai_messages(tool, calls, call)
            assert (message["role"], message["tool_call_id"]) == ("tool", "c-1")
            assert await chat.openai_messages(tool, [], call) == []
            content = [
                {"type": "text", "text": "Voy."},
                {"type": "tool_use", "id": "c-2", "name": "buscar", "input": {}},
                {"type": "tool_use", "id": "c-1", "name": "actuar", "input": {"steps": []}},
            ]
            message = await chat.anthropic_message(tool, content, call)
            (result,) = message["content"]
            assert (message["role"], result["type"], result["tool_use_id"]) == (
                "user", "tool_result", "c-1"
            )  # fmt: skip
            assert world.books()[0] == 1

    asyncio.run(main())


@pytest.mark.parametrize("locale", ["es", "en"])
def test_the_model_reads_in_the_language_of_the_person(opened, locale):
    async def main():
        async with opened(driver_of("chat_openai")) as world:
            call = world.call(who=Who("carmona-demo", "ana", "main", locale))
            await world.driver.run([['{"steps": []}'], WORDS], call)
            (answer,) = world.told()
            assert answer["says"].startswith({"es": "No se ha", "en": "Nothing was"}[locale])

    asyncio.run(main())


def test_a_model_that_writes_no_json_is_told_so(opened):
    async def main():
        async with opened(driver_of("chat_openai")) as world:
            tries = ["", "{", "[]", '{"steps": NaN}', '{"steps": [], "steps": []}', "\ud800"]
            await world.driver.run([tries, WORDS], world.call())
            assert [answer["status"] for answer in world.told()] == ["invalid"] * len(tries)
            assert world.books() == (0, [], 0)

    asyncio.run(main())


# LangChain's models hand over an object, or call nothing.
@pytest.mark.parametrize("name", ["chat_openai", "openai_agents", "pydantic_ai"])
def test_arguments_that_are_no_object_end_no_run(opened, name):
    async def main():
        async with opened(driver_of(name)) as world:
            for arguments in ("[]", "null", '"act"', "7", "{"):
                world.driver.requests.clear()
                await world.driver.run([[arguments], WORDS], world.call())
                assert len(world.driver.requests) == 2
            assert world.books() == (0, [], 0)

    asyncio.run(main())


@pytest.mark.parametrize("name", DRIVERS)
def test_the_model_is_declared_the_engines_schema(opened, name):
    async def main():
        async with opened(driver_of(name)) as world:
            driver: Driver = world.driver
            await driver.run([WORDS], world.call())
            # The frameworks add nothing to it that a model could fill in.
            (request,) = driver.requests
            for action in ("factura.crear_borrador", "factura.enviar", "gasto.crear"):
                assert action in request
            for word in ("conversation", "person", "token", "configurable"):
                assert f'"{word}"' not in request

    asyncio.run(main())
