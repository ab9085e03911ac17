"""agent-once: ``@once.tool``; with ``verify=`` it asks about records older than ``stale_after``."""

from typing import Any

from once import NOT_HAPPENED, Once

from compare.caller import Call, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, guarded."""

    def look(key: str, args: dict[str, Any]) -> object:
        del key, args
        return setting.world.find() or NOT_HAPPENED

    if setting.variant == "verify":
        once = Once(path=str(setting.path("once.db")), stale_after=setting.lease)
        how: dict[str, Any] = {"verify": look}
    else:
        once, how = Once(path=str(setting.path("once.db"))), {}

    @once.tool(name="send", **how)
    def send(order: str) -> str:
        del order
        return setting.effect()

    def call() -> str:
        with once.scope("shop"):
            return send(setting.order)

    return call


if __name__ == "__main__":
    serve(prepare)
