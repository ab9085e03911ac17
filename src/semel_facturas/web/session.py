"""Who is signed in: a cookie that this program has signed, and whom the books still know."""

import base64
import binascii
import hmac
import json
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from semel import Engine, Who
from semel.channels.web import Person
from semel.facts import instant_text, read_instant
from semel_facturas.books import organizations
from semel_facturas.books.organizations import Seat

COOKIE = "semel"
SECURE_COOKIE = "__Host-semel"
"""Its name over HTTPS: a browser takes it from this host alone, and never sends it in clear."""
PURPOSE = "semel.facturas.session.v1"
HOURS = 12
"""How long one stays signed in: a working day, and not a week on a machine that others use."""
COOKIE_LENGTH = 1024
"""Characters of a cookie that is read at all; ours has about 250."""
LOCALES = ("es", "en")


@dataclass(frozen=True, slots=True)
class Reader:
    """The person who asks for a page, and who they are in their organization at this moment."""

    person: Person
    seat: Seat


@dataclass(frozen=True, slots=True)
class Held:
    """What a cookie holds; a locale of None is the one of the books."""

    org: str
    person: str
    session: str
    began: datetime
    locale: str | None


@dataclass(frozen=True, slots=True)
class Desk:
    """Tells who makes a request; nothing of a session is kept anywhere but in its cookie."""

    engine: Engine
    lang: str | None = None
    """What everybody reads who has not chosen; without it, what the books say of them."""

    async def who(self, request: Request) -> Person | None:
        """The person of a request's session; None when there is none that still holds."""
        reader = await self.reader(request)
        return None if reader is None else reader.person

    async def reader(self, request: Request) -> Reader | None:
        """The person with their role, which the books are asked for each time."""
        held = self._held(request)
        if held is None:
            return None
        seat = await self.engine.read(lambda tx: organizations.seat(tx, held.org, held.person))
        if seat is None:
            return None
        who = Who(held.org, held.person, "main", held.locale or self.lang or seat.locale)
        return Reader(Person(who, held.session), seat)

    def keep(
        self, request: Request, response: Response, org: str, person: str, locale: str | None
    ) -> None:
        """Sign a person in, in a session that is new."""
        now = self.engine.now()
        held = Held(org, person, self.engine.new_id(), now, locale)
        self._give(request, response, held)

    def speak(self, request: Request, response: Response, locale: str) -> None:
        """Go on with the session in another language."""
        held = self._held(request)
        if held is not None:
            held = Held(held.org, held.person, held.session, held.began, locale)
            self._give(request, response, held)

    def forget(self, request: Request, response: Response) -> None:
        """Sign out in this browser."""
        name, secure = _cookie(request)
        response.delete_cookie(name, path="/", secure=secure, httponly=True, samesite="lax")

    def _give(self, request: Request, response: Response, held: Held) -> None:
        fields = [held.org, held.person, held.session, instant_text(held.began), held.locale]
        text = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode()
        name, secure = _cookie(request)
        left = HOURS * 3600 - int((self.engine.now() - held.began).total_seconds())
        response.set_cookie(
            name,
            f"{text}.{self._macs(text)[0]}",
            max_age=max(left, 0),
            path="/",
            secure=secure,
            httponly=True,
            samesite="lax",
        )

    def _held(self, request: Request) -> Held | None:
        """What the cookie of a request holds, if this program made it and it is not too old."""
        cookie = request.cookies.get(_cookie(request)[0], "")
        text, _, mac = cookie.partition(".")
        if len(cookie) > COOKIE_LENGTH or not any(
            hmac.compare_digest(one.encode(), mac.encode()) for one in self._macs(text)
        ):
            return None
        try:
            org, person, session, began, locale = json.loads(base64.urlsafe_b64decode(text))
            held = Held(org, person, session, read_instant(began), locale)
        except (binascii.Error, ValueError, TypeError):
            # Signed, and still none of ours: an older version of this program made it.
            return None
        age = (self.engine.now() - held.began).total_seconds()
        return held if age < HOURS * 3600 else None

    def _macs(self, text: str) -> list[str]:
        """What a cookie's text is signed with: now, and with the keys that are still in use."""
        signed = text.encode("utf-8", "surrogateescape")
        return [
            base64.urlsafe_b64encode(hmac.digest(key, signed, "sha256")).decode()
            for key in self.engine.subkeys(PURPOSE)
        ]


def asked_for(request: Request) -> str:
    """The language that a browser asks for, where nobody is signed in."""
    return "en" if request.headers.get("accept-language", "").lower().startswith("en") else "es"


def _cookie(request: Request) -> tuple[str, bool]:
    """The cookie's name, and whether it travels over HTTPS alone."""
    secure = request.url.scheme == "https"
    return (SECURE_COOKIE if secure else COOKIE), secure
