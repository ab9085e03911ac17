"""What decides the class of a tool, and what may not."""

import itertools

import pytest

from semel.guard.scan.classify import classify, ranked
from semel.guard.scan.tool import Deed, Kind, Tool

pytestmark = pytest.mark.no_store


def kind(name: str, description: str = "", **more) -> Kind:
    return classify(Tool(name, description, **more)).kind


@pytest.mark.parametrize(
    ("name", "description", "expected"),
    [
        ("sendEmail", "", "message"),
        ("mail.send", "", "message"),
        ("envia_correo", "", "message"),
        ("send_money", "", "money"),
        ("enviar_pago", "", "money"),
        ("send_webhook", "", "webhook"),
        ("crear_factura", "", "resource"),
        ("create_payment", "", "money"),
        ("get_or_create_user", "", "harmless"),
        ("search_and_send", "", "message"),
        ("buscar_y_cobrar", "", "money"),
        ("email_search", "", "read"),
        ("order_status", "", "read"),
        ("transfer_balance", "", "money"),
        ("list_charges", "Lists charges and refunds.", "read"),
        ("get_emails", "Emails that were sent.", "read"),
        ("get_account", "Returns the account. Emails the owner about it.", "message"),
        ("find_user", "Finds a user and records the search.", "read_writes"),
        ("buscar", "Busca un producto y registra la consulta.", "read_writes"),
        ("update_customer", "Updates a customer and charges the card.", "money"),
        ("upsert_order", "Upserts an order and emails the customer.", "message"),
        ("return_item", "Returns an item to the shop.", "unknown"),
        ("check_in_guest", "", "unknown"),
        ("frobnicate", "So that it is done.", "unknown"),
        ("frobnicate", "", "unknown"),
        ("", "", "unknown"),
    ],
)
def test_words_decide_in_both_languages(name, description, expected) -> None:
    assert kind(name, description) == expected


@pytest.mark.parametrize("hint", [{"read_only": True}, {"idempotent": True}])
@pytest.mark.parametrize("name", ["send_email", "pay", "create_issue", "frobnicate"])
def test_a_hint_never_lowers_a_class(name, hint) -> None:
    assert kind(name, **hint) is kind(name)
    assert "a hint and no proof" in " ".join(classify(Tool(name, **hint)).reasons)


def test_a_hint_may_raise_one() -> None:
    assert kind("get_page", read_only=False) is Kind.READ_WRITES
    assert kind("set_title", idempotent=False) is Kind.UNKNOWN


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"])
@pytest.mark.parametrize("name", ["send_email", "pay", "create_issue", "trigger_hook"])
def test_no_method_makes_an_effect_harmless(name, method) -> None:
    assert kind(name, method=method, path="/x").damage >= kind(name).damage


def test_a_method_speaks_where_words_are_silent() -> None:
    assert kind("/things", method="GET", path="/things") is Kind.READ
    assert kind("/things/{id}", method="PUT", path="/things/{id}") is Kind.HARMLESS
    assert kind("/things", method="POST", path="/things") is Kind.RESOURCE
    assert kind("/payments", method="POST", path="/payments") is Kind.MONEY
    assert kind("/things/{id}", method="PATCH", path="/things/{id}") is Kind.UNKNOWN


def test_a_post_that_is_called_a_read_is_a_read_that_writes() -> None:
    found = classify(Tool("get_invoice", method="POST", path="/invoices"))
    assert found.kind is Kind.READ_WRITES
    assert "it is POST" in found.reasons[0]
    assert "its name begins with `get`, which promises a read" in found.reasons


def test_parameters_speak_for_a_tool_that_says_nothing() -> None:
    assert kind("process", parameters=("amount", "currency")) is Kind.MONEY
    assert kind("process", parameters=("to", "subject")) is Kind.MESSAGE
    assert kind("process", parameters=("amount",)) is Kind.UNKNOWN


def test_source_knows_better_where_something_comes_to_be() -> None:
    row, same = Deed(Kind.WRITE, "an INSERT"), Deed(Kind.HARMLESS, "an upsert")
    assert kind("create_note", deeds=(row,)) is Kind.WRITE
    assert kind("create_note", deeds=(same,), whole=True) is Kind.HARMLESS
    # What else it calls is not known, so its name counts.
    assert kind("create_note", deeds=(same,), whole=False) is Kind.RESOURCE
    # A row may be what makes somebody else send.
    assert kind("send_note", deeds=(row,), whole=True) is Kind.MESSAGE


def test_only_source_that_is_known_whole_opens_a_tool_that_says_nothing() -> None:
    assert kind("frobnicate", deeds=(), whole=True) is Kind.READ
    assert kind("frobnicate", deeds=(), whole=False) is Kind.UNKNOWN


@pytest.mark.parametrize(
    ("tool", "line"),
    [
        (Tool("send_email"), "@guard.once(effect=Opaque())"),
        (Tool("pay", key="header Idempotency-Key"), "@guard.once(effect=Keyed(ttl=3600))"),
        (Tool("add", deeds=(Deed(Kind.WRITE, "x"),)), "@guard.once(effect=Local())"),
        (Tool("log_visit"), "@guard.once(effect=Opaque())"),
        (Tool("get_user"), None),
        (Tool("delete_user"), None),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_the_line_names_the_effect(tool, line) -> None:
    assert classify(tool).line == line


def test_the_worst_comes_first_in_whatever_order_they_come() -> None:
    names = ["get_x", "pay", "send_x", "create_x", "trigger_x", "frobnicate", "log_x", "set_x"]
    tools = [Tool(name) for name in names]
    orders = {
        tuple(one.tool.name for one in ranked(some)) for some in itertools.permutations(tools[:6])
    }
    assert orders == {("pay", "send_x", "create_x", "trigger_x", "frobnicate", "get_x")}
    damages = [one.kind.damage for one in ranked(tools)]
    assert damages == sorted(damages, reverse=True)


def test_of_two_equals_the_one_that_was_seen_comes_first() -> None:
    seen = Tool("z_send", deeds=(Deed(Kind.MESSAGE, "its body sends"),))
    assert [one.tool.name for one in ranked([Tool("a_send"), seen])] == ["z_send", "a_send"]
