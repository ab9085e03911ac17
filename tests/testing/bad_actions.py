"""Actions that break one promise each, beside a twin that does nearly the same and keeps it."""

import asyncio
import contextlib
import itertools
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from good_actions import (
    Add,
    Book,
    Drop,
    Letter,
    New,
    Pay,
    Price,
    Priced,
    Refusal,
    Thing,
    adding,
    ask,
    dropping,
    found,
    pricing,
)

from semel import CONFIRM, SAFE, Action, Ctx, Local, Made, NotDone, Preview, Risk, Similar
from semel.facts import JSON, Date, Instant, Money, Text
from semel.testing import HttpOutside, World

HERE = Path(__file__)


class WritesInPreview(Add):
    """It counts who looks."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        ctx.tx.run("things.looked", org=ctx.org)
        return super().preview(i, ctx)


class ReadsInPreview(Add):
    """It counts what there is."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        ctx.tx.all("things.named", org=ctx.org, name=i.name)
        return super().preview(i, ctx)


class SendsInPreview(Letter):
    """It asks the other side what a letter costs."""

    def preview(self, i: Any, ctx: Ctx) -> Preview:
        with contextlib.suppress(OSError):
            urlopen(f"{self.far.url}/price").close()
        return super().preview(i, ctx)


class ReadsAFileInPreview(Letter):
    """It knows what a letter costs."""

    def preview(self, i: Any, ctx: Ctx) -> Preview:
        HERE.read_text("utf-8")
        return super().preview(i, ctx)


class ChanceInFacts(Add):
    """It shows a reference that is made up at each look."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        return Preview(name=Text(i.name), price=Money(i.price), ref=Text(os.urandom(8).hex()))


class VolatileChance(Add):
    """It shows one, and says that no yes is about it."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        ref = Text(os.urandom(8).hex(), volatile=True)
        return Preview(name=Text(i.name), price=Money(i.price), ref=ref)


class ClockInFacts(Add):
    """It shows the instant of the look."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        return Preview(name=Text(i.name), price=Money(i.price), at=Instant(ctx.now))


class DayInFacts(Add):
    """It shows the day, which is the same for a while."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        day = ctx.now.astimezone(UTC).date()
        return Preview(name=Text(i.name), price=Money(i.price), on=Date(day))


class RiskByChance(Add):
    """It is asked about every other time."""

    def __init__(self) -> None:
        self.turn = itertools.cycle([SAFE, CONFIRM])

    def risk(self, i: New, ctx: Ctx) -> Risk:
        return next(self.turn)


class RiskByPrice(Add):
    """It is asked about when it is dear."""

    def risk(self, i: New, ctx: Ctx) -> Risk:
        return CONFIRM if i.price > 1 else SAFE


class WritesAFile(Add):
    """It keeps a list beside the database."""

    def run(self, i: New, ctx: Ctx) -> Made:
        with tempfile.TemporaryFile():
            return super().run(i, ctx)


class ReadsAFile(Add):
    """It reads a list beside the database."""

    def run(self, i: New, ctx: Ctx) -> Made:
        HERE.read_bytes()
        return super().run(i, ctx)


class OwnDatabase(Add):
    """It writes to a database of its own."""

    def run(self, i: New, ctx: Ctx) -> Made:
        sqlite3.connect(":memory:").close()
        return super().run(i, ctx)


class StartsAThread(Add):
    """It does half of it later, in a thread."""

    def run(self, i: New, ctx: Ctx) -> Made:
        thread = threading.Thread(target=time.monotonic)
        thread.start()
        thread.join()
        return super().run(i, ctx)


class Locks(Add):
    """It takes a lock of this process, and no thread."""

    lock = threading.Lock()

    def run(self, i: New, ctx: Ctx) -> Made:
        with self.lock:
            return super().run(i, ctx)


class SendsInRun(Add):
    """It tells somebody from inside the transaction."""

    def __init__(self, far: HttpOutside) -> None:
        self.far = far

    def run(self, i: New, ctx: Ctx) -> Made:
        with contextlib.suppress(OSError):
            urlopen(f"{self.far.url}/told").close()
        return super().run(i, ctx)


