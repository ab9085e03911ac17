"""What a history may be by the models' table; each forged one is refused by its own sentence."""

import json

import pytest
from histories import wrong

pytestmark = pytest.mark.no_store

EFFECTS = {1: "local", 2: "keyed", 3: "local"}


def event(kind, position=None, **body):
    return {"kind": kind, "position": position, "body": json.dumps(body)}


def steps(*states, effects=EFFECTS):
    return [
        {"position": position, "effect": effects[position], "state": state}
        for position, state in enumerate(states, start=1)
    ]


ASKED = [event("proposed"), event("asked", version=1)]
YES = [*ASKED, event("confirmed", version=1)]
FIRST = [*YES, event("step_done", 1)]
SENT = [*FIRST, event("step_started", 2, attempt="a")]
DOUBT = [*SENT, event("step_in_doubt", 2), event("ended", reason="in_doubt")]
FAILED = [*SENT, event("step_not_done", 2, reason="refused"), event("ended", reason="failed")]
DONE = [
    *SENT,
    event("step_done", 2),
    event("step_done", 3),
    event("ended", reason="finished"),
]
STOPPED = [*SENT, event("cancel_pressed", 2, person="ana")]


@pytest.mark.parametrize(
    ("events", "states", "plan"),
    [
        (ASKED, ("waiting", "waiting", "waiting"), ("asking", None)),
        (DONE, ("done", "done", "done"), ("ended", "finished")),
        (DOUBT, ("done", "in_doubt", "not_done"), ("ended", "in_doubt")),
        (FAILED, ("done", "not_done", "not_done"), ("ended", "failed")),
        ([*ASKED, event("expired", why="x")], ("not_done",) * 3, ("ended", "expired")),
        (
            [*DOUBT, event("step_done", 2), event("proved_late", 2)],
            ("done", "done", "not_done"),
            ("ended", "failed"),
        ),
        (
            [*FAILED, event("retried", round=2), event("step_started", 2, attempt="b")],
            ("done", "started", "waiting"),
            ("running", None),
        ),
        (
            [*DOUBT, event("possible_duplicate", 2), event("step_resent", 2, attempt="b")],
            ("done", "started", "not_done"),
            ("running", None),
        ),
        (
            [*ASKED, event("fenced", generation=2), event("fenced", why="generation 2")],
            ("not_done", "not_done", "not_done"),
            ("ended", "expired"),
        ),
        (
            [*SENT, event("fenced", generation=2), *DOUBT[len(SENT) :]],
            ("done", "in_doubt", "not_done"),
            ("ended", "in_doubt"),
        ),
        (
            [*STOPPED, event("step_done", 2), event("ended", reason="cancelled")],
            ("done", "done", "not_done"),
            ("ended", "cancelled"),
        ),
    ],
)
def test_a_history_that_the_table_allows_is_found_to_lead_where_the_rows_are(events, states, plan):
    row = {"state": plan[0], "reason": plan[1]}
    assert wrong(events, steps(*states), row) == []
    assert wrong(events) == []
    # Whose bodies were blanked says less, and nothing that is wrong.
    assert wrong([one | {"body": None} for one in events]) == []


