"""What a plan may do to the books, one file per family."""

from semel import Action
from semel_facturas.actions.correo import Enviar, Post
from semel_facturas.actions.factura import CrearBorrador, Emitir
from semel_facturas.actions.gasto import CrearGasto


def actions(post: Post) -> list[Action]:
    """Every action of the application; *post* carries the e-mails."""
    return [CrearBorrador(), Emitir(), Enviar(post), CrearGasto()]


__all__ = ["Post", "actions"]
