"""approval-ledger: an action that is approved once, and dispatched by every caller.

Its actions have random ids, so callers share one action's as an application would store it.
"""

import sqlite3
import threading
from pathlib import Path

from approval_ledger import SQLiteLedger

from compare.caller import Call, Said, Setting, serve


def approved(path: Path, place: Path, order: str) -> str:
    """The action of this order; the first one who asks creates and approves it."""
    if not place.exists():
        ledger = SQLiteLedger(path)
        action = ledger.create_action({"order": order})
        ledger.approve(action.id, action.digest, approver="editor@example.test")
        ledger.close()
        place.write_text(action.id, encoding="utf-8")
    return place.read_text("utf-8")


def prepare(setting: Setting) -> Call:
    """The tool, as a dispatch."""
    path = setting.path("ledger.db")
    action = approved(path, setting.path("action"), setting.order)
    mine = threading.local()

    def call() -> str:
        # A ledger is a connection of sqlite3, which belongs to the thread that opened it.
        if not hasattr(mine, "ledger"):
            mine.ledger = SQLiteLedger(path)
        try:
            receipt = mine.ledger.dispatch(action, lambda *_: setting.effect())
        except sqlite3.OperationalError as no:
            raise Said(f"sqlite3: {no}") from no
        if receipt.status == "completed" and receipt.external_id:
            return str(receipt.external_id)
        raise Said(receipt.status, done=receipt.status == "completed")

    return call


if __name__ == "__main__":
    serve(prepare)
