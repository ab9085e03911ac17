"""Signing keys: a ring of them, and one key derived for each purpose (HKDF, RFC 5869)."""

import hmac
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from semel.errors import CatalogError


class Purpose(StrEnum):
    """What a derived key is for; one key never serves two purposes."""

    TOKEN = "semel.token.v1"  # noqa: S105 - a label
    CONFIRMATION = "semel.confirmation.v1"
    PLAN = "semel.plan.v1"
    CHAIN = "semel.chain.v1"


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


@lru_cache(64)
def hkdf(secret: bytes, info: bytes) -> bytes:
    """HKDF-SHA-256 with an empty salt and one block of output (RFC 5869): 32 bytes."""
    extracted = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")
