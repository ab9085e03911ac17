"""A card with room, as data: what a web page draws of an outcome, and where it may be pressed.

``sheet(outcome, voice)`` is pure; a channel turns the :class:`Sheet` into its own marks. Its words
are semel's and the actions', never a model's.
"""

from semel.channels.cards.figures import Links
from semel.channels.cards.kept import keep, kept
from semel.channels.cards.parts import Button, Sheet, State
from semel.channels.cards.sheet import nowhere, sheet

__all__ = ["Button", "Links", "Sheet", "State", "keep", "kept", "nowhere", "sheet"]
