"""Both languages say the same, and whatever the program can come to has a sentence in them."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from words_outcomes import ENDED, OUTCOMES
from words_rare import RARE
from words_views import asked, invoice, report

import semel
from semel.channels.cards import sheet
from semel.domain.effect import Checked, Effect, Keyed, Local, Opaque
from semel.domain.plan import PlanKind, PlanReason, Resolution, StepReason
from semel.domain.report import (
    Ask,
    Because,
    Invalid,
    Next,
    Problem,
    Refusal,
    Refused,
    Report,
    Running,
    Status,
)
from semel.domain.resolution import Fault
from semel.domain.step import name_of
from semel.words import speaker, voice
from semel.words.fate import LATER_ENDS, TAKEN_BACK, UNDO_ENDS
from semel.words.voice import SENT_TOO_LATE, SENTENCES, Voice

SRC = Path(semel.__file__).parent
LANGUAGES = ("es", "en")


@pytest.fixture(params=LANGUAGES)
def locale(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def trees(folder: Path, *words: str) -> dict[Path, ast.Module]:
    """The modules of a folder; when words are given, those in which one of them stands."""
    texts = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    return {
        path: ast.parse(text)
        for path, text in texts.items()
        if not words or any(word in text for word in words)
    }


def spelled(code: ast.expr) -> str:
    """An expression as it is written; most are names, and taking those apart takes long."""
    return code.id if isinstance(code, ast.Name) else ast.unparse(code)


def problem_codes() -> Iterator[str]:
    """Every code that the program can put into a Problem, read from its source."""
    yield from (str(fault) for fault in Fault)
    for path, tree in trees(SRC, "Problem(", "Malformed(").items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and spelled(node.func) in {"Problem", "Malformed"}:
                yield from codes_in(node.args[0], path)
    # The catalog turns pydantic's kinds of errors into codes, by a table with a default.
    for node in ast.walk(ast.parse((SRC / "catalog.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "code":
            strings = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
            yield from map(str, strings - {"extra_forbidden", "missing", "type"})


def codes_in(code: ast.expr, path: Path) -> list[str]:
    """The code if it is a literal; where it is computed, it comes from a place that is known."""
    if isinstance(code, ast.Constant):
        return [str(code.value)]
    assert ast.unparse(code) in {"code", "no.code", "str(fault)"}, (
        f"{path.name}: {ast.unparse(code)}"
    )
    return []


DETAILED = {"record.apply": 6, "record.not_done": 5, "apply": 6, "not_done": 5, "No": 1}
"""Calls that write a step's detail, and which of their arguments it is."""

WORDS = {
    "detail", "no.detail", "why", "str(no)", "str(error)", "kept(error.says(locale))",
}  # fmt: skip
"""Details that are passed on, or are somebody's words."""

NO_DETAIL = {
    "semel.decide", "confirmations.insert", "confirmations.revoke", "events.append", "plans.insert",
}  # fmt: skip
"""Constants of the runtime with a dot in them that are something else: a permission, statements."""


def detail_codes() -> set[str]:
    """Every code that the runtime can leave as a step's detail, read from its source."""
    runtime = trees(SRC / "runtime")
    codes = {
        value
        for tree in runtime.values()
        for value in constants(tree.body).values()
        if re.fullmatch(r"[a-z]+\.[a-z_]+", value)
    } - NO_DETAIL
    for path, tree in runtime.items():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                codes |= details_in(function, constants(tree.body), path)
    return codes


def constants(body: list[ast.stmt]) -> dict[str, str]:
    """Names that a module gives to texts."""
    return {
        ast.unparse(node.targets[0]): node.value.value
        for node in body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }


def details_in(
    function: ast.FunctionDef | ast.AsyncFunctionDef, named: dict[str, str], path: Path
) -> set[str]:
    """The codes that a function writes: literals, constants, and what it assigned to a name."""
    assigned: dict[str, set[str]] = {name: {text} for name, text in named.items()}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            texts = {str(n.value) for n in branches(node.value) if isinstance(n, ast.Constant)}
            assigned.setdefault(ast.unparse(node.targets[0]), set()).update(texts)
    found: set[str] = set()
    for node in ast.walk(function):
        at = DETAILED.get(ast.unparse(node.func)) if isinstance(node, ast.Call) else None
        given = node.args[at:] if isinstance(node, ast.Call) and at is not None else []
        for argument in given[:1]:
            said = ast.unparse(argument)
            if isinstance(argument, ast.Constant):
                found.add(str(argument.value))
            elif said not in WORDS:
                assert assigned.get(said), f"{path.name}: where does {said} come from?"
                found |= assigned[said]
    return found


def branches(value: ast.expr) -> list[ast.expr]:
    return [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]


CODES = sorted(set(problem_codes()))
DETAILS = sorted(detail_codes())


def test_both_languages_have_the_same_sentences_with_the_same_places() -> None:
    places = {
        language: {
            name: sorted(set(re.findall(r"\{(\w+)\}", text))) for name, text in sentences.items()
        }
        for language, sentences in SENTENCES.items()
    }
    assert set(places) == set(LANGUAGES)
    assert places["es"] == places["en"]


class Heard(dict[str, str]):
    """Sentences that remember which of them were said."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        super().__init__(sentences)
        self.said: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.said.add(name)
        return super().__getitem__(name)


SPARE = {"detail.later.too_late", "detail.later.unless", "reason.cancelled", "reason.not_reached"}
"""Members of closed sets that a plan's end says in a sentence of its own."""


