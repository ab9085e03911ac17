"""idempotency-kit: ``@async_idempotent`` on Redis; duplicates wait, which is its default."""

from idempotency_kit import (
    AsyncIdempotencyCoordinator,
    IdempotencyDomainService,
    JsonResultAdapter,
    async_idempotent,
)
from idempotency_kit.infra.storage.redis.aio import RedisAsyncIdempotencyRepository
from redis.asyncio import Redis

from compare.caller import Call, Setting, serve


class Sender:
    """The tool, as a use case that its coordinator is found in."""

    def __init__(self, setting: Setting, coordinator: AsyncIdempotencyCoordinator) -> None:
        self.setting, self.coordinator = setting, coordinator

    @async_idempotent(operation="mail.send", adapter=JsonResultAdapter())
    async def send(self, idempotency_key: str) -> str:
        """Send it."""
        del idempotency_key
        return await self.setting.aeffect()


async def prepare(setting: Setting) -> Call:
    """The tool, coordinated."""
    coordinator = AsyncIdempotencyCoordinator(
        RedisAsyncIdempotencyRepository(Redis.from_url(setting.url)),
        IdempotencyDomainService(),
        in_flight_lease_seconds=int(setting.lease),
    )
    sender = Sender(setting, coordinator)
    return lambda: sender.send(idempotency_key=setting.order)


if __name__ == "__main__":
    serve(prepare)
