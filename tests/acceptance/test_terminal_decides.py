"""Retry, undo, cancel, resolve and trace at the terminal, with a real mail server that misbehaves."""

import json
import signal

import pytest

import stores
from semel_facturas.sink import Behaviour, Sink

ANA = ("--as", "ana@carmona-demo")
SENTENCE = (
    "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela por correo"
)
REMINDED = f"{SENTENCE}, y recuérdale el pago cinco días antes si no la he marcado pagada"
EXPENSE = "Apunta un gasto de Adobe, 72,59 € IVA incluido"
GONE = "Ese plan no existe."


def rows(terminal, sql):
    return stores.rows(terminal.books, sql)


def run(terminal, sink, *arguments, **env):
    """A command whose e-mails go to *sink*; its answer, with the exit status."""
    environment = {"SEMEL_SMTP": sink.url, **env}
    code, out, err = terminal.run(*arguments, *ANA, "--json", env=environment)
    return {**json.loads(out or err), "exit": code}


@pytest.fixture
def sink(seeded):
    with Sink(seeded.home / "mail") as server:
        yield server


def mails(terminal):
    return sorted((terminal.home / "mail").glob("*.eml"))


def doubtful(terminal, sink, **env):
    """María's plan, whose e-mail is taken by a server that hangs up without an answer."""
    asked = run(terminal, sink, "ask", SENTENCE)
    sink.behaviour = Behaviour(cut="after storing")
    return run(terminal, sink, "confirm", asked["token"], **env)


def test_what_was_refused_is_retried_under_the_same_number(seeded, sink):
    asked = run(seeded, sink, "ask", SENTENCE)
    sink.behaviour = Behaviour(at_rcpt=550)
    partial = run(seeded, sink, "confirm", asked["token"])
    assert (partial["exit"], partial["status"], partial["next"]) == (1, "partial", "ask_person")
    assert "550" in partial["says"]
    assert mails(seeded) == []
    sink.behaviour = Behaviour()
    # Kinds never mix, and a stranger's answer is the same, byte for byte.
    wrong = [run(seeded, sink, verb, partial["retry_token"]) for verb in ("confirm", "undo")]
    wrong.append(run(seeded, sink, "retry", "smlc_" + "A" * 32))
    assert wrong[0] == wrong[1] == wrong[2]
    assert (wrong[0]["status"], wrong[0]["says"], wrong[0]["plan"]) == ("refused", GONE, None)
    done = run(seeded, sink, "retry", partial["retry_token"])
    assert (done["exit"], done["status"], done["plan"]) == (0, "done", asked["plan"])
    again = run(seeded, sink, "retry", partial["retry_token"])
    assert (again["status"], again["replayed"]) == ("already_done", True)
    assert len(mails(seeded)) == 1
    assert rows(seeded, "SELECT number FROM invoices") == [("2026-0001",)]
    steps = seeded.json("show", asked["plan"])["steps"]
    assert [(step["attempt"], step["sends"]) for step in steps] == [(1, 1), (1, 1), (2, 2)]


def test_an_expense_is_taken_back_once(seeded):
    noted = seeded.json("ask", EXPENSE, *ANA)
    assert noted["undo_token"].startswith("smlc_")
    first = seeded.json("undo", noted["undo_token"], *ANA)
    assert (first["exit"], first["status"], first["replayed"]) == (0, "done", False)
    second = seeded.json("undo", noted["undo_token"], *ANA)
    assert (second["status"], second["replayed"]) == ("already_done", True)
    assert rows(seeded, "SELECT count(*) FROM expenses WHERE deleted_at IS NULL") == [(0,)]
    # And by the word alone, for the newest plan of the conversation.
    seeded.json("ask", EXPENSE.replace("72,59", "30,25"), *ANA)
    assert seeded.json("say", "deshacer", *ANA)["status"] == "done"
    assert seeded.json("say", "deshacer", *ANA)["status"] == "refused"


def test_a_question_is_cancelled_by_its_number_and_by_nobody_else(seeded):
    asked = seeded.json("ask", SENTENCE, *ANA)
    strangers = [
        seeded.json("cancel", asked["plan"], "--as", who)
        for who in ("luis@carmona-demo", "eva@otra-demo")
    ]
    strangers.append(seeded.json("cancel", "p_nobody", *ANA))
    assert strangers[0] == strangers[1] == strangers[2]
    assert strangers[0]["status"] == "refused"
    gone = seeded.json("cancel", asked["plan"], *ANA)
    assert (gone["exit"], gone["status"]) == (0, "cancelled")
    assert seeded.json("confirm", asked["token"], *ANA)["status"] != "done"
    assert rows(seeded, "SELECT count(*) FROM invoices") == [(0,)]


def test_a_doubt_is_told_and_ended_by_the_persons_word(seeded, sink):
    doubt = doubtful(seeded, sink)
    plan = doubt["plan"]
    assert (doubt["exit"], doubt["status"], doubt["next"]) == (1, "in_doubt", "wait_person")
    assert "retry_token" not in doubt
    sink.behaviour = Behaviour()
    early = run(seeded, sink, "resolve", plan, "3", "--did-not")
    assert (early["exit"], early["status"]) == (1, "refused")
    words = run(seeded, sink, "resolve", plan, "3", "--send-anyway", "sí")
    assert (words["exit"], words["status"]) == (1, "refused")
    known = run(seeded, sink, "resolve", plan, "2", "--happened")
    assert (known["exit"], known["status"]) == (1, "refused")
    nobody = run(seeded, sink, "resolve", "p_nobody", "3", "--happened")
    assert nobody["says"] == GONE
    assert len(mails(seeded)) == 1
    told = run(seeded, sink, "resolve", plan, "3", "--happened", "msg-1")
    assert (told["exit"], told["status"]) == (0, "done")
    assert len(mails(seeded)) == 1


