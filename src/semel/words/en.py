"""Every sentence in English, by the name that ``es`` has too.

The first sentence always says how the world is; what begins with ``model`` is for the model.
"""

from collections.abc import Mapping

SENTENCES: Mapping[str, str] = {
    # Pieces.
    "and": "{first} and {last}",
    "group": "{group}: {steps}.",
    "group.done": "Done",
    "group.could_not": "Could not",
    "group.in_doubt": "Not known",
    "group.because": "Not done because of that",
    "group.left": "Not done",
    "button.confirm": "Confirm",
    "button.cancel": "Cancel",
    # A step.
    "step.will": "Do “{action}”",
    "step.did": "“{action}”",
    "step.outside": "Goes outside: it cannot be undone",
    "step.changed": "{name}: before {shown}, now {now}",
    "step.appeared": "{name}: not there before, now {now}",
    "step.vanished": "{name}: before {shown}, now not there",
    "reason.refused": "{detail}",
    "reason.refused.bare": "it was not accepted",
    "reason.failed": "something broke before it began, and it did not happen",
    "reason.stale": "it is no longer as it was shown",
    "reason.cancelled": "it was cancelled",
    "reason.forbidden": "there is no permission for it any more",
    "reason.not_reached": "this step was not reached",
    "reason.crashed": "the program stopped three times before it could begin",
    # The question.
    "ask.title": "{will}?",
    "ask.title.one_more": "{will}, and one more step?",
    "ask.title.more": "{will}, and {count} more steps?",
    "ask.why.step": "I am asking because step {steps} is not done unless you confirm it.",
    "ask.why.steps": "I am asking because steps {steps} are not done unless you confirm them.",
    "ask.why.outside": "Step {steps} goes outside: it cannot be undone.",
    "ask.why.outside.more": "Steps {steps} go outside: they cannot be undone.",
    "ask.why.further_plan": (
        "I am asking because that same message already led to a plan that was done: "
        "check that this is not the same again."
    ),
    "ask.why.changed": "I am asking again because something has changed since you saw it.",
    "ask.typed": "To do it, write {count} or DELETE: a plain “yes” is not enough.",
    "ask.reply": "Answer “yes” to do it. Anything else cancels it.",
    "ask.expires": "Expires at {time}",
    "ask.change": "To change something, write it: the plan is replaced.",
    "plan": "Plan {plan}",
    # While it runs, and how it ended.
    "running": "Step {step} of {total}: {will}",
    "report.finished": "Done: {did}",
    "report.finished.more": "Done: all {total} steps.",
    "report.replayed": "This was already done, and was not repeated: {did}",
    "report.replayed.more": "All {total} steps were already done, and none was repeated.",
    "report.failed": "It could not be done, and nothing was done.",
    "report.failed.partly": "Done in part: {done} of {total} steps.",
    "report.stale": "Something changed since you saw it, and nothing was done.",
    "report.stale.partly": (
        "Done in part: {done} of {total} steps. Something changed since you saw it."
    ),
    "report.cancelled": "Cancelled. Nothing was done.",
    "report.cancelled.partly": "Cancelled. Done: {done} of {total} steps.",
    "report.in_doubt": (
        "We do not know whether “{will}” went out. "
        "Check before repeating it; it will not repeat itself."
    ),
    "report.expired": "It expired without a yes. Nothing was done.",
    "report.superseded": "Replaced by a new plan. Nothing was done.",
    "report.refused": "The plan changed and was not run.",
    "report.refused.partly": "The plan changed and was stopped. Done: {done} of {total} steps.",
    "report.again": "This is what happened the first time: nothing was repeated.",
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
    # For the model: how the world is, then what to do.
    "model.again": "This is the same request as before: nothing was repeated.",
    "model.ask": (
        "Nothing has happened yet: the person has been shown the plan, and their yes is missing. "
        "Do not ask them again and do not call this tool again: wait for their answer."
    ),
    "model.running": (
        "This is being done now: step {step} of {total}, {will}. "
        "Do not repeat it and do not try another way: ask later how the plan stands."
    ),
    "model.finished": "Done: {did}. There is nothing left to do or to repeat.",
    "model.replayed": "This was already done: there is nothing to repeat. Done then: {did}.",
    "model.failed": "Nothing was done.",
    "model.failed.partly": "A part was done, {done} of {total} steps, and the rest was not.",
    "model.stale": "Nothing was done: something changed since the plan was shown.",
    "model.stale.partly": (
        "A part was done, {done} of {total} steps, and the rest was not: "
        "something changed since the plan was shown."
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
    "model.next.not_done": (
        "Do not repeat it on your own: tell the person and ask them what to do."
    ),
    "model.next.partial": (
        "Do not repeat what was done, and do not do the rest on your own: "
        "tell the person and ask them what to do."
    ),
    "model.next.cancelled": "Do not do it on your own.",
    "model.next.in_doubt": (
        "Do not repeat it and do not try another way: "
        "the person has to check whether it happened. It will not repeat itself."
    ),
    "model.next.expired": "Ask whether they still want it: their answer will be a new message.",
    "model.next.refused": "Do not repeat it on your own.",
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
    # What is wrong with a plan, and what to do about it.
    "problem.at": "in {where}, {problem}",
    "problem.other": "something cannot be understood ({detail}): write it in another way",
    "problem.too_long": "the plan is too long, over 1 MiB or 20,000 values: shorten it",
    "problem.not_utf8": "the text is not UTF-8: write it as JSON in UTF-8",
    "problem.not_json": (
        'that is not JSON ({detail}): write {"steps": [{"action": "…", "input": {…}}]}'
    ),
    "problem.too_deep": "there are more than 32 levels inside each other: take some away",
    "problem.duplicate_name": "the name “{detail}” is in one object twice: keep one",
    "problem.number_too_large": "a number is too large ({detail}): write it as text",
    "problem.not_a_number": "something is not a finite number ({detail}): use one that is",
    "problem.half_character": "there is half a Unicode character: write that text again",
    "problem.unknown_field": "that field does not exist: take it out",
    "problem.missing_field": (
        "that field is missing: give it, or ask the person if you do not know it"
    ),
    "problem.bad_value": "that value will not do ({detail}): correct it",
    "problem.no_steps": "there is no step: give at least one in steps",
    "problem.too_many_steps": "there are {detail} steps and 10 fit: propose 10 or fewer",
    "problem.step_shape": 'a step is {"action": "…", "input": {…}}: give it that form',
    "problem.unknown_action": "there is no action “{detail}”: use one of the declared ones",
    "problem.input_not_object": (
        "the input of “{detail}” has to be an object: put its fields there by name"
    ),
    "problem.not_canonical": "a value cannot be written in one single way ({detail}): change it",
    "problem.reference_forward": (
        "“{detail}” points at this step or a later one: point at an earlier one"
    ),
    "problem.reference_makes_nothing": (
        "the step it points at ({detail}) makes no record: point at one that does"
    ),
    "problem.reference_wrong_kind": (
        "the step it points at ({detail}) makes another kind of record: "
        "point at one of the kind it takes"
    ),
    "problem.reference_malformed": (
        "“{detail}” begins with $ and is not a step's number: write $1, $2… or an id"
    ),
    "problem.record_not_found": "that record does not exist ({detail}): look it up and give its id",
    "problem.changed_since": "that record has changed meanwhile ({detail}): look at it again",
    "problem.action_says_no": (
        "the action does not accept it ({detail}): "
        "change it, or tell the person if it is not up to you"
    ),
}
