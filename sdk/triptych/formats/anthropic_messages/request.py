"""Requests of Anthropic Messages: a call to a wire request, and back.

Reference: https://platform.claude.com/docs/en/api/messages
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import LlmError, Notice
from triptych.formats import Built, Call
from triptych.formats.anthropic_messages.blocks import text_block
from triptych.formats.anthropic_messages.messages import TurnBuilder
from triptych.formats.claude_thinking import build_thinking, forbids_forcing, read_thinking
from triptych.formats.verbatim import keeping, unsaid, wire_tools, with_provider_data
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.request import LlmRequest, OutputSchema, ToolChoice
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

if TYPE_CHECKING:
    from triptych_wire.anthropic_messages import Request, Tool

# Settings by the wire field of the same meaning.
_FIELDS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop": "stop_sequences",
    "service_tier": "service_tier",
}
_UNKNOWN = ("seed", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "metadata")
# The API demands a limit; every model of it takes this one. A budget of thinking is spent on top.
_DEFAULT_MAX_TOKENS = 4096
_CHOICES = {"auto": "auto", "required": "any", "none": "none"}
_CHOICES_BACK = {wire: choice for choice, wire in _CHOICES.items()}


def build_request(call: Call, issuer: Issuer, quirks: Quirks) -> Built:
    """Return the wire request that says `call`; see `Format.build_request`."""
    built = _build(call, issuer, quirks)
    if not built.body["messages"]:
        why = "the request has no contents that this API can take: give at least one message that is not empty"
        raise LlmError(why, "invalid_request")
    return built


def _build(call: Call, issuer: Issuer, quirks: Quirks) -> Built:
    request, settings = call.request, call.settings
    builder = TurnBuilder(issuer)
    messages = builder.build(request.instructions, request.contents)
    notices = builder.notices
    body: Any = dict(quirks.fields)
    if call.model is not None and quirks.model_field:
        body["model"] = call.model
    if builder.system:
        plain = [text_block(text) for text in request.instructions] == builder.system and len(builder.system) == 1
        body["system"] = request.instructions[0] if plain and not _blocked(request) else builder.system
    body["messages"] = messages
    _add_thinking(body, call, notices)
    body["max_tokens"] = settings.max_tokens or _default_limit(body)
    _add_tools(body, call, issuer, notices)
    _add_settings(body, settings, notices)
    if request.output_type is not None:
        schema: Any = {"type": "json_schema", "schema": dict(request.output_type.schema)}
        body.setdefault("output_config", {})["format"] = schema
    if call.stream and quirks.stream_field:
        body["stream"] = True
    if settings.extra_body:
        body.update(settings.extra_body)
    built: Request = body
    return Built(built, tuple(notices))


def _blocked(request: LlmRequest) -> bool:
    """Return whether the conversation begins with system text of its own, which needs the form of blocks."""
    first = request.contents[0] if request.contents else None
    return getattr(first, "role", None) in ("system", "developer")


def _default_limit(body: Mapping[str, Any]) -> int:
    budget: int = body.get("thinking", {}).get("budget_tokens", 0)
    return _DEFAULT_MAX_TOKENS + budget


def _add_thinking(body: Any, call: Call, notices: list[Notice]) -> None:
    thinking, effort = build_thinking(call.settings.reasoning, call.model, call.settings.max_tokens, notices)
    if thinking is not None:
        body["thinking"] = thinking
    if effort is not None:
        body["output_config"] = {"effort": effort}


def _add_tools(body: Any, call: Call, issuer: Issuer, notices: list[Notice]) -> None:
    request = call.request
    tools = wire_tools(request.tools, build_tool, issuer, notices)
    if not tools:
        return
    body["tools"] = tools
    choice = _build_choice(body, request, notices)
    parallel = call.settings.parallel_tool_calls
    if parallel is not None and (choice or {}).get("type") != "none":
        choice = {**(choice or {"type": "auto"}), "disable_parallel_tool_use": not parallel}
    if choice is not None:
        body["tool_choice"] = choice


def _build_choice(body: Any, request: LlmRequest, notices: list[Notice]) -> dict[str, Any] | None:
    if request.tool_choice is None:
        return None
    name = request.chosen_tool
    forced = name is not None or request.tool_choice == "required"
    if forced and forbids_forcing(body.get("thinking")):
        why = "the API refuses to force a tool while it thinks within a budget"
        notices.append(Notice("tool_choice", f"{name or 'required'!r} became 'auto'", why))
        return {"type": "auto"}
    return {"type": "tool", "name": name} if name is not None else {"type": _CHOICES[str(request.tool_choice)]}


def build_tool(tool: BaseTool, issuer: Issuer) -> Tool:
    """Return the wire form of a tool's definition."""
    schema = tool.parameters or {"type": "object", "properties": {}}
    if tool.strict and schema.get("type") == "object" and not schema.get("properties"):
        schema = {"additionalProperties": False, **schema}
    wire: Tool = {"name": tool.name, "input_schema": dict(schema)}
    if tool.description is not None:
        wire["description"] = tool.description
    if tool.strict is not None:
        wire["strict"] = tool.strict
    return with_provider_data(wire, tool, issuer)


