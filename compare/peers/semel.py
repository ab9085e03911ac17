"""semel: ``@guard.once`` on its SQLite file, with each effect that an outside call can declare.

What is declared is true of the world: with ``Keyed`` it remembers keys, with ``Checked(void=True)``
a key can be looked for and closed as well. The deadline is what a lease is elsewhere.
"""

from collections.abc import Sequence
from typing import Any

import semel
from compare.caller import Call, Setting, serve
from compare.world import Refused


def prepare(setting: Setting) -> Call:
    """The tool, guarded."""
    guard = semel.Guard(f"sqlite:///{setting.path('guard.db')}")
    setting.closers.append(guard.close)

    def look(keys: Sequence[str]) -> str | None:
        return next((found for key in keys if (found := setting.world.find(key))), None)

    def close(keys: Sequence[str]) -> None:
        setting.world.close([*keys])

    def plain(order: str) -> str:
        del order
        return setting.effect()

    def keyed(order: str, *, idempotency_key: str) -> str:
        del order
        return setting.effect(idempotency_key)

    tools: dict[str, tuple[Any, dict[str, Any]]] = {
        "Opaque": (plain, {"effect": semel.Opaque(deadline=setting.lease)}),
        "Keyed": (keyed, {"effect": semel.Keyed(ttl=3600, deadline=setting.lease)}),
        "Checked": (
            keyed,
            {
                "effect": semel.Checked(void=True, deadline=setting.lease),
                "check": look,
                "void": close,
                "not_done": (Refused,),
            },
        ),
    }
    function, how = tools[setting.variant]
    send = guard.once(name="send", **how)(function)

    def call() -> object:
        with guard.turn(session="shop", message=setting.order):
            return send(setting.order)

    return call


if __name__ == "__main__":
    serve(prepare)
