"""The JSON Schema of a Python type: msgspec's, and where that has none, one put together from its parts.

msgspec takes no unions of classes that have no tag, nor of several types that are texts in JSON, and no pydantic
models.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from triptych.checks import shown
from triptych.type_parts import (
    LISTS,
    MAPS,
    SETS,
    Missing,
    TypeField,
    bare,
    fields_of,
    is_pydantic,
    reachable,
    union_members,
)

_REF = "#/$defs/{name}"
# What `msgspec.Meta` says of lists and of maps, by the keyword of the same meaning.
_SIZES = {"list": ("minItems", "maxItems"), "map": ("minProperties", "maxProperties")}


def schema_of(kind: Any, hooked: Callable[[Any], bool]) -> dict[str, Any]:
    """Return the JSON Schema of a type, whose root says what it is: it is no reference.

    Args:
        kind: The type.
        hooked: Whether the user has told how to make a value of a type that is unknown here; its schema takes anything.

    Raises:
        TypeError: a part of it has no JSON form.
    """
    if takes(kind):
        schema = msgspec.json.schema(kind)
        return _rooted(schema, schema.pop("$defs", {}))
    building = _Building(hooked)
    return _rooted(building.schema(kind), building.definitions)


def takes(kind: Any) -> bool:
    """Return whether msgspec knows a type with all that is in it."""
    if is_unsafe(kind):
        return False
    try:
        msgspec.json.schema(kind)
    except (TypeError, NameError):
        return False
    return not any(is_pydantic(one) for one in reachable(kind))


def is_unsafe(kind: Any) -> bool:
    """Return whether msgspec would bring the interpreter down with a type.

    It does (0.23.0) with a union of a tuple of fixed length and anything that is bounded by a `Meta`.
    """
    return any(_is_unsafe_union(union_members(one)) for one in reachable(kind))


def _is_unsafe_union(members: tuple[Any, ...]) -> bool:
    inner = [bare(member) for member in members]
    tuples = [typing.get_origin(one) is tuple and Ellipsis not in typing.get_args(one) for one, _ in inner]
    return any(tuples) and any(isinstance(meta, msgspec.Meta) for _, metadata in inner for meta in metadata)


def _rooted(schema: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with its definitions; a reference at its root is replaced by what it refers to."""
    name = schema["$ref"].removeprefix(_REF.format(name="")) if schema.keys() == {"$ref"} else None
    if name is None:
        return {**schema, "$defs": definitions} if definitions else schema
    root = definitions[name]
    rest = dict(definitions) if _refers(list(definitions.values()), name) else _without(definitions, name)
    return {**root, "$defs": rest} if rest else dict(root)


