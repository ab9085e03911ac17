"""What a run of a scenario shows: how many effects, and what the callers were told of them.

It judges by the world's ledger and by the callers' answers, and knows no peer.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """What one call was told.

    Args:
        caller: whose call it was.
        kind: ``result``, ``raised``, ``said``, ``blocked`` or ``died``.
        word: the exception's name, or the peer's own word.
        value: what it was told came out of the effect.
        done: whether it was told that the effect has happened.
        denied: whether it was told that no effect has happened.
        there: how many effects there were when it was told.
        waited: whether it had to wait for its answer.
    """

    caller: str
    kind: str
    word: str
    value: str | None = None
    done: bool = False
    denied: bool = False
    there: int = 0
    waited: bool = False


@dataclass(frozen=True, slots=True)
class Phase:
    """A moment of a run: the effects so far, by what came out of them, and who was told what."""

    label: str
    effects: tuple[str, ...]
    told: tuple[Told, ...]


Run = tuple[Phase, ...]


def is_lie(told: Told, effects: Sequence[str]) -> bool:
    """Whether it was told of an effect that was not there, or of none where there was one.

    A result is a lie, too, when no effect gave it.
    """
    if told.denied:
        return told.there > 0
    if told.kind == "said":
        return told.done and told.there == 0
    return told.done and told.value not in effects


@dataclass(frozen=True, slots=True)
class Verdict:
    """A cell of the table."""

    text: str
    duplicate: bool
    lie: bool
    blocked: bool


def judged(runs: Sequence[Run]) -> Verdict:
    """What the runs of one scenario show together; where they differ, the range."""
    phases = list(zip(*runs, strict=True))
    parts = [_part(same) for same in phases]
    text = "; ".join(parts)
    remarks = sorted({remark for run in runs for remark in _remarks(run)})
    told = [(one, phase.effects) for run in runs for phase in run for one in phase.told]
    return Verdict(
        "; ".join([text, *remarks]),
        duplicate=any(len(phase.effects) > 1 for run in runs for phase in run),
        lie=any(is_lie(one, effects) for one, effects in told),
        blocked=any(one.kind == "blocked" for one, _ in told),
    )


def _part(same: Sequence[Phase]) -> str:
    """One moment, over all the runs."""
    counts = [len(phase.effects) for phase in same]
    number = _range(counts)
    if max(counts) > 1:
        number = f"**{number}**"
    label = f"{same[0].label} " if same[0].label else ""
    return f"{label}{number}: {_words(same)}"


def _words(same: Sequence[Phase]) -> str:
    names = list(dict.fromkeys(one.caller for phase in same for one in phase.told))
    if len(names) > 1 and all(len(_of(phase, name)) == 1 for phase in same for name in names):
        return ", ".join(f"{name} {_or(_of(phase, name)[0] for phase in same)}" for name in names)
    counters = [Counter(_word(one, phase.effects) for one in phase.told) for phase in same]
    found = dict.fromkeys(word for counter in counters for word in counter)
    words = sorted(found, key=lambda word: (not word.startswith("result"), word))
    if sum(counters[0].values()) == 1:
        return " or ".join(words)
    return ", ".join(f"{_range([c[word] for c in counters])} × {word}" for word in words)


def _of(phase: Phase, name: str) -> list[str]:
    return [_word(one, phase.effects) for one in phase.told if one.caller == name]


def _or(words: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(words))


def _word(told: Told, effects: Sequence[str]) -> str:
    word = told.word if told.kind in {"result", "blocked", "died"} else f"`{told.word}`"
    if told.waited:
        word += " after a wait"
    return f"{word} (**a lie**: {_truth(told, effects)})" if is_lie(told, effects) else word


def _truth(told: Told, effects: Sequence[str]) -> str:
    if told.denied:
        return "it had happened"
    if told.kind == "said":
        return "it had not happened yet" if effects else "it never happened"
    return "no effect gave it"


def _remarks(run: Run) -> set[str]:
    """What no single answer shows: that callers were told different things of one call."""
    values = {one.value for phase in run for one in phase.told if one.value in phase.effects}
    return {"callers hold different results"} if len(values) > 1 else set()


def _range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least}–{most}"
