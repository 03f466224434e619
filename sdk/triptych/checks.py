"""Validators for the values that a caller constructs: what was wrong, where, and what was expected.

attrs' own validators name the attribute only; a user wants the class, the value and the nearest right spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attrs import Attribute

Validator = Callable[[Any, "Attribute[Any]", Any], None]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the entry of `known` that `name` is most likely a misspelling of, or None."""
    import difflib  # only when something is wrong already: keeps it out of the import of the library

    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" when `name` is close to a known name, else an empty string."""
    match = nearest(name, known) if isinstance(name, str) else None
    return f" (did you mean {match!r}?)" if match else ""


def shown(value: object, limit: int = 80) -> str:
    """Return a bounded repr of a value, with its type, for an error message."""
    try:
        text = repr(value)
    except Exception:  # a repr that fails, or that nests too deeply, must not hide what was wrong
        text = "…"
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return f"{text} ({type(value).__name__})"


def is_a(*types: type, optional: bool = False) -> Validator:
    """Return a validator for instances of `types`; a bool does not pass for a number.

    Args:
        types: The accepted types.
        optional: Whether None passes too.
    """
    expected = " or ".join([t.__name__ for t in types] + (["None"] if optional else []))
    takes_bool = bool in types

    def check(instance: object, attribute: Attribute[Any], value: object) -> None:
        if isinstance(value, types) and (takes_bool or not isinstance(value, bool)):
            return
        if value is None and optional:
            return
        raise TypeError(f"{type(instance).__name__}.{attribute.name}: expected {expected}, got {shown(value)}")

    return check


def one_of(*allowed: str) -> Validator:
    """Return a validator for a closed set of strings."""

    def check(instance: object, attribute: Attribute[Any], value: object) -> None:
        if value in allowed:
            return
        names = ", ".join(repr(name) for name in allowed)
        message = f"{type(instance).__name__}.{attribute.name}: expected one of {names}, got {shown(value)}"
        error = ValueError if isinstance(value, str) else TypeError
        raise error(message + did_you_mean(value, allowed))

    return check


def list_of(*types: type) -> Validator:
    """Return a validator for a list whose every element is one of `types`; a wrong one is named by its index."""
    expected = " or ".join(t.__name__ for t in types)

    def check(instance: object, attribute: Attribute[Any], value: object) -> None:
        where = f"{type(instance).__name__}.{attribute.name}"
        if not isinstance(value, list):
            raise TypeError(f"{where}: expected a list of {expected}, got {shown(value)}")
        for index, element in enumerate(value):
            if not isinstance(element, types):
                raise TypeError(f"{where}[{index}]: expected {expected}, got {shown(element)}")

    return check
