# Longer than 300 lines: a key is followed from its file to its retirement.
"""S11: keys rotate without loss and retire without delay; wherever they lie, nobody reads them."""

import asyncio
import os
import stat
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest
from app import ANA, KEYS
from contenders import Gate, contend
from notas_bench import Bench, crear, opened, told, until

from semel import Ask, CatalogError, Engine, Keyring
from semel.domain.keyring import Purpose
from semel.domain.report import Refusal
from semel.errors import Unreachable
from semel.keyfile import from_file, parse
from semel.machine import SystemEntropy
from semel.open import default_keys
from semel.testing import interrupt_at

RISKY = crear("Logo", urgente=True)
DONE = ("Report", "finished")
OLD = KEYS
BOTH = Keyring((("k2", b"2" * 32), *KEYS.keys))
NEW = Keyring((("k2", b"2" * 32),))
SECRET = b64encode(b"a very secret key of 32 bytes...").decode()
OTHER = b64encode(b"one more secret key of 32 bytes.").decode()


def kids(bench: Bench) -> list[str]:
    return [kid for (kid,) in bench.sql("SELECT kid FROM semel_confirmations ORDER BY rowid")]


def test_a_question_put_before_a_rotation_is_answered_after_it(tmp_path):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
        async with bench.engine(keys=BOTH) as engine:
            shown = await engine.person(ANA).status(ask.view.plan)
            assert (shown.token, shown.view) == (ask.token, ask.view)
            again = await engine.agent.act(ANA, _plan(RISKY), message="m-1")
            assert again.token == ask.token
            assert told(await engine.person(ANA).confirm(ask.token)) == DONE
            # What is asked from now on is signed with the newest.
            await bench.asked(engine, RISKY, message="m-2")
            assert told(await engine.person(ANA).says("sí")) == DONE
            assert kids(bench) == ["k1", "k2"]
        async with bench.engine(keys=NEW) as engine:
            # And what has run is told, whichever key it was signed with.
            again = await engine.person(ANA).confirm(ask.token)
            assert told(again) == DONE
            assert again.replayed
        assert bench.notes() == ["Logo", "Logo"]

    asyncio.run(main())


def _plan(*steps: tuple[str, dict[str, object]]) -> dict[str, object]:
    return {"steps": [{"action": action, "input": given} for action, given in steps]}


def test_two_instances_in_mid_rotation_understand_each_other(tmp_path):
    async def main():
        # Both verify both, and they differ in which one signs: the first half of a rotation.
        first, second = Keyring(BOTH.keys[::-1]), BOTH
        bench = Bench(tmp_path)
        async with bench.engine(keys=first) as one, bench.engine(keys=second) as two:
            for number in range(10):
                asks, takes = (one, two) if number % 2 else (two, one)
                ask = await bench.asked(asks, RISKY, message=f"m-{number}")
                assert (await takes.person(ANA).status(ask.view.plan)).token == ask.token
                assert told(await takes.person(ANA).confirm(ask.token)) == DONE
            assert sorted(kids(bench)) == ["k1"] * 5 + ["k2"] * 5
        assert len(bench.notes()) == 10

    asyncio.run(main())


@pytest.mark.parametrize("answer", ["button", "sí", "no"])
def test_a_question_whose_key_was_retired_is_refused_for_good(tmp_path, answer):
    async def main():
        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY)
        async with bench.engine(keys=NEW) as engine:
            person = engine.person(ANA)
            shown = await person.status(ask.view.plan)
            assert isinstance(shown, Ask)
            assert shown.token is None
            if answer == "button":
                refused = await person.confirm(ask.token)
                assert (refused.why, refused.plan) == (Refusal.TAMPERED, ask.view.plan)
            elif answer == "sí":
                refused = await person.says("sí")
                assert (refused.why, refused.plan) == (Refusal.REVOKED, ask.view.plan)
                assert "ya no vale" in refused.card("es").text()
                assert bench.events(ask.view.plan)[-1] == "refused"
            else:
                assert told(await person.says("no")) == ("Report", "cancelled")
            ended = ("ended", "cancelled" if answer == "no" else "refused")
            assert bench.plans() == [ended]
            assert told(await person.says("sí")) == ("Refused", "nothing_pending")
        # The key coming back brings nothing back.
        async with bench.engine(keys=BOTH) as engine:
            for _ in range(2):
                assert told(await engine.person(ANA).confirm(ask.token))[0] == "Refused"
            assert bench.plans() == [ended]
            assert told(await engine.agent.act(ANA, _plan(RISKY), message="m-1"))[1] == ended[1]
            # Another message asks afresh.
            await bench.asked(engine, RISKY, message="m-2")
            assert told(await engine.person(ANA).says("sí")) == DONE
        assert bench.notes() == ["Logo"]

    asyncio.run(main())


