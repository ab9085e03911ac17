"""What the scan reads in an OpenAPI document, whatever its form."""

import sys

import pytest

from semel.guard.scan import openapi
from semel.guard.scan.classify import classify, ranked
from semel.guard.scan.tool import Kind, ScanError

pytestmark = pytest.mark.no_store

KEY = {"name": "Idempotency-Key", "in": "header"}


def test_each_operation_is_a_tool_with_all_that_it_says() -> None:
    document = {
        "components": {
            "parameters": {"key/one": KEY},
            "schemas": {"Pay": {"properties": {"amount": {}, "iban": {}}}},
        },
        "paths": {
            "/payments": {
                "parameters": [{"name": "org", "in": "query"}],
                "post": {
                    "operationId": "postPayments",
                    "summary": "A payment",
                    "parameters": [{"$ref": "#/components/parameters/key~1one"}],
                    "requestBody": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Pay"}}
                        }
                    },
                },
                "get": {},
            }
        },
    }
    first, second = ranked(openapi.operations(document))
    assert (first.tool.name, first.tool.place) == ("postPayments", "POST /payments")
    assert first.tool.parameters == ("org", "Idempotency-Key", "amount", "iban")
    assert (first.kind, first.line) == (Kind.MONEY, "@guard.once(effect=Keyed(ttl=3600))")
    assert (second.tool.name, second.kind) == ("/payments", Kind.READ)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        7,
        {"paths": []},
        {"paths": {"/a": None, "/b": [], "/c": {"post": 1, "get": None, "x-y": {}}}},
        {
            "paths": {
                "/a": {"parameters": {}, "post": {"parameters": [1, {"name": 2}], "summary": []}}
            }
        },
        {"paths": {"/a": {"post": {"requestBody": {"$ref": "#/a/b/c"}, "operationId": 7}}}},
        {"paths": {"/a": {"post": {"requestBody": {"$ref": "#/paths/~1a/post/requestBody"}}}}},
    ],
)
def test_what_does_not_fit_the_form_is_left_out(document) -> None:
    assert [classify(tool).kind for tool in openapi.operations(document)] in ([], [Kind.RESOURCE])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{", "is no JSON"),
        (b'{"paths": {}}', "has no operations"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\xff\xfe", "is no JSON, and YAML needs PyYAML"),
        (b"openapi: 3.1.0\npaths: {}\n", "is no JSON, and YAML needs PyYAML"),
    ],
)
def test_a_document_that_cannot_be_read_is_a_sentence(tmp_path, monkeypatch, data, why) -> None:
    # As where nobody has installed it.
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "api").write_bytes(data)
    with pytest.raises(ScanError, match=why):
        openapi.scan("api", tmp_path)


@pytest.mark.parametrize("name", ["nowhere.json", ".", "a\0b"])
def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path, name) -> None:
    with pytest.raises(ScanError, match="could not be read"):
        openapi.scan(name, tmp_path)


def test_yaml_is_read_where_its_library_is(tmp_path) -> None:
    (tmp_path / "api.yaml").write_text(
        "openapi: 3.1.0\n"
        "paths:\n"
        "  /charges:\n"
        "    post: {operationId: charge_card, summary: Charge a card}\n"
    )
    assert [tool.name for tool in openapi.scan("api.yaml", tmp_path)] == ["charge_card"]
    for bad in ("a: [", "!!python/object/apply:os.getpid []", "a: &a [*a, *b]"):
        (tmp_path / "api.yaml").write_text(bad)
        with pytest.raises(ScanError, match="neither JSON nor YAML"):
            openapi.scan("api.yaml", tmp_path)
