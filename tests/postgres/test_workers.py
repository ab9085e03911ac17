"""Which of several threads with a connection has the next job."""

import threading

import pytest

from semel.storage.postgres.workers import Group, Worker

pytestmark = pytest.mark.no_store
SECONDS = 30


def test_who_was_done_last_has_the_next_job(monkeypatch):
    group, rests = Group("one", "postgresql://", 2, lambda _: None), threading.Semaphore(0)
    waiting = group.waiting

    def noted(worker: Worker) -> object:
        job = waiting(worker)
        rests.release()
        return job

    monkeypatch.setattr(group, "waiting", noted)
    ends = [threading.Event(), threading.Event()]

    def until(end: threading.Event) -> object:
        return lambda worker: worker if end.wait(SECONDS) else None

    jobs = [group.submit(until(end)) for end in ends]
    workers = []
    for end, job in zip(ends, jobs, strict=True):
        end.set()
        workers.append(job.result(SECONDS))
        assert rests.acquire(timeout=SECONDS)
    for _ in range(3):
        assert group.submit(lambda worker: worker).result(SECONDS) is workers[1]
        assert rests.acquire(timeout=SECONDS)
    group.close()
    assert workers[0] is not workers[1]
