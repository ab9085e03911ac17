"""What a request must show before it decides anything: a form of this session, from this site."""

import base64
import hmac

from semel.channels.web.visitor import Person
from semel.runtime.engine import Engine


def csrf(engine: Engine, person: Person) -> str:
    """What the forms of a session carry, so that no other site can send one of them."""
    return _mac(engine.subkeys("semel.csrf.v1")[0], person)


def same_csrf(engine: Engine, person: Person, given: str) -> bool:
    """Whether a form was made for this session, under any signing key that is still in use."""
    made = [_mac(key, person) for key in engine.subkeys("semel.csrf.v1")]
    return any(hmac.compare_digest(one.encode(), given.encode()) for one in made)


def _mac(key: bytes, person: Person) -> str:
    parts = f"{person.session}\x00{person.who.org}\x00{person.who.person}"
    return base64.urlsafe_b64encode(hmac.digest(key, parts.encode(), "sha256")[:24]).decode()
