"""semel: a model proposes a plan, a person says yes once, every step runs exactly once."""

from semel.domain.action import (
    CONFIRM,
    SAFE,
    TYPED,
    Action,
    Ctx,
    Kind,
    Later,
    Made,
    Match,
    Missing,
    Preview,
    Risk,
    Row,
    Similar,
    Tx,
)
from semel.domain.doubt import Answer, DidNot, Happened, LookAgain, SendAnyway
from semel.domain.effect import Checked, Keyed, Local, Opaque
from semel.domain.keyring import Keyring
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
from semel.guard import CallRunning, Guard
from semel.inputs import Input, Line, Number, Ref
from semel.lend import django, sqlalchemy
from semel.open import Engine
from semel.ports import Clock, Entropy, Host

__all__ = [
    "CONFIRM",
    "SAFE",
    "TYPED",
    "Action",
    "Answer",
    "Ask",
    "Bug",
    "CallRunning",
    "CatalogError",
    "Checked",
    "Clock",
    "Ctx",
    "DidNot",
    "Engine",
    "Entropy",
    "Guard",
    "Happened",
    "Host",
    "InDoubt",
    "Input",
    "Invalid",
    "Keyed",
    "Keyring",
    "Kind",
    "Later",
    "Line",
    "Local",
    "LookAgain",
    "Made",
    "Match",
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
    "SendAnyway",
    "Similar",
    "StorageError",
    "Tx",
    "Who",
    "clear_yes",
    "django",
    "sqlalchemy",
]
