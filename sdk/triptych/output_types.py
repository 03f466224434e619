"""Values of Python types: the JSON Schema of a type, and a JSON value that follows it made one.

msgspec does both where it can. cattrs makes the values where msgspec cannot: unions of classes without a tag, attrs
classes with converters, pydantic models, and types for which the user registered a hook on `converter`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import attrs
import msgspec

from triptych import jsontext
from triptych.checks import shown
from triptych.type_parts import bare, reachable
from triptych.type_schemas import schema_of, takes

if TYPE_CHECKING:
    from triptych.type_values import HookedConverter

    converter: HookedConverter

# How msgspec words a value of a wrong type.
_MSGSPEC = re.compile(
    r"(?:Expected `(?P<expected>[^`]*)`, got `(?P<got>[^`]*)`|(?P<words>.*?))(?: - at `(?P<path>[^`]*)`)?",
    re.S,
)


class WrongValue(ValueError):
    """A JSON value that cannot become a value of the type; the message says where, and what was expected and got."""


@attrs.frozen(eq=False)
class Shape:
    """A Python type as JSON has it.

    Args:
        type: The type.
        schema: Its JSON Schema.
        name: The name of its class, as APIs take names; None where it has none.
        by_msgspec: Whether msgspec makes its values as its classes would themselves.
    """

    type: Any
    schema: dict[str, Any]
    name: str | None
    by_msgspec: bool

    def structure(self, value: Any) -> Any:
        """Return the value of the type that a JSON value says.

        Args:
            value: A JSON value that follows the schema.

        Raises:
            WrongValue: the type takes other values than its schema can say, and not this one.
        """
        loaded = globals().get("converter")
        if self.by_msgspec and not (loaded is not None and loaded.hooked):
            return decoded(value, self.type)
        from triptych.type_values import explained  # it loads cattrs

        try:
            return _converter().structure(value, self.type)
        except Exception as fault:  # what a class raises when it is made is its own business
            raise WrongValue(explained(fault)) from fault


def decoded(value: Any, kind: Any) -> Any:
    """Return the value of a type that msgspec makes of a JSON value; see `Shape.structure`."""
    # By way of its text, for the keys of maps are texts that may say numbers.
    try:
        return msgspec.json.decode(jsontext.encode(value), type=kind)
    except msgspec.ValidationError as fault:
        whole = _whole_numbers(value)  # 5.0 is an integer in JSON Schema
        if whole != value or repr(whole) != repr(value):
            try:
                return msgspec.json.decode(jsontext.encode(whole), type=kind)
            except msgspec.ValidationError:
                pass
        raise WrongValue(_worded(str(fault))) from fault


def _whole_numbers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole_numbers(one) for key, one in value.items()}
    return [_whole_numbers(one) for one in value] if isinstance(value, list) else value


def _worded(message: str) -> str:
    found = _MSGSPEC.fullmatch(message)
    if found is None:
        return f"$: {message}"
    path = found["path"] or "$"
    return (
        f"{path}: {found['words']}"
        if found["expected"] is None
        else f"{path}: expected {found['expected']}, got {found['got']}"
    )


def shape_of(kind: Any) -> Shape:
    """Return the JSON form of a type; it is worked out once for each type.

    Raises:
        TypeError: the type, or a part of it, has no JSON form.
    """
    try:
        return _shape_of(kind)
    except NameError as fault:
        words = f"a type has no JSON form: {shown(kind)}: {fault}, where its class is; classes within functions are not"
        raise TypeError(words) from None
    except TypeError as fault:
        if "unhashable" in str(fault):  # metadata that holds a dict
            return _made(kind)
        raise


def _made(kind: Any) -> Shape:
    schema = schema_of(kind, _is_hooked)
    plain = takes(kind) and not any(_has_converter(one) for one in reachable(kind))
    title = getattr(bare(kind)[0], "__name__", None)
    named = isinstance(bare(kind)[0], type) and bare(kind)[0].__module__ != "builtins"
    return Shape(kind, schema, re.sub(r"[^a-zA-Z0-9_-]+", "_", title)[:64] if named and title else None, plain)


_shape_of = lru_cache(maxsize=512)(_made)


def _has_converter(kind: Any) -> bool:
    """Return whether an attrs class changes what it is given, which msgspec would pass by."""
    return isinstance(kind, type) and attrs.has(kind) and any(field.converter for field in attrs.fields(kind))


def _is_hooked(kind: Any) -> bool:
    return _converter().is_hooked(kind)


def _converter() -> HookedConverter:
    if "converter" not in globals():
        from triptych.type_values import make_converter  # it loads cattrs

        globals()["converter"] = make_converter(_schema, _is_plain, decoded)
    made: HookedConverter = globals()["converter"]
    return made


def _schema(kind: Any) -> Mapping[str, Any]:
    return shape_of(kind).schema


def _is_plain(kind: Any) -> bool:
    try:
        return shape_of(kind).by_msgspec
    except TypeError:
        return False


def __getattr__(name: str) -> Any:
    if name == "converter":
        return _converter()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
