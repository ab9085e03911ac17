"""Several processes behind one database: what one shows and does, the others show and do."""

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from demo_browser import started

TOGETHER = 20


def two(home, store, **more):
    return started(home, "--instances", "2", "--store", store, instances=2, **more)


def card(browser, plan):
    """A plan's card as it is, without what belongs to the session that reads it."""
    page = browser.page(f"/plans/{plan}?fragment")
    return re.sub(r'name="(csrf|token)" value="[^"]*"', "", page)


@pytest.mark.parametrize("store", ["postgres", "sqlite"])
def test_a_plan_is_confirmed_at_one_and_seen_at_the_other(home, store):
    with two(home, store) as demo:
        ana, elsewhere = demo.browser(0).sign_in(), demo.browser(1)
        elsewhere.client.cookies.update(ana.client.cookies)
        first, second = ana.says(), None
        elsewhere.press(first, "confirm")
        assert ana.state(first) == elsewhere.state(first) == "done"
        second = elsewhere.says()
        ana.press(second, "cancel")
        assert ana.state(second) == elsewhere.state(second) == "cancelled"
        assert len(demo.mails) == 1
        demo.signal(signal.SIGINT)
        assert demo.ends() == 0


def test_twenty_yeses_at_once_send_one_mail(home):
    with two(home, "postgres") as demo:
        ana, elsewhere = demo.browser(0).sign_in(), demo.browser(1)
        elsewhere.client.cookies.update(ana.client.cookies)
        plan = ana.says()
        action, fields = ana.button(plan, "confirm")

        def press(number):
            browser = (ana, elsewhere)[number % 2]
            return httpx.post(
                browser.address + action, data=fields, cookies=dict(ana.client.cookies),
                headers={"Origin": browser.address}, timeout=60,
            ).status_code  # fmt: skip

        with ThreadPoolExecutor(TOGETHER) as crowd:
            assert set(crowd.map(press, range(TOGETHER))) == {303}
            shown = set(crowd.map(lambda n: card((ana, elsewhere)[n % 2], plan), range(TOGETHER)))
        assert len(shown) == 1
        assert len(demo.mails) == 1


def test_one_that_dies_is_named_and_the_other_goes_on(home):
    with two(home, "sqlite") as demo:
        ana, elsewhere = demo.browser(0).sign_in(), demo.browser(1)
        elsewhere.client.cookies.update(ana.client.cookies)
        plan = ana.says()
        (killed, *_) = processes(demo.process.pid)
        os.kill(killed, signal.SIGKILL)
        while "has ended (status -9)" not in (home.parent / "err").read_text():
            elsewhere.page("/healthz")
        elsewhere.press(plan, "confirm")
        assert elsewhere.state(plan) == "done"
        assert len(demo.mails) == 1
        demo.signal(signal.SIGTERM)
        assert demo.ends() == 1


def processes(parent):
    """The demo's processes, in the order of their start."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            line, stat = (entry / "cmdline").read_bytes(), (entry / "stat").read_text()
        except OSError:
            continue  # it has just gone
        if int(stat.rpartition(")")[2].split()[1]) == parent and b"--tied" in line:
            found.append(int(entry.name))
    return sorted(found)
