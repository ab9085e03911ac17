"""The limits on the pages are those of the code, and every limit of the code is on a page."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import semel

ROOT = Path(__file__).parents[2]
UNITS = {"s": 1, "min": 60, "KiB": 1024, "MiB": 1024**2, "": 1}
ELSEWHERE = {
    "domain.canonical.SAFE_INTEGER": "docs/keys.md, section 1",
    "facts.SHORT": "how long facts are that are not read back before they are kept; nobody meets it",
    "domain.consent.NONCE_BYTES": "docs/keys.md, section 12",
    "storage.memory.tx.INT_BITS": "what a column of SQLite holds",
    "runtime.written.MARK_DIGITS": "docs/keys.md, section 13",
    "runtime.audit.BATCH": "how much an audit reads in one snapshot; nobody meets it",
    "cli.audits.PROGRESS_PLANS": "how often a long audit says how far it is",
    "runtime.outside.OWN_SHARE": "a share of a limit that is declared, and told to nobody else",
    "storage.hosts.postgres.ALIVE": "states of a connection, by libpq's numbers",
    "storage.hosts.sqlite.FULL": "a setting of SQLite's, by its number",
    "storage.hosts.sqlite.TRANSACTION": "what SQLite's authorizer calls a statement",
    "storage.postgres.talk.ABORTED": "an answer, by libpq's number",
    "storage.postgres.talk.ALIVE": "the state of a connection, by libpq's number",
    "storage.postgres.talk.FAILED": "an answer, by libpq's number",
    "storage.postgres.talk.ROWS": "an answer, by libpq's number",
    "storage.postgres.talk.SYNC": "an answer, by libpq's number",
    "storage.postgres.numbered.ROWS_MAX": "how many rows travel in one statement; nobody meets it",
    "runtime.fence.SINCE": "an instant from which a fence counts, in seconds; nobody meets it",
    "channels.web.operator.DAYS": "how far back the operator's page counts; it says so",
    "channels.web.past.SHORT": "as much of a plan's number as people read; the whole is in its address",
    "runtime.figures.BINS_SECONDS": "where the bars of a chart end",
    "channels.cards.figures.MONEY_MIN": "from how many amounts on a card has a column of them",
    "cli.demo.PORT": "where a demo is looked for, when nobody names a port",
    "cli.serving.PORT_MAX": "the largest number of a port",
    "storage.postgres.setting.VERSION_MIN": "a version of PostgreSQL, by its number",
    "storage.sqlite.place.FULL": "a setting of SQLite's, by its number",
    "storage.sqlite.place.VERSION_MIN": "a version of SQLite, by its number",
    "storage.postgres.wire.WHOLE_SINCE": "a version of PostgreSQL, by its number",
}
"""Numbers that are no limit anybody meets, and where they come from."""


def rows() -> Iterator[tuple[str, list[float], list[str]]]:
    """What each row of the tables says: its words, its figures, and the constants it names."""
    page = (ROOT / "docs/guarantees.md").read_text(encoding="utf-8")
    section = page.partition("\n## Limits\n")[2].partition("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"`([a-z_]+(?:\.\w+)+)`", cells[-1])
        if names:
            yield cells[0], list(figures(cells[1])), names


def figures(text: str) -> Iterator[float]:
    for number, unit in re.findall(r"(\d[\d. ]*)(s|min|KiB|MiB|)(?=[\s,]|$)", text):
        yield float(number.replace(" ", "")) * UNITS[unit]


def value(name: str) -> object:
    """The value of a constant, or the default of an effect's field, by its name below semel."""
    module, _, constant = name.rpartition(".")
    if module.rpartition(".")[2][0].isupper():
        module, _, owner = module.rpartition(".")
        found = getattr(import_module(f"semel.{module}"), owner)
        return next(field.default for field in fields(found) if field.name == constant)
    return getattr(import_module(f"semel.{module}"), constant)


def plain(found: object) -> list[float]:
    if isinstance(found, timedelta):
        return [found.total_seconds()]
    parts = found if isinstance(found, tuple) else (found,)
    return [float(part) for part in parts]


def is_number(found: object) -> bool:
    parts = found if isinstance(found, tuple) and found else (found,)
    return all(
        isinstance(part, int | float | timedelta) and not isinstance(part, bool) for part in parts
    )


