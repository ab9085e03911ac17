"""agent-runtime-governance: an idempotent tool of a Runtime, on its SQLite store."""

from agent_runtime_governance import ExecutionMode, InvocationOptions, Runtime
from agent_runtime_governance.errors import ToolExecutionError
from agent_runtime_governance.registry import SQLiteIdempotencyStore

from compare.caller import Call, Said, Setting, serve

MEANINGS = {
    "another process owns": "in progress",
    "outcome is unknown": "unknown",
    "lease expired before an outcome": "unknown",
}
"""What a caller is told, in short."""


def prepare(setting: Setting) -> Call:
    """The tool, governed."""
    store = SQLiteIdempotencyStore(setting.path("actions.db"), lease_seconds=setting.lease)
    runtime = Runtime(idempotency_store=store)

    @runtime.tool(name="send", execution_mode=ExecutionMode.IDEMPOTENT)
    def send(order: str) -> str:
        del order
        return setting.effect()

    options = InvocationOptions(idempotency_key=setting.order)

    def call() -> object:
        try:
            return send(order=setting.order, _governance=options)
        except ToolExecutionError as no:
            # One exception has several meanings here, and its sentence is what tells them apart.
            for sentence, word in MEANINGS.items():
                if sentence in str(no):
                    raise Said(f"ToolExecutionError: {word}") from no
            raise

    return call


if __name__ == "__main__":
    serve(prepare)
