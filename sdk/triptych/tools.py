"""Tools as the model sees them: a name, what it does, and the JSON Schema of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from triptych.checks import is_a
from triptych.parts import Issuer, Provided


def _check_name(instance: object, attribute: Any, value: Any) -> None:
    is_a(str)(instance, attribute, value)
    if not value:
        raise ValueError(f"{type(instance).__name__}.{attribute.name}: expected a name, got an empty str")


@frozen(repr=False)
class BaseTool(Provided):
    """The definition of a tool that the program executes.

    Args:
        name: What the model calls it.
        description: What it does and when to use it.
        parameters: JSON Schema of the arguments: an object schema; None is a tool without arguments.
        strict: Whether the provider shall hold the model to the schema; None leaves it to the provider.
    """

    name: str = field(validator=_check_name)
    description: str | None = field(default=None, validator=is_a(str, optional=True))
    parameters: Mapping[str, Any] | None = field(default=None, validator=is_a(dict, optional=True))
    strict: bool | None = field(default=None, kw_only=True, validator=is_a(bool, optional=True))

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
