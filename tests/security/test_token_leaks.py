"""B60, S5: a token is in the answer to its person and nowhere else, whatever goes wrong on the way."""

import asyncio
import io
import json
import logging
import os
import traceback
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Awaitable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import facturas_bench
import pytest
from app import NOW
from contenders import no_power_cut
from facturas_bench import Facturas, borrador, emitir, enviar, plan

import commands
import semel_facturas
import stores
from semel import Ask, Engine, Report, Who
from semel.cli.logs import Redacted, log_to
from semel.domain.consent import TOKEN_PREFIX, token_of
from semel.runtime import engine as runtime
from semel.runtime import look, wait
from semel.runtime.draft import Proposed
from semel.testing import MovableClock, interrupt_at, recorded

ANA = facturas_bench.ANA


def spellings(token: str) -> list[bytes]:
    """A token as text, without its prefix, as the bytes behind it, and those in other writing."""
    body = token.removeprefix(TOKEN_PREFIX)
    raw = urlsafe_b64decode(body)
    return [token.encode(), body.encode(), raw, raw.hex().encode(), b64encode(raw), b64encode(token.encode())]  # fmt: skip


BLOCK = 8
"""Bytes of which a place is an index: whatever is twice as long has one of its blocks whole."""


def found(tokens: set[str], *places: bytes) -> list[str]:
    """The tokens that are somewhere in these bytes, in any spelling.

    There are hundreds of tokens and megabytes of places; a place is searched for a spelling only
    when it has a block that the spelling would fill.
    """
    indexed = [
        (place, {place[at : at + BLOCK] for at in range(0, len(place), BLOCK)}) for place in places
    ]
    return [t for t in tokens if any(holds(*each, one) for one in spellings(t) for each in indexed)]


def holds(place: bytes, blocks: set[bytes], spelling: bytes) -> bool:
    """Whether a spelling is in a place, given the blocks of the place."""
    assert len(spelling) >= 2 * BLOCK
    return any(spelling[at : at + BLOCK] in blocks for at in range(BLOCK)) and spelling in place


@pytest.mark.no_store
def test_a_spelling_is_found_wherever_it_begins() -> None:
    token = f"{TOKEN_PREFIX}{'Ab-_' * 8}"
    for spelling in spellings(token):
        for before in range(2 * BLOCK):
            for after in range(2 * BLOCK):
                assert found({token}, b"x" * before + spelling + b"x" * after) == [token]
        assert found({token}, b"x" + spelling[:-1] + b"x") == []


def files(home: Path) -> dict[str, bytes]:
    """Every file of a home: the database with its WAL, the key, the mail, the log."""
    path = home / "books.db"
    # On PostgreSQL the database is elsewhere.
    rows = [] if stores.named(path) is None else stores.dump(path)
    return {"rows": "\n".join(rows).encode()} | {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }


def every_token(facturas: Facturas, engine: Engine) -> set[str]:
    """The tokens of all questions that were ever put, derived anew."""
    core = engine._core
    names = stores.columns(facturas.path, "semel_confirmations")
    found = facturas.sql(f"SELECT {', '.join(names)} FROM semel_confirmations")
    rows = [dict(zip(names, row, strict=True)) for row in found]
    tokens = {token_of(core.keys, look.confirmation(row)) for row in rows}
    return {token for token in tokens if token}


@dataclass
class Ears:
    """Everything that was logged, raised, or answered."""

    log: io.StringIO = field(default_factory=io.StringIO)
    raised: list[str] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)

    async def hear(self, call: Awaitable[Any]) -> Any:
        try:
            outcome = await call
        except Exception:
            self.raised.append(traceback.format_exc())
            return None
        self.answers.append(outcome)
        return outcome

    def text(self) -> bytes:
        """All of it but the one place where a token belongs."""
        parts = [self.log.getvalue(), *self.raised]
        for outcome in self.answers:
            parts += [repr(outcome), str(outcome)]
            for locale in ("es", "en"):
                parts += [
                    json.dumps(outcome.for_model(locale).plain()),
                    repr(outcome.for_model(locale)),
                ]
                parts.append(outcome.card(locale).text())
        return "\n".join(parts).encode()


