"""justonce: ``@idempotent`` on its SQLite store, with the defaults but for the lease."""

import justonce
from justonce.stores import SqliteStore

from compare.caller import Call, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, guarded."""
    justonce.configure(SqliteStore(str(setting.path("effects.db"))), ttl_seconds=setting.lease)

    @justonce.idempotent(key=lambda order: justonce.operation_key("send", order))
    def send(order: str) -> str:
        del order
        return setting.effect()

    return lambda: send(setting.order)


if __name__ == "__main__":
    serve(prepare)
