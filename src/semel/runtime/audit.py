"""Audit: every plan's rows held against its events, and its events against their signature.

Where a plan's chain of events ends is signed; each event is chained to the one before and tells
what was written in the plan's rows. So whoever edits, adds or deletes a row without the signing key
leaves a contradiction, and it names the row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from semel.domain.canonical import sha256_text
from semel.domain.consent import plan_digest, plan_intact, token_hash, token_of
from semel.domain.edited import Audit, Edited, Why
from semel.domain.key import uuid7
from semel.domain.keyring import Purpose
from semel.domain.plan import PlanRow, StepRow
from semel.facts import read_instant
from semel.ports import EngineTx, Row, Value
from semel.runtime.chain import FIRST, Link, link, signed
from semel.runtime.core import Core
from semel.runtime.look import confirmation
from semel.runtime.retold import as_they_are, called, retold
from semel.runtime.written import FRESH, Cells, Name

BATCH = 200
"""Plans that are read in one snapshot: an audit must not hold one for as long as it runs."""

TABLES: Mapping[str, str] = {
    "plan": "semel_plans",
    "step": "semel_steps",
    "attempt": "semel_attempts",
    "question": "semel_confirmations",
    "key": "semel_keys",
    "event": "semel_events",
    "effect": "semel_effects",
}
"""By kind of row, its table."""


async def verify(
    core: Core, *, org: str | None = None, progress: Callable[[int], None] | None = None
) -> Audit:
    """Hold every plan against its events.

    Args:
        core: the engine's parts.
        org: only this organization's plans; None means everybody's.
        progress: called after each batch with how many plans have been read.
    """
    total, after, seen, count = Audit(), "", 0, BATCH
    while count == BATCH:
        found, after, count = await core.look(partial(_batch, core, org, after))
        total, seen = total + found, seen + count
        if progress is not None:
            progress(seen)
    lost = await core.look(lambda tx: tx.all("plans.lost"))
    gone = [
        Edited("semel_plans", str(row["org"]), str(row["plan"]), "", Why.LOST)
        for row in lost
        if org in {None, row["org"]}
    ]
    return total + Audit(edited=tuple(gone))


def _batch(core: Core, org: str | None, after: str, tx: EngineTx) -> tuple[Audit, str, int]:
    rows = tx.all("plans.page", after=after, limit=BATCH)
    total = Audit()
    for row in rows:
        if org in {None, row["org"]}:
            total += _plan(core, tx, str(row["org"]), str(row["plan"]))
    return total, str(rows[-1]["plan"]) if rows else after, len(rows)


@dataclass(slots=True)
class _Rows:
    """Everything that the tables hold of one plan."""

    org: str
    plan: str
    itself: Row
    steps: Sequence[Row]
    events: Sequence[Row]
    others: Mapping[str, Sequence[Row]]
    wrong: dict[tuple[str, str], tuple[Why, list[str]]] = field(default_factory=dict)
    """By table and row, what does not fit, and of which columns: a sentence for each row."""

    def edited(self, kind: str, row: str, why: Why, *columns: str) -> None:
        """Note that a row does not fit; of several reasons the first is told."""
        _, of = self.wrong.setdefault((kind, row), (why, []))
        of += [column for column in columns if column not in of]

    def found(self) -> tuple[Edited, ...]:
        """What was noted."""
        return tuple(
            Edited(TABLES[kind], self.org, self.plan, row, why, ", ".join(of))
            for (kind, row), (why, of) in self.wrong.items()
        )


def _plan(core: Core, tx: EngineTx, org: str, plan: str) -> Audit:
    """One plan."""
    of: Mapping[str, Value] = {"org": org, "plan": plan}
    names = ("attempts", "confirmations", "keys", "effects")
    itself, steps, events, *others = tx.each(
        ("plans.find", of),
        ("steps.of_plan", of),
        ("events.of_plan", of),
        *((f"{name}.of_plan", of) for name in names),
    )
    kinds = ("attempt", "question", "key", "effect")
    rows = _Rows(org, plan, itself[0], steps, events, dict(zip(kinds, others, strict=True)))
    end = _chain(rows)
    _signature(core, rows, end)
    if not rows.wrong:
        # What events tell that do not stand themselves says nothing of the rows.
        _cells(core, tx, rows)
    _seals(core, rows)
    blanked = sum(event["body"] is None for event in events)
    return Audit(1, len(events), blanked, rows.found())


def _chain(rows: _Rows) -> Link:
    """Hold each event against the one before; where the chain ends as it is."""
    before, seq = {FIRST}, 0
    end = FIRST
    for event in rows.events:
        number = int(str(event["seq"]))
        for missing in range(seq + 1, number):
            rows.edited("event", f"event {missing}", Why.MISSING)
        body, said = event["body"], str(event["body_digest"])
        if body is not None and sha256_text(str(body)) != said:
            rows.edited("event", f"event {number}", Why.CHANGED, "body")
        links = {_link(rows, event, one) for one in before}
        stored = str(event["digest"])
        fits = stored in links
        if not fits and number == seq + 1:
            rows.edited("event", f"event {number}", Why.UNCHAINED)
        # Of an edited one either digest may be what the next was chained to.
        before = {stored} if fits or number != seq + 1 else {stored, *links}
        end = stored if fits or len(links) > 1 else next(iter(links))
        seq = number
    return Link(seq, end)


def _link(rows: _Rows, event: Row, before: str) -> str:
    position, told = event["position"], event["told"]
    return link(
        before,
        rows.org,
        rows.plan,
        int(str(event["seq"])),
        str(event["at"]),
        str(event["kind"]),
        None if position is None else int(str(position)),
        str(event["body_digest"]),
        None if told is None else str(told),
    )


def _signature(core: Core, rows: _Rows, end: Link) -> None:
    """Hold the end of the chain against the one that was signed."""
    head = rows.itself["head"]
    kid, _, rest = str(head or "").rpartition(":")[0].rpartition(":")
    if head is None or not rest.isascii() or not rest.isdigit() or len(rest) > 18:
        rows.edited("plan", "", Why.UNSIGNED, "head")
        return
    seq = int(rest)
    digests = {int(str(event["seq"])): str(event["digest"]) for event in rows.events}
    at = end if seq == end.seq else Link(seq, digests.get(seq, FIRST))
    expected = signed(core.keys, kid, rows.org, rows.plan, at)
    if expected is None:
        rows.edited("plan", "", Why.NO_KEY, kid)
    elif seq > end.seq:
        for missing in range(end.seq + 1, seq + 1):
            rows.edited("event", f"event {missing}", Why.MISSING)
    elif expected == head:
        for added in range(seq + 1, end.seq + 1):
            rows.edited("event", f"event {added}", Why.ADDED)
    elif not rows.wrong:
        rows.edited("plan", "", Why.UNSIGNED, "head")


def _cells(core: Core, tx: EngineTx, rows: _Rows) -> None:
    """Hold each row against what the events tell of it."""
    told = retold(rows.events)
    there = as_they_are({"plan": [rows.itself], "step": rows.steps, **rows.others})
    for name, cells in told.items():
        kind, row = str(name[0]), called(name)
        if name not in there:
            if kind != "key" or not _moved(core, tx, rows, str(name[1])):
                rows.edited(kind, row, Why.MISSING)
            continue
        now = _key_born(core, tx, rows, name, told) if kind == "key" else cells
        wrong = [column for column, value in now.items() if there[name].get(column) != value]
        if wrong:
            rows.edited(kind, row, Why.CHANGED, *wrong)
    for name, cells in there.items():
        kind = str(name[0])
        if name in told:
            continue
        if kind != "question":
            rows.edited(kind, called(name), Why.ADDED)
        elif wrong := [c for c, value in FRESH[kind].items() if cells[c] != value]:
            rows.edited(kind, called(name), Why.CHANGED, *wrong)


def _moved(core: Core, tx: EngineTx, rows: _Rows, key: str) -> bool:
    """Whether a key that led to this plan leads to another one that says so, or cannot be asked."""
    row = tx.one("keys.find", org=rows.org, key=key)
    if row is None or row["plan"] == rows.plan:
        return False
    elsewhere = _told_by(core, tx, rows.org, str(row["plan"]))
    return elsewhere is None or ("key", key) in elsewhere


def _key_born(
    core: Core, tx: EngineTx, rows: _Rows, name: Name, told: Mapping[Name, Cells]
) -> Cells:
    """The digest of what never changes of a key, told by the plan that it led to first.

    It is told nowhere where that plan's events do not stand: then its own audit says so.
    """
    cells, seen = told.get(name, {}), {rows.plan}
    while "born" not in cells:
        before = str(cells.get("from"))
        if before in seen:
            return {"born": ""}
        seen.add(before)
        elsewhere = _told_by(core, tx, rows.org, before)
        if elsewhere is None:
            return {}
        cells = elsewhere.get(name, {})
    return {"born": cells["born"]}


def _told_by(core: Core, tx: EngineTx, org: str, plan: str) -> Mapping[Name, Cells] | None:
    """What another plan's events tell; None when somebody has edited them."""
    of: Mapping[str, Value] = {"org": org, "plan": plan}
    itself, events = tx.each(("plans.find", of), ("events.of_plan", of))
    if not itself:
        return {}
    rows = _Rows(org, plan, itself[0], [], events, {})
    _signature(core, rows, _chain(rows))
    # What was edited may be no JSON any more; it is not even read.
    return None if rows.wrong else retold(events)


