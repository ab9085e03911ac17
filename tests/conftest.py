"""Every test that opens a database runs on SQLite and on PostgreSQL.

In the directories of DOUBLED a test runs twice, as ``[sqlite]`` and as ``[postgres]``; without
``SEMEL_TEST_STORES=every`` only a sample of them runs on PostgreSQL. What a test of these directories
may say of itself, and is held to:

- ``pytest.mark.no_store``: it opens no database, and runs once.
- ``pytest.mark.only_on("sqlite", "why")``: it is about one of the two, and runs on that.

The server is one for the whole session. Without any, only SQLite's half runs, and the last line
says so; where ``CI`` is set, the session fails. ``SEMEL_TEST_POSTGRES=15`` chooses the version.
"""

import hashlib
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from semel.errors import StorageError
from semel.testing import postgres

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "browser")]

import browser_states  # noqa: E402 - tests are no package, so the line above leads to it

import counts  # noqa: E402 - as above
import stores  # noqa: E402 - as above
from prove import belongs  # noqa: E402 - as above

DOUBLED = (
    "acceptance",
    "assistant",
    "channels",
    "crash",
    "decide",
    "doubt",
    "facturas",
    "guarded",
    "hosts",
    "integrations",
    "operator",
    "properties",
    "runtime",
    "security",
    "web",
)
MISSING = "SEMEL_TEST_NO_SERVER"
"""Why there is no PostgreSQL server; set by the controller, and read by its workers."""
EVERY = os.environ.get("SEMEL_TEST_STORES") == "every"
"""Whether every test of DOUBLED runs on PostgreSQL too, as `make postgres` has it, or a sample."""
WHOLE = ("crash", "guarded", "hosts", "acceptance/test_story.py")
"""Directories and files of which no sample is drawn."""
ONE_IN = 12
"""Of the others' test functions, so many run on PostgreSQL in `make test`; always the same ones."""
LATER = "SEMEL_TEST_PROVED"
"""`later` where `make prove` follows at once, as in `.ci/run`: nothing is run twice there."""
SAME = (
    "tests/crash/test_matrix.py::test_a_sample_of_points_of_every_plan_and_of_its_recovery_is_survived",
    "tests/mutants/test_mutants.py::test_some_that_are_drawn_are_killed",
    "tests/simulation/test_simulation.py::test_whatever_goes_wrong_every_schedule_holds",
    "tests/spec/test_model.py::test_smoke_rows_of_both_kinds_come_out_as_they_must",
)
"""Tests of the very programs which `make prove` starts with more to do."""
LONG = (
    "tests/acceptance/test_story.py",
    "tests/crash/test_calls_once.py",
    "tests/crash/test_matrix.py::test_a_sample_of_points_of_every_plan_and_of_its_recovery_is_survived",
    "tests/decide/test_crossings_take_over.py",
    "tests/doubt/test_exceptions_everywhere.py",
    "tests/mutants/test_mutants.py",
    "tests/postgres/test_cut_commits.py",
    "tests/postgres/test_killed_server.py",
    "tests/security/test_token_leaks.py",
)
"""Tests that take long: they begin first, since one that begins last keeps a single core busy."""
SHARE = 0.9
"""Of the tests on SQLite, at least as many run on PostgreSQL."""
PASSED = pytest.StashKey[bool]()

counted: Counter[str] = Counter()
unseen: list[str] = []
"""States of a card that no page was seen in, though all tests of the pages ran."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "no_store: the test opens no database")
    config.addinivalue_line("markers", "only_on(kind, why): the test is about one kind of store")
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    os.environ[browser_states.RUN] = os.urandom(8).hex()
    if not _wanted(config):
        return
    folder = TemporaryDirectory(prefix="semel-postgres-")
    config.add_cleanup(folder.cleanup)
    version = os.environ.get("SEMEL_TEST_POSTGRES")
    server = postgres(
        Path(folder.name), version=int(version) if version else None, **stores.SETTINGS
    )
    try:
        os.environ[stores.SERVER] = server.__enter__().url
    except StorageError as no:
        if os.environ.get("CI") or version:
            raise pytest.UsageError(str(no)) from no
        os.environ[MISSING] = str(no)
    else:
        config.add_cleanup(lambda: server.__exit__(None, None, None))


def _wanted(config: pytest.Config) -> bool:
    """Whether a test may be collected that runs on PostgreSQL."""
    places = [config.invocation_params.dir / arg.partition("::")[0] for arg in config.args]
    doubled = [HERE / name for name in (*DOUBLED, "channels", "contract", "postgres", "storage")]
    return any(
        place.is_relative_to(one) or one.is_relative_to(place)
        for place in places
        for one in doubled
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what `make prove` runs next, where it was said so, and begin with what takes long."""
    items.sort(key=lambda item: not belongs(item.nodeid, LONG))
    if os.environ.get(LATER) != "later" or not _holds(config, "browser"):
        # Who asks for some tests by name, a mutant among them, gets these.
        return
    places = [*SAME, *(place for bar in counts.bars().values() for place in bar.run)]
    proved = [item for item in items if belongs(item.nodeid, places)]
    config.hook.pytest_deselected(items=proved)
    items[:] = [item for item in items if item not in set(proved)]


