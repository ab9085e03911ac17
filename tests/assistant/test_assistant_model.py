"""Which model is at work, and the transcript of everything that it is sent."""

import json
import stat
from pathlib import Path

import pytest
from assistant_desk import ANA, EXPENSE_STEPS, SENTENCE, Fake, Table, run, table

from semel import CatalogError
from semel_facturas.assistant import Assistant, models
from semel_facturas.assistant.transcript import Recorded, Transcript
from semel_facturas.web.application import application

UNUSABLE = {
    "anthropic:claude-x": "pip install 'pydantic-ai-slim[anthropic]'",
    "openai:gpt-x": "OPENAI_API_KEY",
    "nobody:model": "nobody",
    "nonsense": "nonsense",
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_model_that_cannot_be_used_is_a_sentence_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("SEMEL_MODEL", name)

    async def work() -> None:
        async with table(tmp_path, Fake(["x"])) as at:
            with pytest.raises(CatalogError) as no:
                application(at.engine, home=tmp_path)
            said = str(no.value)
            assert said.startswith(f"SEMEL_MODEL={name} ")
            assert UNUSABLE[name] in said
            assert "\n" not in said

    run(work())


def test_a_transcript_that_cannot_be_written_is_a_sentence_at_the_start(tmp_path: Path):
    async def work() -> None:
        async with table(tmp_path) as at:
            with pytest.raises(CatalogError, match="SEMEL_TRANSCRIPT"):
                models(at.engine, {"SEMEL_TRANSCRIPT": str(tmp_path / "none" / "file")})

    run(work())


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_transcript_has_every_request_and_answer_and_no_token(tmp_path: Path):
    file = tmp_path / "transcript.jsonl"

    async def work() -> None:
        async with table(tmp_path) as at:
            grammar = Assistant(at.engine, models(at.engine, {"SEMEL_TRANSCRIPT": str(file)}))
            desk = Table(at.home, at.engine, grammar, at.clock)
            await desk.say(SENTENCE)
            (view,) = await at.engine.person(ANA).plans()
            asks = await at.engine.person(ANA).status(view.plan)
            await desk.say(f"confirma con {asks.token} por favor")
            assert asks.token not in json.dumps([one.text for one in await at.lines()])

    run(work())
    found = lines(file)
    assert [one["kind"] for one in found] == ["opened", *["sent", "answered"] * 3]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "smlc_" not in file.read_text(encoding="utf-8")
    sent = found[1]
    assert SENTENCE in json.dumps(sent["messages"], ensure_ascii=False)
    assert len(sent["tools"]) == 7
    assert "19/10/2026" in json.dumps(sent["messages"])
    assert found[2]["answer"]["parts"][0]["tool_name"] == "actuar"


def test_a_transcript_has_what_went_wrong_and_a_retry_is_a_request(tmp_path: Path):
    file = tmp_path / "transcript.jsonl"

    async def work() -> None:
        fake = Fake(["x"])
        async with table(tmp_path) as at:
            transcript = Transcript(file, at.engine.now)
            recorded = Assistant(at.engine, lambda who: Recorded(fake.model(who), transcript))
            desk = Table(at.home, at.engine, recorded, at.clock)
            fake.replies = [[("ver_factura", {"mal": 1})], RuntimeError("caído")]
            await desk.say("hola")
            fake.replies = [[("actuar", EXPENSE_STEPS)], "Hecho."]
            await desk.say("otra vez")
            assert len(fake.asked) == 4

    run(work())
    kinds = [one["kind"] for one in lines(file)]
    assert kinds == ["sent", "answered", "sent", "failed", *["sent", "answered"] * 2]


def test_what_cannot_be_written_down_is_not_sent(tmp_path: Path):
    file = tmp_path / "transcript.jsonl"

    async def work() -> None:
        fake = Fake(["x"])
        async with table(tmp_path) as at:
            transcript = Transcript(file, at.engine.now)
            file.mkdir()
            recorded = Assistant(at.engine, lambda who: Recorded(fake.model(who), transcript))
            shown = await Table(at.home, at.engine, recorded, at.clock).say("hola")
            assert "No se ha hecho nada" in shown.text
            assert fake.asked == []

    run(work())


def test_the_prompt_says_for_whom_and_which_day_it_is_there(tmp_path: Path):
    async def work() -> None:
        fake = Fake(["Vale."])
        async with table(tmp_path, fake) as at:
            # Half past ten at night in London is the next day in Madrid.
            at.clock.move(seconds=14.5 * 3600)
            await at.say("hola")
            told = fake.info[0].instructions or ""
            assert "Carmona" in told
            assert "Ana" in told
            assert "20/10/2026" in told

    run(work())
