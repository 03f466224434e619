"""Arrays and objects, tuples and maps among them: closed, complete and said in the way that an API takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.dialects import restoring
from triptych.dialects.merging import ContradictionError, Schema, all_of
from triptych.dialects.references import escaped
from triptych.dialects.restoring import ENTRY_KEY, ENTRY_VALUE, ITEM, REST, Piece, Restore
from triptych.dialects.words import described

if TYPE_CHECKING:
    from triptych.dialects.adapter import Adapter

_LENGTHS = {"minProperties": "minItems", "maxProperties": "maxItems"}


def array(adapter: Adapter, schema: Schema, path: str) -> Piece:
    """Return an array: a list, or a tuple whose items are told apart by position."""
    rules, rest, most = adapter.rules, schema.get("items", True), schema.get("maxItems")
    if schema.get("prefixItems") and not rules.tuples:
        return _tuple(adapter, schema, path)
    out: Schema = {"type": "array"}
    positions: list[Piece] = []
    for index, each in enumerate(schema.get("prefixItems", [])):
        piece = adapter.possible(each, f"{path}/prefixItems/{index}")
        if piece is None:
            rest = False
            break
        positions.append(piece)
    if positions:
        out["prefixItems"] = [piece.schema for piece in positions]
    ends = rest is False or (positions and most is not None and most <= len(positions))
    unsaid = rest in (True, {}) and (bool(positions) or (not rules.array_items and rules.any_values))
    following = None if ends or unsaid else adapter.possible(rest, f"{path}/items")
    if ends or (following is None and not unsaid):
        schema = {**schema, "maxItems": min(len(positions), most if most is not None else len(positions))}
        following = following or (None if positions else adapter.place(True, f"{path}/items"))
    if following is not None:
        out["items"] = following.schema
    out |= adapter.kept(schema, path, ["array"])
    return Piece(out, _list_restore([piece.restore for piece in positions], following.restore if following else None))


def _list_restore(positions: list[Restore | None], rest: Restore | None) -> Restore | None:
    if any(way is not None for way in positions):
        return restoring.positions(positions, rest)
    return restoring.items(rest) if rest is not None and not positions else None


def _tuple(adapter: Adapter, schema: Schema, path: str) -> Piece:
    """Return a tuple as an object with a property for each position, and one for what follows."""
    rest, least, most = schema.get("items", True), schema.get("minItems", 0), schema.get("maxItems")
    prefix = schema["prefixItems"][:most]
    names = [ITEM.format(index + 1) for index in range(len(prefix))]
    beside = {
        name: value
        for name, value in schema.items()
        if name not in ("type", "prefixItems", "items", "minItems", "maxItems")
    }
    properties: Schema = dict(zip(names, prefix, strict=True))
    required = names[:least]
    if rest is not False and (most is None or most > len(prefix)):
        bounds = {"minItems": least - len(prefix)} if least > len(prefix) else {}
        bounds |= {"maxItems": most - len(prefix)} if most is not None else {}
        properties[REST] = {"type": "array", "items": rest, **bounds}
        required = [*required, REST]
    whole = {"type": "object", "properties": properties, "required": required, "additionalProperties": False, **beside}
    paths = {name: f"{path}/prefixItems/{index}" for index, name in enumerate(names)} | {REST: f"{path}/items"}
    piece = _properties(adapter, whole, path, paths)
    return Piece(piece.schema, restoring.positioned(names, piece.restore))


def object_(adapter: Adapter, schema: Schema, path: str) -> Piece:
    """Return an object: one with named properties, or a map with keys of any name."""
    further = schema.get("additionalProperties")
    named = schema.get("properties") or schema.get("required")
    open_map = further not in (None, False) or "patternProperties" in schema or "properties" not in schema
    if named or not open_map or (further is False and "patternProperties" not in schema):
        return _properties(adapter, schema, path, {})
    return _map(adapter, schema, path)


def _map_values(schema: Schema) -> Any:
    """Return what the values of unnamed keys are."""
    further = schema.get("additionalProperties", True)
    values = [*schema.get("patternProperties", {}).values(), *([] if further is False else [further])]
    return values[0] if len(values) == 1 else True if True in values or {} in values else {"anyOf": values}


def _map(adapter: Adapter, schema: Schema, path: str) -> Piece:
    """Return a map: `additionalProperties` where the API takes that, else a list of entries."""
    values = _map_values(schema)
    patterns = [f"keys matching {pattern}" for pattern in schema.get("patternProperties", {})]
    if adapter.rules.maps:
        said = {name: value for name, value in schema.items() if name != "patternProperties"}
        out: Schema = {"type": "object"}
        value = None
        if values not in (True, {}) or "additionalProperties" in schema:
            value = adapter.possible(values, f"{path}/additionalProperties")
            out["additionalProperties"] = value is not None and (value.schema or True)
        out |= adapter.kept(_also(said, patterns), path, ["object"])
        way = value.restore if value is not None else None
        return Piece(out, restoring.objects({}, frozenset(), {}, way) if way is not None else None)
    value = adapter.possible(values, f"{path}/additionalProperties")
    if value is None:  # nothing but the empty map
        return _properties(adapter, {**schema, "properties": {}, "additionalProperties": False}, path, {})
    key = adapter.place(all_of({"type": "string"}, schema.get("propertyNames", True)), f"{path}/propertyNames")
    entry: Schema = {
        "type": "object",
        "properties": {ENTRY_KEY: key.schema, ENTRY_VALUE: value.schema},
        "required": [ENTRY_KEY, ENTRY_VALUE],
    }
    if adapter.rules.closed:
        entry["additionalProperties"] = False
    said = {_LENGTHS.get(name, name): each for name, each in schema.items() if name != "propertyNames"}
    kept = adapter.kept(_also(said, [*patterns, "each key once"]), path, ["array"])
    return Piece({"type": "array", "items": entry, **kept}, restoring.entries(value.restore))


def _also(schema: Schema, words: list[str]) -> Schema:
    description = described(schema.get("description"), words)
    return {**schema, "description": description} if description is not None else schema


def _properties(adapter: Adapter, schema: Schema, path: str, paths: Mapping[str, str]) -> Piece:
    """Return an object with named properties.

    Args:
        adapter: What adapts the properties.
        schema: The object.
        path: A JSON pointer to it.
        paths: JSON pointers to the properties that do not stand under its `properties`.
    """
    rules = adapter.rules
    given = {name: each for name, each in schema.get("properties", {}).items() if each is not False}
    further = schema.get("additionalProperties", True)
    given |= {name: further for name in schema.get("required", []) if name not in given and further is not False}
    required = [name for name in given if name in schema.get("required", [])]
    complete = rules.all_required or (rules.some_required and not required)
    said: Schema = {}
    ways: dict[str, Restore] = {}
    absent: set[str] = set()
    for name, each in given.items():
        piece = adapter.possible(each, paths.get(name, f"{path}/properties/{escaped(name)}"))
        if piece is None:
            if name in required:
                raise ContradictionError(f"nothing satisfies the property {name!r}, which is required")
            adapter.left_out(path, name)
            continue
        said[name] = piece.schema
        if piece.restore is not None:
            ways[name] = piece.restore
        if complete and name not in required and not adapter.takes_null(piece.schema):
            said[name] = adapter.nullable(piece.schema)
            absent.add(name)
    out: Schema = {"type": "object"}
    if said or rules.empty_properties:
        out["properties"] = said
    needed = list(said) if complete else required
    if needed or rules.all_required:
        out["required"] = needed
    way = _further(adapter, schema, out, path)
    out |= adapter.kept(schema, path, ["object"])
    fills: dict[str, Any] = {}
    adapter.fills[id(out)] = (out, fills)
    if ways or absent or way is not None or rules.recursion == "optional":
        return Piece(out, restoring.objects(ways, frozenset(absent), fills, way))
    return Piece(out)


def _further(adapter: Adapter, schema: Schema, out: Schema, path: str) -> Restore | None:
    """Say in an object what its further properties are; return their way back where they need one."""
    further = schema.get("additionalProperties")
    patterns = schema.get("patternProperties", {})
    if adapter.rules.closed:
        if further not in (None, False) or patterns:
            adapter.narrowed(path, "further properties left out")
        out["additionalProperties"] = False
        return None
    if patterns:
        further = _map_values(schema)
    if isinstance(further, dict) and further:
        piece = adapter.possible(further, f"{path}/additionalProperties")
        out["additionalProperties"] = piece is not None and (piece.schema or True)
        return piece.restore if piece is not None else None
    if further is not None:
        out["additionalProperties"] = further is not False
    return None