def _seals(core: Core, rows: _Rows) -> None:
    """Hold the plan against its seal, and each question against its MAC."""
    keys, kid = core.keys, str(rows.itself["kid"])
    if not rows.wrong:
        plan, steps = PlanRow.read(rows.itself), [StepRow.read(step) for step in rows.steps]
        if keys.mac(kid, Purpose.PLAN, b"") is None:
            rows.edited("plan", "", Why.NO_KEY, kid)
        elif plan_digest(rows.org, rows.plan, steps) != plan.digest:
            rows.edited("plan", "", Why.CHANGED, "digest")
        elif not plan_intact(keys, plan, steps):
            rows.edited("plan", "", Why.FORGED, "seal")
    for row in rows.others["question"]:
        _question(core, rows, row)


def _question(core: Core, rows: _Rows, row: Row) -> None:
    name = called(("question", str(row["id"])))
    try:
        question = confirmation(row)
    except ValueError:
        # There is no such kind of question.
        rows.edited("question", name, Why.FORGED)
        return
    token = token_of(core.keys, question)
    if token is None:
        rows.edited("question", name, Why.NO_KEY, question.kid)
    elif question.mac_by(core.keys) != row["mac"]:
        rows.edited("question", name, Why.FORGED)
    elif token_hash(token) != row["token_hash"]:
        rows.edited("question", name, Why.CHANGED, "token_hash")
    elif not _of_its_time(str(row["id"]), str(row["created_at"])):
        rows.edited("question", name, Why.CHANGED, "created_at")


def _of_its_time(id_: str, created_at: str) -> bool:
    """Whether a row was made in the millisecond that its id names; the MAC covers the id."""
    try:
        made = int(read_instant(created_at).timestamp() * 1000)
    except ValueError:
        return False
    return id_.startswith(uuid7(made, bytes(10))[:13])
