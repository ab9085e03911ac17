"""What a function's annotations say of how its arguments are read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_type_hints

from pydantic import PydanticSchemaGenerationError, TypeAdapter
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError


def hints_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The annotations of a function, if they can be read."""
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError):
        return {}


def are_as_given(names: Sequence[str] | None, hints: Mapping[str, Any]) -> bool:
    """Whether what is easy to spell is read as it is, whichever of the parameters it is for.

    For text so is what is none: it does not fit, and is left to the function to refuse.
    """
    if names is None or not "".join(names).isascii():
        return False
    return all(hints.get(name, Any) in (Any, object, str, str | None) for name in names)


def readers(
    names: Sequence[str], hints: Mapping[str, Any]
) -> Mapping[str, Callable[[object], Any]]:
    """What reads each parameter that has an annotation which pydantic knows."""
    found: dict[str, Callable[[object], Any]] = {}
    for name in names:
        if name in hints and hints[name] not in {Any, object}:
            try:
                found[name] = TypeAdapter(hints[name]).validator.validate_python
            except (
                PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError,
            ):  # fmt: skip
                continue
    return found
