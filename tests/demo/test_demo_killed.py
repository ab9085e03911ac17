"""The demo is killed, or told to end, in the middle of a plan; and started again where it was."""

import signal
import threading
import time
from contextlib import contextmanager

import httpx
from demo_browser import started

from semel_facturas.sink import Sink


@contextmanager
def hanging(folder):
    """A mail server that keeps a message and answers only when it is let go."""
    with Sink(folder) as sink:
        sink.behaviour.hang = True
        yield sink


def confirm(browser, plan):
    """Press in a thread of its own, as a browser that waits; whatever becomes of its answer."""
    action, fields = browser.button(plan, "confirm")

    def press():
        try:
            httpx.post(
                browser.address + action, data=fields, cookies=dict(browser.client.cookies),
                headers=dict(browser.client.headers), timeout=60,
            )  # fmt: skip
        except httpx.HTTPError:
            return  # it was cut off, as the test wants

    thread = threading.Thread(target=press)
    thread.start()
    return thread


def until(look):
    """Ask the demo until what it answers is so; each answer takes it some milliseconds."""
    end = time.monotonic() + 60
    while not look():
        assert time.monotonic() < end, "It never came to be so."


def test_killed_while_a_mail_is_sent_and_started_again(home, tmp_path):
    with hanging(home / "mail") as sink:
        with started(home, SEMEL_SMTP=sink.url) as demo:
            ana = demo.browser().sign_in()
            plan = ana.says()
            pressing = confirm(ana, plan)
            assert sink.hanging.wait(60)
            demo.signal(signal.SIGKILL)
            demo.ends()
            pressing.join()
        sink.release()
        with started(home, SEMEL_SMTP=sink.url) as demo:
            ana = demo.browser().sign_in()
            until(lambda: ana.state(plan) not in ("running", "awaiting", "ask"))
            assert len(demo.mails) == 1
            demo.signal(signal.SIGTERM)
            assert demo.ends() == 0
            assert len(demo.mails) == 1


def test_told_to_end_while_a_mail_is_sent(home):
    with hanging(home / "mail") as sink, started(home, SEMEL_SMTP=sink.url) as demo:
        ana = demo.browser().sign_in()
        plan = ana.says()
        pressing = confirm(ana, plan)
        assert sink.hanging.wait(60)
        demo.signal(signal.SIGTERM)
        # The step that is on its way ends, however long its server takes.
        assert demo.process.poll() is None
        sink.release()
        assert demo.ends() == 0
        pressing.join()
        with started(home) as again:
            ana = again.browser().sign_in()
            until(lambda: ana.state(plan) not in ("running", "awaiting", "ask"))
            assert len(again.mails) == 1


def test_a_second_signal_ends_it_at_once(home):
    with hanging(home / "mail") as sink, started(home, SEMEL_SMTP=sink.url) as demo:
        ana = demo.browser().sign_in()
        pressing = confirm(ana, ana.says())
        assert sink.hanging.wait(60)
        demo.signal(signal.SIGINT)
        until(lambda: refused(demo.addresses[0]))
        demo.signal(signal.SIGINT)
        assert demo.ends() == -signal.SIGINT
        pressing.join()
        sink.release()


def refused(address):
    try:
        httpx.get(f"{address}/healthz", timeout=5)
    except httpx.HTTPError:
        return True
    return False
