"""A bad action is rejected by the sentence of its fault; its twin, and what is good, is accepted."""

import contextlib
from datetime import date
from enum import Enum
from typing import Annotated, Literal

import pytest
from bad_actions import AWAY, LOCAL, Case
from good_actions import Add, Book, Drop, Letter, New, One, Pay, Price, adding, dropping, pricing
from pydantic import Field

import counts
from semel import Action, Ctx, Input, Keyed, Line, Local, Made, Missing, NotDone, Number, Preview
from semel.errors import SemelError
from semel.facts import Count, Money, Text
from semel.testing import HttpOutside, Mood, Outside, World, check_action
from semel.testing.checks.example import NoExample, example

BOTH = {"es": "Hecho", "en": "Done"}


def rejected(case: Case) -> None:
    """The bad one is rejected by its sentence, and the twin by none."""
    with HttpOutside() as far:
        for make, clean in ((case.bad, False), (case.good, True)):
            action = make(far) if case in AWAY else make()
            local = isinstance(action.effect, Local)
            world = (clean and case.twin) or case.world or adding
            given = world() if local else World(given={"text": "Hi"}, far=far)
            wrong = check_action(action, given)
            if clean:
                assert wrong == []
            else:
                assert f"{action.name}: {case.sentence}." in wrong


@pytest.mark.parametrize("case", [*LOCAL, *AWAY], ids=lambda case: case.id)
def test_a_bad_action_is_rejected_by_its_own_sentence_and_its_twin_is_not(case: Case) -> None:
    rejected(case)
    counts.ran("R24.rejected", 1)


def test_there_are_as_many_bad_actions_as_are_promised_and_no_two_have_one_sentence():
    sentences = [case.sentence for case in (*LOCAL, *AWAY)]
    assert len(set(sentences)) == len(sentences)
    assert len(sentences) >= counts.of("R24.rejected")


@pytest.mark.parametrize(
    ("action", "world"),
    [(Add, adding), (Price, pricing), (Drop, dropping)],
    ids=lambda one: one.__name__,
)
def test_a_good_local_action_is_accepted(action, world):
    assert check_action(action(), world()) == []


@pytest.mark.parametrize("action", [Letter, Pay, Book])
def test_a_good_outside_action_is_accepted(action):
    with HttpOutside() as far:
        assert check_action(action(far), World(far=far)) == []


class Sum(Action, name="sum.say", effect=Local(), allow="x"):
    """Say a sum."""

    will = {"es": "Sumar {total}", "en": "Add up {total}"}
    did = BOTH

    class Input(Input):
        a: Number
        b: int
        words: list[str]
        more: bool = False

    def preview(self, i, ctx: Ctx) -> Preview:
        return Preview(total=Money(i.a + i.b))

    def run(self, i, ctx: Ctx) -> Made:
        return Made()


def test_a_simple_action_needs_no_world():
    assert check_action(Sum()) == []


class Pointing(Sum):
    """Its input refers to a record."""

    Input = One

    def preview(self, i: One, ctx: Ctx) -> Preview:
        return Preview(total=Text("x"))


def test_an_action_of_which_no_example_can_be_made_up_is_not_clean():
    (wrong,) = check_action(Pointing())
    assert wrong == (
        "sum.say: no example can be made up for it, since thing refers to a record: "
        "give World(given=…)."
    )


def test_an_example_that_is_no_input_is_said():
    (wrong,) = check_action(Sum(), World(given={"a": "x"}))
    assert wrong.startswith("sum.say: the example is not an input of it (input.input.a: bad_value")


def test_an_outside_action_that_nobody_counts_is_not_clean():
    with HttpOutside() as far:
        assert check_action(Letter(far), World()) == [
            "letter.send: nobody counts what it sends: give World(far=…) and let it send there."
        ]


class Contradicts(Sum):
    """It prepares, and is Local."""

    async def prepare(self, i, ctx: Ctx) -> None:
        return None


def test_what_an_engine_would_refuse_is_said_in_its_words():
    assert check_action(Contradicts()) == ["sum.say: a Local action has nothing to prepare."]


class Hides(Add):
    """It writes in its preview and hides what comes of it."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        with contextlib.suppress(SemelError):
            ctx.tx.run("things.add", org=ctx.org, id=ctx.new_id(), name="x", price="1")
        return super().preview(i, ctx)


def test_a_write_in_a_preview_is_seen_when_its_refusal_is_hidden():
    assert "thing.add: preview() writes to the database; only run() may." in check_action(
        Hides(), adding()
    )


class Missed(Add):
    """It asks for what the example has not."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        return Preview(missing=[Missing("colour")])


