"""Answering what people say, once: whoever repeats a message, and whichever process dies.

A message is written down before anything else happens, and a claim in the books says who answers
it. See ``docs/assistant.md`` for what becomes of it when that process goes.
"""

import asyncio
import contextlib
import hashlib
import logging
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

from semel import Engine, Tx, Who
from semel_facturas.assistant.choice import Models, models
from semel_facturas.assistant.saying import Live, Shown, Speaker
from semel_facturas.assistant.transcript import tokenless
from semel_facturas.books import conversation
from semel_facturas.books.conversation import CLAIM_SECONDS, OPEN, Message

CLAIM = timedelta(seconds=CLAIM_SECONDS)

RENEW_SECONDS = 1.0
"""Between two renewals of a claim, which also let another process show what was said so far."""

TURN_SECONDS = 0.1
"""Between two looks whether it is this message's turn, while the one before it is answered."""

LOOK_SECONDS = 0.5
"""Between two looks at an answer that another process is writing."""

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)

log = logging.getLogger(__name__)


class Assistant:
    """What answers people, in this process and beside others."""

    def __init__(self, engine: Engine, given: Models | None = None) -> None:
        """Make the assistant.

        Args:
            engine: the engine.
            given: the models; by default those that the environment asks for.

        Raises:
            CatalogError: the environment's model or transcript cannot be used.
        """
        self._engine = engine
        self._speaker = Speaker(engine, given or models(engine))
        self._live: dict[tuple[str, str, str], Live] = {}
        self._tasks: dict[tuple[str, str, str], asyncio.Task[None]] = {}

    async def hear(self, who: Who, request: str, text: str) -> str:
        """Write a message down and have it answered; the same one again is answered once.

        Args:
            who: whose message.
            request: the id of the form it came in, ``engine.new_id()``. The same form with other
                words in it is another message.
            text: the words.

        Returns:
            The message's id.
        """
        text = tokenless(text)
        found = await self._kept(who, request, text)
        if found.text != text:
            found = await self._kept(who, _other(request, text), text)
        if found.state in OPEN:
            self._begin(who, found.id)
        return found.id

    async def wait(self, who: Who, message: str) -> None:
        """Wait until a message is answered, or nobody is answering it any more."""
        async for shown in self.follow(who, message):
            if shown.state != "open":
                return

    async def shown(self, who: Who, message: str) -> Shown | None:
        """The answer to a message as far as it is; None when this person said no such thing."""
        engine, live = self._engine, self._live.get(_key(who, message))

        def look(tx: Tx) -> Shown | None:
            found = conversation.message(tx, who, message)
            if found is None:
                return None
            if found.state not in OPEN:
                lines = conversation.answers(tx, who, message)
                text = "\n\n".join(one.text for one in lines if one.role == "assistant")
                plans = tuple(one.plan for one in lines if one.plan)
                invalid = next((one.text for one in lines if one.role == "invalid"), "")
                return Shown(found.text, text, plans, found.state, invalid)
            if live is not None and live.mine:
                return live.shown(found.text)
            at_work = conversation.working(tx, who, found.conversation)
            draft = at_work.draft if at_work and at_work.message == message else ""
            since = at_work.until if at_work else found.at + CLAIM
            return Shown(
                found.text, draft, (), "open" if live or since > engine.now() else "stalled"
            )

        return await engine.read(look)

    async def follow(self, who: Who, message: str) -> AsyncIterator[Shown]:
        """The answer to a message each time that there is more of it, until it ends."""
        said = None
        while True:
            live = self._live.get(_key(who, message))
            changed = live.changed if live else None
            if live is not None and live.mine and said is not None:
                # Nothing in the books is newer, and a model says a word at a time.
                shown: Shown | None = live.shown(said)
            else:
                shown = await self.shown(who, message)
            if shown is None:
                return
            said = shown.said
            yield shown
            if shown.state != "open":
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await (changed.wait() if changed else asyncio.Event().wait())

    async def _kept(self, who: Who, id: str, text: str) -> Message:
        now = self._engine.now()
        return await self._engine.write(lambda tx: conversation.hear(tx, who, id, text, now))

    def _begin(self, who: Who, message: str) -> None:
        key = _key(who, message)
        if key in self._tasks:
            return
        live = self._live[key] = Live()
        task = asyncio.get_running_loop().create_task(self._until_answered(who, message))
        self._tasks[key] = task

        def through(_: "asyncio.Task[None]") -> None:
            del self._tasks[key], self._live[key]
            live.tell()

        task.add_done_callback(through)

    async def _until_answered(self, who: Who, message: str) -> None:
        """Answer what comes before a message, and the message; other processes do the same."""
        owner = self._engine.new_id()
        try:
            while True:
                found = await self._engine.read(lambda tx: conversation.message(tx, who, message))
                if found is None or found.state not in OPEN:
                    return
                now = self._engine.now()
                place = Who(who.org, who.person, found.conversation, who.locale)
                taken = await self._engine.write(
                    lambda tx: conversation.take(tx, place, owner, now)  # noqa: B023 - it runs at once
                )
                if taken is None:
                    await asyncio.sleep(TURN_SECONDS)
                else:
                    await self._answered(place, taken, owner)
        except Exception:
            # Its claim runs out, and whoever sends it again has it answered.
            log.exception("Message %s was not answered.", message)

    async def _answered(self, who: Who, taken: Message, owner: str) -> None:
        live = self._live.get(_key(who, taken.id)) or Live()
        live.mine = True
        renewing = asyncio.ensure_future(self._renewed(who, taken.id, owner, live))
        try:
            said = await self._speaker.said(who, taken, owner, live)
            if said is not None:
                now = self._engine.now()
                ids = tuple(self._engine.new_id() for _ in range(len(said.plans) + 2))
                await self._engine.write(
                    lambda tx: conversation.answer(tx, who, taken.id, owner, said, now=now, ids=ids)
                )
        finally:
            renewing.cancel()
            live.mine = False
            live.tell()

    async def _renewed(self, who: Who, message: str, owner: str, live: Live) -> None:
        engine = self._engine
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            now, text = engine.now(), live.text
            with contextlib.suppress(Exception):
                await engine.write(
                    lambda tx: conversation.renew(tx, who, message, owner, text, now)  # noqa: B023 - at once
                )


def _other(request: str, text: str) -> str:
    """The id of a form that came again with other words: each wording of it is one message."""
    digest = hashlib.sha256(f"{request}\n{text}".encode()).digest()
    return str(UUID(bytes=digest[:16]))


def _key(who: Who, message: str) -> tuple[str, str, str]:
    return who.org, who.person, message
