"""The same counts for OpenTelemetry, where its API is installed; without an SDK they go nowhere."""

from typing import Any

try:
    from opentelemetry.metrics import get_meter
except ModuleNotFoundError:  # the extra `otel` is not installed
    get_meter = None  # type: ignore[assignment]  # it is asked about where it is used

CALLS = "semel.guard.calls"
"""Calls of guarded tools, by ``tool``, ``source`` and ``mode``: the same before and after."""

_counter: Any = None


def called(tool: str, source: str, mode: str, calls: int) -> None:
    """Count calls of a tool."""
    global _counter  # noqa: PLW0603 - made when it is first needed: the SDK is set up after imports
    if get_meter is None:
        return
    if _counter is None:
        _counter = get_meter("semel").create_counter(
            CALLS, unit="{call}", description="Calls of guarded tools, by what asked for them."
        )
    _counter.add(calls, {"tool": tool, "source": source, "mode": mode})