class Refuses(Add):
    """It refuses the example."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        raise NotDone({"es": "Hoy no.", "en": "Not today."})


class Breaks(Add):
    """It breaks at the example."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        raise KeyError(i.name)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (Missed, "preview() asks the example for colour: give a whole one"),
        (Refuses, "preview() refuses the example: Not today"),
        (Breaks, "preview() raised KeyError: 'Lamp'"),
    ],
)
def test_an_example_that_shows_nothing_is_not_clean(action, said):
    assert check_action(action(), adding()) == [f"thing.add: {said}."]


class Bare(Action, name="bare.send", effect=Keyed(ttl=None, deadline=5), allow="x"):
    """Send something by an object that the application was handed; nothing is prepared."""

    will = {"es": "Mandar {text}", "en": "Send {text}"}
    did = BOTH

    class Input(Input):
        text: Line

    def __init__(self, post: "Post") -> None:
        self.post = post

    def preview(self, i, ctx: Ctx) -> Preview:
        return Preview(text=Text(i.text))

    async def run(self, i, ctx: Ctx) -> Made:
        self.post.send(ctx.key)
        return Made(sent=Count(1))


class Post(Outside):
    """The other side without a line: an object of a test."""

    def send(self, key: str) -> None:
        self.ask()
        self.say()
        if not self.take(key.encode()):
            raise NotDone("no")
        self.say()


class Careless(Post):
    """A client that calls again whatever happens."""

    def send(self, key: str) -> None:
        with contextlib.suppress(ConnectionError, NotDone):
            return super().send(key)
        return super().send(key)


def test_the_other_side_may_be_an_object_of_the_test():
    post = Post()
    assert check_action(Bare(post), World(far=post)) == []
    assert (post.mood, post.asked) == (Mood.TAKES, 1)
    careless = Careless()
    assert check_action(Bare(careless), World(far=careless)) == [
        f"bare.send: run() sends 2 requests {when}; one run is one request."
        for when in (
            "when the other side refuses",
            "when the other side is busy",
            "when the line is cut",
        )
    ]


class Looks(Bare):
    """It sends while it is shown."""

    def preview(self, i, ctx: Ctx) -> Preview:
        self.post.ask()
        return super().preview(i, ctx)


class Readies(Bare):
    """It sends while it prepares."""

    async def prepare(self, i, ctx: Ctx) -> None:
        self.post.ask()

    async def run(self, i, ctx: Ctx, prepared: None) -> Made:
        return await super().run(i, ctx)


class Tells(Sum):
    """It sends from inside the transaction."""

    def __init__(self, post: Post) -> None:
        self.post = post

    def run(self, i, ctx: Ctx) -> Made:
        self.post.ask()
        return Made()


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (Looks, "preview() sends a request; it may only read through ctx.tx"),
        (Readies, "prepare() sends a request; it may run again, so it sends nothing"),
        (Tells, "run() sends a request; a Local step touches only ctx.tx"),
    ],
)
def test_what_is_sent_to_an_object_is_seen_by_its_count(action, said):
    post = Post()
    assert f"{action.name}: {said}." in check_action(action(post), World(far=post))


class Size(Enum):
    SMALL = "s"


class Inner(Input):
    day: date
    size: Size


class Whole(Input):
    text: Annotated[str, Field(min_length=3)]
    count: Annotated[int, Field(gt=4)]
    amount: Number
    yes: bool
    one: Literal["a", "b"]
    inner: Inner
    several: Annotated[list[Inner], Field(min_length=2)]
    perhaps: int | None
    left_out: int = 3


def test_an_example_is_made_up_that_the_input_takes():
    made = example(Whole.model_json_schema())
    assert "left_out" not in made
    whole = Whole.model_validate(made)
    assert (whole.text, whole.count, len(whole.several)) == ("aaa", 5, 2)


class Patterned(Input):
    code: Annotated[str, Field(pattern="^[A-Z]{3}$")]


def test_what_no_example_can_be_made_up_for_says_which_field():
    with pytest.raises(NoExample, match="code has a pattern"):
        example(Patterned.model_json_schema())
    with pytest.raises(NoExample, match="thing refers to a record"):
        example(One.model_json_schema())


def test_what_may_not_be_done_by_a_plan_is_not_clean():
    world = World(given={"a": "1", "b": 1, "words": []}, allow=lambda ctx, what, rows: False)
    (wrong,) = check_action(Sum(), world)
    assert wrong.startswith("sum.say: as a plan it did not come to its end; its card says: ")
