"""From ``:name`` in a statement's text to what the driver binds."""

import re
from collections.abc import Mapping

NAME = re.compile(r"(?<![:\w]):([a-z_]+)\b")
QUOTED = re.compile(r"('(?:[^']|'')*')")


def bound(statements: Mapping[str, str]) -> dict[str, str]:
    """The statements as the driver wants them: ``%(name)s``, with ``%`` itself doubled."""
    return {name: _bound(sql) for name, sql in statements.items()}


def _bound(sql: str) -> str:
    parts = QUOTED.split(sql.replace("%", "%%"))
    # Every second part is a quoted text, in which a colon is only a colon.
    parts[::2] = [NAME.sub(r"%(\1)s", part) for part in parts[::2]]
    return "".join(parts)
