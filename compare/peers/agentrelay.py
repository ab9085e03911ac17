"""agentrelay: a ``@tool`` in an agent session; each call is a session, whose run id is its own."""

from agent_relay.db import sqlite_connection_string
from agent_relay.runtime import AgentRuntime
from agent_relay.tooling import tool

from compare.caller import Call, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, of a runtime."""
    runtime = AgentRuntime.from_connection_string(
        sqlite_connection_string(str(setting.path("runs.db")))
    )
    runtime.db.create_schema_if_needed()

    @tool(runtime, name="send")
    def send(order: str) -> str:
        del order
        return setting.effect()

    def call() -> str:
        with runtime.agent_session(name="shop", input_payload={"order": setting.order}) as session:
            told = send(order=setting.order)
            session.set_output(told)
            return told

    return call


if __name__ == "__main__":
    serve(prepare)
