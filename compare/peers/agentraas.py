"""agentraas: ``@exactly_once`` in library mode, on its SQLite file; its ttl is also its lease."""

from agentraas.local import SQLiteStore, exactly_once

from compare.caller import Call, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, guarded."""

    @exactly_once(store=SQLiteStore(str(setting.path("dedup.db"))), ttl=setting.lease)
    def send(order: str) -> str:
        del order
        return setting.effect()

    return lambda: send(setting.order)


if __name__ == "__main__":
    serve(prepare)
