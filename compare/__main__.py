"""``python -m compare``: how small libraries for the same job fare beside semel.

Each peer is installed into an environment of its own, every scenario is played several times, and
the table goes to standard output and into docs/compare.md; progress goes to standard error. Exit:
0 done, 2 it was asked wrongly or cannot run here.
"""

import argparse
import sys
from collections.abc import Sequence

from compare import report
from compare.play import AT_ONCE, Asked, play, to_stderr
from compare.registry import Peer, peers
from compare.scenarios import ANSWER_SECONDS, LEASE_SECONDS, SCENARIOS

REPEATS = 3

TOLD = f"""scenarios, the columns of the table:
{chr(10).join(f"  {name:<15}{one.play.__doc__}" for name, one in SCENARIOS.items())}

A cell has the number of effects, and what each caller was told: its result, an exception's name,
the peer's own word, or "blocked" where it had no answer in {ANSWER_SECONDS:.0f} s. Leases are
{LEASE_SECONDS:.0f} s wherever a peer lets us choose.
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    told = argparse.ArgumentParser(
        prog="python -m compare",
        description="Run the peers that are listed, and write the table of docs/compare.md.",
        epilog=TOLD,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    told.add_argument("--list", action="store_true", help="the peers, and nothing is run")
    told.add_argument(
        "--only", metavar="PEER", action="append", help="this peer; the other rows stay as they are"
    )
    told.add_argument(
        "--scenario", choices=SCENARIOS, action="append", help="only this one; nothing is written"
    )
    told.add_argument("--repeats", type=_few, default=REPEATS, help="how often (default: 3)")
    told.add_argument("--at-once", type=_few, default=AT_ONCE, help="how many (default: 3)")
    return told


def _few(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 100:
        raise ValueError(text)
    return number


_few.__name__ = "number from 1 to 100"


def main(words: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    told = parser()
    given = told.parse_args(words)
    known = peers()
    if given.list:
        sys.stdout.write("".join(f"{_told(peer)}\n" for peer in known))
        return 0
    chosen = [peer for peer in known if peer.name in (given.only or [peer.name])]
    strange = {*(given.only or [])} - {peer.name for peer in known}
    if strange:
        told.error(f"there is no peer called {', '.join(sorted(strange))}; --list names them.")
    if not given.only:
        chosen = [peer for peer in chosen if not peer.waits]
    try:
        report.pasted(report.PAGE.read_text("utf-8"), [])
    except report.NoPlace as no:
        sys.stderr.write(f"{no}\n")
        return 2
    scenarios = given.scenario or [*SCENARIOS]
    found = play(Asked(chosen, given.repeats, scenarios, given.at_once), to_stderr)
    if given.scenario:
        sys.stdout.write("".join(f"{line}\n" for line in report.table(chosen, found)))
        return 0
    kept = {**report.read(), **found}
    rows = [peer.key(row) for peer in known for row in peer.rows]
    kept = {key: kept[key] for key in rows if key in kept}
    report.write(kept)
    lines = [*report.table(known, kept)]
    page = report.pasted(report.PAGE.read_text("utf-8"), lines)
    report.PAGE.write_text(page, encoding="utf-8")
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _told(peer: Peer) -> str:
    ways = ", ".join(row.variant for row in peer.rows)
    return f"{peer.name:<26}{peer.version:<9}{peer.store:<12}{ways}"


if __name__ == "__main__":
    sys.exit(main())
