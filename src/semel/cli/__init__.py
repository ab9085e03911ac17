"""The terminal channel: thin, and for whatever application the machine has.

Exit status: 0 done, 1 something is open, asked or refused, 2 usage, 3 the store cannot be used.
"""

import os
import sys
from collections.abc import Sequence

from semel.cli import commands
from semel.cli.logs import log_to
from semel.cli.parser import parse
from semel.cli.settings import Settings, Usage
from semel.errors import Bug, CatalogError, SemelError, StorageError

DONE, OPEN, USAGE, STORE = 0, 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; what went wrong is one sentence on the error stream, never a traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    # Bytes that are no UTF-8 arrive as half characters, which no database and no key can hold.
    if any("\ud800" <= character <= "\udfff" for text in given for character in text):
        return _stop("An argument is not UTF-8 text.", USAGE)
    options = parse(given)
    try:
        settings = Settings.of(options, os.environ)
        log_to(settings.home)
        code: int = commands.run(settings, options)
        sys.stdout.flush()
    except StorageError as no:
        return _stop(str(no), STORE)
    except (CatalogError, Usage) as no:
        return _stop(str(no), USAGE)
    except BrokenPipeError:
        # The reader has seen enough; the second close at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OPEN
    except KeyboardInterrupt:
        return _stop("Stopped. What had begun is recorded; `semel sweep` finishes it.", 130)
    except (Bug, SemelError) as no:
        return _stop(str(no), OPEN)
    except OSError as no:
        name = f" {no.filename}" if no.filename else ""
        return _stop(f"The file{name} could not be used ({no.strerror or no}).", STORE)
    return code


def _stop(sentence: str, code: int) -> int:
    print(f"semel: {sentence}", file=sys.stderr)
    return code
