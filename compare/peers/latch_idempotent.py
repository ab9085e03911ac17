"""latch-idempotent: ``@idempotent`` on its Redis store."""

from latch import idempotent
from latch.stores.redis import RedisStore

from compare.caller import Call, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, idempotent."""

    @idempotent(store=RedisStore(url=setting.url))
    def send(order: str) -> str:
        del order
        return setting.effect()

    return lambda: send(order=setting.order, idempotency_key=setting.order)


if __name__ == "__main__":
    serve(prepare)
