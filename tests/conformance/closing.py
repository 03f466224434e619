"""The official packages' types as closed validators: strict, and with no field at any depth that they do not name.

The types are open as they come: iterables are checked lazily or not at all, unknown fields pass, unknown tags fall back
to a class that takes anything. So the schema that pydantic makes of a type is rewritten before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

from triptych import jsontext

Schema = dict[str, Any]

# What stands round the schema that JSON is held against, and under which name that schema is in it.
_WRAPPERS = {
    "function-before": "schema",
    "function-after": "schema",
    "function-wrap": "schema",
    "model": "schema",
    "lax-or-strict": "strict_schema",
    "json-or-python": "json_schema",
}
# What is code or display, not form.
_VERBATIM = ("cls", "metadata")
# Under these keys are schemas by the names of fields and by tags.
_BY_NAME = ("fields", "choices")
_OMITTED = ("serialization", "config")
_TAGS = ("type", "role")


def nothing(cls: type) -> bool:
    """Return that no class is meant."""
    return False


class Closed:
    """A type, closed, and what it has against a body.

    Args:
        kind: The type: a TypedDict, a model or a union of such.
        dropped: Whether a class is no part of a request, such as the class of an answer where a dictionary will do.
        replaced: What stands in place of a class, by the class's qualified name.
        caseless: Classes of enums whose values may be in lower case.
    """

    def __init__(
        self,
        kind: Any,
        dropped: Callable[[type], bool] = nothing,
        replaced: Mapping[str, Schema] | None = None,
        caseless: tuple[type, ...] = (),
    ) -> None:
        self._dropped, self._replaced, self._caseless = dropped, replaced or {}, caseless
        # In a list, since a configuration is taken beside that and not beside a TypedDict alone.
        schema = TypeAdapter(list[kind], config=ConfigDict(arbitrary_types_allowed=True)).core_schema
        whole: Schema = {**schema}
        self._given: dict[str | None, Schema] = {node["ref"]: node for node in whole.get("definitions", [])}
        closed = self._closed(whole)
        self._definitions = {node["ref"]: node for node in closed.get("definitions", [])}
        # Bytes are base64 text in JSON, in every one of the APIs.
        self._validator = SchemaValidator(self._tagged(closed), {"val_json_bytes": "base64"})

    def faults(self, body: Mapping[str, Any]) -> list[str]:
        """Return what the type has against a body, each with its place; empty when nothing."""
        try:
            self._validator.validate_json(jsontext.encode([body]), strict=True)
        except ValidationError as refused:
            return _shown(refused, body)
        return []

    def _closed(self, node: Any) -> Any:
        """Return a schema without its wrappers, its lists eager and its objects closed."""
        if isinstance(node, list):
            return [self._closed(each) for each in node]
        if isinstance(node, tuple):  # a choice and its label
            return self._closed(node[0])
        if not isinstance(node, dict):
            return node
        kind: str = node.get("type", "")
        own = {"ref": node["ref"]} if "ref" in node else {}
        if kind == "model" and node["cls"].__qualname__ in self._replaced:
            return {**self._replaced[node["cls"].__qualname__], **own}
        if kind in _WRAPPERS:
            return {**self._closed(node[_WRAPPERS[kind]]), **own}
        if kind == "enum":  # some classes take values of any name, some those they name in any case
            values = [member.value for member in node["members"]]
            values += [value.lower() for value in values] if issubclass(node["cls"], self._caseless) else []
            return {"type": "literal", "expected": values, **own}
        if kind == "union":
            chosen = [choice for choice in node["choices"] if not self._is_dropped(choice)]
            node = {**node, "choices": chosen or node["choices"]}
        kept = {key: value for key, value in node.items() if key not in _OMITTED}
        closed = {key: _each(key, value, self._closed) for key, value in kept.items()}
        if kind == "generator":
            closed["type"] = "list"
        if kind in ("typed-dict", "model-fields"):  # one that says what its other fields are is open on purpose
            closed["extra_behavior"] = "allow" if "extras_schema" in node else "forbid"
        return closed

    def _is_dropped(self, choice: Any) -> bool:
        schema: Schema = choice[0] if isinstance(choice, tuple) else choice
        schema = self._given.get(schema.get("schema_ref"), schema)
        if schema["type"] == "union":
            return all(self._is_dropped(inner) for inner in schema["choices"])
        return "cls" in schema and self._dropped(schema["cls"])

    def _tagged(self, node: Any) -> Any:
        """Return a schema in which a tag decides a union whose choices have one: then a fault has one place."""
        if isinstance(node, list):
            return [self._tagged(each) for each in node]
        if not isinstance(node, dict):
            return node
        node = {key: _each(key, value, self._tagged) for key, value in node.items()}
        if node.get("type") == "union":
            for tag in _TAGS:
                choices = self._by_tag(node["choices"], tag)
                if choices is not None:
                    return {"type": "tagged-union", "discriminator": tag, "choices": choices}
            labels = [f"choice {index}" for index in range(len(node["choices"]))]
            node["choices"] = list(zip(node["choices"], labels, strict=True))
        return node

    def _by_tag(self, choices: Iterable[Schema], tag: str) -> dict[Any, Schema] | None:
        found: dict[Any, Schema] = {}
        for choice in choices:
            values = self._values(choice, tag)
            if not values or any(value in found for value in values):
                return None
            found.update(dict.fromkeys(values, choice))
        return found if len(found) > 1 else None

    def _values(self, choice: Schema, tag: str) -> list[Any]:
        whole = self._definitions.get(choice.get("schema_ref", ""), choice)
        field = whole.get("fields", {}).get(tag, {}) if whole.get("type") in ("typed-dict", "model-fields") else {}
        if field.get("type") == "typed-dict-field" and not field.get("required", whole.get("total", True)):
            return []
        schema = field.get("schema", {})
        return list(schema["expected"]) if schema.get("type") == "literal" else []


def _each(key: str, value: Any, rewritten: Callable[[Any], Any]) -> Any:
    """Return what stands under a key of a schema, rewritten: a schema, several by names that are data, or no schema."""
    if key in _BY_NAME and isinstance(value, dict):
        return {name: rewritten(schema) for name, schema in value.items()}
    return value if key in _VERBATIM else rewritten(value)


def _shown(refused: ValidationError, body: Mapping[str, Any]) -> list[str]:
    """Return the innermost errors, without those of choices that were not meant: where the tag is another one."""
    errors = refused.errors(include_url=False, include_context=False)
    others = {e["loc"][:-1] for e in errors if e["type"] == "literal_error" and e["loc"][-1] in _TAGS}
    meant = [e for e in errors if not any(e["loc"][: len(other)] == other for other in others)] or errors
    deepest = max(len(error["loc"]) for error in meant)
    lines = [f"{_path(error, body)}: {error['msg']}" for error in meant if len(error["loc"]) == deepest]
    return sorted(set(lines))


def _path(error: Any, body: Any) -> str:
    """Return the place of an error in a body; pydantic's has the names of choices between the steps."""
    place = list(error["loc"])[1:]
    there, absent = (place[:-1], place[-1:]) if error["type"] == "missing" else (place, [])
    return ".".join(map(str, [*(_steps(there, body) or []), *absent]))


def _steps(place: list[int | str], value: Any) -> list[int | str] | None:
    """Return the steps of a place that lead through a value, to its last one if they can; None where none does."""
    if not place:
        return []
    [step, *rest] = place
    try:
        inner = value[step]
    except (KeyError, IndexError, TypeError):
        return _steps(rest, value) if rest else None
    deeper = _steps(rest, inner)
    if deeper is None:  # the name of a choice, which is also one of a field
        deeper = _steps(rest, value)
        return deeper if deeper is not None else [step]
    return [step, *deeper]
