"""`semel mcp` as a host starts it: real processes, pipes and ports, and the SDK's own client."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import semel_facturas
import stores
from semel import Engine, Who
from semel.cli import main as semel
from semel.domain.consent import TOKEN_PREFIX
from semel.integrations.mcp import Served

pytestmark = pytest.mark.only_on("sqlite", "processes and wires; what they carry runs on both")
ANA = Who("carmona-demo", "ana", "main", "es")
AS_ANA = ("mcp", "--as", "ana@carmona-demo")
DYING = Path(__file__).with_name("mcp_dying.py")


def expense(concept: str) -> dict:
    given = {"concepto": concept, "importe": "12.10", "iva_incluido": True}
    return {"steps": [{"action": "gasto.crear", "input": given}]}


def invoice(contact: str) -> dict:
    lines = [{"concepto": "Logo", "precio": "500"}]
    draft = {"contacto": contact, "lineas": lines}
    return {
        "steps": [
            {"action": "factura.crear_borrador", "input": draft},
            {"action": "factura.emitir", "input": {"factura": "$1"}},
            {"action": "factura.enviar", "input": {"factura": "$1"}},
        ]
    }


@dataclass
class Home:
    """A home with the demonstration's world, and servers of it."""

    path: Path

    @property
    def books(self) -> Path:
        return self.path / "books.db"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "SEMEL_HOME": str(self.path),
            "SEMEL_DB": stores.url(self.books, "facturas"),
            **stores.keys(),
        }

    def engine(self) -> Engine:
        return semel_facturas.open(self.environment["SEMEL_DB"], home=self.path)

    def seed(self) -> str:
        """Make the world; María's id."""
        engine = self.engine()
        with engine.sync as face:
            seeded = face.call(semel_facturas.seed(engine))
        return next(one.id for one in seeded.contacts if one.name == "María Carmona")

    def piped(self, *more: str, dies_at: str | None = None) -> StdioServerParameters:
        """What starts a server whose client talks over its pipes; what it prints is kept too."""
        program = [str(DYING), dies_at] if dies_at else ["-m", "semel.cli"]
        words = [sys.executable, *program, *AS_ANA, *more]
        return StdioServerParameters(
            command="sh",
            args=["-c", 'log=$1; shift; "$@" | tee -a "$log"', "sh", str(self.printed), *words],
            env=self.environment,
        )

    @property
    def printed(self) -> Path:
        """Every byte that clients of :meth:`piped` have received."""
        return self.path / "printed"

    def start(self, *more: str, dies_at: str | None = None, **env: str) -> "subprocess.Popen[str]":
        program = [str(DYING), dies_at] if dies_at else ["-m", "semel.cli"]
        return subprocess.Popen(
            [sys.executable, *program, *AS_ANA, *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment | env,
        )

    @contextmanager
    def listening(
        self, dies_at: str | None = None, **env: str
    ) -> "Iterator[tuple[str, subprocess.Popen[str]]]":
        """A server on a port of the loopback interface: its address, and its process."""
        with self.start("--port", "0", dies_at=dies_at, **env) as process:
            try:
                ready = process.stdout.readline()
                assert ready.startswith("ready http://127.0.0.1:"), process.stderr.read()
                yield ready.split()[1], process
            finally:
                process.kill()

    def expenses(self) -> list[str]:
        found = stores.rows(self.books, "SELECT concepto FROM expenses ORDER BY concepto")
        return [concepto for (concepto,) in found]


@pytest.fixture
def home(tmp_path) -> Home:
    # A path with a space, since people have them.
    return Home(tmp_path / "a home")


async def called(one: Client, given: dict) -> dict:
    result = await one.call_tool("actuar", given)
    assert not result.is_error
    return result.structured_content


@pytest.mark.parametrize(("mode", "when"), [("auto", "before"), ("legacy", "after")])
def test_a_server_dies_in_the_middle_and_the_next_one_gives_the_first_answer(home, mode, when):
    contact = home.seed()

    async def main():
        dying = home.piped(dies_at=f"commit:propose:{when}")
        async with Client(dying, mode=mode) as one:
            with pytest.raises(MCPError):
                await called(one, expense("Papel"))
        async with Client(home.piped(), mode=mode) as one:
            # The first request of another server has the same id as the one that was lost.
            answers = await asyncio.gather(*(called(one, expense("Papel")) for _ in range(4)))
            done = {"before": ["already_done"] * 3 + ["done"], "after": ["already_done"] * 4}
            assert sorted(answer["status"] for answer in answers) == done[when]
            assert len({answer["plan"] for answer in answers}) == 1
            assert home.expenses() == ["Papel"]
            asked = await called(one, invoice(contact))
            assert asked["status"] == "needs_person"
            assert await called(one, invoice(contact)) == asked | {"says": ANY}
            # Elsewhere the person looks, and says yes; this server runs on meanwhile.
            token = await confirmed(home, asked["plan"])
            done = await called(one, invoice(contact))
            assert (done["status"], done["plan"]) == ("already_done", asked["plan"])
            looked = await one.call_tool("consultar_estado", {"plan": done["plan"]})
            assert looked.structured_content["status"] == "done"
        received = home.printed.read_bytes()
        assert b"2026-" in received
        for form in (TOKEN_PREFIX, token, token.removeprefix(TOKEN_PREFIX)):
            assert form.encode() not in received

    asyncio.run(main())
    assert len([*(home.path / "mail").glob("*.eml")]) == 1


class Anything:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # it is compared, and nothing else


ANY = Anything()


async def confirmed(home: Home, plan: str) -> str:
    """A person's yes in a program of its own; the token that it took."""
    engine = home.engine()
    async with engine:
        person = engine.person(ANA)
        token = (await person.status(plan)).token
        await person.confirm(token)
    return token


def test_what_the_terminal_shows_of_a_question_that_was_asked_here(home, capsys, monkeypatch):
    contact = home.seed()

    async def main() -> dict:
        async with home.engine() as engine, Client(Served(engine.agent, ANA).server) as one:
            return await called(one, invoice(contact))

    asked = asyncio.run(main())
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    assert semel(["show", asked["plan"], "--as", "ana@carmona-demo"]) == 0
    shown = capsys.readouterr().out
    assert "605,00 €" in shown
    assert f"semel confirm {TOKEN_PREFIX}" in shown
    # Another person, or the operator, sees no card and no token.
    for more in (["--as", "luis@carmona-demo"], []):
        semel(["show", asked["plan"], *more])
        assert TOKEN_PREFIX not in capsys.readouterr().out


def test_over_http_clients_of_both_revisions_share_one_plan(home):
    home.seed()

    async def main(url: str) -> None:
        async with Client(url, mode="auto") as one, Client(url, mode="legacy") as other:
            calls = [called(each, expense("Papel")) for each in (one, other) * 3]
            answers = await asyncio.gather(*calls)
            assert sorted(answer["status"] for answer in answers) == ["already_done"] * 5 + ["done"]
        # A page of another site, whose name a browser was told leads here, is turned away.
        port = url.rpartition(":")[2].partition("/")[0]
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        accept = {"Accept": "application/json, text/event-stream"}
        async with httpx2.AsyncClient() as raw:
            for header in ({"Host": f"evil.example:{port}"}, {"Origin": "https://evil.example"}):
                answer = await raw.post(url, json=ping, headers=accept | header)
                assert answer.status_code in {403, 421}

    with home.listening() as (url, process):
        asyncio.run(main(url))
        assert home.expenses() == ["Papel"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 1
        assert "Traceback" not in process.stderr.read()


def test_over_http_a_server_dies_in_the_middle_and_another_takes_its_place(home):
    home.seed()

    async def lost(url: str) -> None:
        # The SDK closes no connection that broke, unless it is somebody else's.
        async with httpx2.AsyncClient() as lent:
            with pytest.raises((ExceptionGroup, MCPError)):
                async with Client(streamable_http_client(url, http_client=lent)) as one:
                    await called(one, expense("Papel"))

    async def again(url: str) -> None:
        async with httpx2.AsyncClient() as raw:
            for headers in ({}, {"Authorization": "Bearer una"}, {"Authorization": secret}):
                answer = await raw.post(url, json={}, headers=headers)
                assert answer.status_code == 401
        headers = {"Authorization": f"Bearer {secret}"}
        async with (
            httpx2.AsyncClient(headers=headers) as known,
            Client(streamable_http_client(url, http_client=known)) as one,
        ):
            assert (await called(one, expense("Papel")))["status"] == "already_done"

    with home.listening(dies_at="commit:propose:after") as (url, process):
        asyncio.run(lost(url))
        assert process.wait(20) == -signal.SIGKILL
    # The other one has a secret, which keeps the machine's other users out.
    secret = "una frase larga"
    with home.listening(SEMEL_MCP_SECRET=secret) as (url, _):
        asyncio.run(again(url))
    assert home.expenses() == ["Papel"]


def test_a_silent_client_holds_up_no_end(home):
    home.seed()
    with home.start() as process:
        # It answers, so it listens; then nobody says anything more.
        process.stdin.write(json.dumps(INITIALIZE) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "semel"
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 1
        assert "Traceback" not in process.stderr.read()
    with home.start() as process:
        out, err = process.communicate(
            "no message\n\udce9\n".encode("utf-8", "surrogateescape").decode("latin-1"), 20
        )
        assert (process.returncode, err) == (0, "")
        assert all(json.loads(line)["error"] for line in out.splitlines())


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def test_a_port_that_is_taken_is_said(home, capsys, monkeypatch):
    home.seed()
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert semel([*AS_ANA, "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"semel: The port {port} cannot be had (")
    assert said.count("\n") == 1
