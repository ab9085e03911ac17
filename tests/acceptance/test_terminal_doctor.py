"""The keeper's commands in a terminal: doctor, fence and settle, in sentences and as JSON."""

import json

import stores

WORDS = (
    "Haz una factura a María Carmona por el diseño del logo, 500 € más IVA, y envíasela por correo"
)


def asked(seeded) -> dict:
    told = seeded.json("ask", WORDS, "--as", "ana@carmona-demo", "--message", "m-1")
    assert told["status"] == "needs_person", told
    return told


def test_a_look_says_what_is_so_and_what_to_do(seeded):
    told = seeded.json("doctor")
    found = {one["name"]: one for one in told["findings"]}
    assert all(one["says"].endswith(".") for one in told["findings"])
    assert (told["opens"], told["outside"]) == (True, True)
    if stores.kind() == "sqlite":
        assert told["exit"] == 0
        assert {one["level"] for one in told["findings"]} == {"ok"}
    else:
        # The tests' own server may lose what it has answered, and they say so.
        assert told["exit"] == 1
        assert found["durability"]["level"] == "stop"
        assert "SEMEL_UNSAFE_DURABILITY=1" in found["override"]["says"]
    code, out, err = seeded.run("doctor")
    assert (code, err) == (told["exit"], "")
    assert out.endswith("Outside steps may begin.\n")
    assert len(out.splitlines()) == len(told["findings"]) + 1


def test_a_database_that_is_not_there_is_a_finding_too(terminal):
    code, out, err = terminal.run("doctor", "--db", "sqlite:///nowhere.db", "--json")
    told = json.loads(out)
    assert (code, err) == (3, "")
    assert (told["opens"], told["outside"]) == (False, False)
    assert [one["level"] for one in told["findings"]] == ["stop"]


def test_a_fence_wants_to_be_told_why(seeded):
    for arguments in ((), ("--restored", "--moved"), ("--dry-run",)):
        assert seeded.run("fence", *arguments)[0] == 2
    assert seeded.run("fence", "--moved", "--dry-run")[0] == 2
    for command in ("doctor", "fence", "settle"):
        code, out, _ = seeded.run(command, "--help")
        assert code == 0
        assert out.startswith(f"usage: semel {command}")


def test_a_fence_is_counted_put_up_and_said(seeded):
    told = asked(seeded)
    counted = seeded.json("fence", "--restored", "--dry-run")
    assert (counted["exit"], counted["dry_run"], counted["at"]) == (0, True, None)
    assert counted["in_doubt"] == [told["plan"]]
    assert seeded.json("show", told["plan"])["state"] == "asking"
    code, out, err = seeded.run("fence", "--restored")
    assert (code, err) == (0, "")
    assert out.startswith("Generation 2.\n1 plans in doubt: a person says of each what happened.\n")
    assert told["plan"] in out
    assert seeded.json("show", told["plan"])["reason"] == "in_doubt"
    again = seeded.json("confirm", told["token"], "--as", "ana@carmona-demo")
    assert again["status"] == "refused"
    code, out, _ = seeded.run("show", told["plan"], "--as", "ana@carmona-demo", "--lang", "es")
    assert code == 0
    assert "fenced" in out
    assert not list((seeded.home / "mail").glob("*.eml"))


def test_a_database_that_was_moved_whole_goes_on(seeded):
    told = asked(seeded)
    assert seeded.run("fence", "--moved")[:2] == (0, "This is its place from here on.\n")
    assert seeded.json("fence", "--moved") == {"outside": True, "closed": None, "exit": 0}
    assert seeded.json("show", told["plan"])["state"] == "asking"


def test_a_host_is_given_up(seeded):
    done = seeded.json("settle", "web-1", "--dry-run")
    assert (done["exit"], done["host"], done["handed_on"], done["doubts"]) == (0, "web-1", [], [])
    code, out, err = seeded.run("settle", "web-1")
    assert (code, err) == (0, "")
    assert out.startswith("What web-1 had begun by ")
    assert stores.rows(seeded.books, "SELECT host FROM semel_gone") == [("web-1",)]
    for wrong in ("", " ", "web-1:boot"):
        assert seeded.run("settle", wrong)[0] == 2
