"""Requests of generateContent: a call to a wire request, and back. The model stands in the URL.

Reference: https://ai.google.dev/api/generate-content
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import LlmError, Notice
from triptych.formats import Built, Call
from triptych.formats.efforts import is_known
from triptych.formats.gemini_generate.contents import ContentBuilder
from triptych.formats.gemini_generate.openapi import json_schema
from triptych.formats.gemini_generate.signatures import is_before_gemini_3, seal_calls
from triptych.formats.gemini_generate.spelling import spelled
from triptych.formats.gemini_generate.tools import add_tools, read_choice, read_tools
from triptych.formats.verbatim import unsaid
from triptych.parts import Issuer
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings

if TYPE_CHECKING:
    from triptych_wire.gemini_generate import Request

# Settings by the field of `generationConfig` of the same meaning.
_FIELDS = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "max_tokens": "maxOutputTokens",
    "stop": "stopSequences",
    "seed": "seed",
    "frequency_penalty": "frequencyPenalty",
    "presence_penalty": "presencePenalty",
    "logprobs": "responseLogprobs",
    "top_logprobs": "logprobs",
}
# Efforts of models from Gemini 3 on, and efforts as tokens, for models that know no effort: https://ai.google.dev/gemini-api/docs/openai#thinking
_LEVELS = ("minimal", "low", "medium", "high", "xhigh")
_BUDGETS = {"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576}
_JSON = "application/json"
# Objects of the body in which a caller's own fields stand beside those of the settings.
_SHARED = ("generationConfig", "toolConfig")


def build_request(call: Call, issuer: Issuer) -> Built:
    """Return the wire request that says `call`; see `Format.build_request`."""
    built = _build(call, issuer)
    if not built.body["contents"]:
        why = "the request has no contents that this API can take: give at least one message that is not empty"
        raise LlmError(why, "invalid_request")
    return built


def _build(call: Call, issuer: Issuer) -> Built:
    request, settings = call.request, call.settings
    builder = ContentBuilder(issuer, media_inside=not is_before_gemini_3(call.model))
    contents = builder.build(request.instructions, request.contents)
    notices = builder.notices
    notices += seal_calls(contents, call.model)
    body: Any = {"contents": contents}
    if builder.system:
        body["systemInstruction"] = {"parts": builder.system}
    add_tools(body, request, issuer, notices)
    config = _build_config(call, notices)
    if config:
        body["generationConfig"] = config
    _add_settings(body, settings, issuer, notices)
    _add_verbatim(body, settings.extra_body or {})
    built: Request = body
    return Built(built, tuple(notices))


def _build_config(call: Call, notices: list[Notice]) -> dict[str, Any]:
    settings = call.settings
    config = {wire: getattr(settings, name) for name, wire in _FIELDS.items()}
    config = {name: value for name, value in config.items() if value is not None and value != []}
    thinking = _build_thinking(settings.reasoning, call.model, notices)
    if thinking is not None:
        config["thinkingConfig"] = thinking
    if call.request.output_type is not None:
        config |= {"responseMimeType": _JSON, "responseJsonSchema": dict(call.request.output_type.schema)}
    return config


def _build_thinking(value: str | int | None, model: str | None, notices: list[Notice]) -> dict[str, Any] | None:
    """Return how much to think: a level, or for models before Gemini 3 a number of tokens. Thoughts are asked for."""
    if value is None:
        return None
    if isinstance(value, int):
        return {"includeThoughts": True, "thinkingBudget": value}
    if not is_before_gemini_3(model):
        if value == "none":
            why = "models of this API always think from Gemini 3 on"
            notices.append(Notice("settings.reasoning", "'none' became 'minimal'", why))
            return {"thinkingLevel": "minimal"}
        return {"includeThoughts": True, "thinkingLevel": value} if is_known(value, _LEVELS, notices) else None
    if value not in _BUDGETS:
        why = f"this model takes a number of tokens, or one of {', '.join(_BUDGETS)}"
        notices.append(Notice("settings.reasoning", f"{value!r} left out", why))
        return None
    return {"includeThoughts": True, "thinkingBudget": _BUDGETS[value]} if value != "none" else {"thinkingBudget": 0}


def _add_settings(body: Any, settings: Settings, issuer: Issuer, notices: list[Notice]) -> None:
    if settings.service_tier is not None:
        body["serviceTier"] = settings.service_tier
    if settings.metadata and issuer.provider == "vertex":
        body["labels"] = dict(settings.metadata)
    elif settings.metadata:
        notices.append(Notice("settings.metadata", "left out", "only Vertex AI takes labels"))
    if settings.user is not None:
        notices.append(Notice("settings.user", "left out", "this API has no such setting"))
    if settings.parallel_tool_calls is False:
        notices.append(Notice("settings.parallel_tool_calls", "left out", "this API has no such setting"))


def _add_verbatim(body: Any, extra: Mapping[str, Any]) -> None:
    """Put the caller's own fields into the body; they win, and stand beside those of the settings in some objects."""
    said = {name: body[name] for name in _SHARED if name in body}
    body.update(extra)
    for name, fields in said.items():
        if isinstance(extra.get(name), dict):
            body[name] = {**fields, **extra[name]}
    config = body.get("generationConfig")
    if isinstance(config, dict) and "responseSchema" in config:
        config.pop("responseJsonSchema", None)  # the API takes one of the two


