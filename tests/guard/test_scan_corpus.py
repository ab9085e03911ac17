"""How well the scan tells tools apart that were labelled before it had seen them."""

from pathlib import Path

import pytest
from scan_corpus import Case, Score, cases

pytestmark = pytest.mark.no_store

PAGE = (Path(__file__).parents[2] / "docs/scan.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def labelled() -> list[Case]:
    return list(cases())


def test_nine_in_ten_effects_are_found(labelled: list[Case], capsys) -> None:
    score = Score.of(labelled)
    assert score.tools >= 60
    assert score.recall >= 0.9
    with capsys.disabled():
        print(f"\nscan: {score}")


@pytest.mark.parametrize("part", ["seen", "held out", "after"])
def test_and_in_each_part_of_the_tools(labelled: list[Case], part: str, capsys) -> None:
    score = Score.of([case for case in labelled if case.part == part])
    assert score.tools >= 20
    assert score.recall >= 0.9
    with capsys.disabled():
        print(f"\nscan, {part}: {score}")


@pytest.mark.parametrize("part", ["seen", "held out", "after"])
def test_the_page_has_the_figures_of_now(labelled: list[Case], part: str) -> None:
    score = Score.of([case for case in labelled if case.part == part])
    row = f"| {part} | {score.tools} | {score.recall:.2f} | {score.precision:.2f} | {score.classed:.2f} |"
    assert row in PAGE


def test_there_is_every_class_in_both_languages(labelled: list[Case]) -> None:
    assert {case.label for case in labelled} == {*type(labelled[0].label)}
    names = {case.found.tool.name for case in labelled}
    assert {"send_email", "enviar_correo", "buscar_facturas", "search_contacts"} <= names
    assert len(names) == len(labelled)
