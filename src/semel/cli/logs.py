"""The log: one file under the home folder, and no token in it, whatever is logged."""

import logging
import re
from pathlib import Path

from semel.domain.consent import TOKEN_PREFIX

TOKEN = re.compile(rf"{TOKEN_PREFIX}[A-Za-z0-9_-]+")


class Redacted(logging.Formatter):
    """Formats a record, tracebacks included, and takes tokens out of the whole text."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text, without tokens."""
        return TOKEN.sub(f"{TOKEN_PREFIX}…", super().format(record))


def log_to(home: Path, *names: str) -> None:
    """Write warnings and errors to ``log/semel.log``, when there is a home.

    A folder that cannot be written to does not stop the command; the store will say so itself.

    Args:
        home: the folder.
        names: the loggers; by default the library's.
    """
    loggers = [logging.getLogger(name) for name in names or ("semel",)]
    handler: logging.Handler = logging.NullHandler()
    if home.is_dir():
        folder = home / "log"
        try:
            folder.mkdir(exist_ok=True)
            handler = logging.FileHandler(folder / "semel.log", encoding="utf-8", delay=True)
        except OSError:
            handler = logging.NullHandler()
    handler.setFormatter(Redacted("%(asctime)s %(levelname)s %(message)s"))
    for logger in loggers:
        for old in list(logger.handlers):
            logger.removeHandler(old)
            old.close()
        logger.propagate = False
        logger.addHandler(handler)
