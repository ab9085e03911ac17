"""The terminal channel, end to end."""

import json
import os
import signal
import subprocess
import sys

import pytest

import stores

SENTENCE = (
    "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela por correo"
)
ENGLISH = (
    "Make an invoice for María Carmona for the logo design, €500 plus VAT, and email it to her"
)
ANA = ("--as", "ana@carmona-demo")
KEYS = ["status", "says", "next", "plan", "replayed"]


def rows(terminal, sql):
    return stores.rows(terminal.books, sql)


def mails(terminal):
    return sorted((terminal.home / "mail").glob("*.eml"))


@pytest.mark.parametrize(("sentence", "yes"), [(SENTENCE, "sí, por favor"), (ENGLISH, "yes")])
def test_a_sentence_becomes_a_question_and_a_yes_becomes_an_invoice_and_a_mail(
    seeded, sentence, yes
):
    asked = seeded.json("ask", sentence, *ANA)
    assert asked["exit"] == 1
    assert asked["status"] == "needs_person"
    for part in ("500,00 €", "105,00 €", "605,00 €", "maria@carmona.example"):
        assert part in asked["says"]
    assert asked["token"].startswith("smlc_")
    assert [k for k in asked if k in KEYS] == KEYS
    assert rows(seeded, "SELECT count(*) FROM invoices") == [(0,)]
    assert mails(seeded) == []

    done = seeded.json("say", yes, *ANA)
    assert (done["exit"], done["status"], done["replayed"]) == (0, "done", False)
    assert "2026-0001" in done["says"] or "-0001" in done["says"]
    assert len(mails(seeded)) == 1
    assert rows(seeded, "SELECT total FROM invoices WHERE state = 'issued'") == [("605.00",)]

    shown = seeded.json("show", done["plan"])
    assert (shown["state"], shown["reason"]) == ("ended", "finished")
    keys = ["position", "action", "effect", "state", "reason", "sends", "attempt"]
    assert all(sorted(step) == sorted(keys) for step in shown["steps"])
    assert [step["sends"] for step in shown["steps"]] == [1, 1, 1]
    code, out, _ = seeded.run("plans", "--json")
    assert (code, json.loads(out)) == (
        0,
        [{"plan": done["plan"], "state": "ended", "reason": "finished"}],
    )


def test_the_same_message_twice_is_one_question_with_the_same_token(seeded):
    first = seeded.json("ask", SENTENCE, *ANA, "--message", "m-1")
    again = seeded.json("ask", SENTENCE, *ANA, "--message", "m-1")
    assert (again["plan"], again["token"], again["replayed"]) == (
        first["plan"],
        first["token"],
        True,
    )
    assert rows(seeded, "SELECT count(*) FROM semel_plans") == [(1,)]


def test_strangers_get_equal_bytes_and_consume_nothing(seeded):
    token = seeded.json("ask", SENTENCE, *ANA)["token"]
    answers = {
        seeded.run("confirm", token, "--as", "luis@carmona-demo", "--json", "--lang", "es"),
        seeded.run("confirm", token, *ANA, "--conversation", "other", "--json", "--lang", "es"),
        seeded.run("confirm", token, "--as", "eva@otra-demo", "--json", "--lang", "es"),
        seeded.run("confirm", "smlc_" + "A" * 32, *ANA, "--json", "--lang", "es"),
        seeded.run("confirm", "garbage", *ANA, "--json", "--lang", "es"),
    }
    assert len(answers) == 1
    assert answers.pop()[0] == 1
    assert seeded.json("confirm", token, *ANA)["status"] == "done"
    again = seeded.json("confirm", token, *ANA)
    assert (again["status"], again["replayed"], again["exit"]) == ("already_done", True, 0)
    assert len(mails(seeded)) == 1


def test_a_yes_with_a_but_cancels_and_a_late_ok_finds_nothing(seeded):
    seeded.json("ask", SENTENCE, *ANA)
    cancelled = seeded.json("say", "sí, pero cambia la fecha", *ANA)
    assert (cancelled["status"], cancelled["exit"]) == ("cancelled", 0)
    late = seeded.json("say", "ok", *ANA)
    assert (late["status"], late["exit"]) == ("refused", 1)
    assert rows(seeded, "SELECT count(*) FROM invoices") == [(0,)]


def test_what_is_not_understood_is_said_and_nothing_is_written(seeded):
    answer = seeded.json("ask", "¿qué tiempo hace?", *ANA)
    assert (answer["status"], answer["plan"], answer["exit"]) == ("invalid", None, 1)
    assert rows(seeded, "SELECT count(*) FROM semel_plans") == [(0,)]


def test_an_adviser_who_only_reads_may_do_nothing(seeded):
    answer = seeded.json("ask", SENTENCE, "--as", "luis@carmona-demo")
    assert answer["status"] == "refused"
    assert rows(seeded, "SELECT count(*) FROM semel_plans") == [(0,)]


def test_a_stranger_learns_no_contact(seeded):
    answer = seeded.json("ask", SENTENCE, "--as", "nadie@carmona-demo")
    assert answer["status"] == "invalid"
    assert "María" not in answer["says"]


def test_a_plan_on_standard_input_runs_at_once_when_it_is_safe(seeded):
    plan = {
        "steps": [
            {
                "action": "gasto.crear",
                "input": {"concepto": "Papel", "importe": "12.10", "iva_incluido": True},
            }
        ]
    }
    done = seeded.json("act", "-", *ANA, "--message", "m-1", stdin=json.dumps(plan).encode())
    assert (done["status"], done["exit"]) == ("done", 0)
    again = seeded.json("act", "-", *ANA, "--message", "m-1", stdin=json.dumps(plan).encode())
    assert (again["status"], again["replayed"]) == ("already_done", True)
    assert rows(seeded, "SELECT count(*) FROM expenses") == [(1,)]


