"""Ids that are cut from one draw: no two are equal, in no thread and in no process."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from semel import machine
from semel.machine import PIECE, PIECES, SystemEntropy

pytestmark = pytest.mark.no_store

FORKS = """
import os, sys
from semel.machine import SystemEntropy
entropy = SystemEntropy()
entropy.bytes(10)
here, there = os.pipe()
if os.fork() == 0:
    os.write(there, b"".join(entropy.bytes(10) for _ in range(100)))
    os._exit(0)
os.wait()
mine = {entropy.bytes(10) for _ in range(100)}
theirs = os.read(here, 1000)
print(len(mine), len(mine & {theirs[n : n + 10] for n in range(0, 1000, 10)}))
"""


def test_pieces_of_one_draw_are_all_different_in_many_threads():
    entropy = SystemEntropy()
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: entropy.bytes(10), range(20 * PIECES)))
    assert len(set(drawn)) == 20 * PIECES
    assert {len(piece) for piece in drawn} == {10}


def test_a_forked_process_does_not_have_its_parents_pieces():
    ran = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["100", "0"]


@pytest.mark.parametrize(("count", "draws"), [(10, 1), (PIECE, 1), (PIECE + 1, 2), (32, 2)])
def test_what_is_longer_than_an_id_is_drawn_by_itself(monkeypatch, count, draws):
    asked: list[int] = []
    token_bytes = machine.secrets.token_bytes
    monkeypatch.setattr(machine.secrets, "token_bytes", lambda n: asked.append(n) or token_bytes(n))
    entropy = SystemEntropy()
    entropy.bytes(10)
    assert len(entropy.bytes(count)) == count
    assert len(asked) == draws
    # What nobody has asked for yet is never a secret's.
    assert asked[1:] in ([], [count])
