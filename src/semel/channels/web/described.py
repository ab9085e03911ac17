"""What the router's answers are, for its OpenAPI description."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program is told: the state of the world, then what it may do. It holds no token."""

    status: Literal[
        "done",
        "already_done",
        "running",
        "in_doubt",
        "not_done",
        "partial",
        "needs_person",
        "invalid",
        "expired",
        "cancelled",
        "refused",
    ]
    says: str
    next: Literal["nothing", "ask_person", "wait_person", "poll"]
    plan: str | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A plan's card as its person sees it at one event of the plan."""

    plan: str
    seq: int
    """The plan's last event that the card shows; what is drawn of an earlier one is older."""
    state: str
    announce: str
    html: str
    final: bool
    """Nothing more will happen by itself."""
    left: int | None
    """Seconds until a question that stands ends."""


@dataclass(frozen=True, slots=True)
class Came:
    """What a decision came to."""

    status: str
    says: str
    next: str
    plan: str | None
    replayed: bool


@dataclass(frozen=True, slots=True)
class Decided(Snapshot):
    """The card after a decision about it, and what the decision came to."""

    outcome: Came


def told(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route."""
    why = {
        401: "Nobody is signed in.",
        403: "An agent's credential, another site's form, or one of another session.",
        404: "It does not exist, or not for this person.",
        409: "Nothing was done; the answer says why.",
        413: "The body is too long.",
        415: "The body is neither a form nor JSON.",
        422: "The body cannot be read.",
    }
    return {status: {"model": Answer, "description": why[status]} for status in statuses}


TOKEN = {"type": "string", "description": "What the button carried.", "maxLength": 200}
CSRF = {"type": "string", "description": "What each form of the session carries."}
WORDS = {"type": "string", "description": "The typed words, where the card asks for them."}


def body(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    """A body that may come as a form or as JSON."""
    shape = {
        "schema": {
            "type": "object",
            "properties": {**properties, "csrf": CSRF},
            "required": [*required],
        }
    }
    kinds = ("application/x-www-form-urlencoded", "application/json")
    return {"requestBody": {"required": True, "content": dict.fromkeys(kinds, shape)}}


PROPOSAL = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "steps": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "action": {"type": "string"},
                                    "input": {"type": "object"},
                                },
                                "required": ["action", "input"],
                                "additionalProperties": False,
                            },
                            "minItems": 1,
                            "maxItems": 10,
                        },
                        "message": {
                            "type": "string",
                            "description": "The id of the person's message that led to it.",
                            "minLength": 1,
                        },
                        "sentence": {
                            "type": "string",
                            "description": "The person's words, kept with the plan.",
                        },
                        "csrf": CSRF,
                    },
                    "required": ["steps", "message"],
                    "additionalProperties": False,
                }
            }
        },
    }
}