def _add_settings(body: Any, settings: Settings, notices: list[Notice]) -> None:
    for name, wire in _FIELDS.items():
        value = getattr(settings, name)
        if value is not None and value != []:
            body[wire] = value
    if settings.user is not None:
        body["metadata"] = {"user_id": settings.user}
    for name in _UNKNOWN:
        if getattr(settings, name) not in (None, {}):
            notices.append(Notice(f"settings.{name}", "left out", "this API has no such setting"))


def read_request(body: Mapping[str, Any], issuer: Issuer, quirks: Quirks) -> Call:
    """Return the call that a wire request says; see `Format.read_request`.

    Fields that have no setting, or a value that the setting does not take, travel in `Settings.extra_body`.
    """
    from triptych.formats.anthropic_messages.reading import TurnReader  # only for those who read requests

    reader = TurnReader(issuer)
    reader.read(body.get("system"), body["messages"])
    wires = body.get("tools")
    tools = [read_tool(tool, issuer) for tool in wires] if isinstance(wires, list) else []
    request = LlmRequest(
        instructions=reader.instructions,
        contents=reader.contents,
        tools=tools,
        tool_choice=_read_choice(body.get("tool_choice"), tools),
        output_type=_read_output(body),
    )
    settings = _read_settings(body)
    stream = body.get("stream") is True
    said = _build(Call(request, body.get("model"), settings, stream), issuer, quirks).body
    extra = unsaid({key: value for key, value in body.items() if not _is_read(key, value)}, said)
    if extra:
        settings = settings.with_({"extra_body": extra})
    return Call(request, body.get("model"), settings, stream)


def _is_read(key: str, value: object) -> bool:
    """Return whether a field of the body is in the call already: what is empty or false says what its absence says."""
    if key in ("messages", "system"):
        return True
    return (key == "tools" and isinstance(value, list)) or (key == "stream" and value is False)


def read_tool(wire: Any, issuer: Issuer) -> BaseTool | ProviderTool:
    """Return the tool that a wire tool says: one that the caller runs, else the provider's own."""
    try:
        if wire.get("type") not in (None, "custom"):
            return ProviderTool(wire, issuer)
        tool = BaseTool(wire["name"], wire.get("description"), wire["input_schema"], strict=wire.get("strict"))
    except (KeyError, TypeError, ValueError, AttributeError):
        return ProviderTool(wire if isinstance(wire, dict) else {"tool": wire}, issuer)
    return keeping(tool, wire, build_tool(tool, issuer), issuer)


def _read_choice(wire: Any, tools: list[BaseTool | ProviderTool]) -> ToolChoice:
    kind = wire.get("type") if isinstance(wire, dict) else None
    if kind == "tool":
        return wire.get("name") if any(tool.name == wire.get("name") for tool in tools) else None
    return _CHOICES_BACK.get(str(kind))


def _read_output(body: Mapping[str, Any]) -> OutputSchema | None:
    config = body.get("output_config")
    form = config.get("format") if isinstance(config, dict) else None
    schema = form.get("schema") if isinstance(form, dict) else None
    return OutputSchema(schema) if isinstance(schema, dict) else None


def _read_settings(body: Mapping[str, Any]) -> Settings:
    said: dict[str, Any] = {name: body.get(wire) for name, wire in _FIELDS.items()}
    said["max_tokens"] = body.get("max_tokens")
    metadata, choice = body.get("metadata"), body.get("tool_choice")
    if isinstance(metadata, dict) and metadata.keys() == {"user_id"}:
        said["user"] = metadata["user_id"]
    if isinstance(choice, dict) and isinstance(choice.get("disable_parallel_tool_use"), bool):
        said["parallel_tool_calls"] = not choice["disable_parallel_tool_use"]
    config = body.get("output_config")
    effort = config.get("effort") if isinstance(config, dict) else None
    said["reasoning"] = read_thinking(body.get("thinking"), effort)
    return Settings(**{name: value for name, value in said.items() if Settings.takes(name, value)})
