"""What a JSON value has wrong by a JSON Schema, in words for the one who wrote it: where, what was expected, what came.

Each line reads "$.city: expected string, got 5 (integer)".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.checks import did_you_mean

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_MOST = 10  # lines: a model that is all wrong learns no more from the eleventh
_MOST_SHOWN = 80  # characters of a value
_JSON_NAMES: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)
# What a keyword asks for, by its value.
_ASKED: Mapping[str, str] = {
    "minimum": "a number >= {}",
    "maximum": "a number <= {}",
    "exclusiveMinimum": "a number > {}",
    "exclusiveMaximum": "a number < {}",
    "multipleOf": "a multiple of {}",
    "minLength": "a string of at least {} characters",
    "maxLength": "a string of at most {} characters",
    "pattern": "a string that matches {}",
    "format": "a string of the format {}",
    "minItems": "an array of at least {} items",
    "maxItems": "an array of at most {} items",
    "uniqueItems": "an array without repetitions",
    "minProperties": "an object of at least {} fields",
    "maxProperties": "an object of at most {} fields",
    "const": "{}",
}


def mismatches(schema: Mapping[str, Any], value: object, *, formats: bool = False) -> list[str]:
    """Return what is wrong with a value, one line a mistake, at most ten; empty where nothing is.

    Args:
        schema: The JSON Schema. Nothing is fetched for it: a reference out of the schema is not followed.
        value: The JSON value.
        formats: Whether `format` counts, too.

    Raises:
        Exception: the schema is none, or refers to what is not in it.
    """
    from jsonschema.validators import Draft202012Validator, validator_for  # only for what is checked
    from referencing import Registry

    kind: Any = validator_for(schema, default=Draft202012Validator)
    checker = kind.FORMAT_CHECKER if formats else None
    errors = kind(schema, registry=Registry(), format_checker=checker).iter_errors(value)
    lines = (line for error in sorted(errors, key=_place) for line in _lines(error))
    return list(dict.fromkeys(lines))[:_MOST]


def _place(error: ValidationError) -> list[str]:
    return [str(step) for step in error.absolute_path]


def _lines(error: ValidationError) -> Iterator[str]:
    writer = _WRITERS.get(str(error.validator))
    if writer is not None:
        yield from writer(error)
        return
    asked = _ASKED.get(str(error.validator))
    if asked is None:
        yield f"{error.json_path}: {error.message[:300]}"
    else:
        yield _line(error, asked.format(_json(_asked(error))))


def _line(error: ValidationError, expected: str) -> str:
    return f"{error.json_path}: expected {expected}, got {shown_json(error.instance)}"


def _types(error: ValidationError) -> Iterator[str]:
    yield _line(error, expected_by({"type": _asked(error)}))


def _enum(error: ValidationError) -> Iterator[str]:
    yield _line(error, expected_by({"enum": _asked(error)}))


def _missing(error: ValidationError) -> Iterator[str]:
    # The library tells of each missing field in an error of its own, whose message begins with the name's repr.
    known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
    for name in _asked(error):
        if error.message.startswith(repr(name)):
            yield f"{error.json_path}.{name}: expected {expected_by(known.get(name))}, got nothing"


def _surplus(error: ValidationError) -> Iterator[str]:
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    known = list(schema.get("properties", {}))
    listed = f"the fields are {', '.join(known)}" if known else "there are no fields"
    given: Any = error.instance
    for name in given:
        if name not in known:
            yield f"{error.json_path}.{name}: expected no such field{did_you_mean(name, known)}: {listed}"


def _asked(error: ValidationError) -> Any:
    return error.validator_value


def _alternatives(error: ValidationError) -> Iterator[str]:
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    likely = [errors for errors in branches.values() if not any(map(_is_of_another_kind, errors))]
    if len(likely) == 1:  # the value is of the kind of one alternative alone, so that is the one that was meant
        for inner in likely[0]:
            yield from _lines(inner)
    else:
        choices = [expected_by(schema) for schema in _asked(error)]
        yield _line(error, " or ".join(dict.fromkeys(choices)))


def _is_of_another_kind(error: ValidationError) -> bool:
    return not error.relative_path and error.validator in ("type", "enum", "const")


_WRITERS: Mapping[str, Callable[[ValidationError], Iterator[str]]] = {
    "type": _types,
    "enum": _enum,
    "required": _missing,
    "additionalProperties": _surplus,
    "anyOf": _alternatives,
    "oneOf": _alternatives,
}


def expected_by(schema: object) -> str:
    """Return in a few words what a schema takes."""
    if not isinstance(schema, Mapping):
        return "a value"
    if "enum" in schema:
        return "one of " + ", ".join(map(_json, schema["enum"]))
    if "const" in schema:
        return _json(schema["const"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(expected_by, schema["anyOf"])))
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " or ".join(map(str, kinds))
    return "object" if "$ref" in schema else str(kinds or "a value")


def shown_json(value: object) -> str:
    """Return a JSON value, cut short, with the name of its type."""
    if value is None:
        return "null"
    name = next((name for kind, name in _JSON_NAMES if isinstance(value, kind)), type(value).__name__)
    return f"{_json(value)} ({name})"


def _json(value: object) -> str:
    text = jsontext.encode_text(value)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