class Commits(Add):
    """It goes round ctx.tx and commits what it has written."""

    def run(self, i: New, ctx: Ctx) -> Made:
        made = super().run(i, ctx)
        ctx.tx._connection.execute("COMMIT")
        return made


class CommitsUnseen(Add):
    """It commits, and puts everything back as it was, so that nobody sees it from inside."""

    def run(self, i: New, ctx: Ctx) -> Made:
        made = super().run(i, ctx)
        for words in ("COMMIT", "BEGIN", "SAVEPOINT semel_1", "SAVEPOINT semel_2"):
            ctx.tx._connection.execute(words)
        return made


class Remembers(Add):
    """It refuses what it has done before, and was taken back."""

    def __init__(self) -> None:
        self.done: set[str] = set()

    def run(self, i: New, ctx: Ctx) -> Made:
        if i.name in self.done:
            raise NotDone({"es": "Ya está.", "en": "It is there."})
        self.done.add(i.name)
        return super().run(i, ctx)


class AsksTheTable(Add):
    """It refuses what the database has."""

    def run(self, i: New, ctx: Ctx) -> Made:
        if ctx.tx.all("things.named", org=ctx.org, name=i.name):
            raise NotDone({"es": "Ya está.", "en": "It is there."})
        return super().run(i, ctx)


class OneLanguage(Add):
    """Its English sentence has a place for which there is no fact."""

    did = {"es": "{name} añadido", "en": "{name} added by {who}"}


class PlaceBeforeTheRun(Add):
    """Its question has a place for what only the run finds out."""

    will = {"es": "Añadir {name} por {who}", "en": "Add {name}"}

    def run(self, i: New, ctx: Ctx) -> Made:
        made = super().run(i, ctx)
        return Made(*made.rows, undo=made.undo, who=Text(ctx.person))


class BothLanguages(Add):
    """Its sentences have places for what the run has found out."""

    did = {"es": "{name} añadido por {who}", "en": "{name} added by {who}"}

    def run(self, i: New, ctx: Ctx) -> Made:
        made = super().run(i, ctx)
        return Made(*made.rows, undo=made.undo, who=Text(ctx.person))


class UndoesNothing(Price):
    """Its undo writes the new price again."""

    def undo(self, data: Any, ctx: Ctx) -> Made:
        return Made(found(ctx, data["id"]))


class Careful(Price):
    """It refuses a price that the thing has already."""

    def preview(self, i: Priced, ctx: Ctx) -> Preview:
        if Decimal(str(i.thing.row["price"])) == i.price:
            raise NotDone({"es": "Ya cuesta eso.", "en": "It costs that."})
        return super().preview(i, ctx)


class CarefulForNothing(Careful):
    """The same, and its undo does nothing."""

    def undo(self, data: Any, ctx: Ctx) -> Made:
        return Made(found(ctx, data["id"]))


class LeavesWhatItMade(Add):
    """Its undo leaves the thing where it is."""

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        return Made()


class BringsNothingBack(Drop):
    """Its undo of a deletion does nothing, and the step then finds no thing."""

    def undo(self, data: Any, ctx: Ctx) -> Made:
        return Made()


class UndoDataLost(Price):
    """Its undo data is a set, which no JSON is."""

    def run(self, i: Priced, ctx: Ctx) -> Made:
        made = super().run(i, ctx)
        return Made(*made.rows, undo={"id": i.thing.id, "price": {1}})  # type: ignore[dict-item]  # the fault


class WrongVersion(Price):
    """It answers with the row as it was before."""

    def run(self, i: Priced, ctx: Ctx) -> Made:
        made = super().run(i, ctx)
        return Made(i.thing.row, undo=made.undo)


class BlindSimilar(Add):
    """Its look-alikes are another's."""

    def similar(self, i: New, ctx: Ctx) -> Similar:
        return Similar(i.name)


class UnstableSimilar(Add):
    """Its key has the instant in it."""

    def similar(self, i: New, ctx: Ctx) -> Similar:
        return Similar(f"{i.name} {os.urandom(8).hex()}", super().similar(i, ctx).matches)


