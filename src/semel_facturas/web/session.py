"""Who is signed in: a cookie that this program has signed, and whom the books still know."""

import base64
import hmac
import json
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from semel import Engine, Who
from semel.channels.web import Person
from semel.facts import instant_text, read_instant
from semel_facturas.books import organizations

COOKIE = "semel"
PURPOSE = "semel.facturas.session.v1"
HOURS = 12
"""How long one stays signed in: a working day, and not a week on a machine that others use."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The people of the demo, by the name they sign in with."""

    engine: Engine

    async def who(self, request: Request) -> Person | None:
        """The person of a request's session; None when there is none that still holds."""
        held = self._read(request.cookies.get(COOKIE, ""))
        if held is None:
            return None
        org, person, session = held
        locale = await self.engine.read(lambda tx: organizations.locale(tx, org, person))
        return Person(Who(org, person, "main", locale), session) if locale else None

    def keep(self, response: Response, org: str, person: str) -> None:
        """Sign a person in."""
        now = instant_text(self.engine.now())
        body = json.dumps([org, person, self.engine.new_id(), now]).encode()
        text = base64.urlsafe_b64encode(body).decode()
        response.set_cookie(
            COOKIE, f"{text}.{self._mac(0, text)}", max_age=HOURS * 3600, httponly=True
        )

    def _read(self, cookie: str) -> tuple[str, str, str] | None:
        text, _, mac = cookie.partition(".")
        keys = range(len(self.engine.subkeys(PURPOSE)))
        if not any(hmac.compare_digest(self._mac(n, text).encode(), mac.encode()) for n in keys):
            return None
        org, person, session, at = json.loads(base64.urlsafe_b64decode(text))
        age = self.engine.now() - read_instant(at)
        return (org, person, session) if age.total_seconds() < HOURS * 3600 else None

    def _mac(self, which: int, text: str) -> str:
        key = self.engine.subkeys(PURPOSE)[which]
        return base64.urlsafe_b64encode(hmac.digest(key, text.encode(), "sha256")).decode()
