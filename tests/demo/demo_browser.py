"""`semel demo` as a person has it: real processes on free ports, and a browser without scripts."""

import atexit
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import httpx

from semel_facturas.story.nursery import Child, Nursery

SENTENCE = (
    "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela por correo"
)
WAIT_SECONDS = 60.0


class Forms(HTMLParser):
    """The forms of a page: where each goes, what it carries, and what its buttons say."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append((given.get("action", ""), {}, {}))
        elif self.found and tag in ("input", "textarea") and "name" in given:
            self.found[-1][1][given["name"]] = given.get("value", "")
        elif self.found and tag == "button" and "name" in given:
            self.found[-1][2][given["name"]] = given.get("value", "")


@dataclass
class Browser:
    """Somebody who is signed in, and whose browser runs no scripts."""

    address: str
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(
            base_url=self.address, timeout=WAIT_SECONDS, follow_redirects=True,
            headers={"Origin": self.address, "Sec-Fetch-Site": "same-origin"},
        )  # fmt: skip

    def sign_in(self, person: str = "ana") -> "Browser":
        self.page("/sign-in")
        answer = self.client.post("/sign-in", data={"person": person})
        assert answer.status_code == 200, answer.text
        return self

    def page(self, path: str = "/") -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        return answer.text

    def forms(self, path: str = "/") -> list[tuple[str, dict[str, str], dict[str, str]]]:
        return Forms(self.page(path)).found

    def says(self, sentence: str = SENTENCE) -> str:
        """Write a message; the number of the plan that it led to."""
        (action, fields, _) = next(form for form in self.forms() if "text" in form[1])
        before = set(re.findall(r'data-plan="(p_[^"]+)"', self.page()))
        self.send(action, fields | {"text": sentence})
        (plan,) = set(re.findall(r'data-plan="(p_[^"]+)"', self.page())) - before
        return plan

    def button(self, plan: str, do: str, page: str = "/") -> tuple[str, dict[str, str]]:
        """Where a plan's button leads, and what it sends."""
        for action, fields, buttons in self.forms(page):
            if action.endswith(f"/plans/{plan}/{do}"):
                return action, fields | buttons
        raise AssertionError(f"{plan} has no button {do}: {self.state(plan)}")

    def press(self, plan: str, do: str) -> None:
        self.send(*self.button(plan, do))

    def send(self, action: str, fields: dict[str, str]) -> httpx.Response:
        answer = self.client.post(action, data=fields)
        assert answer.status_code == 200, (action, answer.status_code, answer.text[:500])
        return answer

    def state(self, plan: str) -> str:
        (found, *_) = re.findall(r'data-state="([^"]+)"', self.page(f"/plans/{plan}"))
        return found

    def close(self) -> None:
        self.client.close()


@dataclass
class Demo:
    """A demo that runs, and the browsers that look at it."""

    process: Child
    home: Path
    addresses: list[str] = field(default_factory=list)
    browsers: list[Browser] = field(default_factory=list)

    def browser(self, which: int = 0) -> Browser:
        self.browsers.append(Browser(self.addresses[which]))
        return self.browsers[-1]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def ends(self, within: float = WAIT_SECONDS) -> int:
        return self.process.wait(within)

    @property
    def mails(self) -> list[Path]:
        return sorted((self.home / "mail").glob("*.eml"))


def environment(**more: str) -> dict[str, str]:
    kept = {"PATH", "PYTHONPATH", "TMPDIR", "LANG"}
    return {name: value for name, value in os.environ.items() if name in kept} | more


@cache
def _nursery() -> Nursery:
    """What starts the demos: each is a process of its own, and has nothing to import."""
    served = ("semel_facturas.web.fleet", "uvicorn.protocols.http.auto", "semel.storage.postgres")
    one = Nursery("semel.cli", "semel_facturas", *served)
    atexit.register(one.close)
    return one


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "semel.cli", "demo", *arguments]


def run(*arguments: str, **more: str) -> tuple[int, str, str]:
    """A demo that is not expected to begin."""
    with _nursery().start("semel.cli", "demo", *arguments, env=environment(**more)) as process:
        out, err = process.communicate(timeout=WAIT_SECONDS)
    return process.wait(), out.decode(), err.decode()


@contextmanager
def started(home: Path, *arguments: str, instances: int = 1, **more: str) -> Iterator[Demo]:
    """A demo that can be reached."""
    words = ("demo", "--home", str(home), "--port", "0", *arguments)
    with (home.parent / "err").open("w") as err:
        process = _nursery().start(
            "semel.cli", *words, env=environment(**more), errors=err.fileno()
        )
    demo = Demo(process, home)
    try:
        for _ in range(instances):
            line = process.stdout.readline().decode()
            assert line.startswith("ready http://127.0.0.1:"), (home.parent / "err").read_text()
            demo.addresses.append(line.split()[1])
        yield demo
    finally:
        for browser in demo.browsers:
            browser.close()
        process.send_signal(signal.SIGKILL)
        process.communicate()
