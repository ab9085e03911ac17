"""Play every scenario for the rows that are asked for, several times, a few at once."""

import itertools
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compare import servers
from compare.environments import CACHE, Missing, python_of
from compare.judge import Run, judged
from compare.registry import HERE, ROOT, Peer, Row
from compare.report import Cell, Found
from compare.scenarios import ANSWER_SECONDS, LEASE_SECONDS, SCENARIOS
from compare.stage import Broken, Stage, played
from semel.testing.servers import Postgres

AT_ONCE: Final = 3
"""Scenarios at once: they mostly wait, and a peer's heartbeat must get its turn all the same."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    peers: Sequence[Peer]
    repeats: int
    scenarios: Sequence[str]
    at_once: int = AT_ONCE


class Places:
    """The servers of a run, each started when the first peer needs it."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack, self._folder = stack, folder
        self._redis = ""
        self._postgres: Postgres | None = None
        self._numbers = itertools.count(1)

    def open(self, store: str) -> None:
        """Start the server of this store, if it has one.

        Raises:
            Missing: it cannot run here.
        """
        if store == "Redis" and not self._redis:
            self._redis = self._stack.enter_context(servers.redis(self._folder))
        if store == "PostgreSQL" and self._postgres is None:
            self._postgres = self._stack.enter_context(servers.database_server(self._folder))

    def url(self, store: str) -> str:
        """Where the callers of one run find their server, or a database of their own."""
        if self._postgres is not None and store == "PostgreSQL":
            return self._postgres.database(f"compare_{next(self._numbers)}")
        return self._redis if store == "Redis" else ""

    def told(self, store: str) -> str:
        """A store with its version."""
        if store == "Redis":
            return f"Redis {servers.redis_version(self._redis)}"
        if self._postgres is not None and store == "PostgreSQL":
            return f"PostgreSQL {self._postgres.version}"
        return store


def play(asked: Asked, say: Say) -> Mapping[str, Found]:
    """The cells of every row that is asked for, by the row's key."""
    (CACHE / "run").mkdir(parents=True, exist_ok=True)
    found: dict[str, Found] = {}
    numbers = itertools.count(1)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=CACHE / "run")))
        places = Places(stack, folder)
        pool = stack.enter_context(ThreadPoolExecutor(asked.at_once))
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        waiting: dict[tuple[str, str], list[Future[Run | None]]] = {}
        for peer in asked.peers:
            try:
                python = python_of(peer, CACHE)
                for row in peer.rows:
                    places.open(peer.store_of(row))
            except Missing as no:
                say(f"{peer.name}: {no}\n")
                found |= {peer.key(row): Found.missing_row(peer, row, str(no)) for row in peer.rows}
                continue
            for row in peer.rows:
                found[peer.key(row)] = Found.begun(
                    peer, row, places.told(peer.store_of(row)), asked.repeats
                )
                for name in asked.scenarios:
                    jobs = waiting.setdefault((peer.key(row), name), [])
                    for _ in range(asked.repeats):
                        stage = _stage(python, peer, row, folder, next(numbers))
                        jobs.append(pool.submit(_one, places, peer, row, name, stage, say))
        for (key, name), jobs in waiting.items():
            runs = [job.result() for job in jobs]
            found[key].cells[name] = cell(runs)
            say(f"{key}: {name}: {found[key].cells[name].text}\n")
    return found


def cell(runs: Sequence[Run | None]) -> Cell:
    """What the runs of one scenario come to; None is a run that could not be played."""
    whole = [run for run in runs if run is not None]
    if len(whole) < len(runs):
        return Cell("not played", duplicate=False, lie=False, blocked=False)
    verdict = judged(whole)
    return Cell(verdict.text, verdict.duplicate, verdict.lie, verdict.blocked)


def _stage(python: Path, peer: Peer, row: Row, folder: Path, number: int) -> Stage:
    # -P keeps the folder of scripts off the path: each is called like the package that it imports.
    script = str(HERE / "peers" / f"{peer.script}.py")
    # A peer finds no home and no settings of the person who compares.
    place = folder / str(number)
    own = [] if peer.requires else [str(ROOT / "src")]
    return Stage(
        command=[str(python), "-P", script, "--variant", row.variant],
        environment={
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(place),
            "PYTHONPATH": os.pathsep.join([str(ROOT), *own]),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        folder=place,
        order=f"order-{number}",
        lease=LEASE_SECONDS,
        answer_seconds=ANSWER_SECONDS,
    )


def _one(places: Places, peer: Peer, row: Row, name: str, stage: Stage, say: Say) -> Run | None:
    stage.folder.mkdir()
    url = places.url(peer.store_of(row))
    stage.command = [*stage.command, *(["--url", url] if url else [])]
    try:
        with played(stage):
            run = SCENARIOS[name].play(stage)
    except Broken as no:
        say(f"{peer.key(row)}: {name}: {no}\n")
        return None
    return run


def to_stderr(text: str) -> None:
    """Say how far it is."""
    sys.stderr.write(text)
    sys.stderr.flush()
