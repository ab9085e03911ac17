"""S2 through HTTP: the page, the fragment and the snapshot of a card are those of a calm name.

Each text is a contact's name and the words of a line in one plan. Both languages read its card; every
tag with every attribute is held against the card of a calm name, and every text against what that
one says around the name and the words.
"""

import json
import re
import unicodedata
from typing import Any

import httpx
import pytest
from cards_read import Read
from hostile_texts import every, spread
from pages_place import csrf, place

import counts

pytestmark = pytest.mark.only_on("sqlite", "what a store keeps of such texts is proved on each")

CALM = "Calma Serena"
WORDS = "Trabajo honrado"
LANGUAGES = ("es", "en")
JSON = {"accept": "application/json"}
MARKS = set("*_~`<>[]")
LRM = "\u200e"
OWN = re.compile(r"p_[0-9a-f-]{36}|p_[0-9a-f-]{8,14}|smlc_[\w-]+")
"""What each plan has of its own: its number, whole and short, and its token."""


def harmless(shown: str) -> bool:
    """Whether a text cannot be seen as anything but one line of text."""
    hidden = {c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp", "Co", "Cs"}}
    digits = [c for c in shown if unicodedata.category(c) == "Nd" and c not in "0123456789"]
    links = "://" in shown or re.search(r"www\.\w", shown)
    return hidden <= {LRM} and not digits and not links and not MARKS & {*shown}


def pattern(text: str) -> re.Pattern[str]:
    spelled = re.escape(OWN.sub("#", text))
    for calm in (CALM, WORDS):
        spelled = spelled.replace(re.escape(calm), "(.*)")
    return re.compile(spelled)


class Seen:
    """A card as it comes over HTTP: what a program reads of it, without what is the plan's own."""

    def __init__(self, client: httpx.Client, plan: str) -> None:
        address = f"/plans/{plan}"
        whole = client.get(address, headers=JSON)
        assert whole.status_code == 200
        self.snapshot: dict[str, Any] = whole.json()
        fragment = client.get(f"{address}?fragment").text
        page = client.get(address).text
        self.faults = [] if self.snapshot["html"] == fragment else ["the fragment is another card"]
        self.faults += [] if page.count(fragment) == 1 else ["the page has another card"]
        read = Read.of(fragment)
        around = Read.of(page.replace(fragment, "").replace("<!doctype html>", ""))
        self.faults += read.faults
        self.tags = [
            (tag, {name: OWN.sub("#", of) for name, of in at.items()}) for tag, at in read.tags
        ]
        self.around = [(tag, OWN.sub("#", str(at))) for tag, at in around.tags]
        self.tokens = {token for form in read.forms for token in form.get("token", [])}
        self.texts = [OWN.sub("#", text) for text in [*read.texts, self.snapshot["announce"]]]


class Honest:
    """The card of a calm name in one language, and what of another one is not as that."""

    def __init__(self, seen: Seen) -> None:
        assert seen.faults == []
        self.seen = seen
        self.texts = [pattern(text) for text in seen.texts]
        assert sum(text.groups for text in self.texts) == 2

    def faults(self, now: Seen) -> list[str]:
        found = list(now.faults)
        if now.tags != self.seen.tags:
            found.append("other tags or attributes, or in another order")
        if now.around != self.seen.around:
            found.append("another page around it")
        for name in ("state", "final", "left"):
            if now.snapshot[name] != self.seen.snapshot[name]:
                found.append(f"another {name}")
        if len(now.tokens) != 1:
            found.append("no token, or two")
        return found + wrong(now.texts, self.texts)


def wrong(texts: list[str], patterns: list[re.Pattern[str]]) -> list[str]:
    if len(texts) != len(patterns):
        return [f"{len(texts)} texts, not {len(patterns)}"]
    found = []
    for text, honest in zip(texts, patterns, strict=True):
        match = honest.fullmatch(text)
        if match is None:
            found.append(f"{text[:200]!r} is not {honest.pattern[:200]!r}")
        elif not all(map(harmless, match.groups())):
            found.append(f"{match.groups()!r:.200}")
    return found


def steps(who: str, words: str) -> list[dict[str, object]]:
    line = {"concepto": words, "precio": "500"}
    return [
        {"action": "factura.crear_borrador", "input": {"contacto": who, "lineas": [line]}},
        {"action": "factura.emitir", "input": {"factura": "$1"}},
        {"action": "factura.enviar", "input": {"factura": "$1"}},
    ]


def test_s2_no_text_changes_what_a_browser_is_given(tmp_path):
    number = counts.of("S2.web")
    faults: list[tuple[str, str]] = []
    done = kept = 0
    with place(tmp_path / "home") as made:
        readers = {}
        for language in LANGUAGES:
            client = made.client(origin=made.base)
            client.post("/sign-in", data={"person": "ana", "lang": language})
            readers[language] = client
        writer = readers["es"]
        held = csrf(writer.get("/").text)

        def contact(name: str, number: int) -> str:
            made.write(
                lambda tx: tx.run(
                    "contacts.add", org="carmona-demo", contact=f"c-{number}", name=name,
                    nif="12345678Z", address="Calle Mayor 1", email="maria@carmona.example",
                    payment_days=30, now="2026-10-19T08:00:00.000000Z",
                )
            )  # fmt: skip
            return f"c-{number}"

        def asked(who: str, words: str, message: str, sentence: str) -> httpx.Response:
            told = {"csrf": held, "message": message, "steps": steps(who, words)}
            # A half of a character can be spelled in JSON, so it is sent as it is.
            body = json.dumps(told | {"sentence": sentence})
            kind = {"content-type": "application/json", **JSON}
            return writer.post("/plans", content=body, headers=kind)

        calm = asked(contact(CALM, 0), WORDS, "calm", "Una factura").json()
        honest = {name: Honest(Seen(one, calm["plan"])) for name, one in readers.items()}
        for at, text in enumerate(spread(every(), number), start=1):
            # A database holds no half characters; the browser and JSON refuse them before.
            whole = text.encode("utf-8", "replace").decode().replace("\0", "")
            who = contact(whole if whole.strip(" ") else f"x{whole}", at)
            answer = asked(who, text, f"words-{at}", "Una factura")
            if answer.status_code == 422:
                # Such words are no line: the answer says so in one harmless line.
                if not answer.json()["says"].isprintable():
                    faults.append((text, answer.json()["says"]))
                answer = asked(who, WORDS, f"name-{at}", "Una factura")
            else:
                kept += 1
            told = answer.json()
            assert (answer.status_code, told["status"]) == (200, "needs_person"), (text, told)
            if told | {"plan": ""} != calm | {"plan": ""}:
                faults.append((text, f"a model is told {told}"))
            for language, client in readers.items():
                now = Seen(client, told["plan"])
                faults += [(text, fault) for fault in honest[language].faults(now)]
            done += 1
    assert faults == []
    counts.ran("S2.web", done)
    assert done >= number
    # Words and names were both met.
    assert kept > 0


@pytest.mark.no_store
def test_the_check_sees_what_was_changed():
    honest = [pattern(f"Borrador para {CALM}: 500,00 €")]
    assert wrong(["Borrador para Eva: 500,00 €"], honest) == []
    for text in ("Borrador para Eva: 900,00 €", "Borrador para <b>: 500,00 €"):
        assert wrong([text], honest), text
    assert Read.of('<p title="a" title="b">x</p>').faults
    assert Read.of("<p><b>x</p>").faults
