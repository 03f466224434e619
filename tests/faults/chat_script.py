"""The answer as OpenAI Chat Completions streams it, with the reasoning field that many of its hosts have."""

from collections.abc import Mapping
from typing import Any

from tests.chat_hosts import OPENAI
from tests.faults.script import Script, Stage, Step, Told
from tests.faults.wires import event
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.events import ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Issuer


def _chunk(delta: Mapping[str, Any] | None, finish: str | None = None, **more: Any) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
    return event(
        {
            "id": "chatcmpl-s1",
            "object": "chat.completion.chunk",
            "created": 1764460800,
            "model": "gpt-4.1-mini-2025-04-14",
            "choices": choices,
            "usage": None,
            **more,
        }
    )


def _call(index: int, arguments: str, **start: str) -> dict[str, Any]:
    function = {"name": start["name"], "arguments": arguments} if start else {"arguments": arguments}
    head = {"id": start["id"], "type": "function"} if start else {}
    return {"tool_calls": [{"index": index, **head, "function": function}]}


def _fault(type_: str, message: str) -> bytes:
    return event({"error": {"message": message, "type": type_, "param": None, "code": None}})


_ISSUER = Issuer("openai_chat", "openai")


def _thought(text: str) -> Reasoning:
    return Reasoning(text, provider_data={"reasoning_content": text}, issuer=_ISSUER)


_THINKS, _SPEAKS = _thought("Let me see."), Message("assistant", "Grüße aus 東京 🗼")
_PARIS = ToolCall("call_1", "get_weather", {"city": "Paris"})
_OSLO = ToolCall("call_2", "get_weather", {"city": "Oslo"})
_COUNTS = {
    "prompt_tokens": 21,
    "completion_tokens": 17,
    "total_tokens": 38,
    "completion_tokens_details": {"reasoning_tokens": 5},
}
_WHOLE = (_THINKS, _SPEAKS, _PARIS, _OSLO)
_STEPS = (
    Step(_chunk({"role": "assistant", "content": ""})),
    Step(_chunk({"reasoning_content": "Let me"}), (ReasoningDelta("Let me"),)),
    Step(_chunk({"reasoning_content": " see."}), (ReasoningDelta(" see."),)),
    Step(_chunk({"content": "Grüße "}), (TextDelta("Grüße "),)),
    Step(_chunk({"content": "aus 東京 🗼"}), (TextDelta("aus 東京 🗼"),)),
    Step(_chunk(_call(0, "", id="call_1", name="get_weather")), (ToolCallDelta("call_1", "get_weather", ""),)),
    Step(_chunk(_call(0, '{"city":')), (ToolCallDelta("call_1", "get_weather", '{"city":'),)),
    Step(_chunk(_call(0, ' "Paris"}')), (ToolCallDelta("call_1", "get_weather", ' "Paris"}'),)),
    Step(_chunk(_call(1, "", id="call_2", name="get_weather")), (ToolCallDelta("call_2", "get_weather", "", 1),)),
    Step(_chunk(_call(1, '{"city": "Oslo"}')), (ToolCallDelta("call_2", "get_weather", '{"city": "Oslo"}', 1),)),
    Step(_chunk({}, "tool_calls")),
    Step(_chunk(None, usage=_COUNTS)),
    Step(b"data: [DONE]\n\n"),
)
_STAGES = {
    "opened": Stage(1),
    "thinking": Stage(2, partial=(_thought("Let me"),)),
    "speaking": Stage(4, (_THINKS,), (Message("assistant", "Grüße "),)),
    "calling": Stage(7, (_THINKS, _SPEAKS), (ToolCall("call_1", "get_weather", raw_arguments='{"city":'),)),
    "calling again": Stage(9, (_THINKS, _SPEAKS, _PARIS), (ToolCall("call_2", "get_weather"),)),
    "after the last delta": Stage(10, (_THINKS, _SPEAKS, _PARIS), (_OSLO,)),
    "finished": Stage(11, _WHOLE),
    "counted": Stage(12, _WHOLE),
}
CHAT = Script(
    host=OPENAI,
    steps=_STEPS,
    stages=_STAGES,
    content=_WHOLE,
    raw_finish_reason="tool_calls",
    usage=Usage(21, 17, reasoning_tokens=5),
    opening_usage=None,
    model="gpt-4.1-mini-2025-04-14",
    id="chatcmpl-s1",
    fault=_fault,
    passing=Told("server_error", "server"),
    refusing=Told("invalid_request_error", "invalid_request"),
    whole_at={"finished": None, "counted": Usage(21, 17, reasoning_tokens=5)},
)
