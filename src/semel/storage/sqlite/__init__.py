"""SQLite: one file, one writer, every commit on disk before its answer is given."""

from semel.storage.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