def read_request(given: Mapping[str, Any], issuer: Issuer) -> Call:
    """Return the call that a wire request says; see `Format.read_request`.

    Fields that have no setting, or a value that the setting does not take, travel in `Settings.extra_body`.
    """
    from triptych.formats.gemini_generate.reading import ContentReader  # only for those who read requests

    body: Mapping[str, Any] = spelled(given)
    reader = ContentReader(issuer)
    reader.read(body.get("systemInstruction"), body["contents"])
    wires = body.get("tools")
    readable = isinstance(wires, list) and all(isinstance(wire, dict) for wire in wires)
    tools = read_tools(wires, issuer) if isinstance(wires, list) and readable else []
    config = body.get("generationConfig")
    settings = _read_settings(body, config if isinstance(config, dict) else {}, issuer)
    request = LlmRequest(
        instructions=reader.instructions,
        contents=reader.contents,
        tools=tools,
        tool_choice=read_choice(body.get("toolConfig"), tools),
        output_type=_read_output(config if isinstance(config, dict) else {}),
    )
    said = _build(Call(request, None, settings), issuer).body
    extra = unsaid({key: value for key, value in body.items() if not _is_read(key, value, readable)}, said) or {}
    for name in _SHARED:
        if name in said and isinstance(extra.get(name), dict):
            rest = unsaid(extra[name], said[name])
            extra = {key: rest if key == name else value for key, value in extra.items() if key != name or rest}
    if extra:
        settings = settings.with_({"extra_body": extra})
    return Call(request, None, settings)


def _is_read(key: str, value: object, tools: bool) -> bool:
    """Return whether a field of the body is in the call already."""
    return key == "contents" or (key == "tools" and tools) or (key == "systemInstruction" and isinstance(value, dict))


def _read_output(config: Mapping[str, Any]) -> OutputSchema | None:
    schema = config.get("responseJsonSchema", json_schema(config.get("responseSchema")))
    return OutputSchema(schema) if config.get("responseMimeType") == _JSON and isinstance(schema, dict) else None


def _read_settings(body: Mapping[str, Any], config: Mapping[str, Any], issuer: Issuer) -> Settings:
    said: dict[str, Any] = {name: config.get(wire) for name, wire in _FIELDS.items()}
    said["service_tier"] = body.get("serviceTier")
    if issuer.provider == "vertex":
        said["metadata"] = body.get("labels")
    thinking = config.get("thinkingConfig")
    if isinstance(thinking, dict):
        level = thinking.get("thinkingLevel")
        named = level.lower() if isinstance(level, str) else None
        said["reasoning"] = named if named in _LEVELS else thinking.get("thinkingBudget")
    return Settings(**{name: value for name, value in said.items() if Settings.takes(name, value)})