@pytest.mark.parametrize(("keys", "ends"), [(BOTH, "finished"), (NEW, "refused")])
def test_a_plan_between_two_steps_goes_on_with_its_key_and_stops_without(tmp_path, keys, ends):
    async def main():
        def stop() -> None:
            raise ConnectionError("the process went away")

        async with opened(tmp_path) as (bench, engine):
            ask = await bench.asked(engine, RISKY, crear("Web"))
            with interrupt_at("commit:local:after", stop):
                await engine.person(ANA).confirm(ask.token)
            assert bench.notes() == ["Logo"]
        bench.move(minutes=1)
        async with bench.engine(keys=keys) as engine:
            await engine.sweep()
            await until(lambda: bench.plans()[0][0] == "ended")
            report = await engine.person(ANA).status(ask.view.plan)
            assert told(report) == ("Report", ends)
        assert bench.notes() == (["Logo", "Web"] if keys is BOTH else ["Logo"])

    asyncio.run(main())


@pytest.mark.no_store
def test_a_retired_key_verifies_nothing_and_purposes_never_mix():
    assert NEW.mac("k1", Purpose.TOKEN, b"m") is None
    assert BOTH.mac("k1", Purpose.TOKEN, b"m") == OLD.mac("k1", Purpose.TOKEN, b"m")
    macs = {keys.mac(kid, purpose, b"m") for purpose in Purpose for keys, kid in
            ((OLD, "k1"), (NEW, "k2"), (BOTH, "k1"), (BOTH, "k2"))}  # fmt: skip
    assert len(macs) == 2 * len(Purpose)


@pytest.mark.no_store
def test_keys_are_read_in_order_and_spaces_do_not_matter():
    keys = parse(f" k2:{OTHER} ,\n k1:{SECRET}\n")
    assert [kid for kid, _ in keys.keys] == ["k2", "k1"]
    assert keys.newest == "k2"
    assert keys.keys[1][1] == b"a very secret key of 32 bytes..."


BAD = {
    "no base64": f"k1:{SECRET[:-1]}!",
    "url alphabet": "k1:" + SECRET[:-4] + "-_-=",
    "padding missing": f"k1:{SECRET.rstrip('=')}",
    "short": "k1:" + b64encode(b"only thirty-one bytes of secret").decode(),
    "no name": f":{SECRET}",
    "no colon": SECRET,
    "no key": "k1:",
    "nothing": "",
    "a comma too many": f"k1:{SECRET},",
    "the second": f"k2:{OTHER},k1:{SECRET}x",
    "twice": f"k1:{SECRET},k1:{OTHER}",
    "letters that are no base64": f"k1:ñ{SECRET}",
    "a space within": f"k1:{SECRET[:8]} {SECRET[8:]}",
    "half a character": f"k1:{SECRET}\ud83d",
    "another shape": f'{{"k1": "{SECRET}"}}',
}


def parts_of(text: str) -> set[str]:
    """Every six characters in a row of the keys in a text."""
    return {
        secret[at : at + 6] for secret in (SECRET, OTHER) for at in range(len(secret) - 5)
        if secret[at : at + 6] in text
    }  # fmt: skip


@pytest.mark.no_store
@pytest.mark.parametrize("bad", BAD)
def test_keys_of_another_shape_are_refused_in_one_sentence_without_any_of_them(bad):
    with pytest.raises(CatalogError) as caught:
        parse(BAD[bad])
    said = str(caught.value)
    assert parts_of(said) == set()
    assert said.endswith(".")
    assert "\n" not in said
    # Nor does what led to it hold one.
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    if bad == "the second":
        assert said.startswith("Signing key 2 ")


