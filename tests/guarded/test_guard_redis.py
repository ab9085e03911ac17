"""What Redis alone can do to a guard: lose an answer, forget, be set so that it may forget."""

import logging

import pytest
from guard_bench import Bench
from guard_tools import effects, told, tool
from redis import Redis
from redis_proxy import Proxy

from semel import Guard
from semel.domain.finding import Level
from semel.errors import StorageError
from semel.guard.redis_settings import findings
from semel.testing.redis_server import RedisServer, redis_server

pytestmark = pytest.mark.only_on("redis", "the others have tests of their own servers")


@pytest.mark.parametrize("kind", ["opaque", "keyed", "checked", "void"])
@pytest.mark.parametrize("how", ["before", "answer"])
@pytest.mark.parametrize("at", [0, 1])
def test_an_answer_that_is_lost_is_found_out_and_nothing_is_done_twice(
    bench: Bench, redis, kind, how, at
):
    with Proxy(redis.port) as proxy:
        bench.url = proxy.url
        guard = bench.guard()
        call = tool(bench, guard, kind)
        guard.kit()
        # The first EXEC marks the call, the second one writes what it came to.
        proxy.cuts += [""] * at + [how]
        assert told(guard, call).value == "id-ana"
        assert told(guard, call).value == "id-ana"
        assert proxy.cuts == []
        assert proxy.made == (how == "answer")
        guard.close()
    assert effects(bench, kind) == 1


def test_a_server_that_is_away_sends_nothing_and_is_there_again_later(tmp_path):
    bench = Bench(tmp_path)
    with redis_server(tmp_path / "server", appendonly="yes", appendfsync="always") as server:
        bench.url = server.url
        guard = bench.guard()
        call = tool(bench, guard, "opaque")
        assert told(guard, call).value == "id-ana"
        server.kill()
        with pytest.raises(StorageError, match="nothing was written"):
            told(guard, call, "luis")
        assert bench.world.lines() == ["ana"]
        server.start()
        # What was answered was on disk.
        assert told(guard, call).value == "id-ana"
        assert told(guard, call, "luis").value == "id-luis"
        guard.close()
    assert bench.world.lines() == ["ana", "luis"]


def test_a_server_that_may_forget_keeps_nothing_unless_somebody_takes_that_upon_himself(
    tmp_path, monkeypatch, caplog
):
    bench = Bench(tmp_path)
    with redis_server(
        tmp_path / "server", maxmemory="50mb", maxmemory_policy="allkeys-lru"
    ) as server:
        guard = Guard(server.url, org=bench.org)
        call = tool(bench, guard, "opaque")
        with pytest.raises(StorageError, match="noeviction"):
            told(guard, call)
        guard.close()
        assert bench.world.lines() == []
        monkeypatch.setenv("SEMEL_UNSAFE_DURABILITY", "1")
        guard = Guard(server.url, org=bench.org)
        with caplog.at_level(logging.WARNING, "semel.guard"):
            assert told(guard, tool(bench, guard, "opaque")).word == "done"
        assert "may be done twice" in caplog.text
        guard.close()


SAFE = {"maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "always"}
LEVELS = [
    ({}, {Level.OK}),
    ({"appendfsync": "everysec"}, {Level.OK, Level.WARN}),
    ({"appendonly": "no"}, {Level.OK, Level.WARN}),
    ({"maxmemory-policy": "volatile-lru", "maxmemory": "0"}, {Level.OK, Level.WARN}),
    ({"maxmemory-policy": "volatile-lru", "maxmemory": "1000"}, {Level.OK, Level.OFF}),
]


@pytest.mark.no_store
@pytest.mark.parametrize(("other", "levels"), LEVELS)
def test_each_setting_that_may_forget_is_told(other, levels):
    found = list(findings({**SAFE, **other}))
    assert {one.level for one in found} == levels
    assert all(one.says.endswith(".") for one in found)


def test_what_ended_is_forgotten_by_the_server_itself_and_what_is_open_never(
    bench: Bench, redis: RedisServer
):
    guard = bench.guard()
    call = tool(bench, guard, "opaque")
    told(guard, call)
    with Redis.from_url(redis.url) as client:
        names = list(client.scan_iter(f"semel:{{{bench.org}}}:call:*"))
        assert len(names) == 1
        day = 24 * 3600
        assert day < client.ttl(names[0]) <= day + 300
