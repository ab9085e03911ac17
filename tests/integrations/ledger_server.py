"""An MCP server as anybody writes one: its tools append to a ledger, each line on disk at once."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations


class Ledger:
    """Lines in a file, and how the next call goes: a file says, since it may be another process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reached = asyncio.Event()

    @property
    def lines(self) -> list[str]:
        path = self.folder / "ledger"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    @property
    def way(self) -> str:
        path = self.folder / "way"
        return path.read_text(encoding="utf-8") if path.exists() else "well"

    def goes(self, way: str) -> None:
        (self.folder / "way").write_text(way, encoding="utf-8")

    def append(self, line: str) -> int:
        with (self.folder / "ledger").open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
            file.flush()
            os.fsync(file.fileno())
        return len(self.lines)

    async def added(self, line: str) -> dict[str, object]:
        if self.way == "error before":
            raise ToolError("The ledger is closed.")
        number = self.append(line)
        self.reached.set()
        if self.way == "kills":
            os.kill(os.getppid(), signal.SIGKILL)
        if self.way == "dies":
            os._exit(1)
        if self.way == "error after":
            raise ToolError("The line was cut.")
        while self.way == "slowly":  # noqa: ASYNC110 - another process may say when
            await asyncio.sleep(0.005)
        return {"line": line, "number": number, "share": 0.1}


def server(ledger: Ledger) -> MCPServer:
    made = MCPServer("ledger")

    @made.tool()
    async def append_line(text: str) -> dict[str, object]:
        """Add a line to the ledger."""
        return await ledger.added(text)

    @made.tool()
    async def read_lines() -> list[str]:
        """Get the lines of the ledger."""
        ledger.append("read")
        return ledger.lines

    @made.tool()
    async def delete_line(text: str) -> dict[str, object]:
        """Take a line out of the ledger."""
        return await ledger.added(f"- {text}")

    @made.tool(annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True))
    async def frobnicate(text: str) -> dict[str, object]:
        """Do it."""
        return await ledger.added(text)

    @made.tool()
    async def pay(text: str, idempotency_key: str) -> dict[str, object]:
        """Pay somebody."""
        return await ledger.added(f"{text} {idempotency_key}")

    return made


if __name__ == "__main__":
    made = server(Ledger(Path(sys.argv[1])))
    if len(sys.argv) == 2:
        made.run("stdio")
    else:
        from semel.integrations.mcp_wire import over_http

        asyncio.run(over_http(made._lowlevel_server, 0, lambda url: print(url, flush=True)))
