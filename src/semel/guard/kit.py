"""What a guard's calls work with, and what is known of one guarded tool."""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from semel.domain.effect import Effect, Local
from semel.domain.key import uuid7
from semel.facts import instant_text
from semel.guard.arguments import Arguments
from semel.guard.call import Call, CallState
from semel.guard.calls import Calls
from semel.guard.observe import Counter
from semel.guard.seen import Glance, Seen
from semel.guard.value import Values
from semel.ports import Clock, Entropy, Host

log = logging.getLogger("semel.guard")

DONE = CallState.DONE

AHEAD_SECONDS = 60.0
"""What answers for longer is known to, without the present instant being written out: most calls
answer for a day."""

GRACE_SECONDS = 10.0
"""For pauses around a send: a busy disk, a collected heap."""


@dataclass(frozen=True, slots=True)
class Kit:
    """A guard's parts."""

    calls: Calls
    clock: Clock
    entropy: Entropy
    host: Host
    counter: Counter
    here: dict[str, "Future[None]"] = field(default_factory=dict)
    """The calls that are being made in this process, by key: each ends when its call does."""

    soon: list[tuple[datetime, str]] = field(default_factory=list)
    """An instant that has not come, and its text: of most calls it tells that they still answer."""

    def still_answers(self, seen: Seen | Glance) -> bool:
        """Whether a call is done and still answers for its intent."""
        if seen.state != DONE:
            return False
        now, until = self.clock.now(), seen.keep_until or ""
        for soon, text in self.soon:
            if now < soon and text < until:
                return True
        # It ends sooner, or that instant has come.
        later = now + timedelta(seconds=AHEAD_SECONDS)
        self.soon[:] = [(later, instant_text(later))]
        return until > instant_text(now)

    def now(self) -> str:
        """The present instant as text."""
        return instant_text(self.clock.now())

    def after(self, seconds: float) -> str:
        """The instant text of *seconds* from now."""
        return instant_text(self.clock.now() + timedelta(seconds=seconds))

    def new_id(self) -> str:
        """A fresh UUIDv7 as text."""
        return uuid7(int(self.clock.now().timestamp() * 1000), self.entropy.bytes(10))


Check = Callable[[Sequence[str]], Any]
Void = Callable[[Sequence[str]], Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A guarded function and what was said of it."""

    name: str
    function: Callable[..., Any]
    effect: Effect
    arguments: Arguments
    values: Values
    window: float
    wait: float
    timeout: float | None
    observe: bool
    is_async: bool
    check: Check | None = None
    void: Void | None = None
    not_done: tuple[type[BaseException], ...] = ()
    """Exceptions of the function's own that prove that nothing happened."""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    is_local: bool = field(init=False)
    """Whether its effect and its record are one transaction."""
    keeps: timedelta = field(init=False)
    """How long its end answers for its intent: the window."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "keeps", timedelta(seconds=self.window))
        object.__setattr__(self, "is_local", isinstance(self.effect, Local))


class Ended(NamedTuple):
    """What a call came to, for whoever asked."""

    call: Call
    replayed: bool = False
    """It was asked for before: what is said of it was done then."""
    error: BaseException | None = None
    """What the function raised, in this very call."""
    value: Any = None
    fresh: bool = False
    """``value`` is what the function has just returned."""
