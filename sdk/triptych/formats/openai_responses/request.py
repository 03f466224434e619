"""Requests of OpenAI Responses: a call to a wire request, and back.

Reference: https://developers.openai.com/api/reference/resources/responses
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import LlmError, Notice
from triptych.formats import Built, Call
from triptych.formats.efforts import is_known
from triptych.formats.functions import arguments_schema, output_schema, read_output_schema
from triptych.formats.openai_responses.items import ItemBuilder
from triptych.formats.unanswered import note_unanswered
from triptych.formats.verbatim import keeping, unsaid, wire_tools, with_provider_data
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.request import CHOICES, LlmRequest, OutputSchema, ToolChoice
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

if TYPE_CHECKING:
    from triptych_wire.openai_responses import FunctionTool, Request

# Settings by the wire field of the same meaning.
_FIELDS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_output_tokens",
    "top_logprobs": "top_logprobs",
    "user": "user",
    "metadata": "metadata",
    "service_tier": "service_tier",
}
_UNKNOWN = ("top_k", "stop", "seed", "frequency_penalty", "presence_penalty")
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_LOGPROBS = "message.output_text.logprobs"
# Fields that bring a conversation of their own, so that the request needs none; results may answer its calls.
_CONVERSATIONS = frozenset({"previous_response_id", "conversation", "prompt"})


def build_request(call: Call, issuer: Issuer, quirks: Quirks) -> Built:
    """Return the wire request that says `call`; see `Format.build_request`."""
    built = _build(call, issuer, quirks)
    if "input" not in built.body and not _goes_on(call):
        raise LlmError("the request has no contents: give at least one message", "invalid_request")
    return built


def _goes_on(call: Call) -> bool:
    extra = call.settings.extra_body or {}
    return any(extra.get(name) for name in _CONVERSATIONS)


def _build(call: Call, issuer: Issuer, quirks: Quirks) -> Built:
    request, settings = call.request, call.settings
    extra = settings.extra_body or {}
    builder = ItemBuilder(issuer, stored=extra.get("store") is not False)
    items = builder.build(request.contents)
    notices = builder.notices
    body: Any = {}
    if call.model is not None:
        body["model"] = call.model
    if request.instructions:
        body["instructions"] = "\n\n".join(request.instructions)
    if items:
        body["input"] = items
    _add_tools(body, call, issuer, notices)
    if request.output_type is not None:
        body["text"] = {"format": {"type": "json_schema", **output_schema(request.output_type)}}
    _add_settings(body, settings, quirks, notices)
    if call.stream:
        body["stream"] = True
    if not _goes_on(call):
        note_unanswered(call, notices)
    body.update(extra)
    built: Request = body
    return Built(built, tuple(notices))


def _add_tools(body: Any, call: Call, issuer: Issuer, notices: list[Notice]) -> None:
    request = call.request
    tools = wire_tools(request.tools, build_tool, issuer, notices)
    if not tools:
        return
    body["tools"] = tools
    if request.tool_choice is not None:
        body["tool_choice"] = _build_choice(request)
    if call.settings.parallel_tool_calls is not None:
        body["parallel_tool_calls"] = call.settings.parallel_tool_calls


def build_tool(tool: BaseTool, issuer: Issuer) -> FunctionTool:
    """Return the wire form of a tool's definition.

    Where nothing is said of strictness this API is strict, and makes optional arguments required; no other is, so that
    a tool means the same everywhere only if this is told not to be.
    """
    wire: FunctionTool = {
        "type": "function",
        "name": tool.name,
        "parameters": arguments_schema(tool),
        "strict": bool(tool.strict),
    }
    if tool.description is not None:
        wire["description"] = tool.description
    return with_provider_data(wire, tool, issuer)


def _build_choice(request: LlmRequest) -> Any:
    name = request.chosen_tool
    if name is None:
        return request.tool_choice
    custom = any(tool.name == name and _is_custom(tool) for tool in request.tools)
    return {"type": "custom" if custom else "function", "name": name}


def _is_custom(tool: BaseTool | ProviderTool) -> bool:
    return isinstance(tool, ProviderTool) and tool.definition.get("type") == "custom"


def _add_settings(body: Any, settings: Settings, quirks: Quirks, notices: list[Notice]) -> None:
    for name, wire in _FIELDS.items():
        value = getattr(settings, name)
        if value is None or value == {}:
            continue
        if name in quirks.unsupported_settings:
            notices.append(Notice(f"settings.{name}", "left out", "this model or host refuses it"))
        else:
            body[wire] = value
    if settings.logprobs:
        body["include"] = [_LOGPROBS]
    for name in _UNKNOWN:
        if getattr(settings, name) not in (None, []):
            notices.append(Notice(f"settings.{name}", "left out", "this API has no such setting"))
    effort = settings.reasoning
    if effort is not None and (isinstance(effort, int) or "reasoning" in quirks.unsupported_settings):
        why = "this API is told an effort by name, and not every model or host thinks"
        notices.append(Notice("settings.reasoning", f"{effort!r} left out", why))
    elif effort is not None and is_known(effort, _efforts(quirks), notices):
        body["reasoning"] = {"effort": effort}


def _efforts(quirks: Quirks) -> tuple[str, ...]:
    return quirks.reasoning_efforts or _EFFORTS


def read_request(body: Mapping[str, Any], issuer: Issuer, quirks: Quirks) -> Call:
    """Return the call that a wire request says; see `Format.read_request`.

    Fields that have no setting, or a value that the setting does not say whole, travel in `Settings.extra_body`.
    """
    from triptych.formats.openai_responses.reading import InputReader  # only for those who read requests

    wires, instructions = body.get("tools"), body.get("instructions")
    tools = [read_tool(tool, issuer) for tool in wires] if isinstance(wires, list) else []
    request = LlmRequest(
        instructions=[instructions] if isinstance(instructions, str) else [],
        contents=InputReader(issuer).read(body.get("input")),
        tools=tools,
        tool_choice=_read_choice(body.get("tool_choice"), tools),
        output_type=_read_output(body.get("text")),
    )
    settings = _read_settings(body, quirks)
    stream = body.get("stream") is True
    said = _build(Call(request, body.get("model"), settings, stream), issuer, quirks).body
    extra = unsaid({key: value for key, value in body.items() if not _is_read(key, value)}, said)
    if extra:
        settings = settings.with_({"extra_body": extra})
    return Call(request, body.get("model"), settings, stream)


def _is_read(key: str, value: object) -> bool:
    """Return whether a field of the body is in the call already: what is empty or false says what its absence says."""
    if key == "input":
        return isinstance(value, str | list)
    return (key == "tools" and isinstance(value, list)) or (key == "stream" and value is False)


def read_tool(wire: Any, issuer: Issuer) -> BaseTool | ProviderTool:
    """Return the tool that a wire tool says: a function of the caller's, else the provider's own."""
    try:
        if wire["type"] != "function":
            return ProviderTool(wire, issuer)
        tool = BaseTool(wire["name"], wire.get("description"), wire.get("parameters"), strict=wire.get("strict"))
    except (KeyError, TypeError, ValueError):
        return ProviderTool(wire if isinstance(wire, dict) else {"tool": wire}, issuer)
    unsaid_strictness = {"strict": None}  # null says what the absence of the field says
    return keeping(tool, {**unsaid_strictness, **wire}, build_tool(tool, issuer), issuer)


def _read_choice(wire: Any, tools: list[BaseTool | ProviderTool]) -> ToolChoice:
    if isinstance(wire, str):
        return wire if wire in CHOICES else None
    name = wire.get("name") if isinstance(wire, dict) and wire.get("type") in ("function", "custom") else None
    return name if any(tool.name == name for tool in tools) else None


def _read_output(wire: Any) -> OutputSchema | None:
    form = wire.get("format") if isinstance(wire, dict) else None
    return read_output_schema(form)


def _read_settings(body: Mapping[str, Any], quirks: Quirks) -> Settings:
    said: dict[str, Any] = {name: body.get(wire) for name, wire in _FIELDS.items()}
    reasoning, include = body.get("reasoning"), body.get("include")
    said["parallel_tool_calls"] = body.get("parallel_tool_calls")
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else None
    said["reasoning"] = effort if effort in _efforts(quirks) else None
    said["logprobs"] = True if isinstance(include, list) and _LOGPROBS in include else None
    return Settings(**{name: value for name, value in said.items() if Settings.takes(name, value)})
