"""Why an answer could not be mapped: the schema says where it differs from what the provider promises."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.checks import shown
from triptych.errors import LlmError
from triptych.foreign import pass_foreign
from triptych.formats.wrong_form import WrongForm

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_log = logging.getLogger("triptych")
_SNIPPET = 500


@cache
def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a wire format."""
    decoded: dict[str, Any] = jsontext.decode(files("triptych.schemas").joinpath(f"{name}.json").read_bytes())
    return decoded


@cache
def validator(name: str, definition: str) -> Draft202012Validator:
    """Return a validator for one definition of a wire format's schema."""
    from jsonschema import Draft202012Validator  # only when an answer is wrong already

    return Draft202012Validator({**schema(name), "$ref": f"#/$defs/{definition}"})


def misfit(name: str, definition: str, body: object) -> str | None:
    """Return where a body differs first from one definition of a wire format's schema; None where it fits."""
    return next(_reasons(validator(name, definition).iter_errors(body)), None)


def malformed(name: str, definition: str, body: object, fault: Exception) -> LlmError:
    """Return the error for an answer whose mapping failed.

    Args:
        name: The wire format.
        definition: The schema's name of what was expected.
        body: What came, decoded.
        fault: What the mapping raised.

    Raises:
        Exception: the fault came from outside, in the middle of the mapping: see `triptych.foreign`.
    """
    pass_foreign(fault)
    try:
        reason = str(fault) if isinstance(fault, WrongForm) else misfit(name, definition, body)
        text = jsontext.encode_text(body)
    except (RecursionError, ValueError):
        reason, text = "it is nested too deeply to be compared", ""
    if reason is None:
        _log.exception("mapping a valid %s %s failed", name, definition, exc_info=fault)
        return LlmError(f"a valid answer could not be mapped: {fault!r}", "internal", cause=repr(fault))
    keys = sorted(body) if isinstance(body, dict) else type(body).__name__
    return LlmError(
        f"the answer does not have the form of {name}: {reason}; its keys: {keys}",
        "malformed_response",
        cause=repr(fault),
        body=(text if len(text) <= _SNIPPET else text[: _SNIPPET - 1] + "…") or None,
    )


def _reasons(errors: Iterator[ValidationError]) -> Iterator[str]:
    for found in sorted(errors, key=lambda error: len(error.absolute_path)):
        error = _inner(found)
        where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
        yield f"at {where.lstrip('.') or 'the top'}: {_expected(error)}, got {shown(error.instance)}"


def _inner(error: ValidationError) -> ValidationError:
    """Return what is wrong inside a union, where by its tag and kind of value only one of its forms can be meant."""
    branches: dict[object, list[ValidationError]] = {}
    for each in error.context or ():
        branches.setdefault(each.schema_path[0], []).append(each)
    meant = [errors for errors in branches.values() if not any(map(_excludes, errors))]
    if len(meant) != 1:
        return error
    return _inner(min(meant[0], key=lambda each: len(each.absolute_path)))


def _excludes(error: ValidationError) -> bool:
    """Return whether an error says that another form is meant: its tag is another, or it is no object at all."""
    return error.validator == "const" or (error.validator == "type" and not error.path)


def _expected(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    if error.validator == "required" and isinstance(error.instance, dict):
        return f"expected the fields {', '.join(key for key in wanted if key not in error.instance)}"
    if error.validator == "type":
        return f"expected {wanted}"
    if error.validator in ("enum", "const"):
        return f"expected {wanted!r}"
    return f"no form of {error.validator} fits"
