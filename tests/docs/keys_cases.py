"""The vectors of docs/keys.md, and the library's side of each: its actions, rows and questions."""

import json
from base64 import b64decode
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from uuid import UUID

import pytest
from keys_second import Second

from semel import Action, Input, Kind, Line, Local, Made, Number, Preview, Ref
from semel.catalog import Catalog, Parsed
from semel.domain import consent, key, proposal
from semel.domain.action import Risk
from semel.domain.keyring import Keyring
from semel.domain.plan import PlanKind, PlanRow, StepRow, StepState, Terms

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/keys.md").read_text(encoding="utf-8")
VECTORS = json.loads((ROOT / "tests/data/key_vectors.json").read_text(encoding="utf-8"))
SHAPES = VECTORS["shapes"]
SECOND = Second(VECTORS["signing_keys"])


class Thing(Kind[str], name="thing"):
    def find(self, ctx, id):
        return id

    def key(self, row):
        return row

    def version(self, row):
        return "1"

    def label(self, row):
        return row


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Adding(Input):
    name: Line
    price: Number
    quantity: Number = Decimal(1)
    day: date | None = None


class Labelling(Input):
    thing: Ref[Thing]
    tags: list[str] = []
    urgent: bool = False
    count: int = 0
    at: datetime | None = None
    uid: UUID | None = None
    colour: Colour = Colour.RED


class Unseen(Action):
    """An action of the vectors; it is parsed and never run."""

    will = did = {"es": "Hacer", "en": "Do"}

    def preview(self, i, ctx):
        return Preview()

    def run(self, i, ctx):
        return Made()


class Add(Unseen, name="thing.add", effect=Local(), makes=Thing, allow="all"):
    """Add a thing."""

    Input = Adding


class Label(Unseen, name="thing.label", effect=Local(), makes=Thing, allow="all"):
    """Label a thing."""

    Input = Labelling


CATALOG = Catalog([Add(), Label()])
RING = Keyring(tuple((kid, b64decode(text)) for kid, text in VECTORS["signing_keys"].items()))


def parsed(text):
    """A plan as the library reads it: its parsed steps, or the code of what is wrong."""
    read = proposal.read(text)
    if read.problems:
        return read.problems[0].code
    steps = [CATALOG.parse(name, given, "step") for name, given in read.steps]
    wrong = [step[0].code for step in steps if not isinstance(step, Parsed)]
    return wrong[0] if wrong else steps


def act_key(vector):
    steps = parsed(vector["plan"])
    plan = [[step.name, step.canonical] for step in steps]
    who = [vector[part] for part in ("org", "person", "conversation", "message")]
    return key.act_key(*who, plan)


def rows(steps):
    return [
        StepRow(
            **{**step, "risk": Risk(step["risk"])},
            state=StepState.WAITING, reason=None, detail=None, result=None,
        )
        for step in steps
    ]  # fmt: skip


def terms(v):
    return Terms(
        PlanKind(v["kind"]), **{name: v[name] for name in ("parent", "not_before", "not_after")},
        unless=v["unless"],
    )  # fmt: skip


def plan_row(v, kid, seal):
    """A plan of the vectors as it is stored, with a seal."""
    unsaid = dict.fromkeys(("reason", "owner", "expires_at", "why", "undone_by", "cancelled_at"))
    unsaid |= dict.fromkeys(("ended_at", "sentence", "resume_after"))
    counts = dict.fromkeys(("risk", "version", "epoch", "at", "round", "stall"), 1)
    names = ("org", "plan", "person", "conversation", "digest", "kind", "parent")
    said = {name: v[name] for name in (*names, "not_before", "not_after", "unless")}
    said |= {"message": "m-1", "locale": "es", "state": "asking", "created_at": "t"}
    return PlanRow.read({**unsaid, **counts, **said, "kid": kid, "seal": seal})


def confirmation(v):
    names = ("org", "id", "kid", "plan", "version", "epoch", "digest", "person", "conversation")
    return consent.Confirmation(
        **{name: v[name] for name in names},
        nonce=bytes.fromhex(v["nonce"]),
        question=consent.Question(v["question"]),
        expires_at=v["expires_at"],
        mac=v["mac"],
    )


def of(section):
    """Run a test once for each vector of a section."""
    found = VECTORS[section]
    names = [str(v.get("name", number)) for number, v in enumerate(found, start=1)]
    return pytest.mark.parametrize("v", found, ids=names)


def same(section, names, field):
    return {v[field] for v in VECTORS[section] if v["name"] in names}
