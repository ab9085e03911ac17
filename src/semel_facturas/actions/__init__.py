"""What a plan may do to the books, one file per family."""

from semel import Action
from semel_facturas.actions.cobro import AvisarCobro, RegistrarCobro
from semel_facturas.actions.contacto import ActualizarContacto, CrearContacto
from semel_facturas.actions.contacto_borrar import BorrarContactos
from semel_facturas.actions.correo import BY_MAIL, Enviar, Post, within
from semel_facturas.actions.factura import CrearBorrador, Emitir
from semel_facturas.actions.gasto import BorrarGastos, CrearGasto
from semel_facturas.actions.recordatorio import (
    CancelarRecordatorios,
    ProgramarRecordatorios,
    Recordatorio,
)


def actions(post: Post, deadline: float | None = None) -> list[Action]:
    """Every action of the application.

    Args:
        post: carries the e-mails.
        deadline: seconds that handing one over may take; 30 unless it is said.
    """
    all_of_them: list[Action] = [
        CrearContacto(),
        ActualizarContacto(),
        BorrarContactos(),
        CrearBorrador(),
        Emitir(),
        Enviar(post),
        RegistrarCobro(),
        AvisarCobro(post),
        ProgramarRecordatorios(),
        CancelarRecordatorios(),
        Recordatorio(post),
        CrearGasto(),
        BorrarGastos(),
    ]
    if deadline is not None:
        for action in all_of_them:
            if action.effect == BY_MAIL:
                within(action, deadline)
    return all_of_them


__all__ = ["Post", "actions"]
