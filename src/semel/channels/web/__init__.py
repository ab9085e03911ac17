"""The web: a router for any FastAPI application, and the card that a person reads and decides on.

``router(engine, who=…)`` has the routes; ``card(…)`` draws a plan's card for a page of the
application's own. Who the person is, the application says; a request from a program that works for
a model is an :class:`Agent`, and nothing that decides is open to one.
"""

from semel.channels.web.card import Fragment, card, draw, fragment, sprite
from semel.channels.web.files import File
from semel.channels.web.gate import csrf, same_csrf
from semel.channels.web.operator import operator
from semel.channels.web.past import Traced, past, traced
from semel.channels.web.router import router
from semel.channels.web.shield import Shield
from semel.channels.web.visitor import Agent, Person

__all__ = [
    "Agent",
    "File",
    "Fragment",
    "Person",
    "Shield",
    "Traced",
    "card",
    "csrf",
    "draw",
    "fragment",
    "operator",
    "past",
    "router",
    "same_csrf",
    "sprite",
    "traced",
]
