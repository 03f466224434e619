"""Requests of Bedrock Converse: a call to a wire request, and back. The model and whether to stream are in the URL.

Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.errors import LlmError, Notice
from triptych.formats import Built, Call
from triptych.formats.bedrock_converse.messages import TurnBuilder
from triptych.formats.bedrock_converse.model_fields import add_model_fields, read_model_fields
from triptych.formats.bedrock_converse.tools import add_tools, read_choice, read_tool
from triptych.formats.turns import safe_id
from triptych.formats.verbatim import unsaid
from triptych.parts import Issuer
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings

if TYPE_CHECKING:
    from triptych_wire.bedrock_converse import Request

# Settings by the field of `inferenceConfig` of the same meaning.
_INFERENCE = {"max_tokens": "maxTokens", "temperature": "temperature", "top_p": "topP", "stop": "stopSequences"}
_UNKNOWN = (
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "logprobs",
    "top_logprobs",
    "user",
    "parallel_tool_calls",
)


def build_request(call: Call, issuer: Issuer) -> Built:
    """Return the wire request that says `call`; see `Format.build_request`."""
    built = _build(call, issuer)
    if not built.body.get("messages") and "promptVariables" not in built.body:
        why = "the request has no contents that this API can take: give at least one message that is not empty"
        raise LlmError(why, "invalid_request")
    return built


def _build(call: Call, issuer: Issuer) -> Built:
    request, settings = call.request, call.settings
    builder = TurnBuilder(issuer, call.model)
    messages = builder.build(request.instructions, request.contents)
    notices = builder.notices
    body: Any = {"messages": messages} if messages else {}
    if builder.system:
        body["system"] = builder.system
    inference = {wire: getattr(settings, name) for name, wire in _INFERENCE.items()}
    inference = {wire: value for wire, value in inference.items() if value is not None and value != []}
    if inference:
        body["inferenceConfig"] = inference
    add_model_fields(body, call, notices)
    add_tools(body, call, issuer, notices)
    if request.output_type is not None:
        body.setdefault("outputConfig", {})["textFormat"] = _text_format(request.output_type)
    _add_settings(body, settings, notices)
    _add_verbatim(body, settings.extra_body or {})
    built: Request = body
    return Built(built, tuple(notices))


def _text_format(output: OutputSchema) -> dict[str, Any]:
    said: dict[str, Any] = {"schema": jsontext.encode_text(output.schema)}
    if output.name is not None:
        said["name"] = safe_id(output.name)
    if output.description is not None:
        said["description"] = output.description
    return {"type": "json_schema", "structure": {"jsonSchema": said}}


def _add_settings(body: Any, settings: Settings, notices: list[Notice]) -> None:
    if settings.service_tier is not None:
        body["serviceTier"] = {"type": settings.service_tier}
    if settings.metadata:
        if all(isinstance(value, str) for value in settings.metadata.values()):
            body["requestMetadata"] = dict(settings.metadata)
        else:
            notices.append(Notice("settings.metadata", "left out", "this API takes labels that are texts only"))
    for name in _UNKNOWN:
        if getattr(settings, name) is not None:
            notices.append(Notice(f"settings.{name}", "left out", "this API has no such setting"))


def _add_verbatim(body: Any, extra: Mapping[str, Any]) -> None:
    """Put the caller's own fields into the body; they win, and those of an object stand beside what is there."""
    for name, value in extra.items():
        had = body.get(name)
        body[name] = {**had, **value} if isinstance(had, dict) and isinstance(value, dict) else value


def read_request(body: Mapping[str, Any], issuer: Issuer) -> Call:
    """Return the call that a wire request says; see `Format.read_request`.

    Fields that have no setting, or a value that the setting does not take, travel in `Settings.extra_body`.
    """
    from triptych.formats.bedrock_converse.reading import TurnReader  # only for those who read requests

    reader = TurnReader(issuer)
    reader.read(body.get("system") or [], body.get("messages") or [])
    config = _object(body, "toolConfig")
    wires = config.get("tools")
    tools = [read_tool(tool, issuer) for tool in wires] if isinstance(wires, list) else []
    choice = read_choice(config.get("toolChoice"), tools)
    request = LlmRequest(reader.instructions, reader.contents, tools, choice, _read_output(body))
    settings = _read_settings(body)
    said = _build(Call(request, settings=settings), issuer).body
    extra = _rest({key: value for key, value in body.items() if key not in ("messages", "system")}, said)
    if extra:
        settings = settings.with_({"extra_body": extra})
    return Call(request, settings=settings)


def _object(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    return value if isinstance(value, dict) else {}


def _rest(body: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a request says beside `said`; an object that is empty says what its absence says."""
    rest = unsaid({name: value for name, value in body.items() if value != {}}, said) or {}
    for name, value in rest.items():
        if isinstance(value, dict) and isinstance(said.get(name), dict):
            rest[name] = unsaid(value, said[name]) or {}
    return {name: value for name, value in rest.items() if value != {}}


def _read_output(body: Mapping[str, Any]) -> OutputSchema | None:
    try:
        said = body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]
        return OutputSchema(jsontext.decode(said["schema"]), said.get("name"), description=said.get("description"))
    except (KeyError, TypeError, ValueError):
        return None


def _read_settings(body: Mapping[str, Any]) -> Settings:
    inference = _object(body, "inferenceConfig")
    said: dict[str, Any] = {name: inference.get(wire) for name, wire in _INFERENCE.items()}
    tier, labels = body.get("serviceTier"), body.get("requestMetadata")
    if isinstance(tier, dict) and tier.keys() == {"type"}:
        said["service_tier"] = tier["type"]
    if isinstance(labels, dict) and all(isinstance(value, str) for value in labels.values()):
        said["metadata"] = labels or None
    said |= read_model_fields(_object(body, "additionalModelRequestFields"), _object(body, "outputConfig"))
    return Settings(**{name: value for name, value in said.items() if Settings.takes(name, value)})
