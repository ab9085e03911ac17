"""What the planner asks of the organization, and what it may answer."""

from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeAlias

from semel.facts import JSON

Period: TypeAlias = tuple[date, date]
"""From a day to another, both in it."""


class Lookup(Protocol):
    """What the planner may ask about the organization."""

    def contacts(self, name: str) -> list[tuple[str, str]]:
        """The id and full name of the contacts whose name begins with the words of *name*."""

    def invoices(self, number: str) -> list[tuple[str, str]]:
        """The id of the issued invoices with that number, and the id of each one's contact."""

    def expenses(self, words: str, period: Period | None) -> list[tuple[str, str]]:
        """The expenses that *words* name and that are of *period*, in order of date, then id.

        Each with its id and how a person would name it. Words name an expense when its concept or
        its supplier has them, whole and in their order; no words name all of them.
        """

    def today(self) -> date:
        """The day it is for the person."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, ready to be previewed: ``{"action", "input"}`` for each step."""

    steps: list[dict[str, JSON]]


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Why there is no plan: *detail* quotes the person, *choices* are what she may have meant."""

    reason: str  # one of wording.REASONS
    detail: str = ""
    choices: tuple[str, ...] = ()


Answer: TypeAlias = Planned | NotUnderstood


def step(action: str, **given: JSON) -> dict[str, JSON]:
    """A step of a plan."""
    return {"action": action, "input": given}


def reminders(invoice: str, days: list[int]) -> dict[str, JSON]:
    """The step that reminds of a payment, so many days before the invoice is due."""
    return step("factura.programar_recordatorios", factura=invoice, dias_antes=list(days))