def _without(definitions: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {other: schema for other, schema in definitions.items() if other != name}


def _refers(value: Any, name: str) -> bool:
    if isinstance(value, dict):
        return value.get("$ref") == _REF.format(name=name) or any(_refers(one, name) for one in value.values())
    return isinstance(value, list) and any(_refers(one, name) for one in value)


class _Building:
    """Puts a schema together from the parts of a type.

    Args:
        hooked: See `schema_of`.
    """

    def __init__(self, hooked: Callable[[Any], bool]) -> None:
        self._hooked = hooked
        self._names: dict[Any, str] = {}
        self.definitions: dict[str, Any] = {}

    def schema(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a type; those of classes go to the definitions."""
        inner, metadata = bare(kind)
        metas = [meta for meta in metadata if isinstance(meta, msgspec.Meta)]
        built = self._container(inner, metas)
        if built is None:
            return self._leaf(typing.Annotated[(inner, *metas)] if metas else inner, inner)
        for meta in metas:
            built |= {key: getattr(meta, key) for key in ("title", "description", "examples") if getattr(meta, key)}
            built |= meta.extra_json_schema or {}
        return built

    def _container(self, kind: Any, metas: list[Any]) -> dict[str, Any] | None:
        origin, arguments = typing.get_origin(kind) or kind, typing.get_args(kind)
        if members := union_members(kind):
            schemas = [self.schema(member) for member in members]
            distinct = [schema for at, schema in enumerate(schemas) if schema not in schemas[:at]]
            return {"anyOf": distinct} if len(distinct) > 1 else distinct[0]
        if origin is tuple and arguments and arguments[-1] is not Ellipsis:
            size = len(arguments)
            items = [self.schema(argument) for argument in arguments]
            return {"type": "array", "prefixItems": items, "items": False, "minItems": size, "maxItems": size}
        if origin in (*LISTS, *SETS, tuple):
            unique = {"uniqueItems": True} if origin in SETS else {}
            items_said = {"items": self.schema(arguments[0])} if arguments else {}
            return {"type": "array", **items_said, **unique, **_sizes("list", metas)}
        if origin in MAPS:
            values = {"additionalProperties": self.schema(arguments[1])} if arguments else {}
            return {"type": "object", **values, **_sizes("map", metas)}
        return self._named(kind)

    def _named(self, kind: Any) -> dict[str, Any] | None:
        """Return a reference to the definition of a class; None for what is none."""
        if kind in self._names:
            return {"$ref": _REF.format(name=self._names[kind])}
        fields = fields_of(kind)
        if fields is None and not is_pydantic(kind):
            return None
        name = self._names[kind] = self._name(kind)
        self.definitions[name] = {}  # its place, before those of the classes in it
        self.definitions[name] = self._pydantic(kind) if fields is None else self._object(kind, fields)
        return {"$ref": _REF.format(name=name)}

    def _name(self, kind: Any) -> str:
        stem = "_".join(getattr(one, "__name__", "of") for one in (kind, *typing.get_args(kind)))
        name, number = stem, 2
        while name in self.definitions:
            name, number = f"{stem}_{number}", number + 1
        return name

    def _object(self, kind: Any, fields: list[TypeField]) -> dict[str, Any]:
        cls = typing.get_origin(kind) or kind
        properties = {field.name: {**self.schema(field.type), **_default(field)} for field in fields}
        required = [field.name for field in fields if field.required]
        config = getattr(cls, "__struct_config__", None)
        if config is not None and config.tag is not None:
            properties = {config.tag_field: {"enum": [config.tag]}, **properties}
            required.insert(0, config.tag_field)
        said: dict[str, Any] = {"title": cls.__name__}
        text = cls.__doc__
        if text and not text.startswith(f"{cls.__name__}("):  # a dataclass writes itself one like that
            said["description"] = inspect.cleandoc(text)
        return {**said, "type": "object", "properties": properties, "required": required}

    def _pydantic(self, kind: Any) -> dict[str, Any]:
        schema: dict[str, Any] = kind.model_json_schema(ref_template="#/$defs/{model}")
        inner = schema.pop("$defs", {})
        own = inner.pop(kind.__name__, schema)  # a model that refers to itself is among its own definitions
        known = {**self.definitions, kind.__name__: own}
        taken = [name for name in inner if known.get(name, inner[name]) != inner[name]]
        if taken or self._names[kind] != kind.__name__:
            name = taken[0] if taken else kind.__name__
            raise TypeError(f"{kind.__name__}: two classes are called {name}: give one of them another name")
        self.definitions |= inner
        return dict(own)

    def _leaf(self, whole: Any, kind: Any) -> dict[str, Any]:
        try:
            schema = msgspec.json.schema(whole)
        except TypeError as fault:
            if self._hooked(kind):
                return {}
            words = "register a structure hook on triptych.output_types.converter"
            raise TypeError(f"a type has no JSON form: {shown(kind)}: {words} ({fault})") from None
        self.definitions |= schema.pop("$defs", {})
        return schema


def _sizes(sort: str, metas: list[Any]) -> dict[str, Any]:
    least, most = _SIZES[sort]
    said = {least: [meta.min_length for meta in metas], most: [meta.max_length for meta in metas]}
    return {key: value for key, values in said.items() for value in values if value is not None}


def _default(field: TypeField) -> dict[str, Any]:
    if field.required or field.default is Missing:
        return {}
    if field.default is None and type(None) not in union_members(bare(field.type)[0]):
        return {}
    try:
        return {"default": msgspec.to_builtins(field.default)}
    except TypeError:
        return {}
