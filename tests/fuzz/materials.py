"""What every wire format says when all is well: answers, streams, errors and requests, to be changed from there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tests.chat_hosts import ALL_HOSTS
from tests.faults.scripts import SCRIPTS
from tests.formats.long_streams import STREAMED, long_stream
from tests.formats.replies import REPLIES
from tests.formats.strategies import PNG, PRIVATE, PROVIDER
from tests.formats.streams import DONE, played
from triptych import formats, jsontext
from triptych.content import ContentItem, Message, Refusal, ToolCall, ToolResult
from triptych.formats import Call, Format
from triptych.framing import Framing
from triptych.parts import Document, Image, Text
from triptych.providers import resolve
from triptych.request import LlmRequest
from triptych.settings import Settings
from triptych.tools import BaseTool

# Answers and chunks that the scripts have none of.
_FURTHER_ANSWERS: Mapping[str, list[Any]] = {
    "openai_chat": [
        {
            "id": "r1",
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {
                        "role": "assistant",
                        "content": [{"type": "text", "text": "a"}],
                        "refusal": "no",
                        "annotations": [{"type": "url_citation"}],
                        "audio": {"id": "a", "data": "UklGRgAAAAA=", "transcript": "t", "expires_at": 7},
                        "reasoning_details": [{"type": "reasoning.text", "text": "so", "signature": "s", "index": 0}],
                        "function_call": {"name": "f", "arguments": "{}"},
                    },
                },
                {"index": 1, "finish_reason": "length", "message": {"role": "assistant", "content": "b"}},
            ],
        }
    ],
    "gemini_generate": [
        {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "no"}},
        {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "m", "content": {"parts": []}}]},
        {
            "candidates": [
                {
                    "content": {
                        "parts": [
                            {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
                            {"executableCode": {"language": "PYTHON", "code": "1"}},
                            {"text": "a", "thought": True, "thoughtSignature": "c2Vh"},
                        ]
                    },
                    "citationMetadata": {"citationSources": [{"uri": "u"}]},
                }
            ]
        },
    ],
    "openai_responses": [
        {
            "id": "r1",
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "output": [
                {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
                {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "x"},
                {"type": "web_search_call", "id": "w", "status": "completed", "action": {"type": "search"}},
            ],
        }
    ],
    "bedrock_converse": [
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [
                        {"reasoningContent": {"redactedContent": "AAAA"}},
                        {"citationsContent": {"content": [{"text": "a"}], "citations": [{"title": "t"}]}},
                        {"image": {"format": "png", "source": {"bytes": "AAAA"}}},
                    ],
                }
            },
            "stopReason": "guardrail_intervened",
            "trace": {"promptRouter": {"invokedModelId": "m"}},
        }
    ],
    "cohere_chat": [
        {
            "id": "r1",
            "finish_reason": "ERROR",
            "error": "broke off",
            "message": {
                "role": "assistant",
                "tool_plan": "so",
                "content": [{"type": "thinking", "thinking": "so"}],
                "citations": [{"start": 0, "end": 1, "text": "a", "sources": [{"type": "document", "id": "d"}]}],
            },
            "usage": {"tokens": {"input_tokens": 1.0, "output_tokens": 2.0}},
        }
    ],
}
_PIECES = [
    {"functionCall": {"name": "f", "willContinue": True}},
    {"functionCall": {"partialArgs": [{"jsonPath": "$.a[0].b", "stringValue": "x"}], "willContinue": True}},
    {"functionCall": {"partialArgs": [{"jsonPath": "$.a[1]", "numberValue": 1}], "willContinue": True}},
    {"functionCall": {}},
]
_FURTHER_STREAMS: Mapping[str, list[Any]] = {
    "gemini_generate": [[{"candidates": [{"content": {"parts": [piece]}, "index": 0}]} for piece in _PIECES]],
    "bedrock_converse": [
        [
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"redactedContent": "AA=="}}}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"redactedContent": "AA=="}}}},
            {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"citation": {"title": "t"}}}},
            {"contentBlockStart": {"contentBlockIndex": 2, "start": {"toolResult": {"toolUseId": "t"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"toolResult": [{"text": "a"}]}}},
            {"throttlingException": {"message": "slow down"}},
        ]
    ],
}


def _contents(name: str) -> list[ContentItem]:
    private = PRIVATE[name]
    return [
        Message("user", [Text("look"), Image(PNG), Document(text="fact", name="d"), private.part]),
        private.reasoning[0],
        Message("assistant", [Text("so", provider_data=private.marker, issuer=formats.load(name, PROVIDER).issuer)]),
        ToolCall("call_1", "f", {"a": [1]}),
        ToolCall("call_2", "f", raw_arguments="{cut"),
        ToolResult("call_1", "f", content=["4", {"b": None}, Image(PNG)]),
        ToolResult("call_2", "f", "error", ["no"]),
        Refusal("no"),
        private.items[0],
        Message("user", "on"),
    ]


@cache
def wire(name: str) -> Format:
    """Return a wire format as some provider speaks it."""
    return formats.load(name, PROVIDER)


def _framing(model: str) -> Framing:
    host, bare = resolve(model)
    return formats.load(host.format, host.name, host.quirks_for(bare)).framing()


@cache
def streams(name: str) -> list[list[Any]]:
    """Return streams of a wire format, each a list of its events; the end marker is a text."""
    made = [long_stream(name, kind, ["a", "b"]) for one, kind in STREAMED if one == name]
    for script in SCRIPTS:
        if script.host.name == name:
            data = _framing(script.host.model).feed(b"".join(script.sent()))
            made.append([DONE if each == DONE.encode() else jsontext.decode(each) for each in data])
    return [*made, *_FURTHER_STREAMS.get(name, [])]


@cache
def answers(name: str) -> list[Any]:
    """Return answers of a wire format, the errors that may come in their place among them."""
    made = [played(name, stream).response.raw for stream in streams(name)]
    hosts = [host for host in ALL_HOSTS if host.name == name]
    return [
        REPLIES[name]("hi", [("call_1", "f", {"a": 1}), (None, "f", '{"a": 1}')]),
        *_FURTHER_ANSWERS.get(name, []),
        *(one for one in made if one),
        *(host.error("no more", "server_error") for host in hosts),
    ]


@cache
def errors(name: str) -> list[Any]:
    """Return bodies of refused requests of a wire format, and those that any host may send."""
    hosts = [host for host in ALL_HOSTS if host.name == name]
    details = [{"@type": "QuotaFailure", "violations": [{"quotaId": "PerDay"}]}, {"retryDelay": "7s", "reason": "X"}]
    exhausted = {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": details}
    return [
        *(host.error("no more", host.passing[0]) for host in hosts),
        {"error": exhausted},
        [{"error": {"message": "context length", "type": "t", "code": "c", "param": None}, "request_id": "r"}],
        {"detail": [{"loc": ["body"], "msg": "m"}], "error_type": "t"},
        {"__type": "ThrottlingException", "Message": "m"},
        "words",
        None,
    ]


@cache
def requests(name: str) -> list[Any]:
    """Return bodies of requests in a wire format."""
    tools = [BaseTool("f", "does", {"type": "object", "properties": {"a": {"type": "array"}}}), PRIVATE[name].tool]
    settings = Settings(temperature=0.5, max_tokens=9, stop=["x"], reasoning="low", seed=1)
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    calls = [
        Call(LlmRequest(["be brief"], _contents(name), tools, "required"), "m", settings),
        Call(LlmRequest(contents="hi", output_type=schema), "m", stream=True),
        Call(LlmRequest(contents="hi", tools=tools[:1], tool_choice="f"), "m", Settings(reasoning=2048)),
    ]
    return [jsontext.decode(jsontext.encode(wire(name).build_request(call).body)) for call in calls]
