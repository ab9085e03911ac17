"""The assistant: a loop around a model that can propose plans and look things up, and nothing else.

Without an account it works all the same: the model is then a grammar, openly so, in the same loop
with the same tools and the same memory.
"""

from semel_facturas.assistant.answering import Assistant
from semel_facturas.assistant.choice import models
from semel_facturas.assistant.saying import Shown

__all__ = ["Assistant", "Shown", "models"]
