"""By which mode a model is brought to an output, and what then is not enforced: one table for all providers."""

from __future__ import annotations

from attrs import frozen

from triptych.output import Mode
from triptych.provider import OutputMode, Quirks

# By wire format: what its own field for a schema leaves to the model, though it holds it to the schema.
_LEFT_OPEN = {
    "openai_chat": "lengths of texts",
    "openai_responses": "lengths of texts",
    "anthropic_messages": "bounds of numbers, lengths of texts, lengths of lists",
    "bedrock_converse": "bounds of numbers, lengths of texts, lengths of lists",
    "gemini_generate": "lengths of texts, patterns",
    "mistral_chat": "",
    "cohere_chat": "bounds of numbers, lengths of texts, lengths of lists",
    "ollama_chat": "bounds of fractions",
}
# Formats whose schemas may be strict or not; the others hold the model to any that they take.
SWITCHED = frozenset({"openai_chat", "openai_responses", "mistral_chat"})
# Formats that can hold a model to the schema of one tool alone.
STRICT_TOOLS = frozenset({"openai_chat", "openai_responses", "anthropic_messages", "mistral_chat", "bedrock_converse"})
# Formats that can be asked for JSON without a schema.
JSON_MODES = frozenset(
    {"openai_chat", "openai_responses", "mistral_chat", "gemini_generate", "cohere_chat", "ollama_chat"}
)
# Formats whose requests cannot say that a tool must be called.
_UNFORCED = frozenset({"ollama_chat"})


@frozen
class OutputWay:
    """How a model is brought to an output.

    Args:
        mode: "native", "tool" or "prompted"; see `OutputSchema`.
        not_enforced: What the model is asked for but not held to, in words; empty where there is nothing.
    """

    mode: OutputMode
    not_enforced: str


def output_mode(host: str, model: str, *, tools: bool = False) -> OutputWay:
    """Return how a model is brought to an output of a type when nothing else is asked for.

    Args:
        host: The provider's name.
        model: The provider's name of the model.
        tools: Whether the request has tools besides.

    Raises:
        ProviderError: nobody knows the provider.
    """
    from triptych.providers import resolve

    provider, name = resolve(model, host)
    quirks = provider.quirks_for(name)
    mode = possible_modes("auto", quirks, tools=tools)[0]
    return OutputWay(mode, _not_enforced(mode, provider.format, quirks, tools=tools))


def possible_modes(wish: Mode, quirks: Quirks, *, tools: bool) -> tuple[OutputMode, ...]:
    """Return the modes that a wish may come to, the best first.

    Args:
        wish: The mode that was asked for. "auto" is any that the model has; another is taken at its word, for models
            learn new ones.
        quirks: What the model has.
        tools: Whether the request has tools besides.
    """
    if wish != "auto":
        return (wish,)
    fitting = [mode for mode in quirks.output_modes if mode != "native" or not tools or quirks.output_beside_tools]
    return tuple(fitting) or ("prompted",)


def holds_tools(format_name: str, quirks: Quirks) -> bool:
    """Return whether a model can be held to the schema of one tool alone."""
    return format_name in STRICT_TOOLS and "native" in quirks.output_modes and quirks.output_strict


def asks_for_json(format_name: str, quirks: Quirks, *, tools: bool) -> bool:
    """Return whether JSON can be asked for without a schema."""
    return format_name in JSON_MODES and quirks.json_mode and (quirks.output_beside_tools or not tools)


def _not_enforced(mode: OutputMode, format_name: str, quirks: Quirks, *, tools: bool) -> str:
    if mode == "prompted":
        return "the schema" if asks_for_json(format_name, quirks, tools=tools) else "the schema, and that it is JSON"
    if mode == "native":
        return _LEFT_OPEN[format_name] if quirks.output_strict else "the schema"
    left = _LEFT_OPEN[format_name] if holds_tools(format_name, quirks) else "the schema"
    return ", ".join(filter(None, [left, "that the tool is called" if format_name in _UNFORCED else ""]))
