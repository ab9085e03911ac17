"""What a model reads in English: how the world is, then what to do."""

from collections.abc import Mapping

MODEL: Mapping[str, str] = {
    "model.again": "This is the same request as before: nothing was repeated.",
    # A plan that asks.
    "model.ask": (
        "Nothing has happened yet: the person has been shown the plan, and their yes is missing. "
        "Do not ask them again and do not call this tool again: wait for their answer."
    ),
    "model.ask.again": "They are asked once more, because something has changed since they saw it.",
    "model.ask.changes": "What has changed: {changes}.",
    "model.ask.look_alike": (
        "They see it beside something very much like it that is already there: {records}."
    ),
    "model.change": "step {step}, {change}",
    # A plan that runs, is being stopped, or waits for its day.
    "model.running": (
        "This is being done now: step {step} of {total}, {will}. "
        "Do not repeat it and do not try another way: ask later how the plan stands."
    ),
    "model.due": (
        "Nothing has happened yet, and it is planned for {day} at {time}: {will}. "
        "It will be done by itself when that comes: do not do it earlier on your own."
    ),
    "model.cancelling": (
        "The person has cancelled it, and only what had already begun is being done: {will}."
    ),
    "model.cancelling.bare": "The person has cancelled it, and nothing more is being done.",
    "model.next.cancelling": "Do not do it on your own: ask later how the plan ended.",
    # A plan that has ended.
    "model.finished": "Done: {did}. There is nothing left to do or to repeat.",
    "model.replayed": (
        "This was already done on {day} at {time}: there is nothing to repeat. Done then: {did}."
    ),
    "model.failed": "Nothing was done.",
    "model.failed.partly": "A part was done, {done} of {total} steps, and the rest was not.",
    "model.stale": "Nothing was done: something changed since the plan was shown.",
    "model.stale.partly": (
        "A part was done, {done} of {total} steps, and the rest was not: "
        "something changed since the plan was shown."
    ),
    "model.stale.later": (
        "Nothing was done: it was planned and its time came, "
        "but something has changed since the person saw it."
    ),
    "model.cancelled": "Nothing was done: the plan was cancelled.",
    "model.cancelled.partly": (
        "A part was done, {done} of {total} steps, and the rest was not: the plan was cancelled."
    ),
    "model.in_doubt": "It is not known whether this happened, and it may have happened: {will}.",
    "model.expired": "Nothing was done: the plan expired without an answer from the person.",
    "model.superseded": "Nothing was done with this plan: a newer one took its place.",
    "model.refused": "Nothing was done: the stored plan was no longer the one that was shown.",
    "model.refused.partly": (
        "A part was done, {done} of {total} steps, and the rest was not: "
        "the stored plan was no longer the one that was shown."
    ),
    "model.not_needed": "It was not done, because it was not needed any more at its time: {will}.",
    "model.too_late": "It was not done, because the day had passed: {will}.",
    "model.taken_back": (
        "This was done (steps: {done} of {total}), and then the person ordered an undo of it: "
        "plan {by} says what was undone."
    ),
    "model.undone": "What was done is undone: {did}. There is nothing left to undo or to repeat.",
    "model.undone.again": (
        "This was already undone on {day} at {time}: there is nothing to repeat. "
        "What was done and undone: {did}."
    ),
    "model.undone.partly": "A part was undone, {done} of {total} steps, and the rest was not.",
    "model.undone.cancelled": (
        "A part was undone, {done} of {total} steps, and the rest was not: the plan was cancelled."
    ),
    "model.not_undone": "Nothing was undone.",
    "model.not_undone.cancelled": ("Nothing was undone: the plan was cancelled."),
    "model.next.not_done": (
        "Do not repeat it on your own: tell the person and ask them what to do."
    ),
    "model.next.partial": (
        "Do not repeat what was done, and do not do the rest on your own: "
        "tell the person and ask them what to do."
    ),
    "model.next.cancelled": "Do not do it on your own.",
    "model.next.taken_back": "Do not do it once more on your own.",
    "model.next.in_doubt": (
        "Do not repeat it and do not try another way: "
        "the person has to check whether it happened. It will not repeat itself."
    ),
    "model.next.expired": "Ask whether they still want it: their answer will be a new message.",
    "model.next.refused": "Do not repeat it on your own.",
    "model.offer.retry": "The person can retry it themselves: do not propose another plan.",
    "model.offer.undo": "The person can undo it themselves until {time}.",
    "model.offer.undo.bare": "The person can undo it themselves.",
    # What could not be previewed, and what was refused.
    "model.questions": (
        "Nothing was done: something is missing that only the person knows. "
        "Ask for all of it at once, and assume none of it: {questions}"
    ),
    "model.problems": (
        "Nothing was done: the plan cannot be used as it is. "
        "Fix it and call this tool again: {problems}."
    ),
    "model.problems.too": "Fix this in the plan as well: {problems}.",
    "model.problems.more": "and {count} more",
    "model.refusal.not_found": "That plan does not exist.",
    "model.refusal.forbidden": (
        "Nothing was done: the person does not have permission for that. "
        "Tell them, and do not try another way."
    ),
    "model.refusal.tampered": (
        "Nothing was done: the stored plan was no longer the one that was shown. Do not repeat it."
    ),
    "model.refusal.expired": "Nothing was done: the plan expired without a yes.",
    "model.refusal.revoked": (
        "This answer has done nothing: there is a newer question, or it was cancelled."
    ),
    "model.refusal.broken": (
        "Nothing was done: the program could not prepare the plan. "
        "Tell the person, and do not try another way."
    ),
    "model.refusal.too_many": (
        "Nothing was done: this message has already led to too many plans. "
        "Propose no more until the person writes again."
    ),
    "model.refusal.nothing_pending": "Nothing was done: no plan is waiting for an answer.",
    "model.refusal.words": "Nothing was done: the person has to write other words.",
    "model.refusal.send_words": (
        "Nothing was done: to send it once more the person has to write other words."
    ),
    "model.refusal.not_settled": (
        "Nothing was done: what was sent may still arrive, "
        "so it cannot be taken for not having happened."
    ),
    "model.refusal.not_in_doubt": "Nothing was done: there is nothing to find out about that step.",
    "model.refusal.unknown_record": "Nothing was done: there is no record with that id.",
    "model.refusal.offer_expired": (
        "Nothing was done: the time in which it could be retried or undone has passed."
    ),
    "model.refusal.changed": "Nothing was done: it is no longer as it was shown, and was not sent.",
    "model.refusal.changed.said": (
        "Nothing was done: the action no longer accepts it ({detail}), and it was not sent."
    ),
    "model.refusal.closing": (
        "Nothing was done: the program is being stopped and begins nothing new. "
        "Tell the person to ask again in a moment."
    ),
    "model.refusal.sends_off": (
        "Nothing was done: at present the program may not send anything outside. "
        "Tell the person, and do not try another way."
    ),
}
