"""The parts of :mod:`semel.testing.contract`, by noun."""
