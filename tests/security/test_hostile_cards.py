"""S2: whatever a name or a word holds, the lines and the figures of a card stay what they are."""

import asyncio
import re
import unicodedata
from collections.abc import Iterator

import pytest
from facturas_bench import ANA, borrador, emitir, enviar, opened, plan
from hostile_texts import every, spread

import counts
from semel import Ask, Invalid, Outcome
from semel.domain.consent import TOKEN_PREFIX

CALM = "Calma Serena"
WORDS = "Trabajo honrado"
LANGUAGES = ("es", "en")
MARKS = set("*_~`<>[]")
LRM = "\u200e"


def texts() -> list[str]:
    return spread(every(), counts.of("S2"))


@pytest.mark.no_store
def test_the_corpus_is_large_and_every_text_is_another_one():
    made = every()
    assert len(made) == len(set(made)) >= 2_000
    assert any(len(text) >= 10_000 for text in made)


def filled(text: str) -> str:
    """A text as the books may have it: none of theirs is blank."""
    return text if text.strip(" ") else f"x{text}"


def honest(card: str) -> list[re.Pattern[str]]:
    """What each line of a card must be, whatever stands where the name and the words are."""
    patterns = []
    for line in card.splitlines():
        text = re.escape(line).replace(re.escape(CALM), "(.*)").replace(re.escape(WORDS), "(.*)")
        patterns.append(re.compile(text))
    return patterns


def harmless(shown: str) -> bool:
    """Whether a text in a card cannot be seen as anything but one line of text."""
    hidden = [
        c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp", "Co", "Cs", "Cn"}
    ]
    digits = [c for c in shown if unicodedata.category(c) == "Nd" and c not in "0123456789"]
    marks = [c for c in shown if c in MARKS]
    links = "://" in shown or re.search(r"www\.\w", shown)
    return not digits and not marks and not links and set(hidden) <= {LRM}


def wrong(outcome: Outcome, patterns: list[re.Pattern[str]], locale: str) -> Iterator[str]:
    """What of a card is not as it would be with a calm name."""
    lines = outcome.card(locale).text().splitlines()
    if len(lines) != len(patterns):
        yield f"{len(lines)} lines, not {len(patterns)}"
    for line, pattern in zip(lines, patterns, strict=False):
        match = pattern.fullmatch(line)
        if match is None:
            yield f"{line[:300]!r} is not {pattern.pattern[:300]!r}"
        elif not all(map(harmless, match.groups())):
            yield f"{match.groups()!r:.300}"


def test_s2_no_text_changes_the_lines_their_order_or_a_figure_for_person_and_model(tmp_path):
    number = counts.of("S2")
    done = kept = 0
    faults: list[tuple[str, str]] = []

    async def main():
        nonlocal done, kept
        async with opened(tmp_path) as (_, engine):

            async def contact(name: str, number: int) -> str:
                name, address = filled(name), filled(name[:200])
                await engine.write(
                    lambda tx: tx.run(
                        "contacts.add", org="carmona-demo", contact=f"c-{number}", name=name,
                        nif="12345678Z", address=address, email="maria@carmona.example",
                        payment_days=30, now="2026-10-19T08:00:00.000000Z",
                    )
                )  # fmt: skip
                return f"c-{number}"

            async def asked(who: str, words: str, message: str) -> Outcome:
                steps = borrador(who, words), emitir("$1"), enviar("$1")
                return await engine.agent.act(ANA, plan(*steps), message=message)

            calm = await asked(await contact(CALM, 0), WORDS, "calm")
            assert isinstance(calm, Ask)
            cards = {locale: honest(calm.card(locale).text()) for locale in LANGUAGES}
            told = {locale: calm.for_model(locale) for locale in LANGUAGES}
            assert all(sum("(.*)" in p.pattern for p in lines) >= 1 for lines in cards.values())
            for at, text in enumerate(spread(every(), number), start=1):
                # A database holds no half characters; the terminal and JSON refuse them before.
                whole = text.encode("utf-8", "replace").decode().replace("\0", "")
                who = await contact(whole, at)
                outcome = await asked(who, text, f"words-{at}")
                if isinstance(outcome, Invalid):
                    # Such words are no line: the name alone is shown, and the answer is calm.
                    for locale in LANGUAGES:
                        says = outcome.for_model(locale).says
                        # It names the place in the plan, in brackets of its own.
                        said = re.sub(r"steps\[1\]", "", says)
                        if not harmless(said) or len(says) > 2_000:
                            faults.append((text, says))
                    outcome = await asked(who, WORDS, f"name-{at}")
                else:
                    kept += 1
                assert isinstance(outcome, Ask), (text, outcome)
                for locale in LANGUAGES:
                    faults.extend((text, fault) for fault in wrong(outcome, cards[locale], locale))
                    model = outcome.for_model(locale)
                    now = told[locale]
                    if (model.status, model.next) != (now.status, now.next):
                        faults.append((text, str(model.status)))
                    if len(model.says.splitlines()) != len(now.says.splitlines()):
                        faults.append((text, model.says))
                    if TOKEN_PREFIX in model.says + outcome.card(locale).text():
                        faults.append((text, "a token"))
                done += 1

    asyncio.run(main())
    assert faults == []
    counts.ran("S2", done)
    assert done >= number
    # Words and names were both met.
    assert kept > 0
