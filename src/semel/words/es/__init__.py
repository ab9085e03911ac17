"""Every sentence in Spanish, by the name that ``en`` has too.

People are addressed with *tú*; so is the model, in the sentences that begin with ``model``. The
first sentence always says how the world is.
"""

from collections.abc import Mapping

from semel.words.es.model import MODEL
from semel.words.es.person import PERSON
from semel.words.es.pieces import PIECES
from semel.words.es.problems import PROBLEMS
from semel.words.es.report import REPORT
from semel.words.es.sheet import SHEET

SENTENCES: Mapping[str, str] = {**PIECES, **PERSON, **REPORT, **SHEET, **MODEL, **PROBLEMS}