def declared() -> Iterator[str]:
    """Every number that a module of the library gives a name to, where it is written."""
    for module in walk_packages(semel.__path__, "semel."):
        if module.name.startswith("semel.testing") or module.name.endswith("__main__"):
            continue
        source = Path(import_module(module.name).__file__ or "").read_text(encoding="utf-8")
        for name in re.findall(r"^([A-Z][A-Z_]*[A-Z])(?:: \w+)? = ", source, re.MULTILINE):
            if is_number(value(f"{module.name}.{name}".removeprefix("semel."))):
                yield f"{module.name}.{name}".removeprefix("semel.")


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row[0])
def test_a_limit_is_the_one_of_the_code(row: tuple[str, list[float], list[str]]) -> None:
    _, shown, names = row
    values = [plain(value(name)) for name in names]
    same = len({tuple(one) for one in values}) == 1
    assert shown == (values[0] if same else [part for one in values for part in one])


def test_every_number_of_the_code_is_in_the_tables() -> None:
    named = {name for _, _, names in rows() for name in names}
    found = set(declared())
    assert len(found) > 50
    assert found - named == set(ELSEWHERE)


def test_every_effect_has_the_defaults_of_the_tables() -> None:
    named = {name for _, _, names in rows() for name in names}
    effects = {
        f"domain.effect.{effect.__name__}.{field.name}"
        for effect in vars(import_module("semel.domain.effect")).values()
        if is_dataclass(effect)
        for field in fields(effect)
        if is_number(field.default)
    }
    assert effects == {name for name in named if name.startswith("domain.effect.")}


SPELLED = {3: "three", 5: "five", 6: "six", 10: "ten", 80: "eighty"}
PROSE = [
    ("confirmation", "ten minutes", "domain.consent.CONFIRM_TTL", 600),
    ("confirmation", "waits up to {} seconds", "runtime.core.WAIT_SECONDS", None),
    ("confirmation", "One message can lead to {} plans", "domain.plan.PROPOSALS_MAX", None),
    ("confirmation", "more than {} words", "domain.reply._MAX_WORDS", None),
    ("confirmation", "or {} characters", "domain.reply._MAX_LENGTH", None),
    ("confirmation", "the conversation's last {}", "runtime.say.SLOT_MAX", None),
    ("failure", "at most {} seconds", "runtime.core.DRAIN_SECONDS", None),
    ("failure", "**How long.** Ten minutes", "domain.consent.CONFIRM_TTL", 600),
    ("undo", "for an hour", "domain.consent.UNDO_TTL", 3600),
    ("actions", "It has {} seconds", "runtime.core.PREPARE_SECONDS", None),
    ("actions", "{} times at most", "domain.doubt.SENDS_MAX", None),
    ("guarantees", "**{} sends at most**", "domain.doubt.SENDS_MAX", None),
    ("guarantees", "**{} times at most**", "domain.doubt.SENDS_MAX", None),
    ("guarantees", "**{}** take-overs", "runtime.sweep.STALL_MAX", None),
    ("guarantees", "then every {} seconds", "runtime.engine.SWEEP_SECONDS", None),
    ("guarantees", "comes back to it every {} seconds", "runtime.proof.LOOK_SECONDS", None),
    ("guarantees", "0.2 and 1 seconds after", "runtime.resolve.RESEND_SECONDS", [0.2, 1]),
    ("guarantees", "0.1, 0.5, 2 and 5 seconds", "runtime.proof.INSIST_SECONDS", [0.1, 0.5, 2, 5]),
    ("guarantees", "max(5 min, ttl / 10)", "domain.doubt.MARGIN", 300),
    ("guarantees", "prepare(), at most {} s", "runtime.core.PREPARE_SECONDS", None),
    ("guarantees", "larger than 256 KiB", "domain.canonical.RESULT_BYTES", 256 * 1024),
    ("operating", "every {} seconds", "runtime.engine.SWEEP_SECONDS", None),
    ("operating", "at most {} seconds", "runtime.core.DRAIN_SECONDS", None),
    ("storage", "at most {}", "storage.sqlite.store.GROUP_MAX", None),
    ("undo", "at most 32 KiB", "runtime.result.PART_BYTES", 32 * 1024),
]
"""Sentences that hold a limit, with its constant; and what is said, where it is not just that."""


@pytest.mark.parametrize(("page", "sentence", "name", "said"), PROSE)
def test_a_sentence_says_the_limit_of_the_code(
    page: str, sentence: str, name: str, said: float | list[float] | None
) -> None:
    found = plain(value(name))
    if said is not None:
        assert found == (said if isinstance(said, list) else [said])
    number = int(found[0])
    text = " ".join((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").split()).lower()
    spellings = {sentence.format(number), sentence.format(SPELLED.get(number, number))}
    assert any(one.lower() in text for one in spellings)
