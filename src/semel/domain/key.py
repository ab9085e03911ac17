"""Keys: pointers from a request to its plan, derived by the engine and never sent by anybody.

A key is taken over an array, so no splitting of text over its parts can make two of them equal.
Each layer stops one source of repeats; ``docs/keys.md`` specifies them.
"""

from enum import StrEnum
from functools import lru_cache
from hashlib import sha256

from semel.domain.canonical import NotCanonical, blank, digest_of_lists, jcs, normal, spelled
from semel.facts import JSON


class Layer(StrEnum):
    """What a key stops."""

    ACT = "act"
    """The model calling twice, in parallel or after its loop was restored."""
    LATER = "later"
    """The same being planned for the same time twice."""


LABEL = "semel.key.v1"


def key(layer: Layer, org: str, *parts: JSON) -> str:
    """The key of a request, in hex.

    Raises:
        NotCanonical: a part is missing or blank.
    """
    given = [org, *parts]
    text = spelled([LABEL, str(layer), *given])
    if text is None:
        given = [normal(part) for part in given]
        text = jcs([LABEL, str(layer), *given])
    if blank(given):
        raise NotCanonical("A key with a missing part would be shared by strangers.")
    return sha256(text).hexdigest()


def act_key(org: str, person: str, conversation: str, message: str, plan: JSON) -> str:
    """The key of what a person's message led a model to propose."""
    return key(Layer.ACT, org, person, conversation, message, plan)


def later_key(org: str, action: str, given: JSON, not_before: str) -> str:
    """The key of a step planned for later: once for each action, input and instant."""
    return key(Layer.LATER, org, action, given, not_before)


def send_key(step: str, attempt: str) -> str:
    """The key of one send, where each can be closed by itself: the step's and the send's own id."""
    return digest_of_lists("semel.send.v1", step, attempt)[:32]


@lru_cache(1000)
def step_key(org: str, plan: str, position: int, round_: int) -> str:
    """What the other side may tell repeats by: stable over re-sends and take-overs of one round.

    A round is an attempt at the plan; after a proof that nothing happened the next one has a new
    key, since a provider may replay a refusal.
    """
    return digest_of_lists("semel.step.v1", org, plan, position, round_)[:32]


VARIANTS = "89ab"
"""The hexadecimal digits that begin with the two bits of the variant."""


def uuid7(milliseconds: int, random: bytes) -> str:
    """A UUIDv7 as text (RFC 9562, section 5.7) from a time and ten random bytes."""
    time, chance = f"{milliseconds & (2**48 - 1):012x}", random.hex()
    variant = VARIANTS[random[2] >> 4 & 3]
    return f"{time[:8]}-{time[8:]}-7{chance[1:4]}-{variant}{chance[5:8]}-{chance[8:20]}"
