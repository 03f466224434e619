"""The given schema as the adapter reads it: each place in it without `$ref`, `allOf`, `oneOf` and `nullable`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from triptych.dialects.merging import Schema, all_of, merge
from triptych.dialects.references import refused, resolve
from triptych.dialects.words import ANNOTATIONS

_SILENT = ANNOTATIONS - {"description"}

# By what keywords a schema without a type tells what it is of.
BELONGS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "dependentRequired",
        ),
        "object",
    ),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"), "array"),
    **dict.fromkeys(("pattern", "format", "minLength", "maxLength", "contentEncoding"), "string"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"),
}


class Source:
    """The given schema.

    Args:
        root: The schema; it is never changed.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self.names = [name for held in ("$defs", "definitions") for name in root.get(held) or ()]

    def flat(self, schema: Any) -> Schema:
        """Return what a schema says in one: its references followed, all that must hold merged.

        Raises:
            ContradictionError: nothing satisfies it.
            LlmError: kind "unsupported": a reference leads nowhere, or to itself.
        """
        return merge(self._parts(schema, ()))

    def _parts(self, schema: Any, followed: tuple[str, ...]) -> Iterator[Any]:
        if not isinstance(schema, dict):
            yield schema
            return
        rest = {name: value for name, value in schema.items() if name not in ("$ref", "allOf", "$defs", "definitions")}
        yield _plain(rest)
        ref = schema.get("$ref")
        if isinstance(ref, str):
            if ref in followed:
                raise refused(f"the schema's reference {ref!r} leads to itself: {' → '.join([*followed, ref])}")
            yield from self._parts(resolve(self._root, ref), (*followed, ref))
        for part in schema.get("allOf", ()):
            yield from self._parts(part, followed)

    def alias(self, ref: str) -> str:
        """Return the reference at the end of a chain of definitions that are nothing but references."""
        followed = [ref]
        while True:
            found = resolve(self._root, followed[-1])
            following = bare_reference(found)
            if following is None:
                return followed[-1]
            if following in followed:
                raise refused(f"the schema's reference {ref!r} leads to itself: {' → '.join([*followed, following])}")
            followed.append(following)

    def takes_null(self, schema: Any, seen: frozenset[str] = frozenset()) -> bool:
        """Say whether null satisfies a schema that says so: one that leaves its type open does not count."""
        ref = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(schema, dict) or ref in seen:
            return False
        said = self.flat(schema)
        seen = seen | {ref} if isinstance(ref, str) else seen
        if "anyOf" in said:
            return any(self.takes_null(each, seen) for each in said["anyOf"])
        if "enum" in said or "const" in said:
            return None in said.get("enum", [said.get("const", ...)])
        kinds = said.get("type")
        return kinds == "null" or (isinstance(kinds, list) and "null" in kinds)


def bare_reference(schema: Any) -> str | None:
    """Return the reference that a schema is, where nothing beside it is to be kept."""
    if isinstance(schema, dict) and isinstance(schema.get("$ref"), str) and not schema.keys() - _SILENT - {"$ref"}:
        return str(schema["$ref"])
    return None


def refers(schema: Any) -> str | None:
    """Return the first reference among what must hold of a schema, where there is one."""
    if not isinstance(schema, dict):
        return None
    if isinstance(schema.get("$ref"), str):
        return str(schema["$ref"])
    return next((ref for part in schema.get("allOf", ()) if (ref := refers(part)) is not None), None)


def identity(schema: Schema) -> str:
    """Return a text that two schemas share when they say the same, in whatever order."""
    said = {name: value for name, value in schema.items() if name not in _SILENT}
    if isinstance(said.get("allOf"), list):
        said["allOf"] = sorted((identity(each) if isinstance(each, dict) else str(each)) for each in said["allOf"])
    return json.dumps(said, sort_keys=True, default=str)


def kinds_of(schema: Schema) -> list[str]:
    """Return the types that a schema says, or that its keywords are of; none where it leaves them open."""
    said = schema.get("type")
    if isinstance(said, str):
        return [said]
    if isinstance(said, list):
        return list(dict.fromkeys(said))
    return list(dict.fromkeys(BELONGS[name] for name in schema if name in BELONGS))


def belongs(keyword: str, kind: str) -> bool:
    """Say whether a keyword concerns values of a type."""
    return BELONGS.get(keyword, kind) == ("number" if kind == "integer" else kind)


def _plain(schema: Schema) -> Schema:
    """Return a schema with `anyOf` for `oneOf`, and with the type "null" for OpenAPI's `nullable`."""
    if not schema.keys() & {"oneOf", "nullable"}:
        return schema
    plain = {name: value for name, value in schema.items() if name not in ("oneOf", "nullable")}
    if "oneOf" in schema:
        both = schema.get("anyOf", [{}])
        plain["anyOf"] = [all_of(mine, theirs) for mine in both for theirs in schema["oneOf"]]
    if schema.get("nullable") is True:
        annotations = {name: value for name, value in plain.items() if name in ANNOTATIONS}
        constraints = {name: value for name, value in plain.items() if name not in ANNOTATIONS}
        plain = {**annotations, "anyOf": [constraints, {"type": "null"}]} if constraints else plain
    return plain
