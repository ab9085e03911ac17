"""What is said of many plans at once, in one language."""

from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from semel.domain.report import StepView
from semel.facts import read_instant
from semel.words.en.past import PAST as EN
from semel.words.es.past import PAST as ES
from semel.words.figures import day_and_time, put
from semel.words.neutral import neutral, visible
from semel.words.voice import PERSON_MAX, Voice

SENTENCES: Mapping[str, Mapping[str, str]] = {"es": ES, "en": EN}

SENTENCE_MAX = 500
"""Characters of a person's words that a list or a trace shows."""


@dataclass(frozen=True, slots=True)
class Teller:
    """Says it, in the language and the zone of whoever reads."""

    voice: Voice

    @classmethod
    def of(cls, locale: str, zone: str) -> "Teller":
        """The teller for a locale."""
        return cls(Voice.of(locale, zone))

    @property
    def language(self) -> str:
        """``es`` or ``en``."""
        return self.voice.language

    def say(self, name: str, **values: object) -> str:
        """The sentence of that name, with texts in its places that are shown as they are."""
        texts = {key: str(value) for key, value in values.items()}
        return put(SENTENCES[self.language][name], texts)

    def day(self, instant: str) -> str:
        """The day of an instant text, and its time."""
        return " ".join(day_and_time(instant, self.voice.zone))

    def on(self, instant: str) -> dict[str, str]:
        """The day and the time of an instant text, for the places of those names."""
        day, time = day_and_time(instant, self.voice.zone)
        return {"day": day, "time": time}

    def moment(self, instant: str) -> str:
        """The time of day of an instant text, with its hundredths: ``09:02:38,11``."""
        at = read_instant(instant).astimezone(ZoneInfo(self.voice.zone))
        mark = "," if self.language == "es" else "."
        return f"{at:%H:%M:%S}{mark}{at.microsecond // 10_000:02d}"

    def words(self, text: str) -> str:
        """A person's words, made harmless."""
        return neutral(text, SENTENCE_MAX)

    def name(self, text: str) -> str:
        """Who somebody is, or how a record is called, made harmless."""
        return neutral(text, PERSON_MAX)

    def code(self, text: str) -> str:
        """A name that a program gives, an action's, as it is spelled there."""
        return visible(text, PERSON_MAX)

    def will(self, step: StepView) -> str:
        """What a step was shown to do."""
        return self.voice.will(step)

    def seconds(self, seconds: float) -> str:
        """A time as people say it: ``6,4 s``, ``12 min``."""
        if seconds >= 120:
            return self.say("operator.minutes", minutes=round(seconds / 60))
        text = f"{seconds:.0f}" if seconds == round(seconds) else f"{seconds:.1f}"
        return self.say(
            "operator.seconds", seconds=text.replace(".", "," if self.language == "es" else ".")
        )

    def between(self, asked: str, answered: str) -> str:
        """The time between two instants."""
        taken = read_instant(answered) - read_instant(asked)
        return self.seconds(max(0.0, taken.total_seconds()))

    def share(self, part: int, whole: int) -> str:
        """A part of a whole: ``3 de 5``; nothing of nothing."""
        return self.say("operator.of", part=part, whole=whole) if whole else "–"
