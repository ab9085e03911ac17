"""idemkit: ``@idempotent_sync`` keyed on the order; duplicates wait, which is its default."""

import subprocess
import sys
from pathlib import Path

from idemkit import MethodConfig, PostgresBackend, RedisBackend, idempotent_sync

from compare.caller import Call, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, guarded."""
    backend = RedisBackend if setting.variant == "plain" else PostgresBackend
    if backend is PostgresBackend:
        program = Path(sys.executable).with_name("idemkit")
        subprocess.run([program, "init-pg", setting.url], check=True)  # noqa: S603 - the peer's own
    config = MethodConfig(
        key_fields=["order"], scope=lambda *_, **__: "shop", lease_ttl_seconds=setting.lease
    )

    @idempotent_sync(backend=backend.from_url(setting.url), config=config)
    def send(*, order: str) -> str:
        del order
        return setting.effect()

    return lambda: send(order=setting.order)


if __name__ == "__main__":
    serve(prepare)