@pytest.mark.parametrize(
    "plan",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b'{"steps": [], "steps": []}',
        b'{"steps": [{"action": "gasto.crear", "input": {"importe": NaN}}]}',
        b"[" * 100_000,
        b'{"steps": "' + b"x" * 2_000_000 + b'"}',
    ],
)
def test_a_bad_plan_is_invalid_in_words(seeded, plan):
    answer = seeded.json("act", "-", *ANA, stdin=plan)
    assert (answer["status"], answer["exit"]) == ("invalid", 1)
    assert rows(seeded, "SELECT count(*) FROM semel_keys") == [(0,)]


def test_kill_minus_nine_in_mid_confirm_then_sweep_is_one_invoice_and_one_mail(seeded):
    """A real SIGKILL from outside, at whatever moment it comes; the matrix takes every point."""
    for number in range(3):
        asked = seeded.json("ask", SENTENCE, *ANA, "--message", f"m-{number}")
        process = seeded.start("confirm", asked["token"], *ANA, "--json")
        size = stores.written(seeded.books)
        # Die as soon as the process has written something: the yes, a step, or the mark.
        while process.poll() is None and stores.written(seeded.books) <= size:
            os.sched_yield()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        swept = seeded.json("sweep", "--until-quiet")
        assert swept["running"] == 0
        final = seeded.json("confirm", asked["token"], *ANA)
        assert final["status"] in {"already_done", "done", "in_doubt"}, final
        sent = rows(
            seeded, "SELECT count(*) FROM semel_steps WHERE position = 3 AND state = 'done'"
        )
        doubt = rows(seeded, "SELECT count(*) FROM semel_steps WHERE state = 'in_doubt'")
        issued = rows(seeded, "SELECT count(*) FROM invoices WHERE state = 'issued'")
        assert issued == [(number + 1,)]
        assert sent[0][0] <= len(mails(seeded)) <= sent[0][0] + doubt[0][0]


class TestAStoreThatCannotBeUsed:
    """One sentence, exit 3."""

    def refused(self, terminal, *arguments, **options):
        code, out, err = terminal.run(*arguments, **options)
        assert code == 3, (code, out, err)
        assert out == ""
        assert err.count("\n") == 1
        assert err.startswith("semel: ")
        return err

    @pytest.mark.only_on("sqlite", "on PostgreSQL the database is there before semel is")
    def test_missing(self, terminal):
        assert "semel seed" in self.refused(terminal, "plans")
        assert not terminal.home.exists()

    @pytest.mark.only_on("sqlite", "a file may be there that is no database")
    def test_no_database(self, seeded):
        for end in ("", "-wal", "-shm"):
            (seeded.home / f"books.db{end}").unlink(missing_ok=True)
        (seeded.home / "books.db").write_bytes(b"this is no database, " * 500)
        assert "not a SQLite database" in self.refused(seeded, "plans")

    def test_newer_schema(self, seeded):
        rows(seeded, "INSERT INTO semel_schema VALUES ('semel', 9999, 'from_the_future')")
        assert "another version" in self.refused(seeded, "ask", SENTENCE, *ANA)

    @pytest.mark.only_on("sqlite", "a file may be one that this user may not write to")
    def test_read_only(self, seeded):
        script = (
            "import os, sys\n"
            "import semel_facturas, aiosmtplib\n"
            "from semel.cli import main\n"
            "os.setgid(65534); os.setuid(65534)\n"
            "os.environ['SEMEL_HOME'] = sys.argv[1]\n"
            "sys.exit(main(['ask', sys.argv[2], '--as', 'ana@carmona-demo']))\n"
        )
        if os.getuid() != 0:
            for path in (seeded.home, *seeded.home.iterdir()):
                path.chmod(0o555 if path.is_dir() else 0o444)
            code, out, err = seeded.run("ask", SENTENCE, *ANA)
        else:
            # Root may write anywhere, so the command runs as nobody, who may only look.
            for path in (seeded.home, *seeded.home.parents):
                if (
                    str(path) != "/"
                    and path.stat().st_uid == 0
                    and path.stat().st_mode & 0o005 != 0o005
                ):
                    path.chmod(path.stat().st_mode | 0o005)
            done = subprocess.run(
                [sys.executable, "-c", script, str(seeded.home), SENTENCE],
                capture_output=True,
                text=True,
                check=False,
            )
            code, out, err = done.returncode, done.stdout, done.stderr
        if os.getuid() != 0:
            for path in (seeded.home, *seeded.home.iterdir()):
                path.chmod(0o755 if path.is_dir() else 0o600)
        assert (code, out) == (3, ""), err
        assert "written to" in err
        assert err.count("\n") == 1


def test_usage_errors_exit_two(seeded):
    for arguments in (["frob"], ["ask"], ["ask", "x", "--as", "nobody"], ["plans", "--db", "x"]):
        code, out, err = seeded.run(*arguments)
        assert (code, out) == (2, ""), err
        assert err
    code, _, err = seeded.run("act", "/no/such/plan.json", *ANA)
    assert code == 2
    assert "could not be read" in err


def test_help_helps(terminal):
    code, out, _ = terminal.run("--help")
    assert code == 0
    for command in ("ask", "act", "say", "confirm", "plans", "show", "seed", "sweep", "migrate"):
        assert command in out
        assert terminal.run(command, "--help")[0] == 0


def test_no_token_reaches_the_log_or_the_database(seeded):
    token = seeded.json("ask", SENTENCE, *ANA)["token"]
    seeded.json("confirm", token, *ANA)
    for path in seeded.home.rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes(), path
    assert token not in "\n".join(stores.dump(seeded.books))
