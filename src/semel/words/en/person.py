"""What a person reads in English until a plan ends: the question, progress, what is missing."""

from collections.abc import Mapping

PERSON: Mapping[str, str] = {
    # The question.
    "ask.title": "{will}?",
    "ask.title.one_more": "{will}, and one more step?",
    "ask.title.more": "{will}, and {count} more steps?",
    "ask.why.step": "I am asking because step {steps} is not done unless you confirm it.",
    "ask.why.steps": "I am asking because steps {steps} are not done unless you confirm them.",
    "ask.why.outside": "Step {steps} goes outside: it cannot be undone.",
    "ask.why.outside.more": "Steps {steps} go outside: they cannot be undone.",
    "ask.why.look_alike": (
        "Possible duplicate: something very much like it was created a short while ago, {records}. "
        "Create another one?"
    ),
    "ask.why.look_alike.bare": (
        "Possible duplicate: something very much like it was asked for a short while ago. "
        "Create another one?"
    ),
    "ask.why.further_plan": (
        "I am asking because that same message already led to a plan that was done: "
        "check that this is not the same again."
    ),
    "ask.why.still_running": (
        "I am asking because a plan like this one is being done in this conversation right now: "
        "check that this is not the same again."
    ),
    "ask.why.changed": "I am asking again because something has changed since you saw it.",
    "ask.why.unsafe": (
        "Warning: the database may lose what it has confirmed, and then it would be sent again."
    ),
    "ask.typed": "To do it, write {count} or DELETE: a plain “yes” is not enough.",
    "ask.reply": "Answer “yes” to do it. Anything else cancels it.",
    "ask.reply.another": "Answer “yes” to create another. Anything else cancels it.",
    "ask.expires": "Expires at {time}",
    "ask.change": "To change something, write it: the plan is replaced.",
    # While it runs.
    "running": "Step {step} of {total}: {will}",
    "running.due": "Planned for {day} at {time}: {will}",
    "running.reply": "Answer “cancel” to stop the rest.",
    "running.resent": "It is being sent once more by order of {who}: it may arrive twice.",
    "running.cancelling": "Cancelling: {what}.",
    "running.cancelling.only": "Cancelling: “{will}” had already begun and ends.",
    "running.cancelling.ends": "step {step} had already begun and ends",
    "running.cancelling.left": "step {steps} will not be done",
    "running.cancelling.left.more": "steps {steps} will not be done",
    "running.cancelling.bare": "nothing more will be done",
    # What cannot be previewed.
    "invalid.question": "One thing is missing before I can prepare the plan.",
    "invalid.questions": "{count} things are missing before I can prepare the plan.",
    "invalid.answer": "Nothing was done. Answer in one message and I will prepare the plan.",
    "invalid": "I could not prepare that plan. Nothing was done.",
    "invalid.action_says_no": "{detail}.",
    "invalid.record_not_found": "I cannot find something that is needed for it.",
    "invalid.changed_since": "Something that is needed for it changed while I prepared it.",
    "invalid.too_many_steps": "Those are too many steps for one go: ask in several messages.",
    "invalid.form": (
        "I did not manage to put it in the form it needs. "
        "That is not your doing: ask me in another way."
    ),
    "question.of": "Something is missing about {of}: {field}. What is it?",
    "question.bare": "Something is missing: {field}. What is it?",
    "question.choices": "{question} ({choices})",
    # Nothing was done.
    "refusal.not_found": "That plan does not exist.",
    "refusal.forbidden": "You do not have permission to do that. Nothing was done.",
    "refusal.tampered": "The plan changed and was not run.",
    "refusal.expired": "It expired without a yes. Nothing was done.",
    "refusal.revoked": (
        "That question no longer stands: it was cancelled, or a newer one took its place. "
        "This answer has done nothing."
    ),
    "refusal.broken": (
        "I could not prepare the plan because of a fault in the program. Nothing was done."
    ),
    "refusal.too_many": (
        "That message has already led to too many plans, and no further one is prepared. "
        "If you still want it, write it in a new message."
    ),
    "refusal.nothing_pending": "No plan is waiting for an answer.",
    "refusal.words": (
        "Nothing was done: those are not the words to write. Write {count} or DELETE."
    ),
    "refusal.words.bare": (
        "Nothing was done: those are not the words to write. Write the number of records or DELETE."
    ),
    "refusal.send_words": ("Nothing was sent: those are not the words to write. Write SEND AGAIN."),
    "refusal.not_settled": (
        "Nothing was done: what was sent may still arrive, "
        "so saying that it did not go out does not count yet."
    ),
    "refusal.not_in_doubt": "Nothing was done: there is nothing to find out about that step.",
    "refusal.unknown_record": (
        "Nothing was noted: there is no record with that id. Check it and tell me again."
    ),
    "refusal.offer_expired": (
        "Nothing was done: the time in which it could be retried or undone has passed."
    ),
    "refusal.changed": "Nothing was sent: it is no longer as it was shown.",
    "refusal.changed.said": "Nothing was sent: {detail}.",
    "refusal.closing": (
        "Nothing was done: the program is being stopped and begins nothing new. "
        "Ask again in a moment."
    ),
    "refusal.sends_off": (
        "Nothing was done: at present this program may not send anything outside. "
        "Tell whoever runs it."
    ),
}
