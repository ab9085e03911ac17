"""Where the pages of this application show a record."""

from urllib.parse import quote

PAGES = {"factura": "facturas", "semel.plan": "planes"}


def place(kind: str, id: str, label: str) -> str | None:
    """The page of a record, for the cards of its plans; None where a kind has none."""
    del label  # it is for reading, and may be somebody's words
    page = PAGES.get(kind)
    return None if page is None else f"/{page}/{quote(id, safe='')}"