class Retries(Letter):
    """It tries three times when the line is cut or the other side is busy."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        for _ in range(2):
            try:
                return await super().run(i, ctx, prepared)
            except (ConnectionError, NotDone):
                continue
        return await super().run(i, ctx, prepared)


class RetriesWhatWasNotAsked(Letter):
    """It tries to connect twice, before anything has left."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        try:
            await ask(HttpOutsideThatIsGone, "GET", "")
        except OSError:
            return await super().run(i, ctx, prepared)
        raise NotDone("It is there.")


class HttpOutsideThatIsGone:
    url = "http://127.0.0.1:1"


class SaysNotDone(Letter):
    """To it every error means that nothing happened."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        try:
            return await super().run(i, ctx, prepared)
        except ConnectionError as no:
            raise NotDone("The other side could not be reached.") from no


class SaysMade(Letter):
    """To it no answer is as good as one."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        try:
            return await super().run(i, ctx, prepared)
        except ConnectionError:
            return Made()


class DeafToNo(Letter):
    """It reads no status."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        try:
            return await super().run(i, ctx, prepared)
        except NotDone:
            return Made()


class LetsItOut(Letter):
    """It lets every error out, a refusal too: the engine knows what that means."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        try:
            await ask(self.far, "POST", "", prepared)
        except Refusal as no:
            raise OSError("refused") from no
        return Made()


class PreparesBySending(Letter):
    """It asks the other side for a number, in prepare."""

    async def prepare(self, i: Any, ctx: Ctx) -> bytes:
        await ask(self.far, "POST", "", b"number")
        return await super().prepare(i, ctx)


class PreparesAFile(Letter):
    """It reads a file for what it prepares, which sends nothing."""

    async def prepare(self, i: Any, ctx: Ctx) -> bytes:
        await asyncio.to_thread(HERE.read_bytes)
        return await super().prepare(i, ctx)


class OtherBytes(Pay):
    """Its bytes have something of this very moment in them."""

    async def prepare(self, i: Any, ctx: Ctx) -> bytes:
        return await super().prepare(i, ctx) + str(time.monotonic_ns()).encode()


class BytesOfNow(Pay):
    """Its bytes have the instant of the context, which is the same when they are sent again."""

    async def prepare(self, i: Any, ctx: Ctx) -> bytes:
        return await super().prepare(i, ctx) + ctx.now.isoformat().encode()


class NoKey(Pay):
    """It does not say which request it is."""

    async def prepare(self, i: Any, ctx: Ctx) -> bytes:
        return i.text.encode()


class BlindCheck(Book):
    """It never finds anything."""

    async def check(self, keys: Sequence[str], ctx: Ctx) -> Made | None:
        return None


class FindsAnything(Book):
    """It finds whatever it is asked for."""

    async def check(self, keys: Sequence[str], ctx: Ctx) -> Made | None:
        return Made(id="1")


