"""The assistant in a browser: a conversation on the left, the business on the right."""

from semel_facturas.web.application import application

__all__ = ["application"]
