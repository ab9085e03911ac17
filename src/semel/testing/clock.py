"""A clock that a test moves."""

from datetime import UTC, datetime, timedelta

from semel.ports import Clock


class MovableClock(Clock):
    """A clock that stands until a test moves it; its limits run on the machine's own seconds.

    Args:
        start: the instant it shows at first, aware.
    """

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._elapsed = 0.0

    def now(self) -> datetime:
        """The instant it shows."""
        return self._now

    def monotonic(self) -> float:
        """Seconds that the test let pass."""
        return self._elapsed

    def move(self, **by: float) -> None:
        """Let time pass: ``clock.move(minutes=11)``."""
        step = timedelta(**by)
        self._now += step
        self._elapsed += step.total_seconds()