@contextmanager
def listening() -> Iterator[Ears]:
    """Every logger at DEBUG, whoever it belongs to."""
    ears = Ears()
    handler = logging.StreamHandler(ears.log)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s %(args)s"))
    loggers = [logging.getLogger(name) for name in (None, "semel", "asyncio", "mail.log")]
    levels = [logger.level for logger in loggers]
    loggers[0].addHandler(handler)
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    try:
        yield ears
    finally:
        loggers[0].removeHandler(handler)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class Ticking(MovableClock):
    """A clock that goes on a little whenever it is read, so that waits end by themselves.

    A transaction reads it with each round trip, and may take five seconds.
    """

    def monotonic(self) -> float:
        self._elapsed += 0.1
        return self._elapsed


async def life(facturas: Facturas, engine: Engine, ears: Ears, who: Who, draft: str) -> None:
    """A plan from its proposal to its replay, and a second one answered in words."""
    person = engine.person(who)
    steps = plan(emitir(draft), enviar("$1"))
    for _ in range(2):
        ask = await ears.hear(engine.agent.act(who, steps, message="m-1"))
    if isinstance(ask, Ask):
        for presser in (facturas_bench.LUIS, who, who):
            await ears.hear(engine.person(presser).confirm(ask.token))
        await ears.hear(person.status(ask.view.plan))
        await ears.hear(engine.agent.status(who, ask.view.plan))
    await ears.hear(engine.agent.act(who, plan(emitir(draft)), message="m-2"))
    await ears.hear(engine.agent.act(who, plan(borrador(facturas.contact())), message="m-2"))
    for text in ("sí, por favor", "sí"):
        await ears.hear(person.says(text))
    note = {"concepto": f"Papel {who.conversation}", "importe": "12.10", "iva_incluido": True}
    noted = await ears.hear(engine.agent.act(who, plan(("gasto.crear", note)), message="m-3"))
    if isinstance(noted, Report) and noted.undo_token:
        for presser in (facturas_bench.LUIS, who, who):
            await ears.hear(engine.person(presser).undo(noted.undo_token))
    facturas.clock.move(minutes=2)
    try:
        await engine.sweep()
    except ConnectionError:
        ears.raised.append(traceback.format_exc())
    await engine.settle()


WENT = "the connection went away"


def broken() -> None:
    raise ConnectionError(WENT)


@pytest.mark.parametrize("part", [0, 1, 2])
def test_b60_no_token_leaves_its_answer_whatever_breaks(tmp_path, monkeypatch, capfd, part):
    monkeypatch.setattr(wait, "POLL_SECONDS", (0.001,))
    # A sweep beside would pass points that this test counts.
    monkeypatch.setattr(runtime, "SWEEP_SECONDS", 1000.0)
    broke = 0

    async def main():
        nonlocal broke
        facturas = Facturas(tmp_path, Ticking(NOW))
        async with facturas.engine() as engine:
            await semel_facturas.seed(engine)
            no_power_cut(engine)
            with listening() as ears:
                lives = iter(range(1000))

                async def once(armed: AbstractContextManager[Any]) -> Any:
                    number = next(lives)
                    who = Who("carmona-demo", "ana", f"c-{number}", "es")
                    draft = await facturas.draft(engine, who, f"d-{number}")
                    with armed as passed:
                        await life(facturas, engine, ears, who, draft)
                    return passed

                names: list[str] = await once(recorded())
                # Each point the first time it is passed, and commits in the second plan's life too.
                points = [(name, 1) for name in dict.fromkeys(names)]
                points += [(n, names.count(n)) for n in dict.fromkeys(names) if "commit" in n]
                for point, occurrence in points[part::3]:
                    await once(interrupt_at(point, broken, occurrence))
                    broke += 1
                tokens = every_token(facturas, engine)
                assert len(tokens) > broke
                assert {one.token for one in ears.answers if isinstance(one, Ask)} <= tokens
                offers = {
                    token
                    for one in ears.answers
                    if isinstance(one, Report)
                    for token in (one.retry_token, one.undo_token)
                    if token
                }
                # Both kinds were offered: to undo the expense, and to retry what broke.
                assert offers <= tokens
                assert len(offers) > broke / 2
                heard = ears.text()
                places = [heard, repr(engine._core).encode(), *files(tmp_path).values()]
                assert found(tokens, *places) == []
                # None of the errors was lost on the way: they were raised or logged.
                assert heard.count(f"ConnectionError: {WENT}".encode()) >= broke
                # The net is fine enough: a planted token is found in each of these places.
                token = min(tokens)
                for planted in spellings(token):
                    assert found(tokens, b"..." + planted + b"...") == [token]
        assert len(facturas.letters()) > broke / 2
        assert found(tokens, *files(tmp_path).values()) == []
        out, err = capfd.readouterr()
        assert found(tokens, out.encode(), err.encode()) == []

    asyncio.run(main(), debug=True)
    assert broke >= 25


