"""What the offline planner makes of a person's sentence, with the organization's books at hand."""

from zoneinfo import ZoneInfo

from semel import Engine, Tx, Who
from semel_facturas import planner
from semel_facturas.books import organizations
from semel_facturas.lookup import Books

STRANGER = {
    "es": "No tienes acceso a esta organización. No se ha hecho nada.",
    "en": "You have no access to this organization. Nothing was done.",
}


async def planned(engine: Engine, who: Who, text: str) -> planner.Planned | str:
    """The plan that a sentence asks for; or, when it is none, a sentence that says why."""

    def work(tx: Tx) -> planner.Planned | planner.NotUnderstood | None:
        if organizations.role(tx, who.org, who.person) is None:
            return None
        found = organizations.organization(tx, who.org)
        zone = found.zone if found else "Europe/Madrid"
        today = engine.now().astimezone(ZoneInfo(zone)).date()
        return planner.plan(text, who.locale, Books(tx, who.org, today))

    read = await engine.read(work)
    if read is None:
        # The planner looks names up; to a stranger not even a contact's name is confirmed.
        return STRANGER["es" if who.locale == "es" else "en"]
    return read if isinstance(read, planner.Planned) else planner.sentence(read, who.locale)
