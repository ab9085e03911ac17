"""S5: canaries. A whole life at full volume, and no token, nonce or key in anything that is kept.

A reporter of crashes that records the variables of each frame sees a token while it is pressed; no
program can hide an argument from the one that runs it.
"""

import asyncio
import io
import json
import logging
import os
import subprocess
import sys
import traceback
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from app import ANA, KEYS, LUIS, NOW
from notas_bench import Bench, act, crear, enviar, firmar

import counts
import stores
from semel import Ask, Engine, Outcome, Report
from semel.domain.consent import TOKEN_PREFIX, token_of
from semel.domain.keyring import Purpose, hkdf
from semel.runtime import look, points, wait
from semel.testing import MovableClock

RISKY = crear("Logo", urgente=True)
SECRET = KEYS.keys[0][1]


def spellings(secret: bytes) -> list[bytes]:
    """Bytes as a log, a dump or a letter would write them."""
    return [
        secret, secret.hex().encode(), secret.hex().upper().encode(), b64encode(secret),
        urlsafe_b64encode(secret), repr(secret)[2:-1].encode(), ascii(list(secret)).encode(),
    ]  # fmt: skip


def canaries(bench: Bench, engine: Engine) -> dict[str, list[bytes]]:
    """Every secret of a world, by what it is, in all its spellings."""
    names = stores.columns(bench.path, "semel_confirmations")
    rows = bench.sql(f"SELECT {', '.join(names)} FROM semel_confirmations")
    questions = [look.confirmation(dict(zip(names, row, strict=True))) for row in rows]
    tokens = {token for question in questions if (token := token_of(engine._core.keys, question))}
    found = {"signing key": spellings(SECRET)}
    found |= {f"key of {purpose}": spellings(hkdf(SECRET, purpose.encode())) for purpose in Purpose}
    for token in tokens:
        body = token.removeprefix(TOKEN_PREFIX)
        found[token] = [token.encode(), body.encode(), *spellings(urlsafe_b64decode(body))]
    return found


def nonces(bench: Bench) -> dict[str, list[bytes]]:
    return {
        f"nonce {number}": spellings(bytes(nonce))
        for number, (nonce,) in enumerate(bench.sql("SELECT nonce FROM semel_confirmations"))
    }


def hits(secrets: dict[str, list[bytes]], places: dict[str, bytes]) -> list[tuple[str, str]]:
    """Which secret is in which place."""
    return [
        (name, place)
        for name, ways in secrets.items()
        for place, held in places.items()
        if any(way in held for way in ways)
    ]


class Ears:
    """Everything that a world says: its logs, what was raised, and what models were told."""

    def __init__(self) -> None:
        self.log, self.raised, self.models = io.StringIO(), io.StringIO(), io.StringIO()
        self.outcomes = 0

    def heard(self, outcome: Outcome) -> Outcome:
        self.outcomes += 1
        for locale in ("es", "en"):
            told = outcome.for_model(locale)
            self.models.write(json.dumps(told.plain(), ensure_ascii=False) + repr(told))
            self.models.write(repr(outcome) + outcome.card(locale).text())
        return outcome

    async def hear(self, verb) -> Outcome | None:
        try:
            return self.heard(await verb)
        except BaseException as error:
            # Without the frames' variables: of a press, one of them is what was pressed.
            self.raised.write(traceback.format_exc() + repr(error) + str(error))
            if not isinstance(error, Exception):
                raise
            return None

    def places(self) -> dict[str, bytes]:
        parts = {"log": self.log, "raised": self.raised, "models": self.models}
        return {name: part.getvalue().encode() for name, part in parts.items()}


@contextmanager
def listening() -> Iterator[Ears]:
    """Everything that anybody logs, at DEBUG, with the traces."""
    ears = Ears()
    handler = logging.StreamHandler(ears.log)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s %(args)s"))
    root = logging.getLogger()
    levels = {name: logging.getLogger(name).level for name in ("", "semel", "asyncio", "psycopg")}
    for name in levels:
        logging.getLogger(name).setLevel(logging.DEBUG)
    root.addHandler(handler)
    try:
        yield ears
    finally:
        root.removeHandler(handler)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def kept(bench: Bench) -> dict[str, bytes]:
    """Everything on disk: the tables as text, and the files."""
    text = "\n".join(stores.dump(bench.path))
    # A nonce stands in its own column, in hexadecimal: there it is no canary.
    return {"tables": text.encode()} | {
        f"file {path.name}": path.read_bytes()
        for path in sorted(bench.folder.rglob("*"))
        if path.is_file() and path.name != "key"
    }


class Ticking(MovableClock):
    """A clock that goes on a little whenever it is read, so that waits end by themselves."""

    def monotonic(self) -> float:
        self._elapsed += 0.1
        return self._elapsed


