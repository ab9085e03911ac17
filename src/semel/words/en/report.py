"""What a person reads in English once a plan has ended: how, what is in doubt, what now."""

from collections.abc import Mapping

REPORT: Mapping[str, str] = {
    "report.finished": "Done: {did}",
    "report.finished.more": "Done: all {total} steps.",
    "report.replayed": "This was already done on {day} at {time}, and was not repeated: {did}",
    "report.replayed.more": (
        "All {total} steps were already done on {day} at {time}; nothing was repeated."
    ),
    "report.failed": "It could not be done, and nothing was done.",
    "report.failed.partly": "Done in part: {done} of {total} steps.",
    "report.stale": "Something changed since you saw it, and nothing was done.",
    "report.stale.partly": (
        "Done in part: {done} of {total} steps. Something changed since you saw it."
    ),
    "report.stale.later": (
        "Its time came, but something has changed since you saw it, and nothing was done."
    ),
    "report.cancelled": "Cancelled. Nothing was done.",
    "report.cancelled.partly": "Cancelled: {done} of {total} done.",
    "report.cancelled.partly.more": "Cancelled: {done} of {total} done.",
    "report.in_doubt": (
        "We do not know whether “{will}” went out. "
        "Check before repeating it; it will not repeat itself."
    ),
    "report.expired": "It expired without a yes. Nothing was done.",
    "report.superseded": "Replaced by a new plan. Nothing was done.",
    "report.refused": "The plan changed and was not run.",
    "report.refused.partly": "The plan changed and was stopped. Done: {done} of {total} steps.",
    "report.again": (
        "This is what happened the first time, on {day} at {time}: nothing was repeated."
    ),
    "report.not_needed": "It was not needed any more, and was not done: {will}",
    "report.too_late": "The day had passed, and it was not done: {will}",
    "report.taken_back": "It was done, and then an undo was ordered: {did}",
    "report.taken_back.more": (
        "{done} of {total} steps were done, and then an undo of them was ordered."
    ),
    "report.taken_back.by": "Plan {plan} says what was undone.",
    "report.undone": "Undone: {did}",
    "report.undone.more": "Undone: all {total} steps.",
    "report.undone.again": (
        "This was already undone on {day} at {time}, and was not repeated: {did}"
    ),
    "report.undone.again.more": (
        "All {total} steps were already undone on {day} at {time}; nothing was repeated."
    ),
    "report.undone.partly": "Undone in part: {done} of {total} steps.",
    "report.undone.cancelled": "Cancelled: {done} of {total} undone.",
    "report.undone.cancelled.more": "Cancelled: {done} of {total} undone.",
    "report.not_undone": "Nothing was undone.",
    "report.not_undone.cancelled": "Cancelled. Nothing was undone.",
    # A step that may have happened.
    "doubt.sent": "It was sent on {day} at {time} (reference {reference}).",
    "doubt.sent.more": (
        "It was sent {count} times, the last on {day} at {time} (reference {reference})."
    ),
    "doubt.lost": (
        "It may have been sent: on {day} at {time} an older copy of the database was put back, "
        "which does not know what happened after it was made (reference {reference})."
    ),
    "doubt.until": "It may still arrive, until {time} at least.",
    "doubt.until.day": "It may still arrive, until {day} at {time} at least.",
    "doubt.open": "It may still arrive, and nobody knows until when.",
    "doubt.settled": "Nothing can arrive any more: if it has not arrived, it will not.",
    "doubt.resent": "It was sent once more by order of {who}: it may have arrived twice.",
    "doubt.anyway": "To send it once more all the same, write SEND AGAIN: it may arrive twice.",
    # What may be done now.
    "offer.retry.all": "Shall I retry it?",
    "offer.retry.rest": "Shall I retry the rest?",
    "offer.retry.now": "Shall I do it with the current figures?",
    "offer.retry.rest_now": "Shall I do the rest with the current figures?",
    "offer.retry.send_now": "Shall I send it with the current figures?",
    "offer.reply.retry": "Answer “retry” and I will.",
    "offer.reply.undo": "Answer “undo” before {time} to undo it.",
    "offer.reply.undo.bare": "Answer “undo” to undo it.",
    "offer.no_undo": "It cannot be undone: something of what was done cannot be reverted.",
}
