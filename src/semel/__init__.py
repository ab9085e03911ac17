"""semel: a model proposes a plan, a person says yes once, every step runs exactly once."""

from semel.domain.action import (
    CONFIRM,
    SAFE,
    TYPED,
    Action,
    Ctx,
    Kind,
    Local,
    Made,
    Missing,
    Opaque,
    Preview,
    Risk,
    Row,
    Tx,
)
from semel.domain.consent import Keyring
from semel.domain.plan import Who
from semel.domain.reply import clear_yes
from semel.domain.report import Ask, Invalid, Outcome, Refused, Report, Running
from semel.errors import (
    Bug,
    CatalogError,
    InDoubt,
    NotDone,
    SemelError,
    StorageError,
)
from semel.inputs import Input, Line, Number, Ref
from semel.open import Engine
from semel.ports import Clock, Entropy, Host

__all__ = [
    "CONFIRM",
    "SAFE",
    "TYPED",
    "Action",
    "Ask",
    "Bug",
    "CatalogError",
    "Clock",
    "Ctx",
    "Engine",
    "Entropy",
    "Host",
    "InDoubt",
    "Input",
    "Invalid",
    "Keyring",
    "Kind",
    "Line",
    "Local",
    "Made",
    "Missing",
    "NotDone",
    "Number",
    "Opaque",
    "Outcome",
    "Preview",
    "Ref",
    "Refused",
    "Report",
    "Risk",
    "Row",
    "Running",
    "SemelError",
    "StorageError",
    "Tx",
    "Who",
    "clear_yes",
]
