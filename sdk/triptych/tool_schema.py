"""From a function's signature and docstring to what the model reads: the schema of its arguments, and descriptions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from attrs import evolve, field, frozen

from triptych import jsontext
from triptych.signature import Parameter, Signature, innermost
from triptych.type_schemas import is_unsafe

_REFERENCE = "#/$defs/{name}"


@frozen
class Documentation:
    """What a docstring says.

    Args:
        description: Its words, without the sections about parameters, results and errors; None where it has none.
        parameters: The words about each parameter.
    """

    description: str | None = None
    parameters: Mapping[str, str] = field(factory=dict)


def read_docstring(function: Callable[..., Any]) -> Documentation:
    """Return what the docstring of a function says, in Google, numpy, Sphinx or epydoc style; nothing is fine."""
    text = _docstring(function)
    if not text or text.isspace():
        return Documentation()
    from docstring_parser import ParseError, parse  # only where there is a docstring to read

    try:
        read = parse(text)
    except ParseError:  # of no style: then all of it describes the tool
        return Documentation(text)
    if not read.meta:  # no sections: the words as they stand
        return Documentation(text.strip())
    words = [part for part in (read.short_description, read.long_description) if part]
    gap = "\n\n" if read.blank_after_short_description else "\n"
    return Documentation(gap.join(words) or None, _parameter_words(read.params))


def _docstring(function: Any) -> str | None:
    if inspect.isroutine(function):
        return inspect.getdoc(function)  # a method's may be that of the class it inherits from
    text = getattr(innermost(function), "__doc__", None)  # `getdoc` would give a `__call__` without words those of type
    if text or isinstance(function, functools.partial):
        return inspect.cleandoc(text) if text else None
    return inspect.getdoc(type(function))


def _parameter_words(parameters: Any) -> dict[str, str]:
    said: dict[str, str] = {}
    for parameter in parameters:
        for name in parameter.arg_name.split(","):  # numpy style describes several at once
            if parameter.description:
                said[name.strip().lstrip("*")] = parameter.description.strip()
    return said


def shaped(signature: Signature, name: str) -> Signature:
    """Return a signature in which the parameters that the model gives have their shapes.

    Args:
        signature: What the function takes.
        name: The tool's name, for the words of an error.

    Raises:
        TypeError: a type that has no JSON form; the message names the parameter.
    """
    parameters = [one if one.injected else _shaped(one, name) for one in signature.parameters]
    return Signature(tuple(parameters), _shaped(signature.rest, name) if signature.rest else None)


def _shaped(one: Parameter, name: str) -> Parameter:
    from triptych.output_types import shape_of

    try:
        return evolve(one, shape=shape_of(one.annotation))
    except Exception as fault:  # msgspec's own, or that of a class that it asks
        words = str(fault).partition(" (Generating ")[0]  # what msgspec advises its own users
        raise TypeError(f"tool {name!r}: parameter {one.name!r}: {words}") from None


def arguments_schema(signature: Signature, words: Mapping[str, str]) -> dict[str, Any]:
    """Return the JSON Schema of the arguments that the model gives: an object schema, closed but for `**others`.

    A default is in the schema where JSON can say it. A description by `Meta(description=…)` wins over the docstring's.

    Args:
        signature: What the function takes, with shapes; injected parameters are left out.
        words: The description of each parameter.
    """
    given = [*signature.shown, *([signature.rest] if signature.rest else [])]
    schemas, definitions = _components(given)
    properties = {one.name: _property(schemas[one.name], one, words.get(one.name)) for one in signature.shown}
    whole: dict[str, Any] = {"type": "object", "properties": properties}
    required = [parameter.name for parameter in signature.shown if parameter.required]
    if required:
        whole["required"] = required
    whole["additionalProperties"] = schemas[signature.rest.name] if signature.rest else False
    if definitions:
        whole["$defs"] = definitions
    return whole


def _components(given: Sequence[Parameter]) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Return the schema of each parameter by name, and the definitions to which they refer."""
    if any(is_unsafe(one.annotation) for one in given):
        return _joined(given)
    try:
        schemas, definitions = msgspec.json.schema_components(
            [one.annotation for one in given], ref_template=_REFERENCE
        )
        return {one.name: schema for one, schema in zip(given, schemas, strict=True)}, definitions
    except (TypeError, NameError):  # one of them is put together from its parts
        return _joined(given)


def _joined(given: Sequence[Parameter]) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    schemas: dict[str, dict[str, Any]] = {}
    definitions: dict[str, Any] = {}
    for one in given:
        schema = dict(one.shape.schema)
        own: dict[str, Any] = schema.pop("$defs", {})
        if any(definitions.get(name, definition) != definition for name, definition in own.items()):
            names = {name: f"{name}_{one.name}" for name in own}
            schema, own = _renamed(schema, names), {names[name]: _renamed(value, names) for name, value in own.items()}
        schemas[one.name] = schema
        definitions.update(own)
    return schemas, definitions


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """Return a schema that refers to definitions by other names."""
    if isinstance(schema, list):
        return [_renamed(one, names) for one in schema]
    if not isinstance(schema, dict):
        return schema
    renamed = {key: _renamed(value, names) for key, value in schema.items()}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.removeprefix(_REFERENCE.format(name=""))
        renamed["$ref"] = _REFERENCE.format(name=names.get(name, name))
    return renamed


def _property(schema: dict[str, Any], parameter: Parameter, words: str | None) -> dict[str, Any]:
    schema = dict(schema)
    if words:
        schema.setdefault("description", words)
    if not parameter.required:
        try:
            schema["default"] = jsontext.decode(jsontext.encode(parameter.default))
        except (TypeError, ValueError):  # a default that only Python knows
            schema.pop("default", None)
    return schema
