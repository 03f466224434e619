"""Walk two shapes side by side and list what each has and the other lacks.

Types are paired by where they stand, never by name: objects by the field they are under and, in a union, by the
constants of its tag field; objects that no tag tells apart are taken as one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

from attrs import field, frozen, mutable

from tools.drift.shape import ANY, BOOLEAN, NUMBER, OBJECT, STRING, Constant, Object, Place, join_fields

Side = Literal["here", "there"]
Objects = tuple[Object, ...]


@frozen(order=True)
class Finding:
    """Something at `path` that one side knows; `missing` is the side that lacks it: "here" is ours."""

    path: str
    missing: Side


def compare(ours: Place, theirs: Place, root: str) -> list[Finding]:
    """Return what differs between two shapes, every pair of types once, at the shortest path that leads to it."""
    return compare_all([(root, ours, theirs)])


def compare_all(roots: Sequence[tuple[str, Place, Place]]) -> list[Finding]:
    """Return what differs below several roots; what two roots share is told under the first."""
    walk = _Walk(deque(roots))
    while walk.waiting:
        walk.place(*walk.waiting.popleft())
    return list(dict.fromkeys(walk.findings))


@mutable
class _Walk:
    """One comparison under way: places yet to visit, nearest first, and the pairs of types that were met."""

    waiting: deque[tuple[str, Place, Place]]
    findings: list[Finding] = field(factory=list)
    _met: set[tuple[frozenset[int], frozenset[int]]] = field(factory=set)

    def place(self, path: str, ours: Place, theirs: Place) -> None:
        """Compare what may stand at one position; of places within it, note that they are to be visited."""
        if bool(ours.objects) != bool(theirs.objects) and {ANY, OBJECT} & (ours.kinds | theirs.kinds):
            self.findings.append(Finding(f"{path} (fields)", "there" if ours.objects else "here"))
        if ANY in ours.kinds or ANY in theirs.kinds:
            return
        self._constants(path, ours, theirs)
        self._both(f"{path} (list)", ours.items is not None, theirs.items is not None)
        for kind in (STRING, NUMBER, BOOLEAN, OBJECT):
            self._both(f"{path} ({kind})", _takes(ours, kind), _takes(theirs, kind))
        if ours.items is not None and theirs.items is not None:
            self.waiting.append((f"{path}[]", ours.items, theirs.items))
        if ours.entries is not None and theirs.entries is not None:
            self.waiting.append((f"{path}{{}}", ours.entries, theirs.entries))
        if ours.objects and theirs.objects:
            self._variants(path, ours.objects, theirs.objects, ())

    def _constants(self, path: str, ours: Place, theirs: Place) -> None:
        self._lacking(path, theirs.constants - ours.constants, "here")
        if theirs.constants or STRING not in theirs.kinds:
            self._lacking(path, ours.constants - theirs.constants, "there")

    def _lacking(self, path: str, values: frozenset[Constant], side: Side) -> None:
        self.findings += [Finding(f"{path} = {value}", side) for value in sorted(map(str, values))]

    def _both(self, path: str, ours: bool, theirs: bool) -> None:
        if ours != theirs:
            self.findings.append(Finding(path, "there" if ours else "here"))

    def _variants(self, path: str, ours: Objects, theirs: Objects, used: tuple[str, ...]) -> None:
        tag = _tag(ours, theirs, used)
        if tag is None:
            self._fields(path, ours, theirs, used)
            return
        our_groups, their_groups = _by_tag(ours, tag), _by_tag(theirs, tag)
        pairs: dict[tuple[Objects, Objects], list[str]] = {}
        for value in sorted({*our_groups, *their_groups}):
            pairs.setdefault((our_groups.get(value, ()), their_groups.get(value, ())), []).append(value)
        for (mine, other), values in pairs.items():
            if mine and other:
                self._variants(f"{path}[{tag}={'|'.join(values)}]", mine, other, (*used, tag))
            else:
                self.findings += [Finding(f"{path}[{tag}={value}]", "there" if mine else "here") for value in values]

    def _fields(self, path: str, ours: Objects, theirs: Objects, used: tuple[str, ...]) -> None:
        met = (frozenset(map(id, ours)), frozenset(map(id, theirs)))
        if met in self._met:
            return
        self._met.add(met)
        mine, other = join_fields(ours), join_fields(theirs)
        for name in dict.fromkeys([*mine, *other]):
            if name in used:
                continue
            self._both(f"{path}.{name}", name in mine, name in other)
            if name in mine and name in other:
                self.waiting.append((f"{path}.{name}", mine[name], other[name]))


def _takes(place: Place, kind: str) -> bool:
    """Return whether a value of this kind may stand here; constants and known objects count as their kind."""
    if kind == OBJECT:
        return bool(place.objects) or OBJECT in place.kinds or place.entries is not None
    types = {STRING: str, NUMBER: int}
    return kind in place.kinds or any(isinstance(value, types.get(kind, ())) for value in place.constants)


def _tag(ours: Objects, theirs: Objects, used: tuple[str, ...]) -> str | None:
    """Return the field whose constants tell these variants apart best, or None: they are then taken as one."""
    names = dict.fromkeys(name for one in ours for name in one.fields if name not in used)
    tags = [name for name in names if _is_tag(ours, theirs, name)]
    return max(tags, key=lambda name: len(_values(ours, name)) + len(_values(theirs, name)), default=None)


def _is_tag(ours: Objects, theirs: Objects, name: str) -> bool:
    """Return whether on either side there are two variants that share no constant of this field."""
    return all(any(a.isdisjoint(b) for a, b in combinations(_values(side, name), 2)) for side in (ours, theirs))


def _values(objects: Objects, name: str) -> list[frozenset[Constant]]:
    """Return the constants of a field in each variant that it can tell apart from others."""
    places = [one.fields[name] for one in objects if name in one.fields]
    return [place.constants for place in places if place.tells]


def _by_tag(objects: Objects, tag: str) -> dict[str, Objects]:
    """Return variants by the value of their tag; those without one under "-"."""
    groups: dict[str, Objects] = {}
    for one in objects:
        place = one.fields.get(tag)
        for value in map(str, place.constants) if place is not None and place.tells else ("-",):
            groups[value] = (*groups.get(value, ()), one)
    return groups
