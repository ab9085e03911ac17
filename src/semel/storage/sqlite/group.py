"""Transactions that are one commit, and what becomes of the others when one of them fails.

Nearly none does, so they run one after the other and nothing tells their rows apart. When one has
failed that had written, all are taken back and run again, each under a savepoint of its own.
"""

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from semel.errors import StorageError, TimeLimit
from semel.ports import Clock
from semel.storage.sqlite.connection import translated
from semel.storage.sqlite.jobs import Ended, Job, Mixed
from semel.storage.sqlite.tx import ENDED, SqliteTx

WARY_GROUPS = 64
"""Groups that have savepoints from the start after one that had to be run again, which cost it as
much as the savepoints of a dozen: where members fail all the time, few groups are run twice."""

LIMIT_SECONDS = 5.0
"""A transaction holds the only writer; one that takes longer is rolled back."""


class Groups:
    """Runs transactions on the connection that writes, for whoever has the turn to.

    Args:
        connection: the one that writes.
        statements: the engine's.
        app: the application's.
        clock: where time comes from.
        path: the file, for what is said of it.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        statements: Mapping[str, str],
        app: Mapping[str, str],
        clock: Clock,
        path: Path,
    ) -> None:
        self._connection = connection
        self._statements = statements
        self._app = app
        self._clock = clock
        self._path = path
        self._wary = 0
        """Groups that still have savepoints because one failed without."""
        self.working: int | None = None
        """The thread in which a transaction runs."""
        self.began = 0.0
        """When the last one began."""

    def run(self, jobs: Sequence[Job]) -> None:
        """Run *jobs* as one commit; they run again when one of them spoilt it for all."""
        try:
            self._group(jobs)
        except Mixed:
            self._wary = WARY_GROUPS
            self.run(jobs)
        except Ended as no:
            if len(jobs) == 1:
                # What the work raised says more, a full disk for instance.
                jobs[0].error = no.__cause__ or StorageError(ENDED)
                return
            for job in jobs:
                self.run([job])
        except BaseException as no:  # noqa: BLE001 - nobody may wait for ever, whatever it is
            for job in jobs:
                job.error = no

    def _group(self, jobs: Sequence[Job]) -> None:
        connection, alone = self._connection, len(jobs) == 1
        run = self._member if alone else self._apart if self._wary else self._together
        if not alone and self._wary:
            self._wary -= 1
        with translated(self._path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                for job in jobs:
                    # Who took too long is not given that time once more for another's sake.
                    if not isinstance(job.error, TimeLimit):
                        run(job)
                if any(job.error is None for job in jobs):
                    self._commit(alone=alone)
            finally:
                # Whatever went wrong, the next group begins on a clean connection.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _commit(self, *, alone: bool) -> None:
        try:
            self._connection.execute("COMMIT")
        except sqlite3.IntegrityError as no:
            # A deferred constraint of one member; alone, it is that member's own error.
            if alone:
                raise
            raise Ended from no

    def _together(self, job: Job) -> None:
        """Run *job*, whose rows nothing will tell from the others'."""
        touched = self._member(job)
        if touched and job.error is not None:
            raise Mixed

    def _apart(self, job: Job) -> None:
        """Run *job* so that nothing of it is left when it fails."""
        self._connection.execute("SAVEPOINT member")
        self._member(job)
        if job.error is not None:
            self._connection.execute("ROLLBACK TO member")
        self._connection.execute("RELEASE member")

    def _member(self, job: Job) -> bool:
        """Run *job*; whether it may have left something in the transaction."""
        connection = self._connection
        tx = SqliteTx(connection, self._statements, self._app, self._clock, self._path)
        began = self.began = self._clock.monotonic()
        job.value, job.error = None, None
        self.working = threading.get_ident()
        try:
            job.value = job.work(tx)
            if not connection.in_transaction:
                raise Ended
            tx.block.check()
            if self._clock.monotonic() - began > LIMIT_SECONDS:
                raise TimeLimit
        except Ended:
            raise
        except BaseException as no:
            # A member's error is its caller's, whatever it is.
            if not connection.in_transaction:
                raise Ended from no
            job.error = no
        finally:
            self.working = None
            tx.end()
        return tx.block.wrote