def test_every_sentence_is_said_of_something(locale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard(SENTENCES[locale])
    monkeypatch.setattr(voice, "SENTENCES", {locale: heard})
    problems = Invalid(problems=tuple(Problem(code) for code in CODES), speaker=speaker)
    places = Invalid(problems=(Problem("brand_new", "steps[1]"),), speaker=speaker)
    for outcome in (*(row[0] for row in OUTCOMES.values()), *RARE, places):
        outcome.card(locale)
        outcome.for_model(locale)
        sheet(outcome, Voice.of(locale, "Europe/Madrid"))
    for number in range(0, len(CODES), 10):
        replace(problems, problems=problems.problems[number : number + 10]).for_model(locale)
    assert set(heard) - heard.said == SPARE


def test_no_sentence_is_a_bare_failure(locale: str) -> None:
    for name, sentence in SENTENCES[locale].items():
        assert not re.search(
            r"\b(failed|failure|error|falló|fallado)\b", sentence, re.IGNORECASE
        ), name
        assert sentence.strip() == sentence != "", name
        assert "  " not in sentence, name


def test_every_problem_of_the_program_has_a_sentence() -> None:
    assert len(CODES) >= 24
    for language in LANGUAGES:
        assert {f"problem.{code}" for code in CODES} <= set(SENTENCES[language])


@pytest.mark.parametrize("code", [*CODES, "brand_new"])
def test_a_problem_says_what_is_wrong_where_and_what_to_do(code: str, locale: str) -> None:
    outcome = Invalid(
        problems=(Problem(code, "steps[2].input.factura", "$1"), Problem(code)), speaker=speaker
    )
    answer = outcome.for_model(locale)
    assert (answer.status, answer.next, answer.plan) == (Status.INVALID, Next.NOTHING, None)
    assert "steps[2].input.factura" in answer.says
    assert code not in answer.says
    assert "()" not in answer.says
    assert not re.search(r"\{\w+\}", answer.says)
    wrong_and_remedy = SENTENCES[locale].get(f"problem.{code}", SENTENCES[locale]["problem.other"])
    assert len(re.split(r"[:,]", wrong_and_remedy)) > 1
    card = outcome.card(locale).text()
    assert code not in card
    assert "steps[" not in card


def test_the_details_that_are_codes_are_these() -> None:
    assert DETAILS == [
        "absent", "answer.did_not", "later.too_late", "later.unless", "send.too_old", "void",
    ]  # fmt: skip
    for language in LANGUAGES:
        details = {name for name in SENTENCES[language] if name.startswith("detail.")}
        assert details == {f"detail.{code}" for code in DETAILS}


@pytest.mark.parametrize("code", DETAILS)
def test_a_detail_that_is_a_code_is_said_in_words(code: str, locale: str) -> None:
    reason = StepReason.REFUSED if code == SENT_TOO_LATE else StepReason.FAILED
    reasons = (None, None, reason, StepReason.NOT_REACHED)
    outcome = report(PlanReason.FAILED, "ddnn", reasons, detail=code)
    sentence = SENTENCES[locale][f"detail.{code}"].split("{")[0]
    for said in (outcome.card(locale).text(), outcome.for_model(locale).says):
        assert f"maria@carmona.example: {sentence}" in said
        assert code not in re.findall(r"[\w.]+", said)
        assert "{who}" not in said


def test_every_member_of_every_closed_set_has_a_sentence(locale: str) -> None:
    names = set(SENTENCES[locale])
    ends = {*PlanReason, *UNDO_ENDS.values(), *LATER_ENDS.values(), TAKEN_BACK, "stale.later"}
    assert {f"report.{end}" for end in ends} <= names
    # What finished is told in a name of its own when it is told again.
    assert {f"model.{end}" for end in {*ends, "replayed", "undone.again"}} <= names
    assert {f"reason.{reason}" for reason in StepReason} <= names
    assert {f"refusal.{why}" for why in Refusal} <= names
    assert {f"model.refusal.{why}" for why in Refusal} <= names
    assert {f"ask.why.{why}" for why in Because} <= names


def test_the_table_reaches_every_member_of_every_closed_set() -> None:
    outcomes = [outcome for outcome, _, _ in OUTCOMES.values()]
    assert {status for _, status, _ in OUTCOMES.values()} == set(Status)
    assert {next_ for _, _, next_ in OUTCOMES.values()} == set(Next)
    assert {type(outcome) for outcome in outcomes} == {Ask, Running, Report, Invalid, Refused}
    reports = [outcome for outcome, _, _ in ENDED.values() if isinstance(outcome, Report)]
    assert {outcome.view.reason for outcome in reports} == set(PlanReason)
    assert {outcome.view.kind for outcome in reports} == set(PlanKind)
    steps = [one for outcome in reports for one in outcome.view.steps]
    assert {one.reason for one in steps} == {*StepReason, None}
    assert {one.resolution for one in steps} == {*Resolution, None}
    assert {outcome.why for outcome in outcomes if isinstance(outcome, Refused)} == set(Refusal)
    asks = [outcome for outcome in outcomes if isinstance(outcome, Ask)]
    assert {why for ask in asks for why in ask.view.because} == set(Because)


EFFECTS = [Local(), Keyed(ttl=3600), Checked(), Checked(void=True), Opaque()]


@pytest.mark.parametrize("effect", EFFECTS, ids=name_of)
def test_only_what_stays_in_the_database_is_not_called_outside(effect: Effect, locale: str) -> None:
    sent = invoice()[2]
    step = type(sent)(**{f: getattr(sent, f) for f in sent.__slots__} | {"effect": name_of(effect)})
    (line,) = asked([step]).card(locale).lines
    assert line.endswith(SENTENCES[locale]["step.outside"]) is not isinstance(effect, Local)
