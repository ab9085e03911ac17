"""The terminal on a server: what is missing is one sentence, and no password is ever on the screen."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

import commands
import stores
from semel.cli import main

pytestmark = pytest.mark.only_on("postgres", "a file has neither server nor password")

SECRET = "s3cret-s3cret"
KEYS = {"SEMEL_KEYS": stores.KEYS, stores.UNSAFE: "1"}


def semel(home, *arguments, env):
    environment = {"PATH": os.environ["PATH"], "SEMEL_HOME": str(home)}
    done = commands.done(*arguments, env=environment | env)
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def address(tmp_path) -> str:
    """Host and port of a server that is there."""
    return urlsplit(stores.url(tmp_path / "books.db", "facturas")).netloc.rpartition("@")[2]


def test_the_option_and_the_variable_lead_to_the_same_database(tmp_path):
    url = stores.url(tmp_path / "books.db", "facturas")
    assert semel(tmp_path, "seed", "--db", url, env=KEYS)[0] == 0
    code, out, _ = semel(tmp_path, "seed", env=KEYS | {"SEMEL_DB": url})
    assert (code, out) == (0, "The demo world was already there.\n")
    assert stores.rows(tmp_path / "books.db", "SELECT count(*) FROM contacts") == [(2,)]
    assert not (tmp_path / "books.db").exists()
    assert not (tmp_path / "key").exists()


def test_without_signing_keys_nothing_is_opened(tmp_path):
    url = stores.url(tmp_path / "books.db", "facturas")
    code, out, err = semel(tmp_path, "seed", "--db", url, env={})
    assert (code, out) == (3, "")
    assert "SEMEL_KEYS" in err
    assert err.count("\n") == 1
    assert "contacts" not in stores.tables(tmp_path / "books.db") or stores.rows(
        tmp_path / "books.db", "SELECT count(*) FROM contacts"
    ) == [(0,)]


@pytest.fixture
def logs() -> Iterator[None]:
    """The library's logger, which the terminal sends to a file, as it was before."""
    logger = logging.getLogger("semel")
    handlers, propagate = logger.handlers[:], logger.propagate
    yield
    for made in set(logger.handlers) - set(handlers):
        made.close()
    logger.handlers[:], logger.propagate = handlers, propagate


WRONG = {
    "nobody listens": "postgresql://ana:{}@127.0.0.1:1/books",
    "no such host": "postgresql://ana:{}@nowhere.invalid/books",
    "no such user": "postgresql://ana:{}@{address}/postgres",
    "no such database": "postgresql://semel:{}@{address}/nowhere",
    "no port": "postgresql://ana:{}@127.0.0.1:port/books",
    "no password that is encoded so": "postgresql://ana:{}%zz@127.0.0.1/books",
    "a blank": "postgresql://ana:{} @127.0.0.1:1/books",
    "no such option": "postgresql://ana:{}@{address}/books?password={}&nothing={}",
    "no service": "postgresql://ana:{}@{address}/books?service={}",
}


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_server_that_cannot_be_used_is_one_sentence_without_the_password(
    tmp_path, monkeypatch, capfd, address, wrong
):
    """Said by ``main`` itself: the driver may write to the terminal without asking Python."""
    monkeypatch.setenv("SEMEL_HOME", str(tmp_path / "home"))
    url = WRONG[wrong].replace("{address}", address).replace("{}", SECRET)
    for command in (["plans"], ["seed"], ["migrate"], ["demo", "--story", "--store", "postgres"]):
        code = main([*command, "--db", url])
        out, err = capfd.readouterr()
        assert code == 3, (command, out, err)
        assert err.startswith("semel: The database server ")
        assert err.count("\n") == 1
        assert SECRET not in out + err
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()


@pytest.mark.parametrize("url", ["mysql://ana:{}@h/books", "ana:{}@h", "postgres:ana:{}@h"])
def test_what_is_no_url_of_either_database_is_not_repeated(tmp_path, address, url):
    assert address
    code, out, err = semel(tmp_path, "plans", "--db", url.format(SECRET), env=KEYS)
    assert (code, out) == (2, "")
    assert "postgresql://" in err
    assert SECRET not in err


WITHOUT_DRIVER = """
import sys
sys.modules["psycopg"] = None
from semel.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("command", [["plans"], ["demo", "--story", "--store", "postgres"]])
def test_without_the_driver_it_says_what_to_install(tmp_path, address, command):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DRIVER, *command,
         "--home", str(tmp_path), "--db", f"postgresql://ana:{SECRET}@{address}/books"],
        capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]} | KEYS,
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.startswith(
        "semel: PostgreSQL needs its driver: pip install 'semel[postgres]'"
    )
    assert done.stderr.count("\n") == 1
