"""A guarded function as a tool of each framework: once for a message, in its own conversation."""

import asyncio
import json
from pathlib import Path

import pytest
from driving import DRIVERS, WORDS, Driver, driver_of
from facturas_bench import ANA

import stores
from semel import Guard, Opaque, Who
from semel.errors import NoCall
from semel.guard import NoSession
from semel.integrations.guarded import session, telling, turn
from semel.integrations.tool import Call

MARIA = json.dumps({"to": "maria"})


class Post:
    """A guarded function, and what it has sent."""

    def __init__(self, folder: Path, driver: Driver) -> None:
        self.sent: list[str] = []
        self.guard = driver.guard = Guard(stores.url(folder / "guard.db", "guard"), org="mail")

        @self.guard.once(effect=Opaque(), name="send", did={"en": "Sent to {to}", "es": "A {to}"})
        async def write_to(to: str, urgent: bool = False) -> str:
            """Write to somebody.

            Args:
                to: who.
                urgent: whether it cannot wait.
            """
            self.sent.append(f"{to}!" if urgent else to)
            await asyncio.sleep(0)
            return "m-1"

        @self.guard.once(effect=Opaque())
        def call_up(to: str) -> None:
            """Call somebody."""
            self.sent.append(f"{to} called")
            raise ConnectionError("The line broke.")

        self.send, self.call_up = write_to, call_up
        driver.guarded = [write_to, call_up, self.guard.status_tool("en")]
        self.called = {"send": write_to, "call_up": call_up}


@pytest.fixture
def posted(opened, tmp_path):
    """Run a test with a driver's world and the post."""

    def run(driver, test):
        async def main():
            async with opened(driver) as world:
                post = Post(tmp_path, world.driver)
                with post.guard:
                    await test(world, post)

        asyncio.run(main())

    return run


@pytest.mark.parametrize("name", DRIVERS)
def test_equal_calls_for_a_message_are_made_once(posted, name):
    async def test(world, post):
        twins = [("send", MARIA)] * 3
        await world.driver.run([twins, twins, WORDS], world.call())
        assert post.sent == ["maria"]
        says = [answer["says"] for answer in world.told()]
        assert [answer["status"] for answer in world.told()].count("done") == 1
        assert all(said.startswith(("A maria", "Esto ya se hizo")) for said in says), says
        # Begun again for the same message, and then for another one.
        await world.driver.run([twins, WORDS], world.call())
        assert {answer["status"] for answer in world.told()} == {"already_done"}
        assert post.sent == ["maria"]
        await world.driver.run([[("send", MARIA)], WORDS], world.call("m-2"))
        assert post.sent == ["maria", "maria"]

    posted(driver_of(name), test)


@pytest.mark.parametrize("name", DRIVERS)
def test_a_loop_that_is_restored_sends_nothing_again(posted, name):
    async def test(world, post):
        stored = await world.driver.died([[("send", MARIA)]], world.call())
        for _ in range(2):
            await world.driver.restored(stored, [WORDS], world.call())
        assert post.sent == ["maria"]

    posted(driver_of(name), test)


def test_a_node_that_is_entered_again_sends_nothing_again(posted):
    async def test(world, post):
        assert await world.driver.entered_again([[("send", MARIA)], WORDS], world.call()) == 2
        assert post.sent == ["maria"]

    posted(driver_of("langchain"), test)


@pytest.mark.parametrize("name", DRIVERS)
def test_conversations_and_organizations_do_not_mix(posted, name):
    async def test(world, post):
        whose = [ANA, Who("carmona-demo", "ana", "aside"), Who("otra-demo", "ana", "main")]
        calls = [world.call(who=who) for who in whose]
        twins = [("send", MARIA)] * 2
        await asyncio.gather(*(world.driver.run([twins, WORDS], call) for call in calls))
        assert post.sent == ["maria"] * 3

    posted(driver_of(name), test)


@pytest.mark.parametrize("name", DRIVERS)
def test_a_doubt_is_told_and_ends_no_run(posted, name):
    async def test(world, post):
        await world.driver.run([[("call_up", MARIA)], [("call_up", MARIA)], WORDS], world.call())
        assert post.sent == ["maria called"]
        assert [answer["status"] for answer in world.told()] == ["in_doubt"] * 2
        assert "try again" not in world.driver.requests[-1]
        assert "The line broke" not in world.driver.requests[-1]

    posted(driver_of(name), test)


@pytest.mark.parametrize("name", DRIVERS)
def test_a_run_that_does_not_say_whose_it_is_makes_no_guarded_call(posted, name):
    async def test(world, post):
        with pytest.raises(Exception, match="comes from the channel") as no:
            await world.driver.run([[("send", MARIA)], WORDS], None)
        assert isinstance(no.value, NoCall) or isinstance(no.value.__cause__, NoCall)
        assert post.sent == []

    posted(driver_of(name), test)


# A loop of one's own passes on what its model wrote as it likes.
@pytest.mark.parametrize("name", ["openai_agents", "pydantic_ai", "langchain"])
def test_a_model_does_not_say_which_conversation_it_is(posted, name):
    async def test(world, post):
        fields = {"session": "other", "message": "m-9", "config": {}, "turn": "t", "self": "s"}
        smuggled = json.dumps({"to": "maria"} | fields)
        await world.driver.run([[("send", MARIA), ("send", smuggled)], WORDS], world.call())
        assert post.sent == ["maria"]

    posted(driver_of(name), test)


@pytest.mark.parametrize("name", ["openai_agents", "pydantic_ai", "langchain"])
def test_the_model_is_declared_what_the_function_takes(posted, name):
    async def test(world, post):
        await world.driver.run([WORDS], world.call())
        (request,) = world.driver.requests
        assert all(f'"{word}"' in request for word in ("to", "urgent", "job"))

    posted(driver_of(name), test)


def test_a_repeat_of_one_run_is_a_loop_where_the_run_is_in_the_turn(posted):
    async def test(world, post):
        with turn(post.guard, world.call()):
            await world.driver.run([[("send", MARIA)], [("send", MARIA)], WORDS], world.call())
        await world.driver.run([[("send", MARIA)], WORDS], world.call())
        counted = {(source, mode): number for _, source, mode, number in post.guard.repeats()}
        assert counted == {
            ("first", "guarded"): 1,
            ("loop", "guarded"): 1,
            ("restored", "guarded"): 1,
        }

    posted(driver_of("pydantic_ai"), test)


def test_a_turn_within_another_conversations_is_its_own(posted):
    async def test(world, post):
        with turn(post.guard, world.call()):
            await world.driver.run([[("send", MARIA)], WORDS], world.call("m-2"))
            await world.driver.run([[("send", MARIA)], WORDS], world.call())
        assert post.sent == ["maria", "maria"]

    posted(driver_of("openai_agents"), test)


@pytest.mark.no_store
def test_the_session_of_a_conversation_is_nobody_elses():
    whose = [
        Who("a", "b", "c"), Who("a:b", "", "c"), Who("a", 'b","c', ""), Who("a", "b c", ""),
        Who("", "a", 'b","c'),
    ]  # fmt: skip
    assert len({session(Call(who, "m-1")) for who in whose}) == len(whose)
    assert session(Call(whose[0], "m-1")) == session(Call(whose[0], "m-2", "Hola"))


def test_without_a_turn_nothing_is_made(posted):
    async def test(world, post):
        said = json.loads(await telling(post.send)("maria"))
        assert said["status"] == "refused"
        with pytest.raises(NoSession), turn(post.guard, Call(ANA, " ")):
            pass
        assert post.sent == []

    posted(driver_of("chat_openai"), test)
