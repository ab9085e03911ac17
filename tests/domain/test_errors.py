"""Errors: the tree in the docstring is the tree of the classes, and each has a sentence."""

import inspect
import re

import pytest

from semel import errors
from semel.errors import ActionError, InDoubt, NotDone, SemelError

CLASSES = {
    name: cls
    for name, cls in vars(errors).items()
    if inspect.isclass(cls) and issubclass(cls, Exception)
}


def drawn():
    """The tree as it is drawn: each class with the one above it."""
    above, tree = {}, {}
    for line in (errors.__doc__ or "").splitlines():
        found = re.fullmatch(r"    ((?:│   |├── |└── |    )*)(\w+)(?: {2,}\S.*)?", line)
        if found:
            depth = len(found.group(1)) // 4
            above[depth] = found.group(2)
            tree[found.group(2)] = above.get(depth - 1)
    return tree


def test_the_tree_that_is_drawn_is_the_tree_of_the_classes():
    classes = {name: cls.__bases__[0].__name__ for name, cls in CLASSES.items()}
    assert drawn() == classes | {"SemelError": None}
    assert all(len(cls.__bases__) == 1 for cls in CLASSES.values())


def test_every_leaf_of_the_drawing_says_what_it_stands_for():
    lines = {
        line.split("── ")[-1].split()[0]: line
        for line in errors.__doc__.splitlines()
        if "── " in line
    }
    assert set(lines) == set(CLASSES) - {"SemelError"}
    assert all(len(line.split("── ")[1].split(maxsplit=1)) == 2 for line in lines.values())


@pytest.mark.parametrize("name", CLASSES)
def test_an_error_without_words_says_its_docstring_and_one_with_words_says_them(name):
    cls = CLASSES[name]
    assert str(cls()) == cls.__doc__.strip()
    assert str(cls("The disk is full.")) == "The disk is full."
    assert isinstance(cls(), SemelError)


@pytest.mark.parametrize("cls", [ActionError, NotDone, InDoubt])
def test_what_a_handler_says_is_said_in_the_persons_language(cls):
    said = cls({"es": "Buzón lleno.", "en": "Mailbox full."})
    assert [said.says(locale) for locale in ("es", "en", "fr")] == [
        "Buzón lleno.", "Mailbox full.", "Mailbox full."
    ]  # fmt: skip
    assert str(said) == "Mailbox full."
    plain = cls("Mailbox full.")
    assert {plain.says(locale) for locale in ("es", "en", "fr")} == {"Mailbox full."}
    spanish = cls({"es": "Buzón lleno."})
    assert spanish.says("es") == "Buzón lleno."
    assert spanish.says("en") == cls.__doc__.strip()
    assert cls({}).says("es") == cls.__doc__.strip()


def test_only_what_an_action_says_is_an_action_error():
    assert {name for name, cls in CLASSES.items() if issubclass(cls, ActionError)} == {
        "ActionError", "NotDone", "InDoubt"
    }  # fmt: skip
    assert not issubclass(NotDone, InDoubt)
    assert not issubclass(InDoubt, NotDone)
