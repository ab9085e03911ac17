"""What is said of a server's settings: each a finding, with what it costs and what to do."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from semel.domain.finding import Finding, Level
from semel.storage import migrate
from semel.storage.migrate import Migration
from semel.storage.postgres.connection import Connection, translated
from semel.storage.postgres.upgrade import lacking

VERSION_MIN = 150_000

OFFSET_SECONDS = 2.0
"""How far this machine's clock may be from the server's before it is told: a question's minutes
are the server's, and a sender's are this machine's."""


def version(number: int) -> Finding:
    """Whether the server is new enough."""
    name = f"The server is PostgreSQL {number // 10_000}"
    if number < VERSION_MIN:
        return Finding("version", Level.STOP, f"{name}, and semel needs 15 or newer. Upgrade it.")
    return Finding("version", Level.OK, f"{name}.")


def durable(settings: Mapping[str, str]) -> Finding:
    """Whether what the server answers is on its disk."""
    asked = ("fsync", "full_page_writes", "synchronous_commit")
    off = [name for name in asked if settings[name] == "off"]
    if not off:
        return Finding("durability", Level.OK, "What the server answers is on its disk.")
    return Finding(
        "durability", Level.STOP,
        f"{', '.join(off)} is off, so the server may lose what it has answered, and what was sent"
        " would be sent again. Set it to on.", durability=True,
    )  # fmt: skip


def standby(settings: Mapping[str, str], standbys: int) -> Finding:
    """Whether what is answered is where a failover would go on from."""
    named, commit = settings["synchronous_standby_names"], settings["synchronous_commit"]
    if not named and standbys:
        return Finding(
            "standby", Level.OFF,
            "A standby is connected that is not synchronous: after a failover to it, what was sent"
            " last would be sent again. Name it in synchronous_standby_names, or disconnect it.",
            durability=True,
        )  # fmt: skip
    if named and commit not in {"on", "remote_apply"}:
        return Finding(
            "standby", Level.OFF,
            f"synchronous_commit is {commit}, so the standby may not have what was answered, and"
            " after a failover what was sent last would be sent again. Set it to on.",
            durability=True,
        )  # fmt: skip
    says = "Every answer waits for the standby." if named else "There is no standby."
    return Finding("standby", Level.OK, says)


def writes(settings: Mapping[str, str], *, recovering: bool) -> Finding:
    """Whether plans can be kept here."""
    if recovering or settings["default_transaction_read_only"] == "on":
        return Finding(
            "writes", Level.STOP, "The server is read-only: a standby, or set so, and no plan can"
            " be kept. Name the primary.",
        )  # fmt: skip
    return Finding("writes", Level.OK, "The server takes writes.")


def vacuum(settings: Mapping[str, str]) -> Finding:
    """Whether the tables stay small."""
    if settings["autovacuum"] == "off":
        return Finding(
            "autovacuum", Level.WARN, "autovacuum is off: a plan's row is written at each step, and"
            " the tables only grow. Set it to on.",
        )  # fmt: skip
    return Finding("autovacuum", Level.OK, "Old versions of rows are cleared away.")


def role(*, is_super: bool) -> Finding:
    """Whether the program has more rights than it needs."""
    if is_super:
        return Finding(
            "role", Level.WARN, "The role is a superuser: a fault in the program could do anything"
            " on the server, and no right protects the history. Give it a role of its own"
            " (docs/storage.md, Roles).",
        )  # fmt: skip
    return Finding("role", Level.OK, "The role is no superuser.")


def schema(connection: Connection, migrations: Sequence[Migration]) -> Finding:
    """Whether the tables are those of this program."""
    with translated():
        return migrate.examined(lambda: lacking(connection, migrations))


def beside(
    connection: Connection, begin: str, machine: Callable[[], datetime] | None
) -> list[Finding]:
    """What takes a transaction or a second clock to be seen.

    Args:
        connection: a connection to the server.
        begin: how the engine begins what it writes.
        machine: this machine's clock; None where a test's stands for both.
    """
    with translated():
        connection.execute(begin.encode())
        row = connection.execute("SELECT current_setting('transaction_isolation') AS it").fetchone()
        connection.execute("ROLLBACK")
        clock = connection.execute("SELECT clock_timestamp() AS now").fetchone()
    found = [_isolation(str(row["it"]) if row else "")]
    if machine is not None and clock is not None:
        found.append(_clock(abs((machine() - clock["now"]).total_seconds())))
    return found


def _isolation(name: str) -> Finding:
    if name != "read committed":
        return Finding(
            "isolation", Level.OFF, f"A transaction is {name} here although it asks for read"
            " committed: what one reads after it has waited would be old. Something between this"
            " program and the server changes it; take it away.",
        )  # fmt: skip
    return Finding("isolation", Level.OK, "A transaction reads what was committed.")


def _clock(seconds: float) -> Finding:
    if seconds > OFFSET_SECONDS:
        return Finding(
            "clock", Level.WARN, f"This machine's clock and the server's are {seconds:.0f} s apart:"
            " nothing is done twice by it, and what goes under a key may be refused as too old. Set"
            " both by NTP.",
        )  # fmt: skip
    return Finding("clock", Level.OK, "This machine's clock and the server's agree.")