FORGED = {
    "nothing was proposed": (
        [event("asked"), *YES],
        "A question is put, although nothing was proposed.",
    ),
    "proposed twice": (
        [*DONE, event("proposed")],
        "It is proposed and begins at once, although it has ended.",
    ),
    "a yes after a newer plan": (
        [*ASKED, event("superseded", by="p_2"), event("confirmed")],
        "The yes is taken, although it has ended.",
    ),
    "a yes twice": ([*YES, event("confirmed")], "The yes is taken, although it is running."),
    "a step that is done twice": (
        [*FIRST, event("step_done", 1)],
        "Step 1 is done, although it is done already.",
    ),
    "a step before the one before": (
        [*YES, event("step_started", 2, attempt="a")],
        "Step 2 is started, although step 1 is not done.",
    ),
    "a Local step that is sent": (
        [*YES, event("step_started", 1, attempt="a")],
        "Step 1 is started, although it is Local.",
    ),
    "a send marked twice": (
        [*SENT, event("step_started", 2, attempt="b")],
        "Step 2 is started, although it is started.",
    ),
    "the same send again": (
        [*SENT, event("step_resent", 2, attempt="a")],
        "Step 2 is sent again, although this very send was marked before.",
    ),
    "a send after the end": (
        [*FAILED, event("step_started", 2, attempt="b")],
        "Step 2 is started, although it has ended.",
    ),
    "a start after a stop": (
        [*STOPPED, event("step_done", 2), event("step_done", 3)],
        "Step 3 is done, although a person has stopped the plan.",
    ),
    "a send again after a stop": (
        [*STOPPED, event("step_resent", 2, attempt="b")],
        "Step 2 is sent again, although a person has stopped the plan.",
    ),
    "a fourth send": (
        [*SENT, *(event("step_resent", 2, attempt=one) for one in "bcd")],
        "Step 2 is sent again, although it was sent 3 times.",
    ),
    "a doubt that goes on": (
        [*SENT, event("step_in_doubt", 2), event("taken_over", epoch=2)],
        "Step 2 is in doubt, and no ended follows in the same commit.",
    ),
    "a doubt that is sent again": (
        [*DOUBT, event("step_resent", 2, attempt="b")],
        "Step 2 is sent again, although it has ended.",
    ),
    "an end twice": ([*FAILED, event("ended", reason="failed")], "It ends, although it has ended."),
    "an end over an open send": (
        [*SENT, event("ended", reason="failed")],
        "It ends, although a step may have happened and the end is said to be failed.",
    ),
    "an end too early": (
        [*FIRST, event("ended", reason="finished")],
        "It ends, although no step of it fits the end finished.",
    ),
    "an epoch that does not grow": (
        [*YES, event("taken_over", epoch=2), event("taken_over", epoch=2)],
        "It is taken over, although its epoch 2 is no newer than 2.",
    ),
    "a retry of a doubt": (
        [*DOUBT, event("retried", round=2)],
        "It is retried, although its end was in_doubt.",
    ),
    "a retry of what was taken back": (
        [*FAILED, event("undo_pressed", by="p_2"), event("retried", round=2)],
        "It is retried, although it was taken back.",
    ),
    "a round left out": (
        [*FAILED, event("retried", round=3)],
        "It is retried, although round 3 is not the next one.",
    ),
    "an undo twice": (
        [*DONE, event("undo_pressed", by="p_2"), event("undo_pressed", by="p_3")],
        "It is taken back, although it was taken back.",
    ),
    "an undo of a doubt": (
        [*DOUBT, event("undo_pressed", by="p_2")],
        "It is taken back, although a step of it may have happened.",
    ),
    "a proof that corrects nothing": (
        [*FAILED, event("proved_late", 2)],
        "A late proof corrects its end, and no answered or step_done or step_not_done leads to it.",
    ),
    "done after not done": (
        [*FAILED, event("step_done", 2)],
        "Step 2 is done, although it is not done.",
    ),
    "taken back when it has begun": (
        [event("planned"), event("step_started", 1, attempt="a"), event("taken_back")],
        "It is taken back before its day, although a step of it has begun.",
    ),
    "a kind of its own": ([*YES, event("rewound")], "rewound is no event of the table."),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_history_is_refused_by_its_own_sentence(name):
    events, sentence = FORGED[name]
    known = (
        steps("waiting", "waiting", "waiting")[: 1 if events[0]["kind"] == "planned" else 3]
        if "planned" not in events[0]["kind"]
        else []
    )
    found = wrong(events, known)
    assert found[0] == sentence, found
    # One forged event is one sentence of the events; what the rows say is beside it.
    assert [one for one in found if "its history says" not in one] == [sentence]


def test_every_forged_history_has_another_sentence():
    sentences = [sentence for _, sentence in FORGED.values()]
    assert len({*sentences}) == len(sentences) >= 12


def test_rows_that_the_history_does_not_lead_to_are_named():
    row = {"state": "running", "reason": None}
    assert wrong(DONE, steps("done", "in_doubt", "done"), row) == [
        "Step 2 is in_doubt, and its history says done.",
        "The plan is running, and its history says ended.",
    ]
    row = {"state": "ended", "reason": "failed"}
    assert wrong(DONE, steps("done", "done", "done"), row) == [
        "The plan's end is failed, its history says finished."
    ]