def test_no_repr_on_the_way_holds_a_token(tmp_path):
    async def main():
        async with facturas_bench.opened(tmp_path) as (facturas, engine):
            ask = await facturas.asked(engine, emitir(await facturas.draft(engine)))
            core = engine._core
            stored = await core.read(lambda tx: look.load(tx, ANA.org, ask.view.plan))
            way = [ask, Proposed(stored, new=True, token=ask.token), stored, core, core.keys]
            assert found({ask.token}, *(repr(one).encode() for one in way)) == []
            secret = core.keys.keys[0][1]
            assert not any(repr(secret)[2:-1] in repr(one) for one in way)

    asyncio.run(main())


TOKEN = f"{TOKEN_PREFIX}{'Ab-_' * 8}"


@pytest.fixture
def logged(tmp_path) -> Iterator[tuple[logging.Logger, Path]]:
    """The library's logger as the terminal sets it up, and put back afterwards."""
    logger = logging.getLogger("semel")
    before = (list(logger.handlers), logger.propagate)
    logger.handlers.clear()
    log_to(tmp_path)
    yield logger, tmp_path / "log" / "semel.log"
    for handler in logger.handlers:
        handler.close()
    logger.handlers[:], logger.propagate = before


@pytest.mark.no_store
def test_a_token_that_is_logged_all_the_same_is_cut_out(logged):
    logger, path = logged
    logger.error(TOKEN)
    logger.error("pressed %s", TOKEN)
    logger.error("pressed %s", {"token": TOKEN})
    try:
        raise ValueError(f"token={TOKEN}&x")
    except ValueError:
        logger.exception("failed with %s", TOKEN)
    try:
        try:
            raise KeyError(TOKEN)
        except KeyError as no:
            raise RuntimeError("later") from no
    except RuntimeError as no:
        no.add_note(f"for {TOKEN}")
        logger.error("failed", exc_info=no, stack_info=True)
    text = path.read_text(encoding="utf-8")
    assert text.count(f"{TOKEN_PREFIX}…") == 7
    assert TOKEN.removeprefix(TOKEN_PREFIX) not in text
    assert isinstance(logger.handlers[0].formatter, Redacted)


def test_the_terminal_keeps_no_token_in_its_home_and_says_it_once(tmp_path):
    home = tmp_path / "a home"
    said: list[str] = []
    url = stores.url(home / "books.db", "facturas")
    store = {"SEMEL_DB": url, **stores.keys()}

    def run(*arguments: str) -> str:
        environment = {"PATH": os.environ["PATH"], "SEMEL_HOME": str(home), **store}
        done = commands.done(*arguments, env=environment)
        said.append(done.stderr)
        return done.stdout

    run("seed")
    sentence = "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA"
    asked = json.loads(
        run("ask", f"{sentence}, y envíasela por correo", "--as", "ana@carmona-demo", "--json")
    )
    token = asked["token"]
    assert token.startswith(TOKEN_PREFIX)
    said.append(run("confirm", token, "--as", "luis@carmona-demo"))
    confirmed = [run("confirm", token, "--as", "ana@carmona-demo", "--json") for _ in range(2)]
    assert [json.loads(text)["status"] for text in confirmed] == ["done", "already_done"]
    said += confirmed
    said.append(run("show", asked["plan"], "--json"))
    kept = files(home)
    assert [name for name in kept if name.startswith("mail/")] == ["mail/00000001.eml"]
    assert found({token}, *kept.values(), "".join(said).encode()) == []
