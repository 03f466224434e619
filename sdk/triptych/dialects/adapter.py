"""One schema made to fit one API's rules, place by place, with the way back of each place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import Factory, define, field

from triptych.checks import shown
from triptych.dialects import restoring
from triptych.dialects.containers import array, object_
from triptych.dialects.enums import enumerated
from triptych.dialects.fitting import Fitting, referred
from triptych.dialects.merging import ContradictionError, Schema, all_of
from triptych.dialects.references import PREFIX, definition_name, refused, target
from triptych.dialects.restoring import Branch, Piece, Restore
from triptych.dialects.rules import NUMERIC_BOUNDS, Rules
from triptych.dialects.sources import Source, bare_reference, belongs, identity, kinds_of, refers
from triptych.dialects.words import ANNOTATIONS, described, in_words
from triptych.errors import LlmError, Notice

# More places than any API takes: merging what refers to one another can make a small schema very large.
MOST_PLACES = 20_000
_SAID_BY_STRUCTURE = frozenset(
    {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "items",
        "prefixItems",
        "enum",
        "const",
        "anyOf",
    }
)
_FLAT_KINDS = frozenset({"string", "number", "integer", "boolean", "null"})
JSON_TEXT = "any JSON value, written as JSON text"


@define
class Adapter:
    """Makes one schema fit one API's rules.

    Args:
        rules: What the API takes.
        source: The given schema.
        notices: Filled with what the API will not hold the model to.
        definitions: Filled with the adapted definitions, by name.
        restores: Filled with the way back of each definition.
        derived: Filled with the names of definitions that the given schema does not have.
        fills: Filled by whoever makes properties optional: what they are when left out, by the id of the object's
            schema, which stands beside so that it lives as long.
    """

    rules: Rules
    source: Source
    notices: list[Notice] = Factory(list)
    definitions: dict[str, Schema] = Factory(dict)
    restores: dict[str, Restore | None] = Factory(dict)
    derived: set[str] = Factory(set)
    fills: dict[int, tuple[Schema, dict[str, Any]]] = Factory(dict)
    _names: dict[str, str] = Factory(dict)
    _origins: dict[str, Any] = Factory(dict)
    _places: int = field(default=0, init=False)

    def place(self, schema: Any, path: str) -> Piece:
        """Return the adapted form of one place of the given schema.

        Args:
            schema: What stands there.
            path: A JSON pointer to it, for notices.

        Raises:
            ContradictionError: nothing satisfies it.
            LlmError: kind "unsupported": it cannot be sent to this API.
        """
        self._places += 1
        if self._places > MOST_PLACES:
            raise refused(f"the schema has more than {MOST_PLACES} places when its references are merged")
        if not isinstance(schema, (dict, bool)):
            raise refused(f"the schema holds no schema at {path or 'its root'}, but {shown(schema)}")
        if isinstance(schema, dict) and refers(schema) is not None:
            return self._reference(schema, path)
        if isinstance(schema, dict) and "oneOf" in schema and "discriminator" not in schema:
            self._notice(path, "oneOf became anyOf", "cannot ask for exactly one")
        return self.flat(self.source.flat(schema), path)

    def possible(self, schema: Any, path: str) -> Piece | None:
        """Return the adapted form of one place, as `place` does; None where nothing satisfies it."""
        try:
            return self.place(schema, path)
        except ContradictionError:
            return None

    def flat(self, schema: Schema, path: str) -> Piece:
        """Return the adapted form of a place that says all by itself."""
        if "anyOf" in schema:
            return self._union(schema, path)
        if "enum" in schema or "const" in schema:
            return self._enum(schema, path)
        kinds = kinds_of(schema)
        if not kinds:
            return self._anything(schema, path)
        if len(kinds) > 1:
            return self._several(schema, kinds, path)
        if kinds[0] in _CONTAINERS:
            return _CONTAINERS[kinds[0]](self, schema, path)
        return Piece({"type": kinds[0], **self.kept(schema, path, kinds)})

    def _reference(self, schema: Schema, path: str) -> Piece:
        bare = bare_reference(schema)
        ref = self.source.alias(bare) if bare is not None else refers(schema) or "#"
        said = {"$ref": ref} if bare is not None else schema
        key = identity(said)
        if key not in self._names:
            taken = self.definitions if bare is not None else [*self.definitions, *self.source.names]
            name = self._names[key] = definition_name(ref, taken)
            self.definitions[name], self._origins[name] = {}, said
            if bare is None:
                self.derived.add(name)
            try:
                piece = self.flat(self.source.flat(said), ref[1:] if bare is not None else path)
            except ContradictionError:
                del self._names[key], self.definitions[name]
                raise
            self.definitions[name], self.restores[name] = piece.schema, piece.restore
        name = self._names[key]
        return Piece({"$ref": PREFIX + name}, self._back_from(name))

    def _back_from(self, name: str) -> Restore:
        """Return the way back of a definition, which may not be finished yet."""

        def restore(value: Any) -> Any:
            return (self.restores.get(name) or restoring.same)(value)

        return restore

    def _union(self, schema: Schema, path: str) -> Piece:
        """Return a union: what stands beside the branches holds of each, and is said in each."""
        beside = {name: value for name, value in schema.items() if name not in ANNOTATIONS and name != "anyOf"}
        branches: list[Branch] = []
        for index, each in enumerate(schema["anyOf"]):
            original = all_of(beside, each)
            try:
                piece = self.place(original, f"{path}/anyOf/{index}")
            except ContradictionError:
                continue
            if all(piece.schema != other.schema for other in branches):
                branches.append(Branch(piece.schema, original, piece.restore))
        if not branches:
            raise ContradictionError(f"nothing satisfies any branch of {path or 'the schema'}")
        return self.joined([self._distinct(branch, branches) for branch in branches], schema.get("description"))

    def _distinct(self, branch: Branch, branches: list[Branch]) -> Branch:
        """Return a branch that an empty answer tells from the others: a map said as a list is no list beside a list."""
        arrays = [other for other in branches if self._type(other.schema) == "array"]
        if len(arrays) < 2 or branch not in arrays or kinds_of(self.source.flat(branch.original)) != ["object"]:
            return branch
        wrapped: Schema = {
            "type": "object",
            "properties": {restoring.ENTRIES: branch.schema},
            "required": [restoring.ENTRIES],
        }
        if self.rules.closed:
            wrapped["additionalProperties"] = False
        return Branch(wrapped, branch.original, restoring.unwrapped(branch.restore, restoring.ENTRIES))

    def _type(self, schema: Schema) -> Any:
        name = target(schema)
        return (self.definitions[name] if name is not None else schema).get("type")

    def joined(self, branches: list[Branch], description: Any) -> Piece:
        """Return the piece that is any of several, one of which needs no union."""
        said = {"description": description} if description else {}
        if len(branches) == 1 and (not said or "$ref" not in branches[0].schema):
            alone = {**branches[0].schema, **said}
            if id(branches[0].schema) in self.fills:
                self.fills[id(alone)] = (alone, self.fills[id(branches[0].schema)][1])
            return Piece(alone, branches[0].restore)
        lookup = referred(self.definitions)
        way = restoring.union(branches, Fitting(lookup, further=False), Fitting(lookup), self._fits_given)
        return Piece({"anyOf": [branch.schema for branch in branches], **said}, way)

    def _fits_given(self, value: Any, schema: Any) -> bool:
        try:
            return Fitting(self.source.flat)(value, schema)
        except (ContradictionError, LlmError):  # a branch that nothing satisfies
            return False

    def _enum(self, schema: Schema, path: str) -> Piece:
        branches, unsaid = enumerated(schema, self.rules.enums)
        for words in unsaid:
            self._notice(path, f"{words} moved into the description", "takes no such enum")
        if not branches:
            raise ContradictionError(f"no value of the enum at {path or 'the root'} has the type that it asks for")
        beside = {name: value for name, value in schema.items() if name not in ("enum", "const", "type")}
        return self.joined(branches, self.kept(beside, path, ["enum"]).get("description"))

    def _several(self, schema: Schema, kinds: list[str], path: str) -> Piece:
        """Return a place of several types: a list of them where the API takes that, else a union."""
        if self.rules.type_lists and _FLAT_KINDS.issuperset(kinds):
            return Piece({"type": kinds, **self.kept(schema, path, kinds)})
        branches = [
            {"type": kind}
            | {
                name: value
                for name, value in schema.items()
                if name not in ANNOTATIONS and name != "type" and belongs(name, kind)
            }
            for kind in kinds
        ]
        annotations = {name: value for name, value in schema.items() if name in ANNOTATIONS}
        return self._union({**annotations, "anyOf": branches}, path)

    def _anything(self, schema: Schema, path: str) -> Piece:
        kept = self.kept(schema, path, [])
        if self.rules.any_values:
            return Piece(kept)
        self._notice(path, "any value became JSON text", "asks every value for its type")
        text = {"type": "string", "description": described(kept.get("description"), [JSON_TEXT])}
        return Piece(text, restoring.from_text)

    def kept(self, schema: Schema, path: str, kinds: Iterable[str]) -> Schema:
        """Return the keywords of a place that the API takes and its description, which says the others in words.

        Args:
            schema: What stands there; what structures say (types, properties, items, branches) is not looked at.
            path: A JSON pointer to it.
            kinds: The types of its values.
        """
        kept: Schema = {}
        words: list[str] = []
        for keyword, value in schema.items():
            if keyword in _SAID_BY_STRUCTURE or (keyword in ANNOTATIONS and keyword not in self.rules.keywords):
                continue
            if self._takes(keyword, value, frozenset(kinds)):
                kept[keyword] = value
                continue
            words.append(in_words(keyword, value))
            self._notice(path, f"{words[-1]} moved into the description", f"takes no {keyword} such as this")
            if keyword == "minItems" and self.rules.min_items is not None and "minItems" in self.rules.keywords:
                kept[keyword] = self.rules.min_items
        description = described(schema.get("description"), words)
        return {**kept, "description": description} if description is not None else kept

    def _takes(self, keyword: str, value: Any, kinds: frozenset[str]) -> bool:
        rules = self.rules
        if keyword not in rules.keywords:
            return False
        if keyword == "format":
            return rules.formats is None or value in rules.formats
        if keyword == "pattern":
            anchored = isinstance(value, str) and value.startswith("^") and value.endswith("$")
            refused_there = rules.pattern_refused is not None and re.search(rules.pattern_refused, str(value))
            return not refused_there and (anchored or not rules.pattern_anchored)
        if keyword == "minItems":
            return rules.min_items is None or value <= rules.min_items
        return keyword not in NUMERIC_BOUNDS or kinds & {"integer", "number"} <= rules.bounded

    def takes_null(self, schema: Schema) -> bool:
        """Say whether an adapted schema says that it takes null: one that leaves its type open does not."""
        name = target(schema)
        if name is not None:
            return self.source.takes_null(self._origins[name])
        kinds = schema.get("type")
        if "anyOf" in schema:
            return any(self.takes_null(each) for each in schema["anyOf"])
        return kinds == "null" or (isinstance(kinds, list) and "null" in kinds)

    def nullable(self, schema: Schema) -> Schema:
        """Return an adapted schema that takes null beside what it takes."""
        kinds = schema.get("type")
        if "anyOf" in schema:
            return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
        if kinds is None and "$ref" not in schema:
            return schema
        listed = [kinds] if isinstance(kinds, str) else kinds
        if self.rules.type_lists and listed and _FLAT_KINDS.issuperset(listed) and "enum" not in schema:
            return {**schema, "type": [*listed, "null"]}
        return {"anyOf": [schema, {"type": "null"}]}

    def _notice(self, path: str, what: str, why: str) -> None:
        self.notices.append(Notice(path, what, f"{self.rules.name} {why}"))

    def left_out(self, path: str, name: str) -> None:
        """Note that an optional property is not named, as nothing satisfies what is asked of it."""
        if not self.rules.closed:
            self._notice(path, f"the property {name!r} left out", "cannot forbid it, though nothing satisfies it")

    def narrowed(self, path: str, what: str) -> None:
        """Note that an object takes no further properties where the given schema took some."""
        self._notice(path, what, "takes no properties that are not named")


_CONTAINERS: Mapping[str, Callable[[Adapter, Schema, str], Piece]] = {"array": array, "object": object_}