@pytest.mark.no_store
@pytest.mark.parametrize("bad", ["short", "twice", "letters that are no base64"])
def test_the_terminal_says_one_sentence_about_bad_keys(tmp_path, bad):
    done = subprocess.run(
        [sys.executable, "-m", "semel.cli", "seed", "--home", str(tmp_path / "home")],
        env={"PATH": os.environ["PATH"], "SEMEL_KEYS": BAD[bad]},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert parts_of(done.stderr) == set()


@pytest.mark.no_store
def test_the_environments_keys_win_over_the_file(tmp_path, monkeypatch):
    path = tmp_path / "key"
    monkeypatch.setenv("SEMEL_KEYS", f"k9:{SECRET}")
    assert default_keys(path, SystemEntropy()).newest == "k9"
    assert not path.exists()
    monkeypatch.delenv("SEMEL_KEYS")
    made = default_keys(path, SystemEntropy())
    assert made.newest == "k1"
    assert default_keys(path, SystemEntropy()) == made


@pytest.mark.no_store
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_key_file_is_made_for_its_owner_only_whatever_the_umask(tmp_path, mask):
    path = tmp_path / "home" / "key"
    path.parent.mkdir()
    before = os.umask(mask)
    try:
        from_file(path, SystemEntropy())
    finally:
        os.umask(before)
    mode = path.stat().st_mode
    assert stat.S_ISREG(mode)
    assert mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.only_on("sqlite", "on PostgreSQL there is no key file")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o666, 0o777])
def test_a_key_file_that_others_can_reach_is_refused(tmp_path, mode):
    path = tmp_path / "key"
    made = from_file(path, SystemEntropy())
    path.chmod(mode)
    with pytest.raises(CatalogError, match="chmod 600"):
        from_file(path, SystemEntropy())
    with pytest.raises(CatalogError, match="chmod 600"):
        Bench(tmp_path).engine(keys=None)
    assert not (tmp_path / "books.db-wal").exists()
    path.chmod(0o600)
    assert from_file(path, SystemEntropy()) == made


@pytest.mark.no_store
@pytest.mark.parametrize(
    "content", [b"", b"\n", b"k1:short", b"\xff\xfe", f"k1:ñ{SECRET}".encode()]
)
def test_a_key_file_that_holds_no_keys_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "key"
    path.touch(0o600)
    path.write_bytes(content)
    with pytest.raises(CatalogError) as caught:
        from_file(path, SystemEntropy())
    assert parts_of(str(caught.value)) == set()
    assert caught.value.__cause__ is None
    assert path.read_bytes() == content


@pytest.mark.no_store
def test_a_key_file_that_is_no_file_cannot_be_used(tmp_path):
    (tmp_path / "key").mkdir(0o700)
    with pytest.raises(Unreachable, match="cannot be used"):
        from_file(tmp_path / "key", SystemEntropy())
    (tmp_path / "file").touch()
    with pytest.raises(Unreachable, match="cannot be used"):
        from_file(tmp_path / "file" / "key", SystemEntropy())


@pytest.mark.no_store
def test_eight_processes_that_start_at_once_agree_on_one_key(tmp_path):
    for attempt in range(5):
        home = tmp_path / f"home {attempt}"

        def process(_: int, gate: Gate, home: Path = home) -> tuple[tuple[str, bytes], ...]:
            gate.wait()
            return from_file(home / "key", SystemEntropy()).keys

        rings = contend(8, process)
        assert len(set(rings)) == 1
        assert len(rings) == 8
        assert list(home.iterdir()) == [home / "key"]
        assert from_file(home / "key", SystemEntropy()).keys == rings[0]


def test_eight_instances_that_start_at_once_understand_each_others_tokens(tmp_path):
    bench = Bench(tmp_path)

    def process(number: int, gate: Gate) -> str:
        gate.wait()
        with bench.engine(keys=None).sync as face:
            return face.agent.act(ANA, _plan(RISKY), message="m-1").token

    tokens = contend(8, process)
    assert len(set(tokens)) == 1
    with bench.engine(keys=None).sync as face:
        assert told(face.person(ANA).confirm(tokens[0])) == DONE


@pytest.mark.no_store
def test_a_keyring_shows_its_names_only():
    assert repr(BOTH) == str(BOTH) == f"{BOTH}" == "Keyring(k2, k1)"
    assert "222" not in repr([BOTH, {"keys": BOTH}])
    with pytest.raises(CatalogError) as caught:
        Keyring((("k1", b"short and secret"),))
    assert "secret" not in str(caught.value)
    for none in ((), (("k1", b"1" * 32), ("k1", b"2" * 32))):
        with pytest.raises(CatalogError):
            Keyring(none)


def test_an_engine_shows_no_key(tmp_path):
    engine: Engine = Bench(tmp_path).engine()
    shown = repr(engine) + repr(engine._core) + str(engine._core)
    assert "Keyring(k1)" in shown
    assert "1111" not in shown
    engine.close()
