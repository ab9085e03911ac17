"""Settle: somebody says that a host is gone for good, so that its senders count as dead.

What a process has sent settles when the process is known to be dead, and of another host nobody
knows that. The word covers what the host had marked up to that instant; a new machine of its name
is another one.
"""

from dataclasses import dataclass

from semel.facts import instant_text
from semel.ports import EngineTx, Row
from semel.runtime import look, record
from semel.runtime.answers import answer
from semel.runtime.core import Core
from semel.runtime.fence import PAGE


@dataclass(frozen=True, slots=True)
class Settled:
    """What followed from the word: the instant up to which it holds, and the plans it frees."""

    host: str
    at: str
    handed_on: tuple[str, ...] = ()
    """Running plans that another process may have at once."""
    doubts: tuple[str, ...] = ()
    """Plans in doubt that have a send of this host; each settles when its bounds have passed."""


async def settle(core: Core, host: str, said_by: str, *, dry: bool = False) -> Settled:
    """Take somebody's word that *host* is gone for good.

    Args:
        core: the engine's parts.
        host: its name, as ``semel show`` has it of a send: before the first colon.
        said_by: who says so.
        dry: only say what it would come to.
    """

    def say(tx: EngineTx) -> str:
        at = instant_text(tx.now())
        tx.run("gone.insert", host=host, now=at, said_by=said_by)
        return at

    at = await core.look(lambda tx: instant_text(tx.now()))
    if not dry:
        at = await answer(core.store.submit(say, own=True))
    freed: list[str] = []
    doubts: list[str] = []
    after = ""
    while rows := await core.look(lambda tx: tx.all("plans.page", after=after, limit=PAGE)):  # noqa: B023 - it is read at once
        after = str(rows[-1]["plan"])
        for row in rows:
            if row["state"] == "running":
                freed += await _free(core, row, host, dry=dry)
            elif row["reason"] == "in_doubt" and await core.look(lambda tx: _sent(tx, row, host)):  # noqa: B023 - as above
                doubts.append(str(row["plan"]))
    return Settled(host, at, tuple(freed), tuple(doubts))


async def _free(core: Core, row: Row, host: str, *, dry: bool) -> list[str]:
    org, number = str(row["org"]), str(row["plan"])

    def work(tx: EngineTx) -> list[str]:
        stored = look.load(tx, org, number) if dry else look.lock(tx, org, number)
        owner = stored.plan.owner if stored is not None else None
        if stored is None or owner is None or owner.partition(":")[0] != host:
            return []
        if not dry:
            record.hand_on(tx, org, number, stored.plan.epoch)
        return [number]

    return await (core.look(work) if dry else core.transact("release", work))


def _sent(tx: EngineTx, row: Row, host: str) -> bool:
    stored = look.load(tx, str(row["org"]), str(row["plan"]))
    sends = [send for found in stored.sends.values() for send in found] if stored else []
    return any(send.open and send.sent_by.partition(":")[0] == host for send in sends)
