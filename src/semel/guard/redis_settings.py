"""How a Redis server has to be set to keep a guard's calls, and what is lost where it is not."""

from collections.abc import Iterator, Mapping

from semel.domain.finding import Finding, Level

SAFE_POLICY = "noeviction"

UNSEEN = Finding(
    "redis",
    Level.WARN,
    "Redis does not show how it is set (CONFIG is refused). See to it that maxmemory-policy is"
    " noeviction and that appendonly is on: what it forgets may be done twice.",
)


def findings(settings: Mapping[str, str]) -> Iterator[Finding]:
    """What the server's own settings mean for a guard's calls.

    Args:
        settings: as ``CONFIG GET`` tells them.
    """
    policy, limit = settings.get("maxmemory-policy", SAFE_POLICY), settings.get("maxmemory", "0")
    if policy == SAFE_POLICY:
        yield Finding("eviction", Level.OK, "Redis evicts nothing.")
    else:
        level = Level.WARN if limit == "0" else Level.OFF
        yield Finding(
            "eviction", level, f"Redis may evict what it holds (maxmemory-policy {policy}), and"
            " what it forgets may be done twice: set it to noeviction.", durability=True,
        )  # fmt: skip
    if settings.get("appendonly") != "yes":
        yield Finding(
            "appendonly", Level.WARN, "Redis forgets its last writes when it ends at once, and what"
            " it forgets may be done twice: set appendonly yes.",
        )  # fmt: skip
    elif settings.get("appendfsync") != "always":
        yield Finding(
            "appendfsync", Level.WARN, "Redis may lose a second of what it has answered when the"
            " power goes: set appendfsync always.",
        )  # fmt: skip
    else:
        yield Finding("appendonly", Level.OK, "Redis has on disk what it answers.")
