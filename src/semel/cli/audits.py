"""What `semel audit verify` prints: a sentence for each row that was edited, and a last line."""

import sys

from semel.cli.screen import write
from semel.domain.edited import Audit, Edited, Why
from semel.domain.plan import Who
from semel.open import Engine

PROGRESS_PLANS = 1_000
"""Plans between two lines of progress: about a second's work."""

WHY = {
    "en": {
        Why.CHANGED: "{of} is not what the plan's events tell.",
        Why.MISSING: "the plan's events tell of it, and it is not there.",
        Why.ADDED: "it is there, and no event of the plan tells of it.",
        Why.UNCHAINED: "it does not follow from the event before it.",
        Why.UNSIGNED: "the signature on the end of the plan's events is not of these.",
        Why.NO_KEY: "it was signed with the key {of}, which is not in the keyring.",
        Why.FORGED: "what it says is not what was sealed.",
        Why.LOST: "other rows belong to this plan, and it is not there.",
    },
    "es": {
        Why.CHANGED: "{of} no es lo que cuentan los eventos del plan.",
        Why.MISSING: "los eventos del plan la cuentan, y no está.",
        Why.ADDED: "está, y ningún evento del plan la cuenta.",
        Why.UNCHAINED: "no es el que sigue al evento anterior.",
        Why.UNSIGNED: "la firma del final de los eventos del plan no es de estos.",
        Why.NO_KEY: "se firmó con la clave {of}, que no está en el llavero.",
        Why.FORGED: "lo que dice no es lo que se selló.",
        Why.LOST: "otras filas son de este plan, y él no está.",
    },
}
"""Why a row was not left by the engine."""

OF = {
    "en": {"born": "what never changes", "shown": "what was shown"},
    "es": {"born": "lo que nunca cambia", "shown": "lo que se mostró"},
}
"""Columns of which one digest is told."""

DENIED = {
    "en": "Only who decides for others may audit; nothing was read.",
    "es": "Solo quien decide por otros puede auditar; no se ha leído nada.",
}

BLANKED = {"en": "bodies blanked: {count}", "es": "cuerpos en blanco: {count}"}


def sentence(found: Edited, locale: str) -> str:
    """Which row it is, and what does not fit."""
    names = [OF[locale].get(name, name) for name in found.of.split(", ")]
    why = WHY[locale][found.why].format(of=", ".join(names))
    place = " ".join(part for part in (found.org, found.plan, found.row) if part)
    # Whoever edits a row may have written anything in it.
    line = f"{found.table} {place}: {why}"
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in line)


async def verify(engine: Engine, who: Who | None, locale: str, *, json: bool) -> int:
    """Audit the whole database, or the organization of somebody who may decide there."""
    if who is None:
        return audited(await engine.operator.audit(Progress()), locale, json=json)
    found = await engine.person(who).audit()
    if found is not None:
        return audited(found, locale, json=json)
    if json:
        write({"plans": 0, "events": 0, "blanked": 0, "edited": [], "says": DENIED[locale]})
    else:
        print(DENIED[locale])
    return 1


def audited(audit: Audit, locale: str, *, json: bool) -> int:
    """Show what an audit found; the exit status."""
    if json:
        write(
            {
                "plans": audit.plans,
                "events": audit.events,
                "blanked": audit.blanked,
                "edited": [
                    {
                        "table": one.table,
                        "org": one.org,
                        "plan": one.plan,
                        "row": one.row,
                        "why": str(one.why),
                        "of": one.of,
                        "says": sentence(one, locale),
                    }
                    for one in audit.edited
                ],
            }
        )
        return 1 if audit.edited else 0
    for one in audit.edited:
        print(sentence(one, locale))
    if audit.blanked:
        print(BLANKED[locale].format(count=audit.blanked))
    print(f"audit: {audit.plans} plans, {audit.events} events, {len(audit.edited)} edited")
    return 1 if audit.edited else 0


class Progress:
    """Says now and then on the error stream how far a long audit has come."""

    def __init__(self) -> None:
        self._next = PROGRESS_PLANS

    def __call__(self, plans: int) -> None:
        """Take note that so many plans have been read."""
        if plans >= self._next:
            print(f"{plans} plans read …", file=sys.stderr)
            self._next = plans - plans % PROGRESS_PLANS + PROGRESS_PLANS
