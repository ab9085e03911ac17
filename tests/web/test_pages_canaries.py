"""S5 over HTTP: a person's whole life at full volume, and no token anywhere but on their cards.

Logs at DEBUG with their traces, the server's own access log, what is printed, every file of the home
folder, the transcript of what a model was sent, every address, and every answer that is no card.
"""

import io
import logging
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from pages_place import HTML, REMINDED, Place, csrf, place

import stores
from semel.channels.web import snapshot
from semel_facturas.actions.gasto import CrearGasto
from semel_facturas.web import application

EXPENSE = "Apunta un gasto de Adobe, 72,59 € IVA incluido, del 12/10/2026"
TOKEN = re.compile(r"smlc_[\w-]{8,}")
LOUD = ("", "uvicorn", "uvicorn.error", "uvicorn.access", "semel", "asyncio")


@contextmanager
def listening() -> Iterator[io.StringIO]:
    """Everything that anybody logs, at DEBUG, with the traces."""
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s %(args)s"))
    loggers = [logging.getLogger(name) for name in LOUD]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.DEBUG)
        one.addHandler(handler)
    try:
        yield log
    finally:
        for one, level in zip(loggers, levels, strict=True):
            one.removeHandler(handler)
            one.setLevel(level)


@contextmanager
def served(made: Place) -> Iterator[str]:
    """The application once more, with every line that its server writes."""
    with socket.create_server(("127.0.0.1", 0)) as listening_:
        config = uvicorn.Config(
            application(made.engine, home=made.home), log_config=None, log_level="debug",
            lifespan="off", ws="none", timeout_graceful_shutdown=2,
        )  # fmt: skip
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening_]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening_.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


class Life:
    """A person with a browser, who keeps what they are given and what they do not expect to be."""

    def __init__(self, made: Place, base: str) -> None:
        self.made = made
        self.client = httpx.Client(base_url=base, headers=HTML | {"origin": base}, timeout=30)
        self.client.post("/sign-in", data={"person": "ana"})
        self.csrf = csrf(self.client.get("/").text)
        self.tokens: set[str] = set()
        self.said: list[str] = []
        self.statuses: set[int] = set()

    def kept(self, answer: httpx.Response) -> httpx.Response:
        """An answer; what is no card, and every address, has to be without a token."""
        self.statuses.add(answer.status_code)
        self.said.append(f"{answer.request.url} {answer.headers}")
        if answer.status_code in {200, 303, 409}:
            self.tokens |= set(TOKEN.findall(answer.text))
        else:
            self.said.append(answer.text)
        return answer

    def say(self, text: str) -> str:
        """Say something; the page after it."""
        form = {"csrf": self.csrf, "text": text, "request": self.made.engine.new_id()}
        answer = self.kept(self.client.post("/messages", data=form))
        assert answer.status_code == 303
        return self.kept(self.client.get("/")).text

    def card(self, plan: str) -> str:
        return self.kept(self.client.get(f"/plans/{plan}?fragment")).text

    def press(self, html: str, do: str, **changed: str) -> httpx.Response:
        """Press a button of the newest card that has it."""
        forms = re.findall(rf'action="(/plans/[^"]+/{do})"[^>]*>(.*?)</form>', html, re.DOTALL)
        place, inside = forms[-1]
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', inside)) | changed
        return self.kept(self.client.post(place, data=fields))

    def ask(self, message: str) -> str:
        """A plan that asks, by the route for plans; its card."""
        line = {"concepto": "Logo", "precio": "500"}
        maria = stores.rows(
            self.made.home / "books.db", "SELECT contact FROM contacts WHERE name LIKE 'María%'"
        )[0][0]
        steps = [
            {"action": "factura.crear_borrador", "input": {"contacto": maria, "lineas": [line]}},
            {"action": "factura.emitir", "input": {"factura": "$1"}},
        ]
        answer = self.client.post(
            "/plans",
            json={"csrf": self.csrf, "message": message, "steps": steps},
            headers={"accept": "application/json"},
        )
        self.said.append(answer.text)
        return self.card(self.kept(answer).json()["plan"])


def lived(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked, failed, tried again, undone, too late, forged, told to a model, and broken."""
    life.made.sink.behaviour.at_rcpt = 550
    page = life.say(REMINDED)
    life.press(page, "confirm", token="smlc_" + "A" * 32)
    assert life.press(page, "confirm").status_code == 303
    assert life.press(page, "confirm").status_code == 303
    life.made.sink.behaviour.at_rcpt = None
    assert life.press(life.kept(life.client.get("/")).text, "retry").status_code == 303
    life.press(life.say(EXPENSE), "undo")
    late = life.ask("late")
    life.made.clock.move(minutes=11)
    assert life.press(late, "confirm").status_code == 409
    # A person who pastes a token into the conversation, where a model reads it.
    held = max(TOKEN.findall(life.ask("pasted")), key=len)
    life.say(f"confirma con {held} por favor")
    for path in ("/plans/p_404", "/nowhere", "/facturas/nowhere"):
        assert life.kept(life.client.get(path)).status_code == 404
    assert life.press(page, "cancel", csrf="forged").status_code == 403

    def falls(*_: object) -> None:
        raise RuntimeError("it fell over")

    with monkeypatch.context() as at:
        at.setattr(CrearGasto, "run", falls)
        life.say(EXPENSE.replace("Adobe", "Correos"))
    broken = life.ask("broken")
    with monkeypatch.context() as at:
        at.setattr(snapshot, "fragment", falls)
        script = {"accept": "application/json"}
        life.client.headers.update(script)
        assert life.press(broken, "confirm").status_code == 500
        life.client.headers.update(HTML)


def test_s5_a_life_over_http_leaves_no_token_anywhere_but_on_a_card(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    transcript = tmp_path / "home" / "transcript.jsonl"
    monkeypatch.setenv("SEMEL_TRANSCRIPT", str(transcript))
    with place(tmp_path / "home") as made, listening() as log, served(made) as base:
        life = Life(made, base)
        with closing(life.client):
            lived(life, monkeypatch)
        tables = "\n".join(stores.dump(made.home / "books.db"))
    out, err = capfd.readouterr()
    files = [path for path in made.home.rglob("*") if path.is_file()]
    places = {
        "log": log.getvalue(), "out": out, "err": err, "tables": tables,
        "answers": "\n".join(life.said),
        **{path.name: path.read_bytes().decode("latin-1") for path in files},
    }  # fmt: skip
    # It was a whole life, and each of the nets has something in it.
    assert {200, 303, 403, 404, 409, 500} <= life.statuses
    assert len(life.tokens) >= 5
    for name in ("log", "tables", "answers", transcript.name):
        assert len(places[name]) > 2_000, name
    for said in ("POST /plans/", "it fell over", "Traceback"):
        assert said in places["log"], said
    secrets = {token.removeprefix("smlc_") for token in life.tokens}
    found = [
        (name, secret[:4])
        for name, held in places.items()
        for secret in [*secrets, "smlc_"]
        if secret in held
    ]
    assert found == []
