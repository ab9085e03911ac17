"""Where the pages of this application show a record."""

from urllib.parse import quote


def place(kind: str, id: str, label: str) -> str | None:
    """The page of a record, for the cards of its plans; None where a kind has none."""
    del label  # it is for reading, and may be somebody's words
    return f"/facturas/{quote(id, safe='')}" if kind == "factura" else None
