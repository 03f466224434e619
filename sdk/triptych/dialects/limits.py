"""How large a schema is, beside how large an API takes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import fields

from triptych.dialects.references import Schema, children, reachable, target, walk
from triptych.dialects.rules import Limits, Rules
from triptych.errors import Notice

_WORDS: Mapping[str, str] = {
    "properties": "properties",
    "depth": "levels of nesting",
    "optional": "properties that are not required",
    "unions": "properties that are unions",
    "enum_values": "enum values",
    "characters": "characters of names and enum values",
}


def measured(schema: Schema, definitions: Mapping[str, Schema]) -> dict[str, int]:
    """Return the size of an adapted schema, by the fields of `Limits`."""
    sizes = dict.fromkeys(_WORDS, 0)
    names = reachable(schema, definitions)
    sizes["characters"] = sum(map(len, names))
    for node in [node for each in (schema, *(definitions[name] for name in names)) for node in walk(each)]:
        properties = node.get("properties", {})
        sizes["properties"] += len(properties)
        sizes["optional"] += len(properties.keys() - set(node.get("required", ())))
        sizes["unions"] += sum("anyOf" in each or isinstance(each.get("type"), list) for each in properties.values())
        sizes["enum_values"] += len(node.get("enum", ()))
        sizes["characters"] += sum(map(len, properties)) + _characters(node)
    sizes["depth"] = _depth(schema, definitions, {})
    return sizes


def _characters(node: Schema) -> int:
    return sum(len(value) for value in node.get("enum", ()) if isinstance(value, str))


def _depth(schema: Any, definitions: Mapping[str, Schema], known: dict[str, int]) -> int:
    name = target(schema)
    if name is not None:
        if name not in known:
            known[name] = 0  # a definition within itself adds no level: how often it repeats is the answer's affair
            known[name] = _depth(definitions[name], definitions, known)
        return known[name]
    below = max((_depth(each, definitions, known) for _, each in children(schema)), default=0)
    return below + (schema.get("type") in ("object", "array"))


def exceeded(schema: Schema, definitions: Mapping[str, Schema], rules: Rules) -> Iterator[Notice]:
    """Yield a notice for each limit of an API that a schema exceeds.

    Args:
        schema: The adapted schema.
        definitions: Its definitions.
        rules: What the API takes.
    """
    if rules.limits == Limits():
        return
    sizes = measured(schema, definitions)
    for field in fields(Limits):
        most = getattr(rules.limits, field.name)
        if most is not None and sizes.get(field.name, 0) > most:
            yield Notice("", f"{sizes[field.name]} {_WORDS[field.name]}", f"{rules.name} takes at most {most}")
    long, most = rules.limits.long_enum, rules.limits.long_enum_characters
    if long is None or most is None:
        return
    for each in (schema, *definitions.values()):
        for node in walk(each):
            if len(node.get("enum", ())) > long and _characters(node) > most:
                what = f"an enum of {len(node['enum'])} values with {_characters(node)} characters"
                yield Notice("", what, f"{rules.name} takes at most {most} in one of more than {long} values")