class NotThere(Letter):
    """It says it sent, and sent nothing."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        return Made()


class RefusesItself(Add):
    """Its run refuses what its preview shows."""

    def run(self, i: New, ctx: Ctx) -> Made:
        if i.price > Decimal(1):
            raise NotDone({"es": "Demasiado caro.", "en": "Too dear."})
        return super().run(i, ctx)


class Reminder(Add, name="thing.remind", effect=Local(), makes=Thing, allow="things"):
    """Add another one, on its day."""


class BrokenReminder(Add, name="thing.remind", effect=Local(), makes=Thing, allow="things"):
    """The same, and it cannot be shown."""

    def preview(self, i: New, ctx: Ctx) -> Preview:
        raise KeyError(i.name)


class Plans(Add):
    """It plans a reminder."""

    reminder: type[Action] = Reminder

    def run(self, i: New, ctx: Ctx) -> Made:
        given: dict[str, JSON] = {"name": i.name, "price": "1"}
        ctx.later(self.reminder, given, not_before=ctx.now + timedelta(days=1))
        return super().run(i, ctx)


class PlansWhatBreaks(Plans):
    """It plans a reminder that cannot be shown."""

    reminder = BrokenReminder


def planning() -> World:
    return replace(adding(), beside=[Reminder()])


def planning_what_breaks() -> World:
    return replace(adding(), beside=[BrokenReminder()])


class RunBreaks(Add):
    """Its run breaks at what its preview shows."""

    def run(self, i: New, ctx: Ctx) -> Made:
        raise KeyError(i.name)


class UndoBreaks(Add):
    """Its undo breaks."""

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        raise KeyError("id")


class UndoReadsAFile(Add):
    """Its undo writes a file."""

    def undo(self, data: JSON, ctx: Ctx) -> Made:
        with tempfile.TemporaryFile():
            return super().undo(data, ctx)


class AnotherEachTime(Add):
    """It makes one more thing each time it is run."""

    def __init__(self) -> None:
        self.runs = 0

    def run(self, i: New, ctx: Ctx) -> Made:
        self.runs += 1
        made = [super(AnotherEachTime, self).run(i, ctx) for _ in range(self.runs)]
        return Made(*(row for one in made for row in one.rows))


class TwoEachTime(Add):
    """It makes two things each time it is run, and takes neither back."""

    def run(self, i: New, ctx: Ctx) -> Made:
        made = [super(TwoEachTime, self).run(i, ctx) for _ in range(2)]
        return Made(*(row for one in made for row in one.rows))


class EndlessFact(Add):
    """It answers with a book."""

    def run(self, i: New, ctx: Ctx) -> Made:
        made = super().run(i, ctx)
        return Made(*made.rows, undo=made.undo, book=Text("x" * 100_000))


class TakesBack(Book):
    """Its void forgets what has arrived."""

    async def void(self, keys: Sequence[str], ctx: Ctx) -> None:
        self.far.taken.clear()


class SendsTwice(Letter):
    """It sends twice, to be sure."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        await super().run(i, ctx, prepared)
        return await super().run(i, ctx, prepared)


