"""What a yes covers, and the seal that keeps it so.

A yes is bound to what was shown (the plan's digest), to the person, organization and conversation
it was shown to, and to a time. The record is authenticated with an HMAC under a key derived for
this one purpose (HKDF, RFC 5869); the token that a person holds is derived again when it is shown
and is never stored.
"""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from semel.domain.canonical import digest, digest_of_lists, jcs_of_lists, sha256_text
from semel.domain.keyring import Keyring, Purpose
from semel.domain.plan import PlanRow, StepRow, Terms, Who
from semel.facts import JSON, Fact, instant_text, read_facts, read_instant, store_facts

CONFIRM_TTL = timedelta(minutes=10)
"""How long a question stands. Ten minutes is a coffee, not a lunch: later the figures on the card
are memories, and asking again is cheap."""

UNDO_TTL = timedelta(hours=1)
"""How long what was done can be taken back by a button: long enough to notice a slip in the books,
short enough that nobody has built on them yet."""

PLAIN = Terms()
"""The terms of a plan that was proposed for a person's message."""

TOKEN_PREFIX = "smlc_"  # noqa: S105 - a prefix for filters and secret scanners, not a secret
NONCE_BYTES = 24


class Question(StrEnum):
    """What a confirmation answers; kinds never mix."""

    CONFIRM = "confirm"
    RETRY = "retry"
    """Do what is left, with the facts of now."""
    UNDO = "undo"
    """Take back what was done."""


@dataclass(frozen=True, slots=True)
class RefFact:
    """What a reference gave: a row of the plan's own making (``$n``), or a record and version."""

    path: str
    kind: str
    id: str
    version: str | None

    def plain(self) -> JSON:
        """As digested; the version of the plan's own rows is checked beside, not digested."""
        return [self.path, self.kind, self.id, self.version]


def facts_digest(
    org: str,
    plan: str,
    position: int,
    action_version: int,
    facts: Mapping[str, JSON],
    refs: Sequence[RefFact],
) -> str:
    """The digest of everything material that a step's preview showed, of facts as stored."""
    material = _material(facts)
    given: Any = [ref.plain() for ref in refs]
    # Facts hold text and whole numbers, so only their names may be spelled in another order.
    of: Callable[..., str] = digest_of_lists if "".join(material).isascii() else digest
    return of("semel.facts.v1", org, plan, position, action_version, material, given)


def _material(facts: Mapping[str, Any]) -> dict[str, JSON]:
    return {name: fact for name, fact in facts.items() if "volatile" not in fact}


def plan_digest(org: str, plan: str, steps: Sequence[StepRow]) -> str:
    """The digest of what is stored and shown: each step's action, input, preview and facts."""
    lines = [
        [
            step.position,
            step.action,
            step.action_version,
            step.effect,
            sha256_text(step.input),
            sha256_text(step.preview),
            step.facts_digest,
            int(step.risk),
            sha256_text(step.later) if step.later is not None else None,
            sha256_text(step.similar) if step.similar is not None else None,
        ]
        for step in steps
    ]
    return digest_of_lists("semel.plan.v1", org, plan, lines)


def seal_plan(
    keys: Keyring, kid: str, who: Who, plan: str, plan_hash: str, terms: Terms = PLAIN
) -> str | None:
    """The plan's seal, checked before each step: editing what is stored breaks it.

    It covers the person and the conversation too, since a retry, an undo and a later plan run long
    after the question that named them; and the terms, without which an undo would be another plan
    and a reminder would come to whoever has paid.
    """
    parts = [who.org, who.person, who.conversation, plan, plan_hash, str(terms.kind)]
    when = [terms.parent, terms.not_before, terms.not_after, terms.unless]
    mac = keys.mac(kid, Purpose.PLAN, jcs_of_lists([*parts, *when]))
    return mac.hex() if mac else None


def plan_intact(keys: Keyring, plan: PlanRow, steps: Sequence[StepRow]) -> bool:
    """Whether the stored plan and steps are the ones that were sealed."""
    digest_now = plan_digest(plan.org, plan.plan, steps)
    expected = seal_plan(keys, plan.kid, plan.who, plan.plan, digest_now, plan.terms)
    return expected is not None and _equal(expected, plan.seal)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question put to one person, as stored."""

    org: str
    id: str
    nonce: bytes
    kid: str
    question: Question
    plan: str
    version: int
    epoch: int
    """The plan's epoch when it was put: an offer of an earlier one is worth nothing."""
    digest: str
    person: str
    conversation: str
    expires_at: str
    mac: str
    used_at: str | None = None
    press: str | None = None
    """Which press used it, or is about to."""
    revoked_at: str | None = None

    def sealed(self) -> bytes:
        """Everything that the MAC covers."""
        parts: list[str | int] = ["semel.confirmation.v1", self.org, self.id, self.nonce.hex()]
        parts += [self.kid, str(self.question), self.plan, self.version, self.epoch, self.digest]
        parts += [self.person, self.conversation, self.expires_at]
        return jcs_of_lists(parts)

    def mac_by(self, keys: Keyring) -> str | None:
        """The MAC that belongs on the record."""
        mac = keys.mac(self.kid, Purpose.CONFIRMATION, self.sealed())
        return mac.hex() if mac else None


