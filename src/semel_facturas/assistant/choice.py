"""Which model is at work: a provider's, by ``SEMEL_MODEL``, or the offline grammar."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model

from semel import CatalogError, Engine, Who
from semel_facturas.assistant.offline import offline
from semel_facturas.assistant.transcript import Recorded, Transcript

Models: TypeAlias = Callable[[Who], Model]
"""The model that works for a person."""


def models(engine: Engine, environ: Mapping[str, str] = os.environ) -> Models:
    """The models that the environment asks for.

    Args:
        engine: whose clock dates the transcript, and whose books the offline grammar reads.
        environ: ``SEMEL_MODEL``, ``SEMEL_TRANSCRIPT``, and what the provider reads itself.

    Raises:
        CatalogError: the model cannot be used, or the transcript cannot be written; a sentence
            says why.
    """
    name = environ.get("SEMEL_MODEL", "").strip()
    given = _provided(name) if name else None
    file = environ.get("SEMEL_TRANSCRIPT", "").strip()
    transcript = _opened(Path(file), engine) if file else None

    def made(who: Who) -> Model:
        model = given or offline(engine, who)
        return Recorded(model, transcript) if transcript else model

    return made


def _provided(name: str) -> Model:
    provider = name.partition(":")[0]
    try:
        return infer_model(name)
    except ImportError as no:
        raise CatalogError(
            f"SEMEL_MODEL={name} needs a package that is not installed: "
            f"pip install 'pydantic-ai-slim[{provider}]'."
        ) from no
    except (UserError, ValueError) as no:
        # What follows the first sentence is advice for whoever writes programs.
        first = " ".join(str(no).split()).partition(". ")[0].rstrip(".") or type(no).__name__
        raise CatalogError(f"SEMEL_MODEL={name} cannot be used: {first}.") from no


def _opened(path: Path, engine: Engine) -> Transcript:
    made = Transcript(path, engine.now)
    try:
        made.write("opened", "")
    except OSError as no:
        raise CatalogError(
            f"SEMEL_TRANSCRIPT={path} cannot be written ({no.strerror}); without it no model is "
            "asked anything."
        ) from no
    return made
