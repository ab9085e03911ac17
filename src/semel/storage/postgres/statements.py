"""The engine's own statements on PostgreSQL, bound for the driver."""

from pathlib import Path

from semel.storage.postgres.binding import bound
from semel.storage.sql import load

STATEMENTS = bound(load(Path(__file__).parent))
