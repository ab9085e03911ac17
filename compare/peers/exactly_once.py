"""exactly-once: ``@once`` in its default policy, with a prober and a lease, or with auto_retry."""

from typing import Any

from exactly_once import ProbeResult, Store, Verdict, auto_retry, check_then_decide, once

from compare.caller import Call, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, guarded."""

    def look(key: str) -> ProbeResult:
        del key
        found = setting.world.find()
        return (
            ProbeResult(Verdict.COMMITTED, found) if found else ProbeResult(Verdict.NOT_COMMITTED)
        )

    how: dict[str, Any] = {
        "plain": {},
        "prober": {"policy": check_then_decide(look), "lease_ttl": setting.lease},
        "auto_retry": {"policy": auto_retry, "lease_ttl": setting.lease},
    }[setting.variant]

    @once(Store.sqlite(str(setting.path("effects.db"))), key=lambda order: f"send:{order}", **how)
    def send(order: str) -> str:
        del order
        return setting.effect()

    return lambda: send(setting.order)


if __name__ == "__main__":
    serve(prepare)
