"""Each program in examples/ runs, and prints what it says it does."""

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = sorted(path.name for path in EXAMPLES.glob("*.py"))
AGAIN = {
    "with_langgraph.py": ["The graph waits: The person decides.", "The tool was entered: 2 times"]
}


@pytest.mark.no_store
def test_there_is_one_for_each_framework():
    assert NAMES == [
        "with_chat_completions.py", "with_langgraph.py", "with_openai_agents.py", "with_pydantic_ai.py"
    ]  # fmt: skip


# Each makes a database of its own in a folder of its own, as whoever runs it would.
@pytest.mark.no_store
@pytest.mark.parametrize("name", NAMES)
def test_an_example_prints_one_question_one_invoice_and_one_email(name, capsys, monkeypatch):
    for variable in ("SEMEL_SMTP", "SEMEL_MAIL_DEADLINE"):
        monkeypatch.delenv(variable, raising=False)
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    printed = capsys.readouterr().out
    says = [
        r"^The agent says: \w.*\.$",
        r"^E-mail the invoice to maria@carmona\.example, and 2 more steps\?$",
        r"500,00 € \+ VAT 105,00 € = 605,00 €",
        r"^Done: all 3 steps\.$",
        r"^2\. Invoice \d{4}-0001 issued$",
        r"^The model is told: This was already done on .* there is nothing to repeat\.",
        r"^E-mails that left: 1$",
        *AGAIN.get(name, []),
    ]
    assert [line for line in says if not re.search(line, printed, re.MULTILINE)] == []
    assert "smlc_" not in printed
