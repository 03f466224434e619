"""The neutral model of a wire type that schemas and package types are both read into.

A `Place` is what may stand at one position of a JSON document, its unions flattened: free kinds, constants, the items
of a list, the entries of a map, and objects. An `Object` reads its fields when asked, so that types may refer to
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce

from attrs import field, frozen

Constant = str | int

ANY = "any"
STRING = "string"
NUMBER = "number"
BOOLEAN = "boolean"
OBJECT = "object"


@frozen(eq=False)
class Object:
    """One object type: the name it has where it was read, and its fields by wire name, read when first asked for."""

    name: str
    _read: Callable[[], Mapping[str, Place]]
    _fields: dict[str, Place] = field(factory=dict, init=False, repr=False)

    @property
    def fields(self) -> Mapping[str, Place]:
        """Return the place of each field."""
        if not self._fields:
            self._fields.update(self._read())
        return self._fields


@frozen
class Place:
    """What may stand at one position.

    kinds: of ANY, STRING, NUMBER, BOOLEAN, OBJECT (one with no known fields); constants: the literal values;
    items: what a list here holds; entries: what a map here holds; objects: the object types that may stand here.
    """

    kinds: frozenset[str] = frozenset()
    constants: frozenset[Constant] = frozenset()
    items: Place | None = None
    entries: Place | None = None
    objects: tuple[Object, ...] = ()

    @property
    def tells(self) -> bool:
        """Return whether known words stand here, and nothing but text: then the field can tell variants apart."""
        return bool(self.constants) and self.kinds <= {STRING} and not self.objects and self.items is None


NOTHING = Place()


def kind(name: str) -> Place:
    """Return the place of one free kind."""
    return Place(kinds=frozenset({name}))


def constants(values: Iterable[Constant | bool | None]) -> Place:
    """Return the place of some literal values; a literal true or false stands for a flag, and null for nothing."""
    known = [value for value in values if value is not None]
    return Place(
        kinds=frozenset(BOOLEAN for value in known if isinstance(value, bool)),
        constants=frozenset(value for value in known if not isinstance(value, bool)),
    )


def join(places: Iterable[Place]) -> Place:
    """Return the place where any of several may stand."""
    return reduce(_join_two, places, NOTHING)


def join_fields(objects: Iterable[Object]) -> dict[str, Place]:
    """Return the fields of several objects taken as one; a field of more than one takes what any of them takes."""
    fields: dict[str, Place] = {}
    for one in objects:
        for name, place in one.fields.items():
            fields[name] = _join_two(fields.get(name, NOTHING), place)
    return fields


def _join_two(a: Place, b: Place) -> Place:
    known = {id(one) for one in a.objects}
    return Place(
        kinds=a.kinds | b.kinds,
        constants=a.constants | b.constants,
        items=_join_optional(a.items, b.items),
        entries=_join_optional(a.entries, b.entries),
        objects=a.objects + tuple(one for one in b.objects if id(one) not in known),
    )


def _join_optional(a: Place | None, b: Place | None) -> Place | None:
    return b if a is None else a if b is None else _join_two(a, b)