def _is_drawn(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] % ONE_IN == 0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    path = metafunc.definition.path
    folder = path.relative_to(HERE).parts[0] if path.is_relative_to(HERE) else ""
    only = metafunc.definition.get_closest_marker("only_on")
    if metafunc.definition.get_closest_marker("no_store"):
        return
    kinds = ["sqlite", "postgres"] if folder in DOUBLED else []
    whole = folder in WHOLE or (folder and str(path.relative_to(HERE)) in WHOLE)
    if not EVERY and not whole and not _is_drawn(metafunc.definition.nodeid):
        kinds = [kind for kind in kinds if kind != "postgres"]
    if folder == "guarded":
        # A guard's calls may be kept in Redis as well; what that cannot hold says so itself.
        kinds.append("redis")
    if only:
        kinds = only.args[0].split()
    if MISSING in os.environ:
        kinds = [kind for kind in kinds if kind != "postgres"]
    if kinds:
        metafunc.parametrize("store", kinds, indirect=True, scope="function")


@pytest.fixture(autouse=True)
def store(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, journal: Path
) -> Iterator[str | None]:
    """The test's kind of store; afterwards its databases are given back."""
    kind = getattr(request, "param", None)
    for name, value in stores.begin(kind or "sqlite", journal).items():
        monkeypatch.setenv(name, value)
    if kind == "sqlite" and not request.node.get_closest_marker("only_on"):
        # What is the same on both begins on both with its tables made.
        monkeypatch.setenv(stores.TEMPLATES, str(journal.parent))
    yield kind
    opened = bool(stores.given())
    left = stores.left()
    stores.forget_all()
    assert not left, f"Sessions are left: {left}"
    if kind is None:
        assert not opened, "This test opens a database, so that it may not be marked no_store."
        return
    assert opened or not request.node.stash.get(PASSED, False), (
        "This test opens no database: it is to be marked no_store, and runs once."
    )
    request.node.user_properties.append(("store", kind))


@pytest.fixture(scope="session")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stores") / "journal"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    if call.when == "call":
        item.stash[PASSED] = report.passed
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        counted.update(value for name, value in report.user_properties if name == "store")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    stores.hang_up_all()
    config = session.config
    here = not hasattr(config, "workerinput") and not config.option.collectonly
    if here and not exitstatus and _holds(config, "browser"):
        unseen.extend(browser_states.missing())
        if unseen:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if not EVERY or hasattr(config, "workerinput") or exitstatus or MISSING in os.environ:
        return
    if _is_whole(config) and counted["postgres"] < SHARE * counted["sqlite"]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _holds(config: pytest.Config, folder: str) -> bool:
    """Whether all tests of a folder ran."""
    places = [config.invocation_params.dir / arg for arg in config.args]
    return _is_whole(config) and any((HERE / folder).is_relative_to(place) for place in places)


def _is_whole(config: pytest.Config) -> bool:
    """Whether whole directories ran, and not a choice of tests."""
    option = config.option
    chosen = option.keyword or option.markexpr or option.deselect or option.maxfail
    lf = getattr(option, "lf", False)
    places = [config.invocation_params.dir / arg for arg in config.args]
    return (
        not chosen and not lf and all(place.is_dir() or place.suffix == ".md" for place in places)
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if unseen:
        terminalreporter.write_line(f"states: no card was seen as {', '.join(unseen)}")
    if counted or MISSING in os.environ:
        why = f": {os.environ[MISSING]}" if MISSING in os.environ else ""
        terminalreporter.write_line(
            f"stores: {counted['sqlite']} tests on sqlite, {counted['postgres']} on postgres{why}"
        )
