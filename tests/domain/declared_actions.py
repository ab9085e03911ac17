"""A small catalog for tests of declarations: actions that are good but for what a test says."""

from datetime import date
from decimal import Decimal
from types import new_class

from semel import Action, Input, Kind, Line, Local, Made, Number, Opaque, Preview, Ref
from semel.catalog import Catalog


class Thing(Kind[str], name="thing"):
    def find(self, ctx, id):
        return id

    def key(self, row):
        return row

    version = label = key


class Inner(Input):
    of: Ref[Thing] | None = None
    price: Number = Decimal(1)


class Given(Input):
    name: Line
    price: Number
    note: str = "–"
    thing: Ref[Thing] | None = None
    inner: Inner = Inner()
    many: list[Inner] = []
    by_name: dict[str, Ref[Thing]] = {}
    day: date | None = None


WORDS = {"es": "Hacer", "en": "Do"}


def preview(self, i, ctx):
    return Preview()


def run(self, i, ctx):
    return Made()


async def run_outside(self, i, ctx):
    return Made()


async def run_prepared(self, i, ctx, prepared):
    return Made()


async def prepare(self, i, ctx):
    return None


def taken(self, given, ctx):
    return None


def taken_more(self, given, ctx, more):
    return None


def one_taken(self, given):
    return None


async def asked(self, keys, ctx):
    return None


async def asked_more(self, keys, ctx, more):
    return None


async def one_asked(self, keys):
    return None


def action(name="a", effect=None, makes=None, allow="all", without=(), **changes):
    """A good Local action, but for what is said here."""
    body = {"__doc__": "Do.", "will": WORDS, "did": WORDS, "Input": Given, "preview": preview,
            "run": run, **changes}  # fmt: skip
    body = {part: value for part, value in body.items() if part not in without}
    declared_as = {"name": name, "effect": effect or Local(), "makes": makes, "allow": allow}
    return new_class("Made", (Action,), declared_as, lambda space: space.update(body))()


def outside(**changes):
    return action(**{"effect": Opaque(), "run": run_outside, **changes})


CATALOG = Catalog([action("thing.make", makes=Thing), outside(name="thing.send", Input=Inner)])
GOOD = {"name": "Logo", "price": "500.00"}
