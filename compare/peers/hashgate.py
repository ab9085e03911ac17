"""hashgate: preview and accept of a GatedAction on its SQLAlchemy store; a tool is a coroutine."""

from typing import Any

from hashgate import Gate, MappingPolicySource, OperatorContext, PolicyEngine
from hashgate.adapters.sqlalchemy_store import HashgateBase, SQLAlchemyStore
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine

from compare.caller import Call, Said, Setting, serve


class Send:
    """The tool, as its four hooks."""

    action_type = "mail.send"
    feature_flag = "mail"
    already_applied_mode = "result"

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    async def derive(self, ctx: object) -> dict[str, Any]:
        """What is to be sent."""
        del ctx
        return {"order": self.setting.order}

    async def validate(self, ctx: object, payload: dict[str, Any]) -> None:
        """Everything may be sent."""

    def idempotency_key(self, ctx: object, payload: dict[str, Any]) -> str:
        """One effect for each order."""
        del ctx
        return f"send:{payload['order']}"

    async def apply(self, ctx: object, payload: dict[str, Any]) -> dict[str, Any]:
        """Send it."""
        del ctx, payload
        return {"sent": await self.setting.aeffect()}


async def prepare(setting: Setting) -> Call:
    """The gate, and who accepts at once."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{setting.path('gate.db')}")
    async with engine.begin() as made:
        await made.run_sync(HashgateBase.metadata.create_all)
    policy = PolicyEngine(
        MappingPolicySource(flags={"mail": True}, policies={"mail.send": "allow"})
    )
    gate = Gate(SQLAlchemyStore(async_sessionmaker(engine)), policy)
    who = OperatorContext(operator_id="operator", reason="asked for")
    action = Send(setting)

    async def call() -> str:
        preview = await gate.preview(action, None, who)
        done = await gate.accept(action, None, who, preview.payload_hash)
        if "sent" in done.effects:
            return str(done.effects["sent"])
        raise Said(done.status.value, done=True)

    return call


if __name__ == "__main__":
    serve(prepare)
