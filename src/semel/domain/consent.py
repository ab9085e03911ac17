"""What a yes covers, and the seal that keeps it so.

A yes is bound to what was shown (the plan's digest), to the person, organization and conversation
it was shown to, and to a time. The record is authenticated with an HMAC under a key derived for
this one purpose (HKDF, RFC 5869); the token that a person holds is derived again when it is shown
and is never stored.
"""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from semel.domain.canonical import digest, jcs, sha256_text
from semel.domain.plan import StepRow, Who
from semel.errors import CatalogError
from semel.facts import JSON, Fact, instant_text, read_instant, store_facts

CONFIRM_TTL = timedelta(minutes=10)
"""How long a question stands. Ten minutes is a coffee, not a lunch: later the figures on the card
are memories, and asking again is cheap."""

TOKEN_PREFIX = "smlc_"  # noqa: S105 - a prefix for filters and secret scanners, not a secret
NONCE_BYTES = 24


class Purpose(StrEnum):
    """What a derived key is for; one key never serves two purposes."""

    TOKEN = "semel.token.v1"  # noqa: S105 - a label
    CONFIRMATION = "semel.confirmation.v1"
    PLAN = "semel.plan.v1"


class Question(StrEnum):
    """What a confirmation answers; kinds never mix."""

    CONFIRM = "confirm"


@dataclass(frozen=True, slots=True)
class Keyring:
    """Signing keys by id: the first one signs, every one still verifies."""

    keys: tuple[tuple[str, bytes], ...]

    def __post_init__(self) -> None:
        if not self.keys or any(len(secret) < 32 for _, secret in self.keys):
            raise CatalogError("A signing key has at least 32 bytes, and there is at least one.")
        if len({kid for kid, _ in self.keys}) != len(self.keys):
            raise CatalogError("Every signing key has an id of its own.")

    def __repr__(self) -> str:
        return f"Keyring({', '.join(kid for kid, _ in self.keys)})"

    @property
    def newest(self) -> str:
        """The id of the key that signs."""
        return self.keys[0][0]

    def mac(self, kid: str, purpose: Purpose, message: bytes) -> bytes | None:
        """HMAC-SHA-256 under the key of that id and purpose, or None when the key is gone."""
        for name, secret in self.keys:
            if name == kid:
                derived = hkdf(secret, purpose.encode())
                return hmac.digest(derived, message, "sha256")
        return None


def hkdf(secret: bytes, info: bytes) -> bytes:
    """HKDF-SHA-256 with an empty salt and one block of output (RFC 5869): 32 bytes."""
    extracted = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


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
    facts: Mapping[str, Fact],
    refs: Sequence[RefFact],
) -> str:
    """The digest of everything material that a step's preview showed."""
    material = store_facts({name: fact for name, fact in facts.items() if not fact.volatile})
    given: list[JSON] = [ref.plain() for ref in refs]
    return digest("semel.facts.v1", org, plan, position, action_version, material, given)


def plan_digest(org: str, plan: str, steps: Sequence[StepRow]) -> str:
    """The digest of what is stored and shown: each step's action, input, preview and facts."""
    lines: list[JSON] = [
        [
            step.position,
            step.action,
            step.action_version,
            step.effect,
            sha256_text(step.input),
            sha256_text(step.preview),
            step.facts_digest,
            int(step.risk),
        ]
        for step in steps
    ]
    return digest("semel.plan.v1", org, plan, lines)


def seal_plan(keys: Keyring, kid: str, org: str, plan: str, plan_hash: str) -> str | None:
    """The plan's seal, checked before each step: editing what is stored breaks it."""
    mac = keys.mac(kid, Purpose.PLAN, jcs([org, plan, plan_hash]))
    return mac.hex() if mac else None


def plan_intact(
    keys: Keyring, kid: str, org: str, plan: str, seal: str, steps: Sequence[StepRow]
) -> bool:
    """Whether the stored steps are the ones that were sealed."""
    expected = seal_plan(keys, kid, org, plan, plan_digest(org, plan, steps))
    return expected is not None and hmac.compare_digest(expected, seal)


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
    digest: str
    person: str
    conversation: str
    expires_at: str
    mac: str
    used_at: str | None = None
    revoked_at: str | None = None

    def sealed(self) -> bytes:
        """Everything that the MAC covers."""
        parts: list[JSON] = ["semel.confirmation.v1", self.org, self.id, self.nonce.hex(), self.kid]
        parts += [str(self.question), self.plan, self.version, self.digest]
        parts += [self.person, self.conversation, self.expires_at]
        return jcs(parts)

    def mac_by(self, keys: Keyring) -> str | None:
        """The MAC that belongs on the record."""
        mac = keys.mac(self.kid, Purpose.CONFIRMATION, self.sealed())
        return mac.hex() if mac else None


def token_of(keys: Keyring, confirmation: Confirmation) -> str | None:
    """The token of a question: derived, so that a reload shows the same live button."""
    message = jcs([confirmation.org, confirmation.id, confirmation.nonce.hex()])
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
    if mac is None or not hmac.compare_digest(mac, confirmation.mac):
        return Verdict.TAMPERED
    # A revoked question may be of figures that have been shown anew since: it is old, not forged.
    if confirmation.revoked_at is None and not hmac.compare_digest(plan_hash, confirmation.digest):
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
    """When a question put now is no longer worth an answer."""
    return instant_text(read_instant(now) + CONFIRM_TTL)


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that changed between what was shown and what is."""

    position: int
    name: str
    shown: Fact | None
    now: Fact | None


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
