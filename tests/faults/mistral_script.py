"""The answer as Mistral streams it: thoughts in chunks, words in texts."""

from collections.abc import Mapping
from typing import Any

from tests.chat_hosts import MISTRAL as HOST
from tests.faults.script import Script, Stage, Step, Told
from tests.faults.wires import event
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.events import ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Issuer, Text


def _chunk(delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> bytes:
    head = {"id": "s1", "object": "chat.completion.chunk", "created": 1764460800, "model": "mistral-medium-2508"}
    return event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more})


def _thinking(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": words}], **more}]}


def _call(index: int, arguments: str, **start: str) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": arguments}
    return {"tool_calls": [{"index": index, **start, "function": function}]}


def _fault(type_: str, message: str) -> bytes:
    return event({"object": "error", "message": message, "type": type_, "param": None, "code": None})


_ISSUER = Issuer("mistral_chat", "mistral")
_THINKS = Reasoning("Let me see.", provider_data={"closed": True}, issuer=_ISSUER)
_SPEAKS = Message("assistant", [Text("Grüße aus 東京 🗼")])
_PARIS = ToolCall("aaaaaaaa1", "get_weather", {"city": "Paris"})
_OSLO = ToolCall("aaaaaaaa2", "get_weather", {"city": "Oslo"})
_WHOLE = (_THINKS, _SPEAKS, _PARIS, _OSLO)
_COUNTS = {"prompt_tokens": 21, "completion_tokens": 17, "total_tokens": 38}
_STEPS = (
    Step(_chunk({"role": "assistant", "content": ""})),
    Step(_chunk(_thinking("Let me")), (ReasoningDelta("Let me"),)),
    Step(_chunk(_thinking(" see.", closed=True)), (ReasoningDelta(" see."),)),
    Step(_chunk({"content": "Grüße "}), (TextDelta("Grüße "),)),
    Step(_chunk({"content": "aus 東京 🗼"}), (TextDelta("aus 東京 🗼"),)),
    Step(_chunk(_call(0, '{"city":', id="aaaaaaaa1")), (ToolCallDelta("aaaaaaaa1", "get_weather", '{"city":'),)),
    Step(_chunk(_call(0, ' "Paris"}')), (ToolCallDelta("aaaaaaaa1", "get_weather", ' "Paris"}'),)),
    Step(
        _chunk(_call(1, '{"city": "Oslo"}', id="aaaaaaaa2")),
        (ToolCallDelta("aaaaaaaa2", "get_weather", '{"city": "Oslo"}', 1),),
    ),
    Step(_chunk({"content": ""}, "tool_calls", usage=_COUNTS)),
    Step(b"data: [DONE]\n\n"),
)
_STAGES = {
    "opened": Stage(1),
    "thinking": Stage(2, partial=(Reasoning("Let me", issuer=_ISSUER),)),
    "speaking": Stage(4, (_THINKS,), (Message("assistant", [Text("Grüße ")]),)),
    "calling": Stage(6, (_THINKS, _SPEAKS), (ToolCall("aaaaaaaa1", "get_weather", raw_arguments='{"city":'),)),
    "calling again": Stage(7, (_THINKS, _SPEAKS), (_PARIS,)),
    "after the last delta": Stage(8, (_THINKS, _SPEAKS, _PARIS), (_OSLO,)),
    "finished": Stage(9, _WHOLE),
}
MISTRAL = Script(
    host=HOST,
    steps=_STEPS,
    stages=_STAGES,
    content=_WHOLE,
    raw_finish_reason="tool_calls",
    usage=Usage(21, 17),
    opening_usage=None,
    model="mistral-medium-2508",
    id="s1",
    fault=_fault,
    passing=Told("service_tier_capacity_exceeded", "overloaded"),
    refusing=Told("invalid_model", "not_found"),
    whole_at={"finished": Usage(21, 17)},
)
