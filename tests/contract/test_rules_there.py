"""What PostgreSQL says of a row in one function is what SQLite says of it in many rules."""

import re
from pathlib import Path

import pytest

import semel

SRC = Path(semel.__file__).parent
NOUNS = {
    "plan": ("semel_plans", "storage/{}/migrations/0001_nouns.sql"),
    "step": ("semel_steps", "storage/{}/migrations/0001_nouns.sql"),
    "guarded": ("semel_guarded", "guard/sql/{}/migrations/0001_guarded.sql"),
}
"""Each function's noun, its table, and where both databases make it."""
SPELLED = {
    "plan GLOB 'p_?*'": r"plan LIKE 'p\_%' AND length(plan) > 2",
    "id GLOB 'c_*'": "starts_with(id, 'c_')",
}
"""Rules of SQLite that PostgreSQL has in words of its own."""


@pytest.mark.parametrize("noun", NOUNS)
def test_postgresql_has_the_same_rules_in_a_function(noun):
    name, path = NOUNS[noun]
    here, there = ((SRC / path.format(kind)).read_text("utf-8") for kind in ("sqlite", "postgres"))
    function = re.search(
        rf"^CREATE OR REPLACE FUNCTION semel_{noun}_can_be\((.*?)\n\) RETURNS .*? BEGIN RETURN\n(.*?)\n; END",
        there,
        re.MULTILINE | re.DOTALL,
    )
    rules = re.sub(r" -- \w+$", "", function[2], flags=re.MULTILINE)
    assert normal(re.split(r"\n    AND ", rules)) == normal(checks(table(here, name)))
    assert len(checks(table(there, name))) == 1
    # Its parameters are the columns by their names and types, each in its place.
    parameters = re.findall(r'"?(\w+)"? (\w+)', function[1])
    given = re.search(rf"CHECK \(semel_{noun}_can_be\((.*?)\)\)", there, re.DOTALL)[1]
    assert [column for column, _ in parameters] == re.findall(r"\w+", given)
    columns = dict(re.findall(r'^    "?(\w+)"? (TEXT|BIGINT)\b', table(there, name), re.MULTILINE))
    assert dict(parameters).items() <= columns.items()


def table(text, name):
    """What stands between the brackets of a table in SQL."""
    made = re.compile(rf"^CREATE TABLE {name} \(\n(.*?)^\)(?: STRICT)?;", re.MULTILINE | re.DOTALL)
    return made.search(text)[1]


def checks(text):
    """What stands in the brackets of each CHECK."""
    found = []
    for begins in re.finditer(r"CHECK \(", text):
        depth, at = 1, begins.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        found.append(text[begins.end() : at - 1])
    return found


def normal(rules):
    """Rules in one spelling and no order, without the brackets around one."""
    plain = (re.sub(r"\s+", " ", rule).strip() for rule in rules)
    plain = (SPELLED.get(rule, one_of(rule)) for rule in plain)
    return sorted(rule[1:-1] if whole(rule) else rule for rule in plain)


def one_of(rule):
    """A column compared with one word after the other, as SQLite has it, is one IN."""
    parts = [re.fullmatch(r"(\w+) = ('\w+')", part) for part in rule.split(" OR ")]
    if len(parts) < 2 or not all(parts) or len({part[1] for part in parts}) > 1:
        return rule
    return f"{parts[0][1]} IN ({', '.join(part[2] for part in parts)})"


def whole(rule):
    """Whether the first bracket of a rule ends with it."""
    depth = 0
    for at, sign in enumerate(rule):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if not depth:
            return sign == ")" and at == len(rule) - 1
    return False
