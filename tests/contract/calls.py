"""The calls of the comparison: each number stands for a statement and its parameters."""

import hashlib

from semel.testing._contract.rows import (
    ASKING,
    DOUBT,
    EARLIER,
    ENDED,
    FAILED,
    LATER,
    NOW,
    ORG,
    OTHER,
    PARAMS,
    RUNNING,
    SOON,
    WAITING,
)

NAMES = sorted(PARAMS)
TIMES = (EARLIER, NOW, SOON, LATER)
# What tells rows apart comes from a small pool each time, so that statements meet and collide.
MEET = {
    "org": (ORG,) * 9 + (OTHER,),
    "plan": ("p_1", "p_1", "p_2", "p_2", "p_3", "p_4", "p_5", "p_6", "p_8"),
    "old": ("p_1", "p_1", "p_2"),
    "position": (1, 1, 1, 2, 3, 4),
    "id": ("1", "1", "2"),
    "seq": (1, 2, 3),
    "epoch": (1, 1, 1, 0, 2),
    "key": ("0" * 64, "5" * 64),
    "token_hash": ("t" * 64, "u" * 64, "v" * 64),
    "limit": (10, 10, 10, 10, 2, 0),
    "since": ("p_1", "p_1", "p_2", "p_4"),
    "before": ("p_~", "p_~", "p_4", "p_1"),
    ("figures.plans", "before"): ("p_~", "p_~", "p_3"),
    ("events.append", "kind"): ("proposed", "rejected", "taken_over"),
    "undone_by": ("p_8", "p_8", "p_1", "p_2", "p_404"),
    ("calls.find", "key"): ("call 1", "call 2", "ñ"),
    ("calls.insert", "key"): ("call 1", "call 2", "ñ"),
    ("plans.insert", "plan"): ("p_1", "p_7", "p_9", "p_a", "p_b"),
    ("plans.insert", "conversation"): ("main", "p_3", "free", "free", "own"),
    ("plans.insert", "epoch"): (0, 1, 1, 2),
    ("plans.children", "plan"): ("p_1", "p_2", "p_2"),
    ("plans.prove", "plan"): ("p_1", "p_2", "p_3", "p_3"),
    ("plans.requestion", "risk"): (0, 1, 2, 3),
    ("plans.start", "plan"): ("p_2", "p_2", "p_5", "p_8"),
    ("plans.start", "position"): (1, 2, 2, 3),
    ("plans.resend", "plan"): ("p_2", "p_3", "p_8", "p_8"),
    ("plans.end_waiting", "plan"): ("p_2", "p_5", "p_5"),
    ("plans.not_undone", "plan"): ("p_3", "p_6", "p_6"),
    ("plans.look_again", "plan"): ("p_3", "p_3", "p_4"),
    ("plans.offer", "plan"): ("p_2", "p_3", "p_4"),
    ("plans.stop", "plan"): ("p_1", "p_2", "p_2", "p_8"),
    ("plans.stop", "look_after"): (None, None, LATER),
    ("plans.retry", "plan"): ("p_3", "p_4", "p_4"),
    ("plans.retry", "at"): (0, 1, 1, -1),
    ("plans.send_again", "plan"): ("p_3", "p_3", "p_4"),
    ("steps.insert", "position"): (1, 2, 3, 4, 5, 6),
    ("steps.mark", "position"): (1, 2, 2, 3),
    ("steps.reshow", "facts_digest"): ("a" * 64, "a" * 64, "a" * 63),
    ("steps.reset", "plan"): ("p_3", "p_4", "p_4"),
    ("steps.reset", "round"): (2, 2, 3, 0),
    ("steps.remark", "plan"): ("p_2", "p_3", "p_3"),
    ("steps.remark", "resolved_by"): ("ana", "ana", None),
    ("steps.answered", "resolved_by"): ("ana", "ana", None),
    ("steps.unreferred", "plan"): ("p_3", "p_4", "p_4"),
    ("steps.unreferred", "position"): (2, 3, 3),
    ("confirmations.insert", "id"): ("c1", "c2", "c3"),
    ("effects.of_record", "id"): ("f1", "f2", "2026-0001"),
    ("effects.orgs_of", "id"): ("f1", "f2", "2026-0001"),
}
# Everything else is good as a rule, and else from here: other good values, and some bad ones.
STRAY = {
    "org": ("",),
    "plan": ("p_", "9", "p_404"),
    "parent": ("p_1", "p_2", "p_9", "p_404"),
    "undone_by": ("p_9", "p_404"),
    "position": (0, 10, 11),
    "epoch": (-1,),
    "seq": (0,),
    "key": ("5" * 63,),
    "token_hash": ("t" * 63,),
    "person": ("luis", ""),
    "message": ("m2", ""),
    "state": ("asking", "running", "ended", "waiting", "started", "done", "not_done", "in_doubt"),
    "reason": ("failed", "cancelled", "in_doubt", "expired", "stale", "refused", "because"),
    "risk": (-1, 0, 2, 3),
    "at": (-1, 0, 1, 2),
    "version": (1, 2, 3),
    "owner": ("host-3",),
    "digest": ("c" * 64, "d" * 63),
    "facts_digest": ("c" * 64, "d" * 65),
    "nonce": (bytes(24), bytes(23), "n" * 24),
    "question": ("retry", "undo", "whether"),
    "effect": ("local", "local", "keyed", "checked", "checked_void", "guessed"),
    "result": ("[]",),
    "outcome": ("made", "refused", "void", "absent", "unknown", "lost"),
    "kind": ("aviso", "undo", "later"),
    "subject_kind": ("factura", "contacto"),
    "subject_id": ("f1", "f2"),
    "resolution": ("happened", "did_not", "send_anyway", "perhaps"),
    "resolved_by": ("luis",),
    "round": (0, 1, 3),
    "limit": (0, 1, 2, -1),
    "input": (b"{}",),
    "action_version": ("one",),
    **dict.fromkeys(("now", "resume_after", "expires_at", "ended_at", "opened_at"), TIMES),
    **dict.fromkeys(("returned_at", "deadline_at", "settles_at", "started_at"), TIMES),
    **dict.fromkeys(("look_after", "not_before", "not_after"), TIMES),
    **dict.fromkeys(("later", "similar", "changed", "unless"), ("[]", "{}")),
}
SHAPES = {
    "plans.insert": (
        *(ASKING, RUNNING, ENDED, DOUBT, FAILED),
        *({**WAITING, "parent": "p_2"}, {**WAITING, "parent": "p_1"}),
        *({**RUNNING, "kind": "undo", "parent": "p_6"}, {}),
    ),
    "steps.insert": (
        *({"state": "waiting"}, {"state": "waiting", "effect": "local"}, {"state": "started"}),
        *({"state": "in_doubt"}, {"state": "done", "result": "{}"}, {}),
    ),
}


def operation(number):
    """The statement and the parameters that a number stands for."""
    digest = hashlib.sha256(number.to_bytes(8, "big")).digest()
    name, use, dice = NAMES[digest[0] % len(NAMES)], digest[1] % 3, iter(digest[3:] * 2)
    shapes = SHAPES.get(name, ({},))
    params = {**PARAMS[name], **shapes[digest[2] % len(shapes)]}
    for key in PARAMS[name]:
        luck = next(dice)
        pool = MEET.get((name, key), MEET.get(key))
        if luck < 2:
            params[key] = None
        elif luck < 16 and key in STRAY:
            stray = STRAY[key][luck % len(STRAY[key])]
            # SQLite takes a number for a text and turns it into one; memory refuses it.
            if not (isinstance(stray, int) and isinstance(PARAMS[name][key], str)):
                params[key] = stray
        elif pool:
            params[key] = pool[luck % len(pool)]
            if pool is MEET["id"]:  # a1, c1, f1: the first letter is the good one's
                params[key] = PARAMS[name][key][0] + params[key]
    return name, ("one", "all", "run")[use], params
