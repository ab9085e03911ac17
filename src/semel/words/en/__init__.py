"""Every sentence in English, by the name that ``es`` has too.

The first sentence always says how the world is; what begins with ``model`` is for the model.
"""

from collections.abc import Mapping

from semel.words.en.model import MODEL
from semel.words.en.person import PERSON
from semel.words.en.pieces import PIECES
from semel.words.en.problems import PROBLEMS
from semel.words.en.report import REPORT
from semel.words.en.sheet import SHEET

SENTENCES: Mapping[str, str] = {**PIECES, **PERSON, **REPORT, **SHEET, **MODEL, **PROBLEMS}
