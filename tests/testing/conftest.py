"""The fixture that is tested here, as an application's own conftest would load it."""

from semel.testing.pytest_plugin import at_every_crash

__all__ = ["at_every_crash"]
