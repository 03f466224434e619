"""Several schemas that all hold, as one: what satisfies the result satisfies each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import lcm
from typing import Any

from triptych.dialects.words import ANNOTATIONS

Schema = dict[str, Any]


class ContradictionError(ValueError):
    """Nothing satisfies all of the schemas, or no single schema says what they say together."""


def all_of(*schemas: Any) -> Any:
    """Return a schema that says that all of the given hold, without merging them yet.

    Args:
        schemas: The schemas; those that ask for nothing and those that are there already are left out.
    """
    if any(schema is False for schema in schemas):
        return False
    parts: list[Any] = []
    for schema in schemas:
        nested = schema["allOf"] if isinstance(schema, dict) and schema.keys() == {"allOf"} else [schema]
        parts += [part for part in nested if part not in (True, {}) and part not in parts]
    if len(parts) > 1:
        return {"allOf": parts}
    return parts[0] if parts else {}


def merge(parts: Iterable[Any]) -> Schema:
    """Return the one schema that says what several say, none of which is a `$ref` or an `allOf`.

    Args:
        parts: The schemas; of annotations the first has the word.

    Raises:
        ContradictionError: nothing satisfies all of them, or they cannot be said as one; the message names the keyword.
    """
    merged: Schema = {}
    for part in parts:
        if part is False:
            raise ContradictionError("a part of it allows nothing")
        if part is not True:
            merged = _pair(merged, part)
    return merged


def _pair(first: Schema, second: Schema) -> Schema:
    if not first or not second:
        return dict(first or second)
    merged = {**second, **first}
    for keyword in first.keys() & second.keys() - ANNOTATIONS - _OBJECT_KEYWORDS - _ARRAY_KEYWORDS:
        merged[keyword] = _COMBINED.get(keyword, _same)(keyword, first[keyword], second[keyword])
    if "enum" in merged and "const" in merged:
        merged["enum"] = _common("enum", merged["enum"], [merged.pop("const")])
    if first.keys() & _OBJECT_KEYWORDS and second.keys() & _OBJECT_KEYWORDS:
        merged = {name: merged[name] for name in merged if name not in _OBJECT_KEYWORDS} | _objects(first, second)
    if first.keys() & _ARRAY_KEYWORDS and second.keys() & _ARRAY_KEYWORDS:
        merged |= _arrays(first, second)
    return merged


def _same(keyword: str, first: Any, second: Any) -> Any:
    if first != second:
        raise ContradictionError(f"two different values of {keyword}: {first!r} and {second!r}")
    return first


def _types(keyword: str, first: Any, second: Any) -> Any:
    mine = [first] if isinstance(first, str) else list(first)
    theirs = [second] if isinstance(second, str) else list(second)
    both = [kind for kind in mine if kind in theirs]
    both += ["integer"] if "integer" not in both and {*mine, *theirs} >= {"integer", "number"} else []
    if not both:
        raise ContradictionError(f"no {keyword} is both {first!r} and {second!r}")
    return both[0] if len(both) == 1 else both


def _common(keyword: str, first: Any, second: Any) -> list[Any]:
    both = [value for value in first if any(value == other and type(value) is type(other) for other in second)]
    if not both:
        raise ContradictionError(f"no value of {keyword} is in both {first!r} and {second!r}")
    return both


def _multiple(keyword: str, first: Any, second: Any) -> Any:
    whole = isinstance(first, int) and isinstance(second, int)
    return lcm(first, second) if whole else _same(keyword, first, second)


def _branches(keyword: str, first: Any, second: Any) -> list[Any]:
    return [all_of(mine, theirs) for mine in first for theirs in second]


def _either(keyword: str, first: Any, second: Any) -> bool:
    return bool(first or second)


def _largest(keyword: str, first: Any, second: Any) -> Any:
    return max(first, second)


def _smallest(keyword: str, first: Any, second: Any) -> Any:
    return min(first, second)


_OBJECT_KEYWORDS = frozenset({"properties", "required", "additionalProperties", "patternProperties"})
_ARRAY_KEYWORDS = frozenset({"items", "prefixItems"})
_COMBINED: Mapping[str, Callable[[str, Any, Any], Any]] = {
    "type": _types,
    "enum": _common,
    "multipleOf": _multiple,
    "anyOf": _branches,
    "uniqueItems": _either,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _largest),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _smallest),
}


def _objects(first: Schema, second: Schema) -> Schema:
    """Return the keywords of an object that is both; a property of one alone follows the other's word on the rest."""
    merged: Schema = {}
    names = [*first.get("properties", {}), *second.get("properties", {})]
    for name in dict.fromkeys(names):
        both = all_of(_property(first, name), _property(second, name))
        if both is not False:
            merged.setdefault("properties", {})[name] = both
    required = list(dict.fromkeys([*first.get("required", []), *second.get("required", [])]))
    if required:
        merged["required"] = required
    rest = all_of(first.get("additionalProperties", True), second.get("additionalProperties", True))
    if rest != {}:
        merged["additionalProperties"] = rest
    patterns = {**second.get("patternProperties", {}), **first.get("patternProperties", {})}
    if patterns:
        merged["patternProperties"] = patterns
    for name in required:
        if name in names and name not in merged.get("properties", {}):
            raise ContradictionError(f"the property {name!r} is required by one part and forbidden by another")
    return merged


def _property(schema: Schema, name: str) -> Any:
    properties = schema.get("properties", {})
    return properties[name] if name in properties else schema.get("additionalProperties", True)


def _arrays(first: Schema, second: Schema) -> Schema:
    """Return the items of an array that is both, position by position."""
    merged: Schema = {}
    lengths = [len(each.get("prefixItems", [])) for each in (first, second)]
    if any(lengths):
        merged["prefixItems"] = [all_of(_item(first, at), _item(second, at)) for at in range(max(lengths))]
    items = all_of(first.get("items", True), second.get("items", True))
    if items != {}:
        merged["items"] = items
    return merged


def _item(schema: Schema, position: int) -> Any:
    prefix = schema.get("prefixItems", [])
    return prefix[position] if position < len(prefix) else schema.get("items", True)
