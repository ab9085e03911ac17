"""The pages say what the code does: words, events, commands, variables, programs, links."""

import ast
import re
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from semel.cli import guarding, keeping
from semel.cli.commands import VERBS
from semel.domain.action import Risk
from semel.domain.consent import Question
from semel.domain.plan import PlanKind, PlanReason, PlanState, Resolution, StepReason, StepState
from semel.domain.report import Because, Next, Status
from semel.domain.step import NAMES

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


WORDS = [PlanState, PlanReason, PlanKind, StepState, StepReason, Status, Next]
WORDS += [Question, Because, Resolution]


@pytest.mark.parametrize("states", WORDS)
def test_the_glossary_explains_every_state_and_reason(states: type) -> None:
    glossary = read("docs/glossary.md")
    assert [name for name in states if f"`{name}`" not in glossary] == []


def test_the_glossary_explains_every_risk() -> None:
    assert [risk for risk in Risk if f"`{risk.name.lower()}`" not in read("docs/glossary.md")] == []


def test_the_glossary_explains_every_effect() -> None:
    glossary = read("docs/glossary.md")
    assert [effect for effect in NAMES if f"- **{effect.__name__}**: " not in glossary] == []


def test_the_glossary_has_one_sentence_for_each_word_and_each_word_once() -> None:
    entries = re.findall(
        r"^- (?:\*\*|`)(.+?)(?:\*\*|`): (.+)$", read("docs/glossary.md"), re.MULTILINE
    )
    assert len(entries) > 80
    assert [word for word, text in entries if not text.endswith(".") or ". " in text] == []
    defined = re.findall(r"^- \*\*(.+?)\*\*: ", read("docs/glossary.md"), re.MULTILINE)
    outcomes = defined.index("Ask", defined.index("Ask") + 1)
    assert len(set(defined[:outcomes])) == outcomes
    assert len(set(defined[outcomes:])) == len(defined[outcomes:]) == 5


def events() -> Iterator[str]:
    """Every kind of event that the runtime names where it writes or passes one on."""
    kinds = {"event": 3, "opened": 8, "dismiss_stored": 3}
    for path in (ROOT / "src/semel/runtime").glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                name = getattr(call.func, "attr", getattr(call.func, "id", ""))
                for given in call.args[kinds.get(name, 99) :][:1]:
                    if isinstance(given, ast.Constant):
                        yield str(given.value)
                    named = getattr(module(path), getattr(given, "id", ""), None)
                    if isinstance(named, str):
                        yield named


def module(path: Path) -> ModuleType:
    return import_module(f"semel.runtime.{path.stem}")


def test_the_page_of_a_start_explains_every_event() -> None:
    table = read("docs/start.md").partition("| Event | |")[2].partition("\n\n")[0]
    shown = re.findall(r"`(\w+)`", "".join(re.findall(r"^\|(.+?)\|", table, re.MULTILINE)))
    # A question that is put away has its reason for an event.
    reasons = {PlanReason.CANCELLED, PlanReason.EXPIRED, PlanReason.REFUSED, PlanReason.STALE}
    found = {*events(), *map(str, reasons)}
    assert len(found) > 25
    assert (len(shown), set(shown)) == (len(found), found)


def test_the_page_of_an_operator_explains_every_command() -> None:
    section = read("docs/operating.md").partition("## The commands")[2].partition("\n## ")[0]
    shown = re.findall(r"^\| `semel ([\w-]+)", section, re.MULTILINE)
    others = ["migrate", "demo", "scan", "mcp-guard"]
    assert sorted(shown) == sorted([*VERBS, *keeping.VERBS, *guarding.VERBS, *others])


def test_the_page_of_storage_names_every_constraint() -> None:
    migrations = (ROOT / "src/semel/storage/sqlite/migrations").glob("*.sql")
    tables = "\n".join(path.read_text(encoding="utf-8") for path in migrations)
    constraints = re.findall(r"\bCONSTRAINT (\w+)", tables)
    assert len(constraints) > 10
    assert [name for name in constraints if f"`{name}`" not in read("docs/storage.md")] == []


