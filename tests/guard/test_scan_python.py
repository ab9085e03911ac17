"""What the scan reads in Python source, which it never runs."""

import os
import sys
from pathlib import Path

import pytest

from semel.guard.scan import python
from semel.guard.scan.classify import classify
from semel.guard.scan.tool import Kind, ScanError

pytestmark = pytest.mark.no_store


@pytest.fixture
def found(tmp_path: Path):
    def scan(text: str) -> dict:
        (tmp_path / "tools.py").write_text(text, encoding="utf-8")
        return {one.name: classify(one) for one in python.scan("tools.py", tmp_path).tools}

    return scan


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("requests.post('https://api.example/things', json=x)", "resource"),
        ("httpx.post('https://hooks.zapier.com/1', json=x)", "webhook"),
        ("requests.request('POST', 'https://pay.example/charges')", "money"),
        ("requests.patch('https://api.example/things/1')", "resource"),
        ("requests.put('https://api.example/things/1')", "harmless"),
        ("requests.delete('https://api.example/things/1')", "harmless"),
        ("requests.get('https://api.example/things/1')", "read"),
        ("urllib.request.urlopen('https://api.example', data=x)", "resource"),
        ("urllib.request.urlopen('https://api.example')", "read"),
        ("self.http.post('/things', x)", "resource"),
        ("stripe.Charge.create(amount=x)", "money"),
        ("boto3.client('ses').send_email(Source=x)", "message"),
        ("boto3.client('s3').put_object(Key=x)", "harmless"),
        ("boto3.client('ec2').run_instances(Count=x)", "resource"),
        ("boto3.client('lambda').invoke(FunctionName=x)", "webhook"),
        ("db.execute('INSERT INTO t VALUES (?)', (x,))", "write"),
        ("db.execute('insert or ignore into t values (?)', (x,))", "harmless"),
        ("db.execute('UPDATE t SET n = n + 1 WHERE id = ?', (x,))", "write"),
        ("db.execute('UPDATE t SET n = ? WHERE id = 1', (x,))", "harmless"),
        ("db.execute('DELETE FROM t WHERE id = ?', (x,))", "harmless"),
        ("db.execute('SELECT * FROM t WHERE id = ?', (x,))", "read"),
        ("db.execute(STATEMENT, (x,))", "write"),
        ("db.execute(x)", "unknown"),
        ("open(x, 'w').write('')", "harmless"),
        ("open(x, 'a').write('')", "write"),
        ("Path(x).open(mode='a')", "write"),
        ("open(x).read()", "read"),
        ("subprocess.run(x)", "unknown"),
        ("job.delay(x)", "unknown"),
        ("crm.update(x)", "unknown"),
        ("SEEN.append(x)", "write"),
        ("self.crm.update(x)", "unknown"),
        ("things = []\n    things.append(x)", "read"),
        ("COUNTS[x] += 1", "write"),
        ("counts = {}\n    counts[x] += 1", "read"),
        ("global N\n    N += 1", "write"),
        ("self.seen += 1", "write"),
        ("posts.update_one({'_id': x}, {'$inc': {'seen': 1}})", "write"),
        ("posts.update_one({'_id': x}, {'$set': {'seen': 1}})", "harmless"),
        ("return _first(x)", "write"),
        ("return x.strip().split()", "read"),
        ("eval(x)", "unknown"),
        ("notify_owner(x)", "message"),
        ("crm.send_invoice(x)", "message"),
        ("audit.log_search(x)", "write"),
        ("ledger.pay_invoice(x)", "money"),
        ("bus.publish(x)", "unknown"),
    ],
)
def test_a_body_says_what_a_name_does_not(found, body, expected) -> None:
    text = (
        "import boto3, requests, httpx, stripe, subprocess, urllib.request\n"
        "from pathlib import Path\n"
        "N = 0\nSEEN = []\nCOUNTS = {}\nSTATEMENT = 'INSERT INTO t VALUES (?)'\n"
        "def _first(x):\n    return _second(x)\n"
        "def _second(x):\n    db.execute(STATEMENT, x)\n    return _first(x)\n"
        f"@tool\ndef frobnicate(self, x):\n    {body}\n"
    )
    assert found(text)["frobnicate"].kind == expected


def test_a_read_that_calls_what_is_elsewhere_is_known_by_its_name(found) -> None:
    kinds = found(
        "from usage import log_search, log_error, format_email\n"
        "@tool\ndef find_one(x):\n    log_search(x)\n"
        "@tool\ndef find_two(x):\n    log_error(x)\n    return format_email(x)\n"
    )
    assert kinds["find_one"].kind is Kind.READ_WRITES
    assert kinds["find_one"].reasons[0] == "its body calls `usage.log_search`"
    assert kinds["find_two"].kind is Kind.READ


def test_names_are_followed_through_imports_and_variables(found) -> None:
    kinds = found(
        "import requests as r\nfrom smtplib import SMTP as Server\n"
        "client = r.Session()\n"
        "@tool\ndef one(x):\n    client.post('https://x.example/things')\n"
        "@tool\ndef two(x):\n    with Server('h') as s:\n        s.sendmail(x)\n"
        "@tool\nasync def three(client):\n    await client.get('https://x.example')\n"
    )
    assert (kinds["one"].kind, kinds["two"].kind) == (Kind.RESOURCE, Kind.MESSAGE)
    assert "`smtplib.SMTP.sendmail`" in kinds["two"].reasons[0]
    # A parameter hides the module's name.
    assert not kinds["three"].kind.effect or kinds["three"].kind is Kind.UNKNOWN


