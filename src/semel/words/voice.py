"""One language's sentences, and the parts of a plan said in it: for the model and for the card."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semel.domain.action import Words
from semel.domain.consent import Difference
from semel.domain.plan import PlanReason, Resolution, StepReason
from semel.domain.report import LaterView, StepView
from semel.facts import Fact, Text
from semel.words import en, es
from semel.words.fate import TAKEN_BACK, Sorted
from semel.words.figures import day_and_time, fill, lacks, put, show
from semel.words.neutral import neutral, quotable, visible

SENTENCES: Mapping[str, Mapping[str, str]] = {"es": es.SENTENCES, "en": en.SENTENCES}

DETAIL_MAX = 500
"""Characters of an action's own words that are shown, as many as are kept of them."""

PERSON_MAX = 80
"""Characters of a person's id that are shown."""

SENT_TOO_LATE = "send.too_old"
"""The one code that comes as a refusal: the sender itself did not let the bytes go."""


@dataclass(frozen=True, slots=True)
class Voice:
    """The sentences of one language, and the zone whose clock a person reads."""

    language: str
    zone: str

    @classmethod
    def of(cls, locale: str, zone: str) -> "Voice":
        """The voice for a locale; English for every language that has no sentences here."""
        language = locale.replace("_", "-").split("-")[0].lower()
        return cls(language if language in SENTENCES else "en", zone)

    def say(self, name: str, /, **values: str) -> str:
        """The sentence of that name with texts in its places; they are shown as they are."""
        return put(SENTENCES[self.language][name], values)

    def knows(self, name: str) -> bool:
        """Whether there is a sentence of that name."""
        return name in SENTENCES[self.language]

    def will(self, step: StepView) -> str:
        """What a step will do, with the figures of its preview."""
        if step.undoes:
            return self.say("undo.will", did=quotable(self._done(step)))
        return self._will(step)

    def did(self, step: StepView) -> str:
        """What a step did, and who says so where the program cannot."""
        text = self._done(step)
        if step.undoes:
            return self.say("undo.did", did=text)
        if step.resolution is Resolution.SEND_ANYWAY:
            return self.say("step.resent", did=text, who=self.person(step))
        if step.resolution is Resolution.HAPPENED:
            return self.say("step.according", did=text, who=self.person(step))
        return text

    def declared(self, step: StepView, name: str) -> str:
        """What a step's action declares under a name for a card with room; it may be nothing."""
        template = self.template(step.wording.get(name, {}))
        return "" if lacks(template, step.facts) else fill(template, step.facts)

    def name(self, step: StepView, fact: str) -> str:
        """What a fact of a step is called where it stands in a column."""
        name = self._declared_name(step, fact) or fact_name(fact)
        return name[:1].upper() + name[1:]

    def called(self, step: StepView, fact: str) -> str:
        """What a fact of a step is called within a line: begun small, unless it is an acronym."""
        name = self._declared_name(step, fact)
        return (name if name[1:2].isupper() else name[:1].lower() + name[1:]) or fact_name(fact)

    def _declared_name(self, step: StepView, fact: str) -> str:
        return self.template(step.wording.get(f"fact.{fact}", {}))

    def later(self, name: str, later: LaterView) -> str:
        """When something comes by itself, and what."""
        will = self._said(later.will, later.facts) or self.say("step.will.unnamed")
        return self.say(name, will=will, **self.at(later.not_before))

    def at(self, instant: str) -> dict[str, str]:
        """The day and the time of an instant, for the places of those names."""
        day, time = day_and_time(instant, self.zone)
        return {"day": day, "time": time}

    def when(self, instant: str | None) -> dict[str, str]:
        """The same of an instant that an unfinished plan does not have."""
        return {"day": "", "time": ""} if instant is None else self.at(instant)

    def person(self, step: StepView) -> str:
        """Who answered for a step."""
        return neutral(step.resolved_by or "", PERSON_MAX) or self.say("somebody")

    def reason(self, step: StepView) -> str:
        """Why a step is not done; what an action refused with is in its own words."""
        code = self._code(step)
        if code:
            return self.say(code, who=self.person(step))
        detail = neutral(step.detail or "", DETAIL_MAX).rstrip(".")
        if step.reason is StepReason.REFUSED and not detail:
            return self.say("reason.refused.bare")
        name = f"reason.{step.reason or StepReason.NOT_REACHED}"
        undo = f"{name}.undo"
        return self.say(undo if step.undoes and self.knows(undo) else name, detail=detail)

    def _code(self, step: StepView) -> str | None:
        """The sentence for a step's detail, when that is a code and not somebody's words."""
        name = f"detail.{step.detail}"
        # An action may refuse with anything at all, a word of ours too; then it is its word.
        words = step.reason is StepReason.REFUSED and step.detail != SENT_TOO_LATE
        return name if self.knows(name) and not words else None

    def changes(self, changed: Sequence[Difference], step: StepView) -> list[str]:
        """What is no longer as it was shown of a step, both figures of each, on lines of their own.

        Within a line their names begin small; see :meth:`changed`.
        """
        return [self._difference(one, self.name(step, one.name)) for one in changed]

    def changed(self, changed: Sequence[Difference], step: StepView) -> list[str]:
        """The same within a line."""
        return [self._difference(one, self.called(step, one.name)) for one in changed]

    def _difference(self, difference: Difference, name: str) -> str:
        shown, now = difference.shown, difference.now
        if now is None:
            return self.say("step.vanished", name=name, shown=self.figure(shown) if shown else "")
        if shown is None:
            return self.say("step.appeared", name=name, now=self.figure(now))
        return self.say("step.changed", name=name, shown=self.figure(shown), now=self.figure(now))

    def figure(self, fact: Fact) -> str:
        """A fact that stands beside others: words between quotation marks, figures bare."""
        return self.say("quoted", text=show(fact)) if isinstance(fact, Text) else show(fact)

    def groups(self, ended: Sorted) -> list[tuple[str, list[tuple[StepView, str]]]]:
        """Done, could not and why, not known, not done because of that: names and steps."""
        # After a cancel what is left was not done because of the person, not because of a step.
        stopped = ended.could_not or ended.doubt
        because = stopped and ended.reason is not PlanReason.CANCELLED
        named = [
            ("was_done" if ended.name == TAKEN_BACK else "done", ended.done, self.fact),
            ("could_not", ended.could_not, self._tried),
            ("in_doubt", ended.doubt, self.aim),
            ("because" if because else "left", ended.left, self._left),
        ]
        kind = "group.undo" if ended.undoes else "group"
        return [
            (f"{kind}.{name}", [(step, said(step)) for step in steps])
            for name, steps, said in named
            if steps
        ]

    def fact(self, step: StepView) -> str:
        """A step under a heading that says that it is done: of an undo, only what it undid."""
        return self._done(step) if step.undoes else self.did(step)

    def aim(self, step: StepView) -> str:
        """A step under a heading that says that it is not: of an undo, only what stays done."""
        return self._done(step) if step.undoes else self._will(step)

    def listed(self, items: Sequence[str]) -> str:
        """Words in a row: ``2, 3 y 4``."""
        if len(items) < 2:
            return "".join(items)
        return self.say("and", first=", ".join(items[:-1]), last=items[-1])

    def _tried(self, step: StepView) -> str:
        return self._with_changes(f"{self.aim(step)}: {self.reason(step)}", step)

    def _left(self, step: StepView) -> str:
        if self._code(step):
            return self._tried(step)
        return self._with_changes(self.aim(step), step)

    def _with_changes(self, text: str, step: StepView) -> str:
        changes = "; ".join(self.changed(step.changed, step))
        return f"{text} ({changes})" if changes else text

    def _will(self, step: StepView) -> str:
        return self._said(step.will, step.facts) or self._named("step.will", step)

    def _done(self, step: StepView) -> str:
        """What a step did; what came out of it wins over what its preview showed."""
        facts = {**step.facts, **step.made}
        template = self.template(step.did)
        if template and lacks(template, facts):
            # A person or a look vouches for it, so what came out of it is not known in figures.
            return self._will(step)
        return fill(template, facts) or self._named("step.did", step)

    def _said(self, words: Words, facts: Mapping[str, Fact]) -> str:
        return fill(self.template(words), facts)

    def template(self, words: Words) -> str:
        """The sentence of this language, or of the nearest, without its full stop."""
        template = words.get(self.language) or words.get("en") or next(iter(words.values()), "")
        return " ".join(template.split()).rstrip(".")

    def _named(self, name: str, step: StepView) -> str:
        # This program no longer has the action, so its name is all that is known of it.
        return self.say(name, action=quotable(visible(step.action)))


def fact_name(name: str) -> str:
    """A fact's name as a person reads it."""
    return neutral(name.replace("_", " "))
