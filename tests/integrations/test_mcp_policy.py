"""What a policy says of a tool, and what is thought of one that no policy names."""

import tomllib

import pytest

from semel.domain.effect import Keyed, Opaque
from semel.integrations.mcp_front import printed
from semel.integrations.mcp_policy import BadPolicy, Do, Policy, Rule, parsed, read

pytestmark = pytest.mark.no_store


def tool(name, description="", **hints):
    schema = {"type": "object", "properties": {}}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": hints}


@pytest.mark.parametrize(
    ("listed", "do"),
    [
        (tool("get_invoice", "Get an invoice."), Do.READ),
        (tool("buscar_facturas", "Busca facturas."), Do.READ),
        (tool("send_email", "Send an e-mail."), Do.ONCE),
        (tool("frobnicate", "Do it."), Do.ONCE),
        (tool("frobnicate"), Do.ONCE),
        (tool("set_status", "Set the status."), Do.ONCE),
        (tool("delete_file", "Delete a file."), Do.ASK),
        (tool("borrar_nota", "Borra una nota."), Do.ASK),
        (tool("dropTable", "Drop a table."), Do.ASK),
        (tool("charge_card", "Charge a card."), Do.ASK),
        # A hint raises, and never lowers.
        (tool("frobnicate", readOnlyHint=True, idempotentHint=True), Do.ONCE),
        (tool("delete_file", readOnlyHint=True, destructiveHint=False), Do.ASK),
        (tool("send_email", destructiveHint=True), Do.ASK),
        (tool("get_invoice", readOnlyHint=False), Do.ONCE),
        (tool(""), Do.REFUSE),
        ({}, Do.REFUSE),
    ],
    ids=lambda value: str(value.get("name")) if isinstance(value, dict) else value,
)
def test_a_tool_that_no_policy_names_is_judged_with_care(listed, do):
    rule = Policy().rule(listed)
    assert rule.do is do
    assert rule.why


def test_a_policy_decides_whatever_a_tool_is_called():
    policy = parsed(tomllib.loads('[tools]\nget_invoice = "once"\ndelete_file = "read"\n'))
    assert policy.rule(tool("get_invoice")).do is Do.ONCE
    assert policy.rule(tool("delete_file", destructiveHint=True)).do is Do.READ
    assert policy.rule(tool("send_email")).do is Do.ONCE


def test_what_a_table_says_of_a_tool():
    policy = parsed(
        tomllib.loads(
            """
            window = 60
            [tools]
            plain = "once"
            [tools.mail]
            do = "ask"
            window = 5
            deadline = 7
            bound = 9
            error = "not_done"
            [tools.pay]
            key = "idempotency_key"
            ttl = 86400
            """
        )
    )
    assert policy.rules == {
        "plain": Rule(Do.ONCE, window=60),
        "mail": Rule(Do.ASK, Opaque(7, 9), window=5, proves=True),
        "pay": Rule(Do.ONCE, Keyed(86400, 60, 60), "idempotency_key", 60),
    }
    assert policy.rule(tool("other")).window == 60


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("windows = 1", "the policy has no windows"),
        ("window = 0", "window is a number of seconds"),
        ("window = true", "window is a number of seconds"),
        ("window = nan", "window is a number of seconds"),
        ("tools = 1", "[tools] is a table"),
        ('[tools]\na = "twice"', "a is one of read, once, ask, refuse"),
        ("[tools]\na = 1", "a is a word or a table"),
        ('[tools.a]\ndo = ["once"]', "a is one of read, once, ask, refuse"),
        ("[tools.a]\nonce = true", "a has no once"),
        ('[tools.a]\nkey = "k"', "a has key and ttl together"),
        ("[tools.a]\nttl = 5", "a has key and ttl together"),
        ('[tools.a]\nkey = " "\nttl = 5', "a.key is the name of an argument"),
        ('[tools.a]\nerror = "done"', "a.error is"),
        ('[tools.a]\ndeadline = "5"', "a.deadline is a number of seconds"),
        ("[tools.a]\nbound = -1", "a.bound is a number of seconds"),
    ],
)  # fmt: skip
def test_a_policy_that_means_nothing_is_refused_with_the_place(text, says):
    with pytest.raises(BadPolicy) as no:
        parsed(tomllib.loads(text))
    assert says in str(no.value)


@pytest.mark.parametrize("text", [b"tools = ", b"\xff", None])
def test_a_file_that_is_no_policy_is_refused_by_its_name(tmp_path, text):
    path = tmp_path / "policy.toml"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(BadPolicy, match=r"policy\.toml"):
        read(path)


@pytest.mark.parametrize("name", ["plain_1", "a-b", "a.b", 'a"b', "a\nb", "añadir", "a\\b", "a b"])
def test_a_printed_policy_names_every_tool_as_it_is_called(name):
    text = printed({name: Rule(Do.ASK, why="a line\nbreak")})
    assert tomllib.loads(text) == {"tools": {name: "ask"}}
