"""One tool at a time: a guard around a function, and the scan that says where one is needed."""

from semel.guard.answer import Answer, CallRunning, NoSession
from semel.guard.guard import Guard, Guarded
from semel.guard.value import Unkept

__all__ = ["Answer", "CallRunning", "Guard", "Guarded", "NoSession", "Unkept"]