class Recorded:
    """Writes down which points are passed."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __enter__(self) -> None:
        points.arm(self.names.append)

    def __exit__(self, *_: object) -> None:
        points.arm(None)


class Cut(Recorded):
    """Raises where a point is passed first, if it is passed at all."""

    def __init__(self, point: str) -> None:
        super().__init__()
        self._point = point

    def __enter__(self) -> None:
        points.arm(self._passed)

    def _passed(self, name: str) -> None:
        self.names.append(name)
        if name == self._point and self.names.count(name) == 1:
            raise ConnectionError("the line was cut")


async def life(bench: Bench, engine: Engine, ears: Ears, number: int, moment: Recorded) -> None:
    """Asked, pressed wrongly, confirmed, refused, retried, asked again, undone, and cut off."""
    person, stranger = engine.person(ANA), engine.person(LUIS)
    bench.mundo.goes = ("ok", "refuse", "break", "break before", "exit")[number % 5]
    steps = RISKY, firmar("$1"), enviar("$1")
    message = f"m-{number}"
    plan = {"steps": [{"action": name, "input": given} for name, given in steps]}
    asked = await ears.hear(engine.agent.act(ANA, plan, message=message))
    tokens = [asked.token] if isinstance(asked, Ask) and asked.token else []
    for token in tokens:
        wrong = [token[:-1], f"{token}A", token.upper(), f" {token}", token[::-1]]
        for text in wrong:
            await ears.hear(person.confirm(text))
        await ears.hear(stranger.confirm(token))
        await ears.hear(person.undo(token))
        await ears.hear(person.retry(token))
        with moment:
            outcome = await ears.hear(person.confirm(token))
        for face in (person, stranger, engine.agent):
            if face is engine.agent:
                await ears.hear(engine.agent.status(ANA, asked.view.plan))
            else:
                await ears.hear(face.status(asked.view.plan))
        await ears.hear(person.confirm(token))
        if isinstance(outcome, Report) and outcome.retry_token:
            await ears.hear(person.retry(outcome.retry_token))
    bench.mundo.goes = "ok"
    await ears.hear(act(engine, crear(f"Nota {number}"), message=f"safe-{number}"))
    bench.move(minutes=11)
    with suppress(ConnectionError):
        await engine.sweep()
    await engine.settle()


def test_s5_a_life_at_full_volume_leaves_no_secret_anywhere(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(wait, "POLL_SECONDS", (0.001,))
    number = counts.of("S5")
    done = 0

    async def main():
        nonlocal done
        bench = Bench(tmp_path, Ticking(NOW))
        async with bench.engine() as engine:
            with listening() as ears:
                first = Recorded()
                await life(bench, engine, ears, 0, first)
                names = [n for n in dict.fromkeys(first.names) if "commit" in n or "send" in n]
                for turn in range(1, number + 1):
                    await life(bench, engine, ears, turn, Cut(names[turn % len(names)]))
                    done += 1
            secrets = canaries(bench, engine)
            assert len(secrets) > done
            out, err = capfd.readouterr()
            places = ears.places() | kept(bench) | {"out": out.encode(), "err": err.encode()}
            assert hits(secrets, places) == []
            # The nonces are in the tables, and in nothing that is said.
            said = ears.places()
            assert hits(nonces(bench), said) == []
            assert len(hits(nonces(bench), {"tables": places["tables"]})) == len(nonces(bench))
            # The nets are fine enough: a canary that is put into each place is found there.
            for name, ways in secrets.items():
                for way in ways:
                    assert hits({name: ways}, {"planted": b"..." + way + b"..."}) == [
                        (name, "planted")
                    ]
            assert all(len(held) > 1_000 for held in said.values()), {
                k: len(v) for k, v in said.items()
            }
            assert ears.outcomes > 10 * done

    asyncio.run(main(), debug=True)
    counts.ran("S5", done)
    assert done >= number


@pytest.mark.no_store
def test_s5_what_is_typed_at_a_terminal_is_seen_in_the_process_list_and_kept_nowhere(tmp_path):
    """A token on a command line is seen by whoever may list processes while it runs; that is said."""
    token = f"{TOKEN_PREFIX}{'Zz-_' * 8}"
    home = tmp_path / "home"
    environment = {"PATH": os.environ["PATH"], "SEMEL_HOME": str(home)}
    command = [sys.executable, "-m", "semel.cli"]
    for arguments in (["seed"], ["confirm", token, "--as", "ana@carmona-demo"]):
        done = subprocess.run(
            [*command, *arguments], env=environment, capture_output=True, text=True, check=False
        )
        assert token not in done.stdout + done.stderr
        # Its children, and what it leaves in its own environment, hold none either.
    held = {path.name: path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}
    assert hits({"token": [token.encode(), token[5:].encode()]}, held) == []
    assert {"books.db", "key"} <= held.keys()
