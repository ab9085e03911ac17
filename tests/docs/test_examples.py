"""The examples of the documentation are really run, and a wrong one is really found."""

import os
import tomllib
from pathlib import Path

import pytest
from docs_examples import Console, commands, matches, run
from sybil.example import SybilFailure

ROOT = Path(__file__).parents[2]


def page(folder: Path, text: str, name: str = "page.md") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_runner_is_told_to_collect_the_pages() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"README.md", "docs"} <= set(settings["tool"]["pytest"]["ini_options"]["testpaths"])


def test_at_least_one_example_of_each_sort_runs_in_the_readme() -> None:
    ran = run(ROOT / "README.md")
    assert ran["python"] >= 1
    assert ran["console"] >= 1


def test_blocks_run_in_order_and_share_names_and_a_home(tmp_path: Path) -> None:
    text = """
```python
import os
from pathlib import Path
home = Path(os.environ["SEMEL_HOME"])
assert not home.exists()
```
```console
$ semel seed
…
```
```python
assert (home / "books.db").exists()
assert home.parent == Path.cwd()
```
"""
    assert run(page(tmp_path, text)) == {"python": 2, "console": 1}


@pytest.mark.parametrize(
    "block",
    [
        "```python\nassert 1 == 2\n```",
        "```python\n>>> 1 + 1\n3\n```",
        "<!-- invisible-code-block: python\nassert 1 == 2\n-->",
    ],
)
def test_a_false_python_block_is_found(tmp_path: Path, block: str) -> None:
    with pytest.raises((AssertionError, SybilFailure)):
        run(page(tmp_path, block))


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("$ semel --help\nusage: something else\n", "but prints"),
        ("$ semel --help\n", "but prints"),
        ("$ semel nothing-of-the-kind\n…\n", "ends with 2"),
        ("$ semel nothing-of-the-kind\n…\n$ echo $?\n3\n", "but prints"),
        ("$ semel --help\n…\n$ semel nothing-of-the-kind\n…\n", "ends with 2"),
        ("$ make demo\n", "Only semel"),
        ("semel --help\n", "begins with a command"),
        ("$ semel confirm smlc_… --as ana@carmona-demo\n", "Nothing printed"),
    ],
)
def test_a_false_console_block_is_found(tmp_path: Path, block: str, says: str) -> None:
    with pytest.raises((ValueError, SybilFailure), match=says.replace("$", r"\$")):
        run(page(tmp_path, f"```console\n{block}```\n"))


def test_a_true_console_block_passes(tmp_path: Path) -> None:
    block = "$ semel --help\nusage: semel …\n…\n$ semel nothing-of-the-kind\n…\n$ echo $?\n2\n"
    assert run(page(tmp_path, f"```console\n{block}```\n")) == {"console": 1}


@pytest.mark.parametrize(
    "text", ["", "```python\nx = 1\n```", "```console\n$ semel --help\n…\n```"]
)
def test_a_readme_without_both_sorts_of_example_fails(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match="shows no"):
        run(page(tmp_path, text, "README.md"))


def test_a_fence_that_only_looks_like_an_example_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not run"):
        run(page(tmp_path, "```bash\n$ semel --help\n```"))


@pytest.mark.parametrize(
    ("expected", "told", "held"),
    [
        ("one\ntwo\n", "one  \ntwo\n\n", True),
        ("one\n", "one\ntwo\n", False),
        ("", "", True),
        ("", "one\n", False),
        ("o…e\n", "one\n", True),
        ("o…e\n", "o\ne\n", False),
        ("…\n", "", True),
        ("one\n…\nfour\n", "one\ntwo\nthree\nfour\n", True),
        ("one\n…\nfour\n", "one\nfour\n", True),
        ("one\n…\nfour\n", "one\ntwo\n", False),
        ("a.b (c)\n", "a.b (c)\n", True),
        ("a.b\n", "axb\n", False),
    ],
)
def test_an_ellipsis_stands_for_text_or_lines(expected: str, told: str, held: bool) -> None:
    assert matches(expected, told) is held


def test_a_command_may_go_on_in_the_next_line() -> None:
    assert list(commands("$ semel ask \\\n  'x'\n1\n$ semel plans\n")) == [
        ("semel ask   'x'", "1\n"),
        ("semel plans", ""),
    ]


def test_the_last_token_and_the_last_whole_plan_stand_for_their_ellipsis() -> None:
    console = Console(Path())
    plans = ["p_01a1532c-b000-7011-a233-445566778899", "p_01a1532c-b001-7011-a233-445566778899"]
    console.told = f"{plans[0]} smlc_one {plans[1]}\nsmlc_t-w_o and later p_01a1532c-b002\n"
    assert console.filled("smlc_…") == "smlc_t-w_o"
    assert console.filled("p_…") == plans[1]
    assert console.filled("…") == "…"


def test_what_a_page_sets_in_the_environment_is_gone_after_it(tmp_path: Path) -> None:
    text = "```python\nimport os\nos.environ['SEMEL_SMTP'] = 'smtp://nowhere:1'\n1 / 0\n```"
    before = dict(os.environ)
    with pytest.raises(ZeroDivisionError):
        run(page(tmp_path, text))
    assert dict(os.environ) == before
