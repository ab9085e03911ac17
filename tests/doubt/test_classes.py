"""Every effect class, and every way a send goes: what is proved, what is said, what arrives."""

from dataclasses import dataclass

import pytest
from dudas import SETTLED, Banco, at_once, does, firmar, opened, run, told
from pedidos import ANA

CASES = """
opaque  ok            |        | done made 1                      | =                        | =
opaque  refuse        |        | refused refused 0                | =                        | =
opaque  lost          |        | doubt unknown 1                  | =                        | settled
opaque  gone          |        | doubt unknown 0                  | =                        | settled
opaque  hang          |        | doubt open 0                     | done made 1              | =
opaque  hang refuse   |        | doubt open 0                     | refused refused 0        | =
opaque  hang gone     |        | doubt open 0                     | doubt unknown 0          | settled
opaque  hang lost     |        | doubt open 0                     | doubt unknown 1          | settled
keyed   ok            |        | done made 1                      | =                        | =
keyed   refuse        |        | refused refused 0                | =                        | =
keyed   lost,ok       |        | done unknown,made 1              | =                        | =
keyed   gone,ok       |        | done unknown,made 1              | =                        | =
keyed   gone,lost,ok  |        | done unknown,unknown,made 1      | =                        | =
keyed   lost          |        | doubt unknown,unknown,unknown 1  | =                        | settled
keyed   gone          |        | doubt unknown,unknown,unknown 0  | =                        | settled
keyed   lost,refuse   |        | doubt unknown,refused,refused 1  | =                        | settled
keyed   gone,refuse   |        | doubt unknown,refused,refused 0  | =                        | settled
keyed   hang,ok       |        | done open,made 1                 | done made,made 1         | =
keyed   hang,refuse   |        | doubt open,refused,refused 0     | done made,refused,refused 1 | =
keyed   hang refuse,ok |       | done open,made 1                 | done refused,made 1      | =
keyed   hang refuse,hang |     | doubt open,open,open 0           | done refused,made,made 1 | =
keyed   hang refuse,hang gone | | doubt open,open,open 0          | doubt refused,unknown,unknown 0 | settled
keyed   hang          |        | doubt open,open,open 0           | done made,made,made 1    | =
keyed   hang gone     |        | doubt open,open,open 0           | doubt unknown,unknown,unknown 0 | settled
checked ok            |        | done made 1                      | =                        | =
checked refuse        |        | refused refused 0                | =                        | =
checked lost          |        | done unknown 1                   | =                        | =
checked gone          |        | doubt unknown 0                  | =                        | failed absent 0
checked hang          |        | doubt open 0                     | done made 1              | =
checked hang refuse   |        | doubt open 0                     | refused refused 0        | =
checked hang gone     |        | doubt open 0                     | doubt unknown 0          | failed absent 0
checked hang lost     |        | doubt open 0                     | doubt unknown 1          | done unknown 1
checked lost          | dark   | doubt unknown 1                  | =                        | done unknown 1
checked gone          | dark   | doubt unknown 0                  | =                        | failed absent 0
checked hang          | dark   | doubt open 0                     | done made 1              | =
void    ok            |        | done made 1                      | =                        | =
void    refuse        |        | refused refused 0                | =                        | =
void    lost          |        | done unknown 1                   | =                        | =
void    gone,ok       |        | done void,made 1                 | =                        | =
void    gone,lost     |        | done void,unknown 1              | =                        | =
void    gone,refuse   |        | refused void,refused 0           | =                        | =
void    gone          |        | failed void,void,void 0          | =                        | =
void    hang,ok       |        | done void,made 1                 | =                        | =
void    hang,refuse   |        | refused void,refused 0           | =                        | =
void    hang          |        | failed void,void,void 0          | =                        | =
void    lost          | dark   | doubt unknown 1                  | =                        | done unknown 1
void    gone          | dark   | doubt unknown 0                  | =                        | failed void 0
void    hang          | dark   | doubt open 0                     | done made 1              | =
void    hang gone     | dark   | doubt open 0                     | doubt unknown 0          | failed void 0
"""
"""The class, how its sends go and whether looks are answered; then step, attempts and arrivals:
after the run, when what hung has come back, and when it has settled and was looked at."""

