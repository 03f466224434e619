"""From JSON objects to values: one reader a class, made by cattrs; a wrong type is refused and never coerced."""

from __future__ import annotations

import datetime
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from cattrs import IterableValidationError, IterableValidationNote
from cattrs.gen import make_dict_structure_fn, override

from triptych.checks import did_you_mean, shown
from triptych.content import ITEM_TYPES
from triptych.parts import Issuer, Opaque
from triptych.persist.converter import converter
from triptych.persist.field_types import (
    LEFT_OUT,
    SCALARS,
    TAGGED_FIELDS,
    element,
    is_object,
    is_tagged,
    members,
    optional,
    types_of,
)
from triptych.persist.registry import CONTENT_TYPES, JSON_TYPE, TAG, TAGS, UNKNOWN, UNSERIALISABLE
from triptych.persist.unknown_fields import keep
from triptych.tools import ProviderTool

Reader = Callable[[Any, Any], Any]


def tagged(value: object, allowed: tuple[type, ...] = tuple(TAGS)) -> Any:
    """Return the value that a JSON object with a `content_type` says; of an unknown one, what keeps it as it is.

    Args:
        value: The JSON object.
        allowed: The classes that may stand here.

    Raises:
        TypeError, ValueError: it is no such object, or a part of it is wrong; cattrs' errors have the path.
    """
    if type(value) is not dict:
        raise TypeError(f"expected an object with a {TAG}, got {shown(value)}")
    tag = value.get(TAG)
    if type(tag) is not str:
        raise TypeError(f"expected a {TAG}, a str, got {shown(tag)}")
    kind = CONTENT_TYPES.get(tag)
    if kind is not None and kind in allowed:
        return reader(kind)(value, kind)
    if kind is None and Opaque in allowed:
        return Opaque(value, issuer=Issuer(UNKNOWN))
    if kind is None and ProviderTool in allowed:
        return ProviderTool(value, Issuer(UNKNOWN))
    names = ", ".join(repr(TAGS[one]) for one in allowed)
    raise ValueError(f"expected a {TAG} of {names}, got {tag!r}{did_you_mean(tag, [TAGS[one] for one in allowed])}")


@cache
def reader(kind: type) -> Reader:
    """Return what makes a value of a class from the object of its fields; unknown ones are kept beside it."""
    kinds = types_of(kind)
    rules: dict[str, Any] = {name: override(struct_hook=_of_field(name, type_)) for name, type_ in kinds.items()}
    make: Reader = make_dict_structure_fn(kind, converter, _cattrs_detailed_validation=True, **rules)
    known, tag = frozenset({TAG, *kinds}), TAGS[kind]

    def read(value: Any, _: Any) -> Any:
        if type(value) is not dict:
            raise TypeError(f"expected an object, got {shown(value)}")
        if value.get(TAG, tag) != tag:
            raise ValueError(f"expected a {TAG} of {tag!r}, got {shown(value[TAG])}")
        # What is code here cannot be given by a file; there it is an unknown field.
        code = LEFT_OUT & value.keys()
        made = make({name: one for name, one in value.items() if name not in code} if code else value, kind)
        if not value.keys() <= known:
            keep(made, value, known)
        return made

    return read


def _of_field(name: str, kind: Any) -> Reader:
    if name in TAGGED_FIELDS:
        return _list_reader((*ITEM_TYPES,))
    if name == "tool_choice":
        return _scalar((str,), True)
    return _free_list if kind is Any else _of_type(kind)


def _of_type(kind: Any) -> Reader:
    inner, nullable = members(kind), optional(kind)
    if is_tagged(kind):
        return lambda value, _: tagged(value, inner)
    lists = [one for one in inner if element(one) is not None]
    if lists:
        read = _list_reader(element(lists[0]))
        if typing.get_origin(lists[0]) is tuple:
            return lambda value, _: tuple(read(value, None))
        return _or(read, str if str in inner else None, nullable)
    if inner[0] in TAGS:
        return _or(reader(inner[0]), None, nullable)
    if is_object(inner[0]):
        return _object(nullable, typing.get_args(inner[0])[1])
    if typing.get_origin(inner[0]) is Literal:
        return _one_of(typing.get_args(inner[0]), nullable)
    return _moment if datetime.datetime in inner else _scalar(inner, nullable)