def test_a_person_may_have_it_sent_again_in_so_many_words(seeded, sink):
    plan = doubtful(seeded, sink)["plan"]
    sink.behaviour = Behaviour()
    again = run(seeded, sink, "resolve", plan, "3", "--send-anyway", "ENVIAR OTRA VEZ")
    assert (again["exit"], again["status"]) == (0, "done")
    sent = [mail.read_bytes() for mail in mails(seeded)]
    assert len(sent) == 2
    ids = {line for text in sent for line in text.splitlines() if line.startswith(b"Message-ID")}
    assert len(ids) == 1
    kinds = [event["kind"] for event in seeded.json("show", plan)["events"]]
    assert "possible_duplicate" in kinds


def test_a_record_leads_back_to_the_sentence(seeded):
    asked = seeded.json("ask", REMINDED, *ANA, "--message", "m-1")
    assert seeded.json("confirm", asked["token"], *ANA)["status"] == "done"
    trace = seeded.json("trace", "factura:2026-0001", *ANA)
    wanted = ["sentence", "who", "plan", "preview", "confirmation", "attempts", "events"]
    assert [key for key in trace if key in wanted] == wanted
    assert (trace["sentence"], trace["who"], trace["plan"]) == (REMINDED, "ana", asked["plan"])
    assert len(trace["preview"]) == 4
    assert "605,00 €" in trace["preview"][0]
    assert trace["confirmation"]["by"] == "ana"
    asked_at, used_at = (trace["confirmation"][key] for key in ("asked_at", "used_at"))
    assert asked_at < used_at
    assert [attempt["outcome"] for attempt in trace["attempts"]] == ["made"] * 4
    kinds = [event["kind"] for event in trace["events"]]
    assert kinds[:3] == ["proposed", "asked", "confirmed"]
    assert kinds[-1] == "ended"
    # The operator sees it too; who may not look at the plan, and who asks for another, see nothing.
    assert seeded.json("trace", "factura:2026-0001")["plan"] == asked["plan"]
    for stranger in ("luis@carmona-demo", "eva@otra-demo"):
        nothing = seeded.json("trace", "factura:2026-0001", "--as", stranger)
        assert nothing == {"plan": None, "sentence": None, "exit": 1}
    assert seeded.json("trace", "factura:2026-0009", *ANA)["exit"] == 1
    code, out, _ = seeded.run("trace", "factura:2026-0001", *ANA)
    assert code == 0
    assert REMINDED[:40] in out


def test_sigterm_ends_the_step_and_hands_the_plan_on(seeded, sink):
    """B55: what had begun is recorded, nothing more begins here, and the next start goes on."""
    asked = run(seeded, sink, "ask", REMINDED)
    sink.behaviour = Behaviour(hang=True)
    process = seeded.start("confirm", asked["token"], *ANA, env={"SEMEL_SMTP": sink.url})
    assert sink.hanging.wait(60)
    process.send_signal(signal.SIGTERM)
    sink.release()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"Traceback" not in err
    states = "SELECT state FROM semel_steps WHERE plan LIKE 'p_%' ORDER BY plan, position LIMIT 4"
    assert rows(seeded, states) == [("done",), ("done",), ("done",), ("waiting",)]
    sink.behaviour = Behaviour()
    assert run_sweep(seeded, sink)["resumed"] == [asked["plan"]]
    assert seeded.json("show", asked["plan"])["reason"] == "finished"
    assert len(mails(seeded)) == 1


def run_sweep(terminal, sink):
    _, out, _ = terminal.run("sweep", "--json", env={"SEMEL_SMTP": sink.url})
    return json.loads(out)


@pytest.mark.parametrize(
    "arguments",
    [
        ("resolve", "p_1", "0", "--happened", *ANA),
        ("resolve", "p_1", "11", "--happened", *ANA),
        ("resolve", "p_1", "1", *ANA),
        ("resolve", "p_1", "1", "--happened", "--did-not", *ANA),
        ("resolve", "p_1", "1", "--happened"),
        ("trace", "factura", *ANA),
        ("trace", ":2026-0001", *ANA),
        ("retry", *ANA),
        ("undo", "smlc_x"),
        ("cancel", *ANA),
    ],
)
def test_a_command_that_is_not_understood_exits_two(seeded, arguments):
    code, out, err = seeded.run(*arguments)
    assert (code, out) == (2, "")
    assert err.splitlines()[0].startswith("usage: semel")


def test_a_deadline_that_is_no_number_is_refused_in_one_sentence(seeded):
    for text in ("x", "0", "-1", "nan", "1e3", "99999", "٣"):
        code, _, err = seeded.run("plans", env={"SEMEL_MAIL_DEADLINE": text})
        assert code != 0
        assert err == "semel: SEMEL_MAIL_DEADLINE is a number of seconds, as in 30.\n"


def test_a_mail_server_that_does_not_answer_in_time_is_a_doubt(seeded, sink):
    """The opening of the second post: the server has it, the client has given up waiting."""
    asked = run(seeded, sink, "ask", SENTENCE)
    sink.behaviour = Behaviour(hang=True)
    doubt = run(seeded, sink, "confirm", asked["token"], SEMEL_MAIL_DEADLINE="1.5")
    assert doubt["status"] == "in_doubt"
    sink.release()
    for _ in range(2):
        assert run(seeded, sink, "ask", SENTENCE, "--message", "again")["exit"] == 1
        assert run(seeded, sink, "confirm", asked["token"])["status"] == "in_doubt"
    assert len(mails(seeded)) == 1
