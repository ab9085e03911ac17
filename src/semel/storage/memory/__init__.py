"""Plans in this process's memory: for tests and simulations, kept to the same contract."""

from semel.storage.memory.shape import Index, Reference, Schema
from semel.storage.memory.store import MemoryStore
from semel.storage.memory.tables import Table, Tables

__all__ = ["Index", "MemoryStore", "Reference", "Schema", "Table", "Tables"]
