"""What the judge asks the books in several scenes, and the invoice of all of them."""

import json

from .ledger import World

INVOICES = (
    "SELECT number, base, vat, total, due_date, issue_date FROM invoices WHERE state = 'issued'"
)
FIRST = ("2026-0001", "500.00", "105.00", "605.00", "2026-11-18", "2026-10-19")
STEPS = "SELECT state, reason FROM semel_steps WHERE plan = ? ORDER BY position"
PLAN = "SELECT state, reason FROM semel_plans WHERE plan = ?"
EVENTS = "SELECT kind FROM semel_events WHERE plan = ? ORDER BY seq"


def issued_once(world: World) -> dict[str, bool]:
    """What holds when the sentence was said once and confirmed once."""
    plan = world.said("ask")[0]["plan"]
    shown = world.show(plan)
    mails = world.mails()
    text = mails[0].get_content() if len(mails) == 1 else ""
    key = str(mails[0]["Message-ID"]).strip("<>") if mails else ""
    sent = [json.loads(r) for (r,) in world.rows(
        "SELECT result FROM semel_steps WHERE plan = ? AND position = 3", plan) if r]  # fmt: skip
    return {
        "one invoice, 2026-0001, 605.00, due 18/11/2026": world.rows(INVOICES) == [FIRST],
        "one e-mail, to maria@carmona.example": [str(m["To"].addresses[0].addr_spec) for m in mails]
        == ["maria@carmona.example"],
        "the e-mail has lines and totals": all(
            part in text for part in ("2026-0001", "500,00 €", "105,00 €", "605,00 €", "18/11/2026")
        ),
        "the step's result is that e-mail's Message-ID": [s["id"] for s in sent] == [key],
        "semel show: ended, finished, three steps done, one send": (
            shown["state"] == "ended"
            and shown["reason"] == "finished"
            and [s["state"] for s in shown["steps"]] == ["done"] * 3
            and shown["steps"][2]["sends"] == 1
        ),
        "asked once": world.rows("SELECT count(*) FROM semel_confirmations") == [(1,)],
    }
