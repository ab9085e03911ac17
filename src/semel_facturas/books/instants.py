"""From a day and a time on somebody's wall to the one instant that it stands for.

What is kept is the day, the time and the zone; the instant is computed late, since a zone's rules
may change in between.
"""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

DAY_ENDS = time(23, 59, 59, 999_999, fold=1)
"""The last instant of a day, also of one whose last hour is lived twice."""


def instant(day: date, at: time, zone: str) -> datetime:
    """The moment of UTC at which a clock in *zone* shows *at* on *day*.

    When the hour is lived twice it is the first time; when it is skipped, the clocks are read as if
    they had not been put forward, so there is exactly one moment for every day and time.
    """
    return datetime.combine(day, at.replace(fold=0), ZoneInfo(zone)).astimezone(UTC)


def end_of(day: date, zone: str) -> datetime:
    """The last moment of *day* in *zone*."""
    return datetime.combine(day, DAY_ENDS, ZoneInfo(zone)).astimezone(UTC)


def day_of(at: datetime, zone: str) -> date:
    """The day that the calendar in *zone* shows at that moment."""
    return at.astimezone(ZoneInfo(zone)).date()
