"""Which peers there are, and by which scripts each is judged: peers.toml, read."""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent
SHARED: Final = ("caller.py", "world.py", "stage.py", "scenarios.py", "judge.py")
"""What every peer's cells come from, beside its own script."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way of using a peer: a row of the table.

    Args:
        store: what it is run on, where that is not what the peer's other rows are run on.
        keyed: whether the world remembers keys, as this way of using the peer takes for granted.
    """

    variant: str
    how: str
    store: str = ""
    keyed: bool = False


@dataclass(frozen=True, slots=True)
class Peer:
    """A package, its exact versions, and what it is run on; it may wait for something."""

    name: str
    script: str
    requires: tuple[str, ...]
    store: str
    rows: tuple[Row, ...]
    waits: str = ""

    @property
    def version(self) -> str:
        """The version of the package itself."""
        if not self.requires:
            with (ROOT / "pyproject.toml").open("rb") as file:
                return str(tomllib.load(file)["project"]["version"])
        return self.requires[0].partition("==")[2]

    def key(self, row: Row) -> str:
        """What a row is called where results are kept."""
        return f"{self.name}/{row.variant}"

    def store_of(self, row: Row) -> str:
        """What a row is run on."""
        return row.store or self.store

    def sha256(self, row: Row) -> str:
        """The digest of all that a row's cells come from."""
        names = [*SHARED, *([f"peers/{self.script}.py"] if self.script else [])]
        parts: list[Any] = [[name, (HERE / name).read_text("utf-8")] for name in names]
        parts += [self.requires, self.store_of(row), row.variant, row.how, row.keyed]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def peers(path: Path = HERE / "peers.toml") -> Sequence[Peer]:
    """Every peer, in the order of the table."""
    with path.open("rb") as file:
        found = tomllib.load(file)["peer"]
    return [
        Peer(
            name=one["name"],
            script=one["script"],
            requires=tuple(one["requires"]),
            store=one["store"],
            rows=tuple(Row(**row) for row in one["row"]),
            waits=one.get("waits", ""),
        )
        for one in found
    ]
