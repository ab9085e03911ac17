"""What `semel demo` says, whom it refuses, and how it ends."""

import os
import signal
import socket
import subprocess
import sys

import httpx
import pytest
from demo_browser import command, environment, run, started

BLOCKED = """\
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from semel.cli import main

sys.exit(main(sys.argv[2:]))
"""


def test_a_sentence_becomes_one_mail_in_a_browser_without_scripts(home):
    with started(home) as demo:
        ana = demo.browser().sign_in()
        plan = ana.says()
        ana.press(plan, "confirm")
        assert [path.suffix for path in demo.mails] == [".eml"]
        assert not [form for form in ana.forms() if form[0].endswith(f"{plan}/confirm")]
        demo.signal(signal.SIGINT)
        assert demo.ends() == 0
    assert (home.parent / "err").read_text() == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_well(home, number):
    with started(home) as demo:
        assert httpx.get(f"{demo.addresses[0]}/healthz").status_code == 200
        demo.signal(number)
        assert demo.ends() == 0
        assert demo.process.stdout.read() == b""


def test_a_page_whose_name_was_made_to_lead_here_gets_nothing(home):
    with started(home) as demo:
        for path in ("/", "/sign-in", "/healthz", "/nothing"):
            answer = httpx.get(demo.addresses[0] + path, headers={"Host": "evil.example"})
            assert answer.status_code == 421
            assert b"semel" not in answer.content
        answer = httpx.get(f"{demo.addresses[0]}/healthz")
        assert "server" not in answer.headers


def test_a_port_that_is_taken(home):
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        for more in ((), ("--instances", "2")):
            code, out, err = run("--home", str(home), "--port", str(taken), *more)
            assert (code, out) == (2, "")
            assert f"The port {taken} cannot be had" in err
            assert "--port" in err
            assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--port", "65536"], "is not a port"),
        (["--port", "-1"], "is not a port"),
        (["--port", "http"], "is not a port"),
        (["--port", "65535", "--instances", "2"], "There is no port 65536"),
        (["--instances", "0"], "is not a number of processes"),
        (["--instances", "17"], "is not a number of processes"),
        (["--instances", "two"], "is not a number of processes"),
        (["--story", "--port", "0"], "--port and --instances are not its"),
        (["--json"], "--json is the story's"),
        (["--store", "sqlite", "--db", "postgresql://nobody@127.0.0.1:1/x"], "is a server's"),
    ],
)
def test_what_cannot_be_meant_is_refused(home, arguments, why):
    code, out, err = run("--home", str(home), *arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert "Traceback" not in err
    assert not home.exists()


@pytest.mark.parametrize("library", ["fastapi", "uvicorn", "jinja2"])
def test_a_missing_library_is_named_in_one_sentence(home, library):
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, library, "demo", "--home", str(home), "--port", "0"],
        capture_output=True, text=True, env=environment(), check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "pip install 'semel[web]'" in done.stderr


def test_a_process_that_was_started_by_another_ends_with_it(home):
    ours, theirs = os.pipe()
    with subprocess.Popen(
        command("--home", str(home), "--port", "0", "--tied"),
        stdin=ours, stdout=subprocess.PIPE, text=True, env=environment(),
    ) as process:  # fmt: skip
        os.close(ours)
        assert process.stdout.readline().startswith("ready ")
        os.close(theirs)
        assert process.wait(30) == 0


def test_whoever_follows_a_plan_is_let_go_at_once(home):
    with started(home) as demo:
        ana = demo.browser().sign_in()
        plan = ana.says()
        with ana.client.stream("GET", f"/plans/{plan}/events") as events:
            lines = events.iter_lines()
            assert events.headers["content-type"].startswith("text/event-stream")
            assert next(lines)
            demo.signal(signal.SIGINT)
            assert demo.ends(20) == 0
            for _ in lines:
                pass


@pytest.mark.parametrize(("lang", "said"), [("es", "Historial"), ("en", "History")])
def test_everybody_reads_the_language_that_was_asked_for(home, lang, said):
    with started(home, "--lang", lang) as demo:
        page = demo.browser().sign_in().page("/historial")
        assert f'<html lang="{lang}"' in page
        assert said in page
