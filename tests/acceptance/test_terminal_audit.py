"""`semel audit verify` at the terminal: what it says, what it means, and whom it answers."""

import json
import os

import pytest

import commands
import stores

SENTENCE = (
    "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela por correo"
)


@pytest.fixture
def semel(tmp_path):
    home = tmp_path / "home"
    url = stores.url(home / "books.db", "facturas")

    def run(*arguments, **more):
        environment = {"PATH": os.environ["PATH"], "SEMEL_HOME": str(home), "SEMEL_DB": url}
        return commands.done(*arguments, env=environment | stores.keys() | more)

    run("seed")
    asked = json.loads(run("ask", SENTENCE, "--as", "ana@carmona-demo", "--json").stdout)
    run("confirm", asked["token"], "--as", "ana@carmona-demo")
    run.plan, run.books = asked["plan"], home / "books.db"
    return run


def test_an_honest_database_says_so_and_an_edited_row_is_named(semel):
    fine = semel("audit", "verify")
    assert (fine.returncode, fine.stdout, fine.stderr) == (
        0, "audit: 1 plans, 8 events, 0 edited\n", "",
    )  # fmt: skip
    stores.rows(
        semel.books, "UPDATE semel_steps SET result = '{}' WHERE plan = ? AND position = 2",
        semel.plan,
    )  # fmt: skip
    row = f"semel_steps carmona-demo {semel.plan} step 2"
    for language, why in (
        ("en", "result is not what the plan's events tell."),
        ("es", "result no es lo que cuentan los eventos del plan."),
    ):
        edited = semel("audit", "verify", "--lang", language)
        assert edited.returncode == 1
        assert edited.stdout == f"{row}: {why}\naudit: 1 plans, 8 events, 1 edited\n"
    told = json.loads(semel("audit", "verify", "--json").stdout)
    (one,) = told.pop("edited")
    assert told == {"plans": 1, "events": 8, "blanked": 0}
    assert (one.pop("says"), one) == (
        f"{row}: result is not what the plan's events tell.",
        {"table": "semel_steps", "org": "carmona-demo", "plan": semel.plan, "row": "step 2",
         "why": "changed", "of": "result"},
    )  # fmt: skip


def test_who_decides_for_others_audits_their_organization_and_nobody_else_does(semel):
    ana = semel("audit", "verify", "--as", "ana@carmona-demo", "--lang", "en")
    assert (ana.returncode, ana.stdout) == (0, "audit: 1 plans, 8 events, 0 edited\n")
    eva = semel("audit", "verify", "--as", "eva@otra-demo", "--lang", "en")
    assert (eva.returncode, eva.stdout) == (0, "audit: 0 plans, 0 events, 0 edited\n")
    luis = semel("audit", "verify", "--as", "luis@carmona-demo", "--lang", "en")
    assert (luis.returncode, luis.stdout) == (
        1, "Only who decides for others may audit; nothing was read.\n",
    )  # fmt: skip
    nobody = json.loads(semel("audit", "verify", "--as", "x@y", "--json", "--lang", "es").stdout)
    assert nobody["says"] == "Solo quien decide por otros puede auditar; no se ha leído nada."


def test_what_somebody_wrote_into_a_row_moves_no_terminal(semel):
    stores.rows(semel.books, "UPDATE semel_plans SET head = ?", "k\x1b[2J\u202e9:8:" + "0" * 64)
    said = semel("audit", "verify", "--lang", "en")
    assert said.returncode == 1
    assert said.stdout.splitlines()[0].endswith(
        "it was signed with the key k\ufffd[2J\ufffd9, which is not in the keyring."
    )
    assert "\x1b" not in said.stdout


@pytest.mark.no_store
def test_a_store_that_cannot_be_used_and_a_word_too_few_are_errors(tmp_path):
    environment = {"PATH": os.environ["PATH"], "SEMEL_HOME": str(tmp_path / "none")}
    for arguments, code in ((["verify"], 3), ([], 2), (["check"], 2)):
        done = commands.done("audit", *arguments, env=environment)
        assert (done.returncode, done.stdout) == (code, "")
        assert "Traceback" not in done.stderr
