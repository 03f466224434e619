"""Tools as the model sees them: a name, what it does, and the JSON Schema of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from attrs import field, frozen

from triptych.checks import is_a, shown
from triptych.parts import Issuer, Provided


def check_name(instance: object, attribute: Any, value: Any) -> None:
    """Raise an error that names the attribute where a value is no str, or an empty one."""
    is_a(str)(instance, attribute, value)
    if not value:
        raise ValueError(f"{type(instance).__name__}.{attribute.name}: expected a name, got an empty str")


def _check_call(instance: object, attribute: Any, value: Any) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"{type(instance).__name__}.call: expected a function or None, got {shown(value)}")


def _check_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    from triptych.mismatch import mismatches  # only where something is executed: it loads jsonschema

    try:
        wrong = mismatches(schema, arguments)
    except Exception:  # others' schemas need not be sound; then the tool itself must find what is wrong
        return
    if wrong:
        raise ArgumentError("\n".join(wrong))


class ArgumentError(ValueError):
    """Arguments that a tool does not take: each mistake with its path, what was expected and what was given."""


# Where the definitions of others have the schema of the arguments, and what they wrap a definition in.
_SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema")
_ENVELOPES = ("function", "toolSpec")


@frozen(repr=False)
class BaseTool(Provided):
    """The definition of a tool that the program executes.

    A subclass may override `execute`; `triptych.tool` makes a tool of a function.

    Args:
        name: What the model calls it.
        description: What it does and when to use it.
        parameters: JSON Schema of the arguments: an object schema; None is a tool without arguments.
        strict: Whether the provider shall hold the model to the schema; None leaves it to the provider.
        call: What `execute` calls with the arguments by name; two tools that differ in it alone are equal.
    """

    name: str = field(validator=check_name)
    description: str | None = field(default=None, validator=is_a(str, optional=True))
    parameters: Mapping[str, Any] | None = field(default=None, validator=is_a(dict, optional=True))
    strict: bool | None = field(default=None, kw_only=True, validator=is_a(bool, optional=True))
    call: Callable[..., Any] | None = field(default=None, kw_only=True, eq=False, validator=_check_call)

    @classmethod
    def from_schema(cls, definition: Mapping[str, Any], call: Callable[..., Any] | None = None) -> Self:
        """Return a tool from a definition in the form of MCP, OpenAI, Anthropic, Gemini or Bedrock, or of ours.

        Args:
            definition: A dict with the name, the description and the JSON Schema of the arguments.
            call: Runs the tool: a function of the arguments by name, such as one that asks the MCP server.

        Raises:
            TypeError, ValueError: it is no dict, or one without a name or with an unusable field.
        """
        if not isinstance(definition, dict):
            raise TypeError(f"{cls.__name__}.from_schema: expected a dict, got {shown(definition)}")
        inner = next((definition[key] for key in _ENVELOPES if isinstance(definition.get(key), dict)), definition)
        if "name" not in inner:
            raise ValueError(f"{cls.__name__}.from_schema: expected a definition with a name, got {shown(inner)}")
        schema = next((inner[key] for key in _SCHEMA_KEYS if key in inner), None)
        if isinstance(schema, dict) and schema.keys() == {"json"}:  # as Bedrock wraps it
            schema = schema["json"]
        words = inner.get("description") or inner.get("title")
        return cls(inner["name"], words, schema, strict=inner.get("strict"), call=call)

    def execute(self, /, **arguments: Any) -> Any:
        """Return what the tool gives for the arguments; of an async one, what is to be awaited.

        Raises:
            NotImplementedError: this is a definition alone.
        """
        if self.call is None:
            raise NotImplementedError(
                f"the tool {self.name!r} is a definition that nothing runs: give call=, override execute, or use @tool"
            )
        return self.call(**arguments)

    def invoke(self, arguments: Mapping[str, Any], inject: Mapping[str, Any] | None = None) -> Any:
        """Return what the tool gives for a model's arguments, which are checked by the schema first.

        Args:
            arguments: The arguments by name, JSON values.
            inject: Values that the program gives; a tool of a schema has no place for them.

        Raises:
            ArgumentError: the arguments do not follow the schema.
        """
        if self.parameters:
            _check_arguments(self.parameters, arguments)
        return self.execute(**arguments)

    @property
    def tool_definition(self) -> dict[str, Any]:
        """Name, description and parameters as plain JSON values, of no provider's form."""
        return {
            "name": self.name,
            "description": self.description or "",
            "parameters": self.parameters if self.parameters is not None else {"type": "object", "properties": {}},
        }


@frozen
class ProviderTool:
    """A provider's own server-side tool, such as web search: its definition verbatim, sent only to that API.

    Args:
        definition: The entry of the provider's `tools` list.
        issuer: The wire format, and the provider where only one has the tool; None sends it wherever the request goes.
    """

    definition: Mapping[str, Any] = field(validator=is_a(dict))
    issuer: Issuer | None = field(default=None, validator=is_a(Issuer, optional=True))

    @property
    def name(self) -> str | None:
        """The name by which the model calls it, where the definition has one."""
        name = self.definition.get("name")
        return name if isinstance(name, str) else None