def _equal(one: str, other: str) -> bool:
    """Whether they are equal, in constant time; a row may hold any letters that were written."""
    return hmac.compare_digest(one.encode(), other.encode())


def token_of(keys: Keyring, confirmation: Confirmation) -> str | None:
    """The token of a question: derived, so that a reload shows the same live button."""
    message = jcs_of_lists([confirmation.org, confirmation.id, confirmation.nonce.hex()])
    mac = keys.mac(confirmation.kid, Purpose.TOKEN, message)
    return TOKEN_PREFIX + urlsafe_b64encode(mac[:24]).decode() if mac else None


def token_hash(token: str) -> str:
    """What the record keeps of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Verdict(StrEnum):
    """What a presented token is worth."""

    GOOD = "good"
    TAMPERED = "tampered"
    MISMATCH = "mismatch"
    EXPIRED = "expired"
    USED = "used"
    REVOKED = "revoked"
    """A newer plan took its place, or the person said no."""


def judge(
    confirmation: Confirmation,
    keys: Keyring,
    who: Who,
    question: Question,
    plan_hash: str,
    now: str,
) -> Verdict:
    """Judge a presented token, in this order; a mismatch consumes nothing.

    Args:
        confirmation: the record that the token's hash found in *who*'s organization.
        keys: the keyring.
        who: who presents it, and where.
        question: what they want it for.
        plan_hash: the plan's digest, taken anew from its stored steps.
        now: the database's clock, as instant text.
    """
    mac = confirmation.mac_by(keys)
    if mac is None or not _equal(mac, confirmation.mac):
        return Verdict.TAMPERED
    # A revoked question may be of figures that have been shown anew since: it is old, not forged.
    if confirmation.revoked_at is None and not _equal(plan_hash, confirmation.digest):
        return Verdict.TAMPERED
    bound = (
        confirmation.org,
        confirmation.person,
        confirmation.conversation,
        confirmation.question,
    )
    if bound != (who.org, who.person, who.conversation, question):
        return Verdict.MISMATCH
    if confirmation.used_at is not None:
        return Verdict.USED
    if read_instant(confirmation.expires_at) <= read_instant(now):
        return Verdict.EXPIRED
    if confirmation.revoked_at is not None:
        return Verdict.REVOKED
    return Verdict.GOOD


def expiry(now: str) -> str:
    """When a question or a retry that is offered now is no longer worth an answer."""
    return instant_text(read_instant(now) + CONFIRM_TTL)


def undo_expiry(ended_at: str) -> str:
    """Until when what ended then can be taken back."""
    return instant_text(read_instant(ended_at) + UNDO_TTL)


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that changed between what was shown and what is."""

    position: int
    name: str
    shown: Fact | None
    now: Fact | None

    def plain(self) -> JSON:
        """As stored with the step."""
        shown = store_facts({"fact": self.shown}) if self.shown else None
        now = store_facts({"fact": self.now}) if self.now else None
        return [self.name, shown and shown["fact"], now and now["fact"]]

    @classmethod
    def read(cls, position: int, stored: JSON) -> "Difference":
        """The inverse of :meth:`plain`.

        Raises:
            ValueError: it is not one.
        """
        match stored:
            case [str(name), shown, now]:
                return cls(position, name, _kept(shown), _kept(now))
        raise ValueError("A stored difference is a name, what was shown and what is.")


def differences(
    position: int, shown: Mapping[str, Fact], now: Mapping[str, Fact]
) -> list[Difference]:
    """The material facts of a step that are no longer what was shown."""
    return [
        Difference(position, name, shown.get(name), now.get(name))
        for name in sorted({*shown, *now})
        if shown.get(name) != now.get(name)
        and not all(f is None or f.volatile for f in (shown.get(name), now.get(name)))
    ]


def _kept(stored: JSON) -> Fact | None:
    return None if stored is None else read_facts({"fact": stored})["fact"]


def later_digest(
    action: str, version: int, when: Sequence[str | None], given: JSON, facts: Mapping[str, JSON],
    refs: Sequence[RefFact],
) -> str:  # fmt: skip
    """The digest of a step that is planned for later: part of what the yes covers.

    Args:
        action: its name.
        version: the action's version.
        when: not before, not after, and the name of the condition.
        given: its input without the references.
        facts: what its preview shows, as stored.
        refs: what its references gave; what the plan itself made is ``$n``.
    """
    material = _material(facts)
    pointed: list[JSON] = [ref.plain() for ref in refs]
    return digest("semel.later.v1", action, version, list(when), given, material, pointed)
