"""The story's clock: it starts when the story says and then runs as every clock does."""

import time
from datetime import UTC, datetime, timedelta

from semel import Clock

START = "2026-10-19T10:00:00+02:00"
"""A Monday morning in Madrid; with 30 days to pay, an invoice of that day is due on 18/11/2026."""


class StoryClock(Clock):
    """Shows *start* when it is made, and goes on from there."""

    def __init__(self, start: str = START) -> None:
        self._start = datetime.fromisoformat(start).astimezone(UTC)
        self._began = time.monotonic()

    def now(self) -> datetime:
        """The story's present instant, in UTC."""
        return self._start + timedelta(seconds=self.monotonic() - self._began)

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()
