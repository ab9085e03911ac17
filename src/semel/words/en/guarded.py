"""What a model reads of a guarded tool in English: how the world is, then what to do."""

from collections.abc import Mapping

GUARDED: Mapping[str, str] = {
    "done": "Done: {did}.",
    "done.said": "{did}",
    "already": (
        "This was already done in this conversation on {day} at {time}: {did}. "
        "There is nothing to repeat."
    ),
    "already.said": "{already} There is nothing to repeat.",
    "running": (
        "This is being done now: {will}. Do not call it again and do not try another way: "
        'ask {status} later how it ended, with the job "{job}".'
    ),
    "in_doubt": (
        "It is not known whether this happened, and it may have happened: {will}. "
        "Do not call it again and do not try another way: a person has to find out."
    ),
    "not_done": "This was not done, and nothing happened: {will}.",
    "not_done.why": "This was not done, and nothing happened: {will}. The reason: {why}",
    "lost": "What it returned could not be kept.",
    "refused": "Nothing was done: {why}",
    "no_session": (
        "it is not known which conversation this call belongs to, so nobody could tell a repeat"
    ),
    "no_job": "There is no such job in this conversation.",
    "unnamed": "{tool}",
    "unnamed.with": "{tool} ({given})",
}
