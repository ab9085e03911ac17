"""Signing keys: from ``SEMEL_KEYS``, or a file that only its owner can read."""

import os
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path

from semel.domain.keyring import Keyring
from semel.errors import CatalogError, Unreachable
from semel.ports import Entropy


def parse(text: str) -> Keyring:
    """Read ``k2:base64,k1:base64``; the first key signs, every one verifies.

    Raises:
        CatalogError: it is not of that shape. The message holds no part of a key.
    """
    keys: list[tuple[str, bytes]] = []
    for number, entry in enumerate(text.strip().split(","), start=1):
        kid, found, secret = entry.strip().partition(":")
        try:
            raw = b64decode(secret, validate=True) if found and kid else b""
        except ValueError:  # letters beyond ASCII are not even asked for their base64
            raw = b""
        if len(raw) < 32:
            raise CatalogError(
                f"Signing key {number} is not of the form name:base64 with at least 32 bytes."
            )
        keys.append((kid, raw))
    return Keyring(tuple(keys))


def from_file(path: Path, entropy: Entropy) -> Keyring:
    """The keys in *path*, made with one new key when there is none yet; mode 0600.

    Processes that start together agree on one key: the file appears whole, or not at all.

    Raises:
        Unreachable: the file cannot be read or written.
        CatalogError: others may read it, or it holds no keys.
    """
    try:
        if not path.exists():
            _make(path, entropy)
        if path.stat().st_mode & 0o077:
            raise CatalogError(f"{path} can be read by others; run `chmod 600` on it.")
        return parse(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as no:
        raise Unreachable(f"The key file {path} cannot be used ({no.strerror}).") from no


def _make(path: Path, entropy: Entropy) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{entropy.bytes(8).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"k1:{b64encode(entropy.bytes(32)).decode()}\n")
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):
        # A link fails when somebody was quicker; a rename would take their key away.
        os.link(draft, path)
    draft.unlink()
