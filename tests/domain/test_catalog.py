"""The catalog: a declaration that contradicts itself is refused with a sentence."""

import ast
import inspect
import math
from types import new_class

import pytest
from declared_actions import (
    WORDS,
    Inner,
    Thing,
    action,
    asked,
    asked_more,
    one_asked,
    one_taken,
    outside,
    prepare,
    run,
    run_outside,
    run_prepared,
    taken,
    taken_more,
)

from semel import (
    Action,
    CatalogError,
    Checked,
    Input,
    Keyed,
    Kind,
    Local,
    Opaque,
    Ref,
    catalog,
    declared,
    inputs,
)
from semel.catalog import Catalog
from semel.domain import action as actions
from semel.domain.effect import Effect
from semel.domain.report import Problem


def kind(without="", **declaration):
    """A kind that lacks a method, or a name."""
    methods = {part: run for part in ("find", "key", "version", "label") if part != without}
    return new_class("Odd", (Kind,), declaration, lambda space: space.update(methods))


def taking(annotation):
    return new_class(
        "Taking", (Input,), {}, lambda space: space.update(__annotations__={"x": annotation})
    )


class Nameless(Action):
    """It has no name."""


def test_without_actions_there_is_no_step():
    schema = Catalog([]).schema()
    assert schema["properties"]["steps"]["items"] is False
    assert Catalog([]).parse("nota.crear", {}, "steps[0]") == [
        Problem("unknown_action", "steps[0]", "nota.crear")
    ]


class Inherited(type(action())):
    """A subclass without a name of its own keeps the one it has."""


class Lasting(Keyed):
    """An effect of somebody's own: nothing is proved of it."""


def voidable(**changes):
    """A good action that can look and close, but for what is said here."""
    return outside(**{"effect": Checked(void=True), "check": asked, "void": asked, **changes})


