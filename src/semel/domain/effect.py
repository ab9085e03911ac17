"""Where a step's effect happens: the five classes, each with a promise of its own."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """Where a step's effect happens, hence what can be proved about it after a crash."""


@dataclass(frozen=True, slots=True)
class Local(Effect):
    """Through ``ctx.tx``, in the engine's database: happened if and only if it is recorded."""


@dataclass(frozen=True, slots=True)
class Keyed(Effect):
    """Outside, where ``ctx.key`` tells repeats apart: once within the window, else in doubt.

    Args:
        ttl: seconds for which the other side remembers a key; None when it always does (a
            conditional request, or an own other database with the key in a unique column).
        deadline: seconds that ``run`` may take.
        delivery_bound: seconds after the deadline by which what was sent has arrived or never
            will: a minute for a request over one connection, more where something queues; None
            when nobody can say, and then a key that is ever forgotten is never used again.

    ``prepare`` of such an action is a function of its input and context alone: what is sent again
    is the same bytes or is not sent.
    """

    ttl: float | None
    deadline: float = 60
    delivery_bound: float | None = 60


@dataclass(frozen=True, slots=True)
class Checked(Effect):
    """Outside, where one can look afterwards: ``check(keys, ctx)`` finds what arrived, or None.

    Args:
        void: whether ``void(keys, ctx)`` closes keys for good: once it has returned nothing that
            was sent under them can arrive any more, and what arrived before stays. Then every
            send has a key of its own, and a step is run anew when it is proven not to have
            happened. Without it a step is sent at most once.
        deadline: seconds that ``run``, ``check`` and ``void`` may take.
        delivery_bound: seconds after the deadline by which what was sent has arrived or never
            will; None when nobody can say, and then "not found" never counts.
    """

    void: bool = False
    deadline: float = 60
    delivery_bound: float | None = None


@dataclass(frozen=True, slots=True)
class Opaque(Effect):
    """Outside, with nobody to ask (SMTP): at most once, and never silently unknown.

    Args:
        deadline: seconds that ``run`` may take.
        delivery_bound: seconds after the deadline by which what was sent has arrived or never
            will; None when nobody can say.
    """

    deadline: float = 60
    delivery_bound: float | None = None
