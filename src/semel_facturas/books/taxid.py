"""Spanish tax ids: NIF, NIE and the ids of companies.

The form of an id is that of RD 1065/2007 arts. 18-22. A right form says nothing about whether the
id exists or whose it is.
"""

import re
from enum import Enum

from stdnum.es import nif
from stdnum.exceptions import InvalidChecksum, InvalidLength, ValidationError

LENGTH = 9


class Wrong(Enum):
    """Why a text is no tax id; its value names what to look at."""

    LENGTH = "length"
    FORMAT = "format"
    CONTROL = "control"


def check(text: str) -> str | Wrong:
    """Check a tax id.

    Returns:
        The id in upper case without separators, or what is wrong with it.
    """
    if len(nif.compact(text)) != LENGTH:
        return Wrong.LENGTH
    try:
        number = str(nif.validate(text))
    except InvalidLength:
        return Wrong.LENGTH
    except InvalidChecksum:
        return Wrong.CONTROL
    except ValidationError:
        return Wrong.FORMAT
    # The library lets a line break stand between the digits and the letter.
    return number if re.fullmatch("[0-9A-Z]{9}", number) else Wrong.FORMAT
