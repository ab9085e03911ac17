"""PostgreSQL: many instances, one owner per plan, each commit durable before its answer."""

from semel.storage.postgres.binding import bound
from semel.storage.postgres.store import PostgresStore

__all__ = ["PostgresStore", "bound"]