def test_the_readme_leads_to_every_page() -> None:
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert pages == set(re.findall(r"\((docs/[\w-]+\.md)\)", read("README.md")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_link_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    local = [target.partition("#") for target in targets if "://" not in target]
    assert [target for target, *_ in local if not (page.parent / target).exists()] == []
    places = [(page.parent / target if target else page, place) for target, _, place in local]
    assert [place for target, place in places if place and place not in anchors(target)] == []


def anchors(page: Path) -> set[str]:
    """The places of a page that a link may name: its headings, as a forge spells them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def programs() -> set[str]:
    section = read("docs/operating.md").partition("## External programs")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([\w-]+)`", section, re.MULTILINE))


def test_the_script_for_bare_machines_installs_the_programs_that_are_listed() -> None:
    installed = " ".join(re.findall(r"lacking\+=\((.*?)\)", read(".ci/run"))).split()
    # What a compiler reads comes with it.
    named = {name.removesuffix("-venv") for name in installed if not name.endswith("-dev")}
    assert named == programs() - {"sh"}


@pytest.mark.parametrize("target", ["test", "prove"])
def test_the_script_for_bare_machines_runs_the_commands_of_the_readme(target: str) -> None:
    assert re.search(rf"^make {target} ", read("README.md"), re.MULTILINE)
    assert re.search(rf"^(exec )?make {target} ", read(".ci/run"), re.MULTILINE)


class Machine:
    """A machine that has only what was put into its one folder of programs."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "programs"
        self.checkout = folder / "a checkout with spaces"
        self.programs.mkdir()
        (self.checkout / ".ci").mkdir(parents=True)
        (self.checkout / ".ci" / "run").write_text(read(".ci/run"), encoding="utf-8")
        for name in ("bash", "dirname", "chmod", "cat"):
            (self.programs / name).symlink_to(which(name))
        self.has("id", "echo 0")
        self.has("make", 'echo "made in $PWD: $* CI=$CI"')
        for name in ("git", "python3", "spin", "gcc", "node", "redis-server", "chromium"):
            self.has(name, "true")

    def has(self, name: str, does: str) -> None:
        program = self.programs / name
        program.write_text(f"#!{which('bash')}\n{does}\n", encoding="utf-8")
        program.chmod(0o755)

    def lacks(self, name: str) -> None:
        (self.programs / name).unlink()

    def has_apt(self) -> None:
        """An apt-get that says what it is asked for, and installs programs that do nothing."""
        self.has(
            "apt-get",
            'echo "apt-get $*"; [ "$1" = install ] && shift 4 && for name; do\n'
            f'echo "#!{which("bash")}" > "{self.programs}/$name"\n'
            f'chmod +x "{self.programs}/$name"; done || true',
        )

    def run(self) -> tuple[int, str]:
        done = subprocess.run(
            [which("bash"), self.checkout / ".ci" / "run"],
            env={"PATH": str(self.programs)},
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout


def which(name: str) -> str:
    return subprocess.check_output(["sh", "-c", f"command -v {name}"], text=True).strip()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_machine_that_has_everything_only_runs_the_tests(machine: Machine) -> None:
    machine.has_apt()
    status, told = machine.run()
    assert status == 0
    assert "apt-get" not in told
    assert f"made in {machine.checkout}: test PY=python3 CI=true\n" in told
    assert told.endswith(f"made in {machine.checkout}: prove PY=python3 CI=true\n")


def test_what_lacks_is_installed_and_said(machine: Machine) -> None:
    machine.has_apt()
    machine.lacks("git")
    machine.lacks("python3")
    status, told = machine.run()
    assert status == 0
    assert "ci: lacking: git python3 python3-venv\n" in told
    assert "apt-get install -y -qq --no-install-recommends git python3 python3-venv\n" in told
    assert "test PY=python3 CI=true\n" in told


def test_a_python_without_venv_gets_it(machine: Machine) -> None:
    machine.has_apt()
    machine.has("python3", '[[ "$*" != *ensurepip* ]]')
    _, told = machine.run()
    assert "ci: lacking: python3 python3-venv\n" in told


def test_an_old_python_gives_way_to_a_newer_one_beside_it(machine: Machine) -> None:
    machine.has("python3", '[[ "$*" != *version_info* ]]')
    machine.has("python3.12", "true")
    status, told = machine.run()
    assert status == 0
    assert "test PY=python3.12 CI=true\n" in told


def test_an_old_python_that_stays_is_said(machine: Machine) -> None:
    machine.has("python3", '[[ "$*" != *version_info* ]]')
    machine.has("apt-get", "true")
    status, told = machine.run()
    assert status == 1
    assert "no Python of 3.11 or newer" in told


@pytest.mark.parametrize("why", ["no root", "no apt"])
def test_where_nothing_may_be_installed_it_says_what_lacks(machine: Machine, why: str) -> None:
    machine.lacks("make")
    if why == "no root":
        machine.has_apt()
        machine.has("id", "echo 1000")
    status, told = machine.run()
    assert status == 1
    assert "ci: lacking: make\n" in told
    assert "apt-get install" not in told


def test_a_failing_test_fails_the_script(machine: Machine) -> None:
    machine.has("make", "exit 2")
    assert machine.run()[0] == 2