BAD = {
    "no name": (Nameless, "no name"),
    "two of one name": (lambda: [action(), action()], "two actions have this name"),
    "nobody may": (lambda: action(allow=""), "who may do it"),
    "no docstring": (lambda: action(without=["__doc__"]), "docstring"),
    "an empty docstring": (lambda: action(__doc__=""), "docstring"),
    "no will": (lambda: action(without=["will"]), "will needs a sentence"),
    "no did": (lambda: action(without=["did"]), "did needs a sentence"),
    "will in one language": (lambda: action(will={"es": "Hacer"}), "will needs a sentence"),
    "did in one more": (lambda: action(did={**WORDS, "fr": "Faire"}), "did needs a sentence"),
    "will as text": (lambda: action(will="Do"), "will needs a sentence"),
    "a question in one language": (
        lambda: action(question={"es": "Hacerlo"}), "question needs words"),
    "a fact's name as text": (lambda: action(names={"x": "X"}), "fact.x needs words"),
    "names in a row": (lambda: action(names=["x"]), "names has the words"),
    "a name of what is no fact": (
        lambda: action(names={"a fact": {"es": "X", "en": "X"}}), "names has the words"),
    "a fact without a name": (lambda: action(names={"x": {"es": " ", "en": "X"}}), "by words"),
    "a fact called a number": (lambda: action(names={"x": {"es": 1, "en": "X"}}), "by words"),
    "a fact called like another": (
        lambda: action(names={"x": {"es": "{y}", "en": "X"}}), "by no other fact"),
    "a long button": (
        lambda: action(button={"es": "Hacerlo", "en": "Do it now and for ever"}), "20 characters"),
    "a button without words": (lambda: action(button={"es": "Hacer", "en": ""}), "20 characters"),
    "a button with a fact": (
        lambda: action(button={"es": "{x}", "en": "Do"}), "20 characters and no fact"),
    "no input": (lambda: action(without=["Input"]), "subclass of semel.Input"),
    "an input of another kind": (lambda: action(Input=dict), "subclass of semel.Input"),
    "an input that is made": (lambda: action(Input=Inner()), "subclass of semel.Input"),
    "no preview": (lambda: action(without=["preview"]), "no preview()"),
    "no run": (lambda: action(without=["run"]), "no run()"),
    "a run that is none": (lambda: action(run=5), "no run()"),
    "local and async": (lambda: action(run=run_outside), "plain function"),
    "local and prepared": (lambda: action(prepare=prepare), "nothing to prepare"),
    "outside and plain": (lambda: outside(run=run), "async run()"),
    "outside by default": (lambda: action(effect=Opaque()), "async run()"),
    "prepare that is plain": (lambda: outside(prepare=run, run=run_prepared), "prepare() is async"),
    "run without what was prepared": (lambda: outside(prepare=prepare), "(i, ctx, prepared)"),
    "run with what nobody prepares": (lambda: outside(run=run_prepared), "run takes (i, ctx)."),
    "it makes what has no name": (lambda: action(makes=kind()), "has no name"),
    **{
        f"it makes what has no {part}": (
            lambda part=part: action(makes=kind(part, name="odd")), f"has no {part}()")
        for part in ("find", "key", "version", "label")
    },
    **{
        f"it takes a reference {where}": (
            lambda wrap=wrap: action(Input=taking(wrap(kind("label", name="odd")))),
            "no label()",
        )
        for where, wrap in {
            "at once": lambda odd: Ref[odd],
            "or none": lambda odd: Ref[odd] | None,
            "in a list": lambda odd: list[Ref[odd]],
            "in an object": lambda odd: dict[str, Ref[odd]],
            "in an input inside": lambda odd: taking(Ref[odd]),
            "in a list of inputs": lambda odd: list[taking(Ref[odd])] | None,
        }.items()
    },
    "a reference to no kind": (lambda: action(Input=taking(Ref)), "names its kind"),
    "a reference to a kind without a name": (
        lambda: action(Input=taking(Ref[kind()])), "names its kind"),
    **{
        f"an effect that is none: {effect!r}": (
            lambda effect=effect: outside(effect=effect), "an effect is Local()")
        for effect in (Effect(), Lasting(60), Local, Keyed, "opaque")
    },
    "it looks and cannot": (
        lambda: outside(effect=Checked()), "declares Checked(void=False, deadline=60, "),
    "it looks with nothing": (lambda: outside(effect=Checked(), check=None), "has no check()"),
    "it closes and cannot": (lambda: voidable(without=["void"]), "has no void()"),
    "it closes with what is none": (lambda: voidable(void=5), "has no void()"),
    "it closes and cannot look": (lambda: voidable(without=["check"]), "has no check()"),
    **{
        f"{method}() that is not declared, {type(effect).__name__}": (
            lambda make=make, effect=effect, method=method: make(
                effect=effect, **{method: asked}),
            f"it has {method}() and does not declare it")
        for make, effect, method in (
            (action, Local(), "check"), (action, Local(), "void"),
            (outside, Opaque(), "check"), (outside, Opaque(), "void"),
            (outside, Keyed(ttl=60), "check"), (outside, Keyed(ttl=60), "void"),
        )
    },
    "it closes what it only looks at": (
        lambda: voidable(effect=Checked()), "it has void() and does not declare it"),
    **{
        f"{method}() that {how}": (
            lambda make=make, method=method, made=made: make(makes=Thing, **{method: made}),
            says)
        for make, method, made, how, says in (
            (voidable, "check", taken, "does not wait", "check() is async."),
            (voidable, "void", taken, "does not wait", "void() is async."),
            (action, "undo", asked, "waits", "undo() is a plain function."),
            (action, "similar", asked, "waits", "similar() is a plain function."),
            (action, "undo", 5, "is none", "undo() is a plain function."),
            (action, "similar", None, "is none", "similar() is a plain function."),
            (voidable, "check", asked_more, "takes more", "check takes (keys, ctx)."),
            (voidable, "void", asked_more, "takes more", "void takes (keys, ctx)."),
            (action, "undo", taken_more, "takes more", "undo takes (data, ctx)."),
            (action, "similar", taken_more, "takes more", "similar takes (i, ctx)."),
            (voidable, "check", one_asked, "takes less", "check takes (keys, ctx)."),
            (action, "undo", one_taken, "takes less", "undo takes (data, ctx)."),
        )
    },
    "it looks alike and makes nothing": (lambda: action(similar=taken), "say makes="),
    **{
        f"{method}() of what is {effect}": (
            lambda effect=effect, method=method: outside(
                effect=effect, makes=Thing, **{method: taken}),
            f"{method}() is for Local actions")
        for method in ("undo", "similar") for effect in (Opaque(), Keyed(ttl=None))
    },
    "undo() of what can be closed": (lambda: voidable(undo=taken), "undo() is for Local actions"),
    "prepare that is none": (lambda: outside(prepare=None), "prepare() is async"),
    **{
        f"bounds of no time: {effect}": (
            lambda make=make, effect=effect: make(effect=effect), "more than zero seconds")
        for make, effect in (
            (outside, Opaque(deadline=0)), (outside, Opaque(delivery_bound=-1)),
            (outside, Keyed(ttl=60, deadline=-1)), (outside, Keyed(ttl=60, delivery_bound=-0.1)),
            (voidable, Checked(void=True, deadline=0)),
            (voidable, Checked(void=True, delivery_bound=-1)),
            (outside, Opaque(deadline=math.inf)), (outside, Opaque(deadline=math.nan)),
            (outside, Opaque(delivery_bound=math.nan)), (outside, Keyed(ttl=None, deadline=math.inf)),
        )
    },
    **{
        f"a window of {ttl}": (
            lambda ttl=ttl: outside(effect=Keyed(ttl=ttl, deadline=60)), "protects nothing")
        for ttl in (0, -1, 60, math.inf, math.nan)
    },
}  # fmt: skip


