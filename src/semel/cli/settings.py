"""Where a command works: from its options, then from the environment, then by default."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from semel.errors import SemelError

LANGUAGES = ("es", "en")


class Usage(SemelError):
    """The command was not understood."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What every command needs to know before it begins."""

    home: Path
    """Folder of the books, the key, the mail and the log."""
    db: str
    lang: str | None
    """The language that was asked for; without it, the person's own."""
    app: str | None
    """Module of the application; without it, the installed one."""
    json: bool

    @classmethod
    def of(cls, options: argparse.Namespace, environment: Mapping[str, str]) -> "Settings":
        """Settings of a command line; an option wins over the environment."""
        home = Path(options.home or environment.get("SEMEL_HOME") or ".semel")
        db = options.db or environment.get("SEMEL_DB") or f"sqlite:///{home / 'books.db'}"
        lang = options.lang or environment.get("SEMEL_LANG")
        return cls(
            home=home,
            db=db,
            lang=lang if lang in LANGUAGES else None,
            app=environment.get("SEMEL_APP"),
            json=bool(options.json),
        )
