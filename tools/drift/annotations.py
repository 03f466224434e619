"""Read the types of a Python package into shapes: pydantic models, TypedDicts, literals, enums, a function's arguments.

What a package's type accepts beside JSON (open files, callables, its mark for "not given") is left out.
"""

from __future__ import annotations

import collections.abc
import datetime
import enum
import inspect
import io
import os
import types
import typing
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import typing_extensions

from tools.drift.shape import ANY, BOOLEAN, NOTHING, NUMBER, OBJECT, STRING, Object, Place, constants, join, kind

SCALARS: dict[object, Place] = {
    Any: kind(ANY),
    object: kind(ANY),
    bool: kind(BOOLEAN),
    int: kind(NUMBER),
    float: kind(NUMBER),
    dict: kind(OBJECT),
    types.NoneType: NOTHING,
    None: NOTHING,
    datetime.timedelta: kind(NUMBER),
}
STRINGS = (str, bytes, datetime.datetime, datetime.date, datetime.time, uuid.UUID)  # all of them text on the wire
LISTS = (list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
MAPS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
WRAPPERS = (
    typing.Annotated,
    typing.Required,
    typing.NotRequired,
    typing_extensions.Required,
    typing_extensions.NotRequired,
    typing_extensions.ReadOnly,
)
UNIONS = (typing.Union, types.UnionType)
NOT_JSON = {"Unset", "Omit", "NotGiven", "BaseModel", "Callable", "PathLike", "IO"}


class AnnotationReader:
    """Reads type annotations; a class gives the same `Object` however often it is met."""

    def __init__(self, written_as: Mapping[Any, Any] | None = None) -> None:
        """Start with no class read.

        Args:
            written_as: classes that write themselves to JSON as another type than their fields tell, with that type.
        """
        self._written_as = written_as or {}
        self._objects: dict[Any, Object] = {}

    def place(self, annotation: Any) -> Place:
        """Return what an annotation describes.

        Raises:
            TypeError: it is of a sort that this reader has no rule for; the message names it.
        """
        if isinstance(annotation, collections.abc.Hashable):
            if annotation in SCALARS:
                return SCALARS[annotation]
            if annotation in self._written_as:
                return self.place(self._written_as[annotation])
        if typing_extensions.get_origin(annotation) is not None:
            return self._generic(annotation)
        if hasattr(annotation, "__value__"):  # an alias made by TypeAliasType
            return self.place(annotation.__value__)
        if hasattr(annotation, "__supertype__"):  # a NewType
            return self.place(annotation.__supertype__)
        if inspect.isclass(annotation):
            return self._class(annotation)
        raise TypeError(f"no rule for the annotation {annotation!r}")

    def arguments(self, function: Callable[..., Any], without: frozenset[str] = frozenset()) -> Place:
        """Return the object that a function's keyword arguments make, `self` and those in `without` left out."""
        hints = typing_extensions.get_type_hints(function, include_extras=True)
        names = [name for name in inspect.signature(function).parameters if name not in without | {"self"}]
        return self.composed(function.__qualname__, {name: hints[name] for name in names})

    def composed(self, name: str, fields: Mapping[str, Any]) -> Place:
        """Return an object of our own making from annotations, for a wire object that the package has no type for."""
        return Place(objects=(Object(name, lambda: {key: self.place(value) for key, value in fields.items()}),))

    def _generic(self, annotation: Any) -> Place:
        origin, arguments = typing_extensions.get_origin(annotation), typing_extensions.get_args(annotation)
        if hasattr(origin, "__value__"):  # a generic alias with its arguments
            return self.place(origin.__value__[arguments])
        if origin in WRAPPERS:
            return self.place(arguments[0])
        if origin in UNIONS:
            return _known_values(join(self.place(one) for one in arguments))
        if origin in (typing.Literal, typing_extensions.Literal):
            return constants(one.value if isinstance(one, enum.Enum) else one for one in arguments)
        if origin in LISTS or origin.__name__ == "SequenceNotStr":
            return Place(items=self.place(arguments[0]))
        if origin in MAPS:
            entries = self.place(arguments[1])
            return kind(OBJECT) if ANY in entries.kinds else Place(entries=entries)
        if origin.__name__ in NOT_JSON or origin is type:
            return NOTHING
        if hasattr(annotation, "model_fields"):
            return self._class(annotation)
        raise TypeError(f"no rule for the generic type {annotation!r}")

    def _class(self, cls: Any) -> Place:
        if issubclass(cls, enum.Enum):
            # An Enum itself stands for "some enum of the caller's".
            return constants(member.value for member in cls) if len(cls) else NOTHING
        if issubclass(cls, STRINGS):
            return kind(STRING)
        if cls in LISTS:
            return Place(items=kind(ANY))
        if cls.__name__ in NOT_JSON or issubclass(cls, (io.IOBase, os.PathLike)):
            return NOTHING
        return self._object(cls)

    def _object(self, cls: Any) -> Place:
        if typing_extensions.is_typeddict(cls):
            fields, names = _typed_dict_fields, cls.__required_keys__ | cls.__optional_keys__
        elif hasattr(cls, "model_fields"):
            fields, names = _model_fields, cls.model_fields
        else:
            raise TypeError(f"no rule for the class {cls!r}")
        if not names:
            return kind(OBJECT)
        if cls not in self._objects:
            self._objects[cls] = Object(cls.__name__, lambda: {key: self.place(one) for key, one in fields(cls)})
        return Place(objects=(self._objects[cls],))


def _known_values(place: Place) -> Place:
    """Return a union with the meaning that the packages give to `Literal[...] | Any`: these words, perhaps more."""
    if place.constants and ANY in place.kinds:
        return Place(kinds=frozenset({STRING}), constants=place.constants)
    return place


def _typed_dict_fields(cls: Any) -> Iterator[tuple[str, Any]]:
    for name, hint in typing_extensions.get_type_hints(cls, include_extras=True).items():
        yield _alias(hint) or name, hint


def _model_fields(cls: Any) -> Iterator[tuple[str, Any]]:
    cls.model_rebuild()
    for name, info in cls.model_fields.items():
        if not info.exclude:
            yield info.serialization_alias or info.alias or name, info.annotation


def _alias(hint: Any) -> str | None:
    """Return the wire name that a field's annotations carry, on whichever level."""
    for mark in getattr(hint, "__metadata__", ()):
        if isinstance(alias := getattr(mark, "alias", None), str):
            return alias
    arguments = typing_extensions.get_args(hint)
    return _alias(arguments[0]) if arguments and typing_extensions.get_origin(hint) in WRAPPERS else None
