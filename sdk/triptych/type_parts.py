"""What annotations are made of: the types within a type, and the fields of a class as its JSON object has them."""

from __future__ import annotations

import collections.abc
import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Union

import attrs
import msgspec

LISTS = (list, collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Iterable)
SETS = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
MAPS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_WRAPPERS = {typing.Final, typing.ClassVar, typing.Required, typing.NotRequired}


class Missing:
    """The default of a field that must be given."""


@attrs.frozen
class TypeField:
    """One field of a class.

    Args:
        name: Its key in the JSON object.
        type: Its annotation.
        default: The value that it has when it is absent; `Missing` where it must be there, None where its default is
            made anew each time and is not known.
        required: Whether it must be there.
        attribute: Its name in Python.
    """

    name: str
    type: Any
    required: bool
    default: Any = Missing
    attribute: str = attrs.Factory(lambda self: self.name, takes_self=True)


def bare(kind: Any) -> tuple[Any, list[Any]]:
    """Return an annotation without what is wrapped around it, and the metadata of `Annotated`, the outer ones last."""
    metadata: list[Any] = []
    while True:
        origin = typing.get_origin(kind)
        if origin is Annotated:
            metadata = [*kind.__metadata__, *metadata]
            kind = kind.__origin__
        elif origin in _WRAPPERS:
            (kind,) = typing.get_args(kind)
        elif isinstance(kind, typing.NewType):
            kind = kind.__supertype__
        elif type(kind).__name__ == "TypeAliasType":
            kind = kind.__value__
        elif isinstance(kind, typing.TypeVar):
            kind = Any if kind.__bound__ is None else kind.__bound__
        else:
            return (type(None) if kind is None else kind), metadata


def union_members(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union; empty for what is none."""
    return typing.get_args(kind) if typing.get_origin(kind) in (Union, types.UnionType) else ()


def is_pydantic(kind: Any) -> bool:
    """Return whether a class is a pydantic model; pydantic need not be installed."""
    return isinstance(kind, type) and hasattr(kind, "model_validate") and hasattr(kind, "model_json_schema")


def fields_of(kind: Any) -> list[TypeField] | None:
    """Return the fields of an attrs class, dataclass, TypedDict or Struct, perhaps with arguments; None for others."""
    cls = typing.get_origin(kind) or kind
    if not isinstance(cls, type) or is_pydantic(cls):
        return None
    if issubclass(cls, msgspec.Struct):
        return _struct_fields(kind)
    if typing.is_typeddict(cls):
        required: frozenset[str] = getattr(cls, "__required_keys__", frozenset())
        return [TypeField(name, hint, name in required) for name, hint in _hints(kind).items()]
    if attrs.has(cls):
        return _attrs_fields(cls, _hints(kind))
    if dataclasses.is_dataclass(cls):
        return _dataclass_fields(cls, _hints(kind))
    return None


def _struct_fields(kind: Any) -> list[TypeField]:
    return [
        TypeField(
            field.encode_name,
            field.type,
            field.required,
            Missing if field.default is msgspec.NODEFAULT else field.default,
            field.name,
        )
        for field in msgspec.structs.fields(kind)
    ]


def _attrs_fields(cls: type, hints: Mapping[str, Any]) -> list[TypeField]:
    fields = []
    for field in attrs.fields(cls):
        if field.init:
            default = Missing if field.default is attrs.NOTHING else field.default
            known = None if isinstance(default, attrs.Factory) else default  # type: ignore[arg-type]  # a class at run time
            fields.append(TypeField(field.name, hints.get(field.name, Any), default is Missing, known))
    return fields


def _dataclass_fields(cls: type, hints: Mapping[str, Any]) -> list[TypeField]:
    fields = []
    for field in dataclasses.fields(cls):
        if field.init:
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            known = Missing if required else None if field.default is dataclasses.MISSING else field.default
            fields.append(TypeField(field.name, hints[field.name], required, known))
    return fields


def _hints(kind: Any) -> dict[str, Any]:
    """Return the annotations of a class, its type variables replaced by the arguments that it is given."""
    cls = typing.get_origin(kind) or kind
    hints = typing.get_type_hints(cls, include_extras=True)
    given = dict(zip(getattr(cls, "__parameters__", ()), typing.get_args(kind), strict=False))
    return {name: _replaced(hint, given) for name, hint in hints.items()} if given else hints


def _replaced(hint: Any, given: Mapping[Any, Any]) -> Any:
    if isinstance(hint, typing.TypeVar):
        return given.get(hint, hint)
    variables = getattr(hint, "__parameters__", ())
    return hint[tuple(given.get(variable, variable) for variable in variables)] if variables else hint


def reachable(kind: Any) -> Iterator[Any]:
    """Yield each type within a type, itself among them and each once, without what is wrapped around it."""
    seen: list[Any] = []
    waiting = [kind]
    while waiting:
        one, _ = bare(waiting.pop())
        if one in seen or one is Ellipsis or isinstance(one, list):
            continue
        seen.append(one)
        yield one
        if typing.get_origin(one) is not Literal:
            waiting += typing.get_args(one)
            waiting += [field.type for field in fields_of(one) or ()]
