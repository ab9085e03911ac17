"""The judge is handed doctored worlds and finds each; and the matrix finds a doctored engine."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from beside import Later, TakenBack, Undone
from crash_judge import Patience
from crash_world import Mundo, WorldClock
from lives import ALL, ANSWERS, CARTA, COBRO, CREAR, FIRMAR, RESERVA, VUELO, Pedidos
from pedidos import open_pedidos

from semel.domain.key import send_key
from semel.runtime import answer, outside, resolve
from semel.testing.crash import Verdict, kill_at, undisturbed

pytestmark = pytest.mark.only_on(
    "sqlite", "the rows are what is doctored; that they are read from either is the matrix's"
)

Doctor = Callable[["World"], None]
POSITIONS = {step[0]: position for position, step in enumerate(ALL, start=1)}


@dataclass
class World:
    """A world after a life, to be doctored."""

    path: Path

    def sql(self, text: str, *values: object) -> None:
        """What somebody does to the books who goes round every constraint."""
        with closing(sqlite3.connect(self.path / "pedidos.db", isolation_level=None)) as books:
            books.execute("PRAGMA ignore_check_constraints = ON")
            books.execute(text, values)

    def arrivals(self, change: Callable[[list[dict]], list[dict]]) -> None:
        lines = [json.loads(line) for line in (self.path / "outside").read_text().splitlines()]
        text = "".join(json.dumps(line) + "\n" for line in change(lines))
        (self.path / "outside").write_text(text)

    def left(self, step: tuple, state: str, reason: str | None, outcome: str | None) -> None:
        """The plan has ended at this step, and nothing after it was done."""
        position = POSITIONS[step[0]]
        self.arrivals(lambda lines: [one for one in lines if POSITIONS[one["action"]] <= position])
        self.sql("UPDATE notas SET signed = 0")
        self.sql("UPDATE semel_steps SET state = 'not_done', reason = 'not_reached', result = NULL"
                 " WHERE position > ?", position)  # fmt: skip
        self.sql("DELETE FROM semel_events WHERE kind = 'step_done' AND position >= ?", position)
        self.sql("DELETE FROM semel_attempts WHERE position > ?", position)
        self.sql("UPDATE semel_steps SET state = ?, reason = ? WHERE position = ?",
                 state, reason, position)  # fmt: skip
        self.sql("UPDATE semel_attempts SET outcome = ? WHERE position = ?", outcome, position)
        ends = "in_doubt" if state == "in_doubt" else "failed"
        self.sql("UPDATE semel_plans SET reason = ?", ends)

    def send_more(self, step: tuple, times: int) -> None:
        """The step was sent so many times more."""
        for number in range(times):
            self.sql(
                "INSERT INTO semel_attempts SELECT org, plan, position, id || ?, round, epoch, key,"
                " sent_by, opened_at, deadline_at, settles_at, request_digest, outcome, detail,"
                " returned_at FROM semel_attempts WHERE position = ? LIMIT 1",
                number, POSITIONS[step[0]],
            )  # fmt: skip


async def _made(home: Path) -> None:
    mundo = Mundo(home, WorldClock(home), {})
    async with open_pedidos(home, mundo, clock=WorldClock(home)):
        pass


@pytest.fixture(scope="session")
def template(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("template")
    asyncio.run(_made(home))
    (home / "clock").unlink()
    return home


def lived(scenario: Pedidos, world: Path) -> World:
    scenario.prepare(world)
    scenario.run(world)
    assert scenario.judge(world) == Verdict()
    return World(world)


def again(action: str, key: str | None = None) -> Doctor:
    """Something arrives once more, under its own key or another."""

    def doctor(world: World) -> None:
        def more(lines: list[dict]) -> list[dict]:
            (line,) = [one for one in lines if one["action"] == action]
            return [*lines, line | ({"key": key} if key else {})]

        world.arrivals(more)

    return doctor


def vanished(action: str) -> Doctor:
    return lambda world: world.arrivals(
        lambda lines: [one for one in lines if one["action"] != action]
    )


def sql(*texts: str) -> Doctor:
    def doctor(world: World) -> None:
        for text in texts:
            world.sql(text)

    return doctor


def late(world: World) -> None:
    """It was looked for, not found, and said not to have happened; now it arrives."""
    position = POSITIONS[RESERVA[0]]
    lines = [json.loads(line) for line in (world.path / "outside").read_text().splitlines()]
    (line,) = [one for one in lines if one["action"] == RESERVA[0]]
    world.left(RESERVA, "not_done", "failed", "absent")
    world.arrivals(lambda lines: [one for one in lines if POSITIONS[one["action"]] < position])
    flight = ["2026-10-19T09:00:00+00:00", line["action"], line["key"], line["nota"]]
    (world.path / "flying").write_text(json.dumps([flight]))


def left(step: tuple, state: str, reason: str | None, outcome: str | None, more: int = 0) -> Doctor:
    def doctor(world: World) -> None:
        world.left(step, state, reason, outcome)
        world.send_more(step, more)

    return doctor


ENDS = "UPDATE semel_plans SET state = 'running', reason = NULL, ended_at = NULL, owner = 'x'"
ONCE_MORE = (
    "INSERT INTO semel_events"
    " SELECT org, plan, 99, at, {}, position, body, body_digest, digest, told"
    " FROM semel_events WHERE kind = 'step_done' AND position = 2"
)
DOCTORED: dict[str, tuple[Doctor, str, str]] = {
    "opaque arrives twice": (again(CARTA[0]), "duplicates", "step 2 happened 2 times"),
    "keyed under another key": (again(COBRO[0], "k"), "duplicates", "step 3 happened 2 times"),
    "local happens twice": (
        sql("UPDATE notas SET signed = 2"), "duplicates", "step 6 happened 2 times",
    ),
    "done and not there": (vanished(VUELO[0]), "false", "step 5 is said to be done and did not"),
    "local done and not there": (sql("UPDATE notas SET signed = 0"), "false", "step 6 is said"),
    "not done and there": (
        left(RESERVA, "not_done", "failed", "absent"), "false", "step 4 is said to be not_done and",
    ),
    "arrives after not done": (late, "false", "step 4 is said to be not_done and happened"),
    "finished and not done": (
        lambda world: (
            world.left(RESERVA, "not_done", "failed", "absent"),
            world.sql("UPDATE semel_plans SET reason = 'finished'"),
        ),
        "false", "it is said to have finished",
    ),
    "under way for ever": (
        sql("UPDATE semel_steps SET state = 'started' WHERE position = 2"),
        "false", "step 2 is said to be started in a plan that has ended",
    ),
    "said twice": (sql(ONCE_MORE.format("kind")), "false", "said to have been done 2 times"),
    "contradicted": (
        sql(ONCE_MORE.format("'contradicted'")), "false", "what was said not to have happened did",
    ),
    "sent after a stop": (
        sql(
            "UPDATE semel_plans SET cancelled_at = ended_at",
            "UPDATE semel_events SET kind = 'cancel_pressed' WHERE kind = 'confirmed'",
        ),
        "false", "a step began after the plan was said to be stopped",
    ),
    "a local step after a stop": (
        sql(
            "UPDATE semel_plans SET cancelled_at = ended_at",
            "UPDATE semel_events SET kind = 'cancel_pressed'"
            " WHERE kind = 'step_done' AND position = 5",
        ),
        "false", "a step began after the plan was said to be stopped",
    ),
    "running for ever": (sql(ENDS), "lost", "it is running for ever"),
    "asking for ever": (
        sql("UPDATE semel_plans SET state = 'asking'"), "lost", "it is asking for ever",
    ),
    "no plan": (sql("DELETE FROM semel_plans"), "lost", "there are 0 plans of the kind plan"),
    "a second plan": (
        sql(
            "CREATE TABLE copied AS SELECT * FROM semel_plans",
            "UPDATE copied SET plan = 'p_2'",
            "INSERT INTO semel_plans SELECT * FROM copied",
        ),
        "lost", "there are 2 plans of the kind plan",
    ),
    "keyed in doubt": (left(COBRO, "in_doubt", None, "unknown"), "lost", "(keyed) is left in_doubt"),
    "checked in doubt": (
        left(RESERVA, "in_doubt", None, "unknown", 2), "lost", "(checked) is left in_doubt",
    ),
    "void in doubt": (
        left(VUELO, "in_doubt", None, "unknown", 2), "lost", "(checked_void) is left in_doubt",
    ),
    "opaque in doubt, never sent": (
        left(CARTA, "in_doubt", None, "refused"), "lost", "(opaque) is left in_doubt",
    ),
    "opaque not done": (left(CARTA, "not_done", "failed", "void"), "lost", "(opaque) is left"),
    "local not done": (left(FIRMAR, "not_done", "crashed", None), "lost", "(local) is left not"),
}  # fmt: skip


@pytest.mark.parametrize("name", DOCTORED)
def test_a_doctored_world_is_found(name, template, tmp_path):
    scenario = Pedidos("all-ok", template, ALL)
    world = lived(scenario, tmp_path)
    doctor, kind, sentence = DOCTORED[name]
    doctor(world)
    found = getattr(scenario.judge(tmp_path), kind)
    assert any(sentence in one for one in found), found


@pytest.mark.parametrize(
    ("doctor", "patience"),
    [
        (left(CARTA, "in_doubt", None, "unknown"), Patience()),
        (left(COBRO, "in_doubt", None, "unknown", 2), Patience()),
    ],
)
def test_a_doubt_that_its_class_allows_is_left_unless_a_person_answers(
    doctor, patience, template, tmp_path
):
    doctor(lived(Pedidos("all-ok", template, ALL, patience=patience), tmp_path))
    assert Pedidos("all-ok", template, ALL, patience=patience).judge(tmp_path).lost == ()
    assert Pedidos("all-ok", template, ALL, patience=ANSWERS).judge(tmp_path).lost


def test_what_is_not_there_for_certain_is_left_unless_a_person_has_it_done(template, tmp_path):
    scenario = Pedidos("all-ok", template, ALL, patience=Patience())
    world = lived(scenario, tmp_path)
    world.left(RESERVA, "not_done", "failed", "absent")
    vanished(RESERVA[0])(world)
    assert scenario.judge(tmp_path).lost == ()
    # The rows were edited and the history was not, which is found by the models' table.
    assert (
        "plan: Step 4 is not_done, and its history says started." in scenario.judge(tmp_path).false
    )
    assert Pedidos("all-ok", template, ALL).judge(tmp_path).lost


def test_an_undo_that_took_back_twice_or_not_at_all_is_found(template, tmp_path):
    scenario = Undone(template)
    world = lived(scenario, tmp_path)
    world.sql("UPDATE notas SET version = version + 1")
    assert scenario.judge(tmp_path).duplicates == ("undo: step 1 happened 2 times",)
    world.sql("UPDATE notas SET version = 2, gone = 0, text = 'Otra'")
    assert "undo: step 1 is said to be done and did not happen" in scenario.judge(tmp_path).false
    assert "the note does not say what it said before" in scenario.judge(tmp_path).false
    world.sql("UPDATE semel_plans SET undone_by = NULL")
    assert "the plan is not said to be undone" in scenario.judge(tmp_path).false


def test_a_letter_of_another_day_that_comes_twice_or_never_is_found(template, tmp_path):
    scenario = Later(template)
    world = lived(scenario, tmp_path)
    again(CARTA[0])(world)
    assert scenario.judge(tmp_path).duplicates == ("later: step 1 happened 2 times",)
    world.sql("UPDATE semel_plans SET state = 'running', reason = NULL WHERE kind = 'later'")
    assert scenario.judge(tmp_path).lost == ("later: it is running for ever",)


def test_a_letter_that_was_taken_back_and_comes_all_the_same_is_found(template, tmp_path):
    scenario = TakenBack(template)
    world = lived(scenario, tmp_path)
    mundo = Mundo(world.path, WorldClock(world.path), {})
    mundo.arrive(CARTA[0], "k")
    assert scenario.judge(tmp_path).false == ("later: step 1 is said to be not_done and happened",)


def test_the_matrix_finds_a_key_that_is_new_for_each_send(template, tmp_path, monkeypatch):
    scenario = Pedidos("keyed", template, (CREAR, COBRO))
    monkeypatch.setattr(resolve, "RESEND_SECONDS", (0, 0))
    (tmp_path / "sound").mkdir()
    sent = ("send:after", 1)
    assert kill_at(scenario, tmp_path / "sound", sent).verdict == Verdict()
    monkeypatch.setattr(outside, "_key", lambda action, step, id_: send_key(step, id_))
    (tmp_path / "broken").mkdir()
    # What would leave is no longer what has left, so it is not sent again; and that is found too.
    (lost,) = kill_at(scenario, tmp_path / "broken", sent).verdict.lost
    assert lost.startswith("plan: step 2 (keyed) is left in_doubt for ever")


def test_the_matrix_finds_an_answer_that_was_believed_too_early(template, tmp_path, monkeypatch):
    scenario = Pedidos("answer", template, (CREAR, CARTA, FIRMAR), {CARTA[0]: ["late"]}, ANSWERS)
    (tmp_path / "sound").mkdir()
    assert undisturbed(scenario, tmp_path / "sound").verdict == Verdict()
    monkeypatch.setattr(answer, "settled", lambda *_: True)
    monkeypatch.setattr("semel.runtime.gone.settled", lambda *_: True)
    (tmp_path / "broken").mkdir()
    found = undisturbed(scenario, tmp_path / "broken").verdict
    assert found.duplicates == ("plan: step 2 happened 2 times",)
