"""What somebody wrote, where a program will read it: an e-mail address, and words on one line."""

import re
import unicodedata

from semel import NotDone

# A dot-atom on both sides, RFC 5322 3.2.3 and 3.4.1: no quoting, no comments, no other alphabets.
ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
ADDRESS = re.compile(rf"{ATOM}(\.{ATOM})*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
ADDRESS_LENGTH = 254
"""RFC 5321 4.5.3.1.3: a path has at most 256 octets, two of them the brackets."""


def address(text: str) -> str:
    """*text* if it is a plain address; nothing but an address can then reach the envelope.

    Raises:
        NotDone: it is not.
    """
    if len(text) > ADDRESS_LENGTH or not ADDRESS.fullmatch(text):
        shown = one_line(text)[:ADDRESS_LENGTH]
        raise NotDone(
            {
                "es": f"«{shown}» no es una dirección de correo.",
                "en": f"“{shown}” is not an e-mail address.",
            }
        )
    return text


def one_line(text: str) -> str:
    """*text* from outside on one line, without control characters."""
    return " ".join("".join(" " if breaks(one) else one for one in text).split())


def breaks(character: str) -> bool:
    """Whether a character may begin a line somewhere, or is no text at all."""
    return unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
