"""What the facts of the actions are called on a card, in both languages."""

from collections.abc import Mapping

NAMES: Mapping[str, Mapping[str, str]] = {
    "aviso": {"es": "Aviso", "en": "Warning"},
    "base": {"es": "Base imponible", "en": "Taxable base"},
    "cambios": {"es": "Cambios", "en": "Changes"},
    "cliente": {"es": "Cliente", "en": "Customer"},
    "concepto": {"es": "Concepto", "en": "Concept"},
    "contacto": {"es": "Contacto", "en": "Contact"},
    "correo": {"es": "Email", "en": "E-mail"},
    "creado": {"es": "Creada", "en": "Created"},
    "cuando": {"es": "Cuándo", "en": "When"},
    "cuantos": {"es": "Cuántos", "en": "How many"},
    "direccion": {"es": "Dirección", "en": "Address"},
    "email": {"es": "Email", "en": "E-mail"},
    "estado": {"es": "Estado", "en": "State"},
    "fecha": {"es": "Fecha", "en": "Date"},
    "importe": {"es": "Importe", "en": "Amount"},
    "iva": {"es": "IVA", "en": "VAT"},
    "lista": {"es": "Lista", "en": "List"},
    "medio": {"es": "Medio de pago", "en": "Means of payment"},
    "nif": {"es": "NIF", "en": "Tax id"},
    "nombre": {"es": "Nombre", "en": "Name"},
    "nombres": {"es": "Nombres", "en": "Names"},
    "numero": {"es": "Número", "en": "Number"},
    "para": {"es": "Dirección", "en": "Address"},
    "pendiente": {"es": "Por cobrar", "en": "Outstanding"},
    "plazo": {"es": "Días de plazo", "en": "Days to pay"},
    "plazo_pago_dias": {"es": "Días de plazo", "en": "Days to pay"},
    "serie": {"es": "Serie", "en": "Series"},
    "total": {"es": "Total", "en": "Total"},
    "vence": {"es": "Vence", "en": "Due"},
}
"""An action may call one of its own otherwise, where that says more."""


def named(*facts: str) -> dict[str, Mapping[str, str]]:
    """The names of some facts, for an action's ``names``."""
    return {fact: NAMES[fact] for fact in facts}