def places(modules):
    """Where these modules raise a CatalogError: file, first and last line."""
    for module in modules:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Raise) and "CatalogError(" in ast.unparse(node):
                yield module.__file__, node.lineno, node.end_lineno


def raised(name):
    make, says = BAD[name]
    with pytest.raises(CatalogError) as caught:
        made = make()
        Catalog(made if isinstance(made, list) else [made] if made else [])
    assert says in str(caught.value)
    assert str(caught.value).endswith(".")
    last = caught.traceback[-1]
    return str(last.path), last.lineno + 1


@pytest.mark.parametrize("name", BAD)
def test_a_declaration_that_contradicts_itself_is_refused_with_a_sentence(name):
    raised(name)


def test_every_refusal_that_there_is_has_a_case_here():
    modules = (actions, declared, catalog, inputs)
    hit = {raised(name) for name in BAD}
    missed = [
        (file, first)
        for file, first, last in places(modules)
        if not any(file == where and first <= line <= last for where, line in hit)
    ]
    assert not missed


def test_good_declarations_are_taken():
    good = [
        action("a"), action("b", makes=Thing), outside(name="c"),
        outside(name="d", prepare=prepare, run=run_prepared), outside(name="e", effect=Opaque()),
        outside(name="f", effect=Keyed(ttl=None)), outside(name="g", effect=Keyed(60, 5, None)),
        outside(name="h", effect=Checked(), check=asked), voidable(name="i", makes=Thing),
        action("j", undo=taken), action("k", makes=Thing, undo=taken, similar=taken),
        voidable(name="l", effect=Checked(void=True, deadline=0.1, delivery_bound=0)),
    ]  # fmt: skip
    catalogued = Catalog(good)
    assert [each.name for each in catalogued] == list("abcdefghijkl")
    assert catalogued.get("c") is good[2]
    assert catalogued.get("z") is None
    bare = new_class("Bare", (Action,), {"name": "f", "allow": "all"})
    assert (bare.effect, bare.makes, bare.version) == (Opaque(), None, 1)
    assert Inherited().name == "a"