def _or(read: Reader, other: type | None, nullable: bool) -> Reader:
    """Return a reader that passes None or a value of another type besides."""

    def either(value: Any, kind: Any) -> Any:
        if (value is None and nullable) or (other is not None and type(value) is other):
            return value
        return read(value, kind)

    return either if nullable or other else read


def _scalar(kinds: tuple[Any, ...], nullable: bool) -> Reader:
    if not set(kinds) <= set(SCALARS):
        raise TypeError(f"no JSON form of {kinds} is known here")
    taken = {*kinds, *((int,) if float in kinds else ()), *((type(None),) if nullable else ())}
    expected = " or ".join([*(one.__name__ for one in kinds), *(("None",) if nullable else ())])

    def read(value: Any, _: Any) -> Any:
        if type(value) in taken:
            return value
        raise TypeError(f"expected {expected}, got {shown(value)}")

    return read


def _one_of(names: tuple[str, ...], nullable: bool) -> Reader:
    def read(value: Any, _: Any) -> Any:
        if (value is None and nullable) or (type(value) is str and value in names):
            return value
        raise ValueError(
            f"expected one of {', '.join(map(repr, names))}, got {shown(value)}{did_you_mean(value, names)}"
        )

    return read


def _object(nullable: bool, kind: Any) -> Reader:
    of_each = None if kind is Any else _scalar((kind,), False)

    def read(value: Any, _: Any) -> Any:
        if type(value) is dict:
            return value if of_each is None else {name: of_each(one, kind) for name, one in value.items()}
        if value is None and nullable:
            return value
        raise TypeError(f"expected an object{' or None' if nullable else ''}, got {shown(value)}")

    return read


def _list_reader(kind: Any) -> Reader:
    read: Reader
    if isinstance(kind, tuple):
        read = lambda value, _: tagged(value, kind)  # noqa: E731  # a name of its own would say no more
    else:
        read = _free if kind is Any else _of_type(kind)
    return lambda value, _: read_list(value, read)


def read_list(value: object, read: Reader) -> list[Any]:
    """Return a list whose elements are read one by one.

    Args:
        value: The JSON list.
        read: Reads an element.

    Raises:
        TypeError: it is no list.
        IterableValidationError: elements are wrong; it holds the fault of each with its index.
    """
    if type(value) is not list:
        raise TypeError(f"expected a list, got {shown(value)}")
    made, wrong = [], []
    for index, one in enumerate(value):
        try:
            made.append(read(one, None))
        except Exception as fault:  # cattrs' own lists gather the same
            notes = [*getattr(fault, "__notes__", ()), IterableValidationNote(f"at index {index}", index, None)]
            fault.__notes__ = notes
            wrong.append(fault)
    if wrong:
        raise IterableValidationError("wrong elements", wrong, list)
    return made


def _moment(value: Any, _: Any) -> datetime.datetime:
    if type(value) is not str:
        raise TypeError(f"expected a date and time as RFC 3339 writes it, got {shown(value)}")
    return datetime.datetime.fromisoformat(value)


def _free(value: Any, _: Any) -> Any:
    """Return a value that may be anything: what has a tag is a part or item, or an object that was wrapped."""
    tag = value.get(TAG) if type(value) is dict else None
    if tag is None or tag == UNSERIALISABLE:
        return value
    return value.get("value") if tag == JSON_TYPE else tagged(value)


def _free_list(value: Any, _: Any) -> Any:
    return read_list(value, _free) if type(value) is list else _free(value, None)