class AnswersWithABook(Letter):
    """Its answer is longer than is kept."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        made = await super().run(i, ctx, prepared)
        return Made(id=made.id, page=Text("x" * 100_000))


class PrepareBreaks(Letter):
    """It cannot prepare."""

    async def prepare(self, i: Any, ctx: Ctx) -> bytes:
        raise KeyError(i.text)


class RunsAway(Letter):
    """It raises although the other side has taken everything."""

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        await super().run(i, ctx, prepared)
        raise KeyError(i.text)


class TwiceInEarnest(Letter):
    """It behaves each time that it is tried, and not when it runs as a plan."""

    def __init__(self, far: HttpOutside) -> None:
        super().__init__(far)
        self.runs = 0

    async def run(self, i: Any, ctx: Ctx, prepared: bytes) -> Made:
        self.runs += 1
        if self.runs > 4:
            await super().run(i, ctx, prepared)
        return await super().run(i, ctx, prepared)


@dataclass(frozen=True)
class Case:
    """A bad action, its world, the sentence that rejects it, and a good action like it."""

    bad: Callable[..., Action]
    sentence: str
    good: Callable[..., Action]
    world: Callable[[], World] | None = None
    twin: Callable[[], World] | None = None
    """The world of the good one, where it is another."""

    @property
    def id(self) -> str:
        return self.bad.__name__


TX = "a Local step touches only ctx.tx"
LOCAL = [
    Case(WritesInPreview, "preview() writes to the database; only run() may", ReadsInPreview),
    Case(
        ChanceInFacts,
        "the fact ref is another at each look, so that every yes would be to something else",
        VolatileChance,
    ),
    Case(
        ClockInFacts,
        "the fact at is another at each look, so that every yes would be to something else",
        DayInFacts,
    ),
    Case(RiskByChance, "risk() is SAFE at one look and CONFIRM at the next", RiskByPrice),
    Case(WritesAFile, f"run() writes a file; {TX}", ReadsAFile),
    Case(OwnDatabase, f"run() opens a database of its own; {TX}", ReadsAFile),
    Case(StartsAThread, f"run() starts a thread; {TX}", Locks),
    Case(
        Commits,
        "run() has ended or broken its transaction: A statement ended the step's transaction;"
        " nothing was written",
        AsksTheTable,
    ),
    Case(
        CommitsUnseen,
        "run() has written beside its transaction: rolled back, it left something",
        AsksTheTable,
    ),
    Case(
        Remembers,
        "run again after it was rolled back, run() refuses what preview() shows: It is there.: it"
        " remembers the first run",
        AsksTheTable,
    ),
    Case(OneLanguage, "did['en'] has {who}, which is no fact of preview() or run()", BothLanguages),
    Case(
        PlaceBeforeTheRun,
        "will['es'] has {who}, which is no fact of preview()",
        BothLanguages,
    ),
    Case(
        UndoesNothing,
        "after undo() the same step shows other facts than before: it does not restore",
        Price,
        pricing,
    ),
    Case(
        CarefulForNothing,
        "after undo() preview() refuses the example: It costs that",
        Careful,
        pricing,
    ),
    Case(LeavesWhatItMade, "undo() leaves what run() has made", Add),
    Case(BringsNothingBack, "undo() does not bring back what run() has taken away", Drop, dropping),
    Case(
        UndoDataLost,
        "the undo data of run() is no JSON that reads back as it was, so it is not kept",
        Price,
        pricing,
    ),
    Case(
        WrongVersion,
        "run() says version 1 of a thing and Kind.find says 2: later steps and an undo would find"
        " it changed",
        Price,
        pricing,
    ),
    Case(BlindSimilar, "similar() does not find what run() has just made", Add),
    Case(
        UnstableSimilar,
        "similar() gives another key at each call, so that it finds no repeat",
        Add,
    ),
    Case(
        PlansWhatBreaks,
        "what run() plans for later cannot be shown: KeyError: 'Lamp'",
        Plans,
        planning_what_breaks,
        planning,
    ),
    Case(RunBreaks, "run() raised KeyError: 'Lamp'", Add),
    Case(UndoBreaks, "undo() right after run() raised KeyError: 'id'", Add),
    Case(UndoReadsAFile, f"undo() writes a file; {TX}", ReadsAFile),
    Case(AnotherEachTime, "run() again after it was rolled back makes something else", TwoEachTime),
    Case(EndlessFact, "the fact book of run() cannot be kept", BothLanguages),
    Case(RefusesItself, "run() refuses what preview() shows: Too dear", RiskByPrice),
]
AWAY = [
    Case(
        SendsInPreview,
        "preview() opens a connection; it may only read through ctx.tx",
        ReadsAFileInPreview,
    ),
    Case(SendsInRun, f"run() opens a connection; {TX}", lambda far: ReadsAFile(), adding),
    Case(
        Retries,
        "run() sends 3 requests when the other side is busy; one run is one request",
        RetriesWhatWasNotAsked,
    ),
    Case(
        SaysNotDone,
        "run() raises NotDone though the request was taken: the line was cut after it",
        Letter,
    ),
    Case(
        SaysMade,
        "run() answers Made without a proof: the line was cut before the answer",
        LetsItOut,
    ),
    Case(DeafToNo, "run() answers Made when the other side refuses", LetsItOut),
    Case(
        PreparesBySending,
        "prepare() opens a connection; it may run again, so it sends nothing",
        PreparesAFile,
    ),
    Case(
        OtherBytes,
        "prepare() gives other bytes for the same key and the same instant, so that nothing could"
        " ever be sent again",
        BytesOfNow,
    ),
    Case(NoKey, "run() does not send ctx.key, so that nobody can tell a repeat", Pay),
    Case(BlindCheck, "check() does not find what has arrived", Book),
    Case(FindsAnything, "check() finds what nobody has sent", Book),
    Case(TakesBack, "void() takes back what has arrived", Book),
    Case(
        SendsTwice,
        "run() sends 2 requests when all goes well; one run is one request",
        RetriesWhatWasNotAsked,
    ),
    Case(AnswersWithABook, "the fact page of run() cannot be kept", Letter),
    Case(PrepareBreaks, "prepare() raised KeyError: 'Hi'", Letter),
    Case(RunsAway, "run() ended with KeyError: 'Hi', though the other side took all", LetsItOut),
    Case(TwiceInEarnest, "as a plan it sent 2 requests and not one", Letter),
    Case(
        NotThere,
        "run() answered Made, and the other side has taken nothing: is it there?",
        Letter,
    ),
]
