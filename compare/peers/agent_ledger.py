"""agent-ledger: ``ledger.run`` on its PostgreSQL store, and taking stale effects over, or not."""

from agent_ledger import (
    EffectLedger,
    EffectLedgerOptions,
    LedgerDefaults,
    RunOptions,
    StaleOptions,
    ToolCall,
)
from agent_ledger.stores.postgres import SCHEMA_SQL, PostgresStore
from psycopg_pool import AsyncConnectionPool

from compare.caller import Call, Setting, serve


async def prepare(setting: Setting) -> Call:
    """The tool, as a handler of the ledger."""
    pool = AsyncConnectionPool(conninfo=setting.url, open=False, min_size=2, max_size=12)
    await pool.open(wait=True)
    async with pool.connection() as connection:
        await connection.execute(SCHEMA_SQL)
    after = int(setting.lease * 1000) if setting.variant == "stale" else 0
    defaults = LedgerDefaults(run=RunOptions(stale=StaleOptions(after_ms=after)))
    ledger = EffectLedger(EffectLedgerOptions(store=PostgresStore(pool=pool), defaults=defaults))

    async def handler(effect: object) -> str:
        del effect
        return await setting.aeffect()

    async def call() -> object:
        tool = ToolCall(workflow_id="shop", tool="send", args={"order": setting.order})
        return await ledger.run(tool, handler=handler)

    return call


if __name__ == "__main__":
    serve(prepare)