def test_the_line_goes_where_the_function_is_defined(found) -> None:
    one = found("import x\n\n\n@mcp.tool(\n    name='send'\n)\ndef f(to: str): ...\n")["send"]
    assert one.tool.place == "tools.py:7"


@pytest.mark.parametrize(
    "mark",
    [
        "@tool",
        "@function_tool",
        "@mcp.tool()",
        "@agent.tool",
        "@agent.tool_plain",
        "@server.tool('x')",
    ],
)
def test_a_decorator_makes_a_tool(tmp_path, mark) -> None:
    (tmp_path / "a.py").write_text(f"{mark}\ndef f(): ...\ndef g() -> int: ...\n")
    sources = python.scan("a.py", tmp_path)
    assert ([one.name for one in sources.tools], sources.decorated) == (["f"], True)


def test_without_decorators_the_public_functions_are_looked_at(tmp_path) -> None:
    (tmp_path / "a.py").write_text(
        "def f(x: int): ...\ndef g(): 'Words.'\ndef h(x): ...\ndef _i(x: int): ...\n"
        "class A:\n    def j(self) -> int: ...\n"
    )
    sources = python.scan("a.py", tmp_path)
    assert ([one.name for one in sources.tools], sources.decorated) == (["f", "g"], False)


def test_a_key_is_found_in_parameters_and_in_what_is_sent(found) -> None:
    kinds = found(
        "@tool\ndef pay(amount, idempotency_key): ...\n"
        "@tool\ndef charge(x):\n    r.post('/', headers={'Idempotency-Key': x})\n"
        "@tool\ndef refund(x): ...\n"
    )
    assert [bool(kinds[name].tool.key) for name in ("pay", "charge", "refund")] == [1, 1, 0]


def test_a_module_is_found_and_read_and_never_run(tmp_path, monkeypatch) -> None:
    package = tmp_path / "shop" / "inner"
    package.mkdir(parents=True)
    proof = tmp_path / "it ran"
    run = f"open({str(proof)!r}, 'w')\n"
    (tmp_path / "shop" / "__init__.py").write_text(run)
    (package / "tools.py").write_text(f"{run}@tool\ndef send(x): ...\n")
    before = set(sys.modules)
    for target in ("shop.inner.tools", "shop.inner", "shop", "shop/inner/tools.py", str(package)):
        assert [one.name for one in python.scan(target, tmp_path).tools] == ["send"], target
    monkeypatch.syspath_prepend(str(tmp_path))
    assert python.scan("shop.inner.tools").tools
    assert not proof.exists()
    assert not {name for name in set(sys.modules) - before if name.startswith("shop")}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"def f(:\n", "invalid syntax"),
        (b"x = '\0'\n", "null bytes"),
        (b"\xff\xfe x\n", "line"),
        (b"x = " + b"(" * 5_000 + b")" * 5_000, "nested"),
        (b"x = " + b"-" * 200_000 + b"1", "nested"),
        (b"#" * (2 * 1024 * 1024 + 1), "more than 2 MiB"),
    ],
    ids=["syntax", "null", "bytes", "brackets", "minus", "long"],
)
def test_a_file_that_cannot_be_read_is_said_and_the_others_go_on(tmp_path, text, why) -> None:
    (tmp_path / "bad.py").write_bytes(text)
    (tmp_path / "good.py").write_text("@tool\ndef send(x): ...\n")
    sources = python.scan(".", tmp_path)
    assert [one.name for one in sources.tools] == ["send"]
    (said,) = sources.unread
    assert said.startswith("bad.py was not read: ")
    assert why in said or "too many" in said


def test_a_pipe_in_a_folder_is_passed_over(tmp_path) -> None:
    os.mkfifo(tmp_path / "a.py")
    (tmp_path / "b.py").write_text("@tool\ndef send(x): ...\n")
    assert len(python.scan(".", tmp_path).tools) == 1


def test_a_folder_of_too_many_files_is_a_sentence(tmp_path) -> None:
    for number in range(python.FILES_MAX + 1):
        (tmp_path / f"m{number}.py").touch()
    with pytest.raises(ScanError, match="more than 2000 files"):
        python.scan(".", tmp_path)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("nowhere.py", "There is no file nowhere.py."),
        ("no.where", "There is no source of a module no.where"),
        ("os.path.join", "There is no source of a module os.path.join"),
        ("sys", "There is no source of a module sys"),
        ("a b", "neither a file nor the name of a module"),
        ("", "not empty"),
        ("../x/", "There is no file ../x/."),
        ("x\0y", "null character"),
        ("empty.py", "holds no function that might be a tool"),
        ("bad.py", "bad.py was not read: "),
    ],
)
def test_what_cannot_be_scanned_is_a_sentence(tmp_path, target, why) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "bad.py").write_text("def f(:\n")
    with pytest.raises(ScanError, match=why.replace(".", r"\.")):
        python.scan(target, tmp_path)