ACTIONS = {
    "opaque": "carta.enviar", "keyed": "cobro.hacer", "checked": "reserva.hacer",
    "void": "vuelo.reservar",
}  # fmt: skip
STEP = {
    "done": ("done", None), "refused": ("not_done", "refused"), "failed": ("not_done", "failed"),
    "doubt": ("in_doubt", None),
}  # fmt: skip
EVENT = {"done": "step_done", "refused": "step_not_done", "failed": "step_not_done"}


@dataclass(frozen=True)
class Stand:
    """How a step stands: its state, how its sends ended, how often it arrived, and its events."""

    state: str
    attempts: tuple[str, ...]
    arrived: int
    events: tuple[str, ...]

    def after(self, text: str) -> "Stand":
        """How it stands later; what is said of it then is a late proof."""
        if text == "=":
            return self
        if text == "settled":
            return Stand(self.state, self.attempts, self.arrived, (*self.events, "settled"))
        state, attempts, arrived = text.split()
        events = self.events
        if state != self.state:
            events = (*events, EVENT[state], "proved_late")
        return Stand(state, tuple(attempts.split(",")), int(arrived), events)


def first(text: str) -> Stand:
    """How it stands after the run, with a step after it that runs when it is done."""
    state, sends, arrived = text.split()
    attempts = tuple(sends.split(","))
    events = ("step_started", *["step_resent"] * (len(attempts) - 1))
    ends = {"done": ("step_done", "step_done", "ended"), "doubt": ("step_in_doubt", "ended")}
    return Stand(
        state, attempts, int(arrived), events + ends.get(state, ("step_not_done", "ended"))
    )


def stands(banco: Banco, action: str, expected: Stand, then: str) -> None:
    steps = banco.steps()
    assert steps[0] == STEP[expected.state]
    assert steps[1] == (("done", None) if then == "done" else ("not_done", "not_reached"))
    reason = {"doubt": "in_doubt", "done": "finished" if then == "done" else "failed"}
    assert banco.plan() == ("ended", reason.get(expected.state, "failed"))
    assert [outcome or "open" for outcome in banco.attempts()] == list(expected.attempts)
    assert banco.arrived(action) == expected.arrived
    assert tuple(banco.events("retried", "offered")) == expected.events


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_every_class_proves_what_it_can_and_says_no_more(tmp_path, monkeypatch, case):
    head, look, *phases = (part.strip() for part in case.split("|"))
    effect, goes = head.split(" ", 1)
    action = ACTIONS[effect]
    at_once(monkeypatch)

    async def main():
        async with opened(tmp_path) as (banco, engine):
            banco.afuera.goes[action] = goes.strip().split(",")
            banco.afuera.goes[f"{action}?"] = look
            if "hang" in goes:
                banco.impatient()
            note = await banco.note(engine)
            await banco.pressed(engine, does(action, note), firmar(note))
            expected = first(phases[0])
            then = expected.state
            stands(banco, action, expected, then)

            await banco.release(engine)
            expected = expected.after(phases[1])
            stands(banco, action, expected, then)

            banco.afuera.goes[f"{action}?"] = ""
            banco.clock.move(seconds=SETTLED)
            await engine.sweep()
            expected = expected.after(phases[2])
            stands(banco, action, expected, then)

            # What is known stays so: neither time nor the same call again changes anything.
            for _ in range(3):
                banco.clock.move(hours=7)
                await engine.sweep()
                call = {
                    "steps": [
                        {"action": n, "input": i} for n, i in (does(action, note), firmar(note))
                    ]
                }
                again = await engine.agent.act(ANA, call, message="m-1")
                assert told(again)[0] == "Report"
                assert again.replayed
            stands(banco, action, expected, then)

    run(main())


@pytest.mark.no_store
def test_the_table_has_every_class_with_every_way_a_send_goes():
    seen = {(row.split("|")[0].split()[0], row.split("|")[0].split(" ", 1)[1].strip(), row.split("|")[1].strip())
            for row in CASES.strip().splitlines()}  # fmt: skip
    assert len(seen) == len(CASES.strip().splitlines()) == 49
    for effect in ACTIONS:
        ways = {goes for of, goes, _ in seen if of == effect}
        assert {"ok", "refuse", "lost", "gone", "hang"} <= ways
        assert any(goes.startswith(("hang ", "hang,")) for goes in ways)
    assert {of for of, _, look in seen if look == "dark"} == {"checked", "void"}
