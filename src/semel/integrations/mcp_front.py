"""A guard in front of an MCP server, put together: the server behind it, and the way to it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from semel.errors import SemelError
from semel.guard.guard import Guard
from semel.integrations import mcp_policy
from semel.integrations.mcp_guard import Proxy, SameName
from semel.integrations.mcp_policy import Do, Policy, Rule
from semel.integrations.mcp_wire import NoPort, over_http, over_stdio


class NoServer(SemelError):
    """No server that can be reached and guarded, no policy to be read, or no port to be had."""


@dataclass(frozen=True, slots=True)
class Front:
    """What stands before what.

    Args:
        command: what starts the server behind; empty where *url* says where it is.
        url: of a server over HTTP.
        db: where the guard keeps its calls.
        policy: a file; without one every tool is judged by its name and description.
        session: within which a repeat is one.
        locale: the language of the guard's own sentences.
        port: of the loopback interface; None for this process's pipes.
        secret: what each request over HTTP must carry.
    """

    command: tuple[str, ...]
    url: str | None
    db: str
    policy: Path | None
    session: str
    locale: str
    port: int | None
    secret: str | None


async def serve(
    front: Front, ready: Callable[[str], None], only_print: Callable[[str], None] | None = None
) -> None:
    """Serve clients until the wire ends, or this is cancelled.

    Args:
        front: what stands before what.
        ready: told the address over HTTP.
        only_print: told a policy for the server's tools; then nothing is served.

    Raises:
        NoServer: the server cannot be reached, or the policy not be read.
    """
    try:
        policy = mcp_policy.read(front.policy) if front.policy is not None else Policy()
    except mcp_policy.BadPolicy as no:
        raise NoServer(str(no)) from no
    behind = Client(
        front.url
        if front.url is not None
        else StdioServerParameters(
            command=front.command[0], args=[*front.command[1:]], env=dict(os.environ)
        )
    )
    with Guard(front.db, locale=front.locale) as guard:
        reached = False
        try:
            async with behind as upstream:
                proxy = Proxy(
                    upstream, guard, policy, front.session, front.locale, piped=front.url is None
                )
                rules = {name: rule for name, (_, rule) in (await proxy.look()).items()}
                reached = True
                for name in policy.rules:
                    if name not in rules:
                        # A rule for nothing is a tool that somebody believes to be guarded by it.
                        raise NoServer(f"The policy names {name}, which the server does not have.")
                if only_print is not None:
                    only_print(printed(rules))
                    return
                try:
                    await _wired(front, proxy, ready)
                finally:
                    # What is on its way comes back before the server behind is let go.
                    await proxy.settle()
        except Exception as no:
            first = _first(no)
            if isinstance(first, SameName | NoPort):
                raise NoServer(str(first)) from no
            if isinstance(first, SemelError):
                raise first from no
            if reached:
                raise
            where, why = front.url or front.command[0], str(first).partition("\n")[0][:200]
            why = why or type(first).__name__
            raise NoServer(f"The MCP server {where} could not be reached ({why}).") from no


async def _wired(front: Front, proxy: Proxy, ready: Callable[[str], None]) -> None:
    if front.port is None:
        await over_stdio(proxy.server)
    else:
        await over_http(proxy.server, front.port, ready, front.secret)


def printed(rules: dict[str, Rule]) -> str:
    """A policy that says what is done without one, each rule with its reason."""
    lines = [
        "# What is done about each tool: read, once, ask or refuse. See docs/mcp-guard.md.",
        "",
        "[tools]",
    ]
    order = [Do.REFUSE, Do.ASK, Do.ONCE, Do.READ]
    for name, rule in sorted(rules.items(), key=lambda one: (order.index(one[1].do), one[0])):
        why = f"  # {_line(rule.why)}" if rule.why else ""
        lines.append(f'{_quoted(name)} = "{rule.do}"{why}')
    return "\n".join(lines)


def _quoted(name: str) -> str:
    """A name as a TOML key: bare where it can be."""
    if name.isascii() and name.replace("_", "").replace("-", "").isalnum():
        return name
    return '"' + "".join(one if one.isprintable() and one not in '"\\' else
                         f"\\U{ord(one):08x}" for one in name) + '"'  # fmt: skip


def _line(text: str) -> str:
    return "".join(one if one.isprintable() else " " for one in text)[:120]


def _first(error: BaseException) -> BaseException:
    """What went wrong first, out of whatever holds it: tasks of the SDK raise groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
