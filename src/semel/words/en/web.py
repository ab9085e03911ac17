"""What a person or a program reads of the web itself in English, beside the cards."""

from collections.abc import Mapping

WEB: Mapping[str, str] = {
    "page.title": "Plan",
    "page.back": "Back",
    "page.sign_in": "Sign in",
    "unknown": "You are not signed in, or your session has ended. Nothing was done.",
    "agent": "A person decides this, in a session of their own. Nothing was done.",
    "foreign": "This request does not come from a page of this site. Nothing was done.",
    "stale": "This form is not of your present session: reload the page. Nothing was done.",
    "guess": "Nobody has asked for this yet. Nothing was done.",
    "not_found": "It does not exist.",
    "method": "This address is not used like that. Nothing was done.",
    "too_large": "It is too long. Nothing was done.",
    "kind": "This address takes a form or JSON. Nothing was done.",
    "fields": "Parts of the form are missing or cannot be read. Nothing was done.",
    "away": "The database does not answer now. Look at the plan before you repeat anything.",
    "broken": "Something broke here. Look at the plan before you repeat anything.",
    # What the card's script says by itself.
    "script.wait": "One moment…",
    "script.disconnected": "No connection. The plan is still on the server.",
    "script.session": "Your session has ended.",
    "script.sign_in": "Sign in",
    "script.broken": "That could not be read. The plan is as the card says.",
}
