"""The answer as Anthropic Messages streams it."""

from collections.abc import Mapping
from typing import Any

from tests.chat_hosts import ANTHROPIC
from tests.faults.script import Script, Stage, Step, event
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.events import ItemDone, ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Issuer


def _named(type_: str, **fields: Any) -> bytes:
    return event({"type": type_, **fields}, type_)


def _delta(index: int, type_: str, **fields: Any) -> bytes:
    return _named("content_block_delta", index=index, delta={"type": type_, **fields})


_ISSUER = Issuer("anthropic_messages", "anthropic")
_THINKS = Reasoning("Let me see.", signature="c2VhbA==", issuer=_ISSUER)
_SPEAKS = Message("assistant", "Grüße aus 東京 🗼")
_PARIS = ToolCall("toolu_1", "get_weather", {"city": "Paris"})
_OSLO = ToolCall("toolu_2", "get_weather", {"city": "Oslo"})
_WHOLE = (_THINKS, _SPEAKS, _PARIS, _OSLO)
_OPENING: dict[str, Any] = {
    "id": "msg_s1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5-20250929",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 21, "output_tokens": 1},
}
_ENDING = {"stop_reason": "tool_use", "stop_sequence": None}


def _tool(id_: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": "get_weather", "input": {}}


def _start(index: int, block: Mapping[str, Any]) -> bytes:
    return _named("content_block_start", index=index, content_block=block)


def _stop(index: int) -> bytes:
    return _named("content_block_stop", index=index)


_STEPS = (
    Step(_named("message_start", message=_OPENING)),
    Step(_named("ping")),
    Step(_start(0, {"type": "thinking", "thinking": "", "signature": ""})),
    Step(_delta(0, "thinking_delta", thinking="Let me"), (ReasoningDelta("Let me"),)),
    Step(_delta(0, "thinking_delta", thinking=" see."), (ReasoningDelta(" see."),)),
    Step(_delta(0, "signature_delta", signature="c2VhbA==")),
    Step(_stop(0), (ItemDone(_THINKS),)),
    Step(_start(1, {"type": "text", "text": ""})),
    Step(_delta(1, "text_delta", text="Grüße "), (TextDelta("Grüße "),)),
    Step(_delta(1, "text_delta", text="aus 東京 🗼"), (TextDelta("aus 東京 🗼"),)),
    Step(_stop(1)),
    Step(_start(2, _tool("toolu_1")), (ToolCallDelta("toolu_1", "get_weather", ""),)),
    Step(
        _delta(2, "input_json_delta", partial_json='{"city":'),
        (ToolCallDelta("toolu_1", "get_weather", '{"city":'),),
    ),
    Step(
        _delta(2, "input_json_delta", partial_json=' "Paris"}'),
        (ToolCallDelta("toolu_1", "get_weather", ' "Paris"}'),),
    ),
    Step(_stop(2), (ItemDone(_SPEAKS), ItemDone(_PARIS))),
    Step(_start(3, _tool("toolu_2")), (ToolCallDelta("toolu_2", "get_weather", "", 1),)),
    Step(
        _delta(3, "input_json_delta", partial_json='{"city": "Oslo"}'),
        (ToolCallDelta("toolu_2", "get_weather", '{"city": "Oslo"}', 1),),
    ),
    Step(_stop(3), (ItemDone(_OSLO),)),
    Step(_named("message_delta", delta=_ENDING, usage={"output_tokens": 17})),
    Step(_named("message_stop")),
)
_STAGES = {
    "opened": Stage(2),
    "thinking": Stage(4, partial=(Reasoning("Let me", signature="", issuer=_ISSUER),)),
    "speaking": Stage(9, (_THINKS,), (Message("assistant", "Grüße "),)),
    "calling": Stage(13, (_THINKS, _SPEAKS), (ToolCall("toolu_1", "get_weather", raw_arguments='{"city":'),)),
    "calling again": Stage(16, (_THINKS, _SPEAKS, _PARIS), (ToolCall("toolu_2", "get_weather"),)),
    "after the last delta": Stage(17, (_THINKS, _SPEAKS, _PARIS), (_OSLO,)),
    "finished": Stage(19, _WHOLE),
    "counted": Stage(19, _WHOLE),
}
MESSAGES = Script(
    host=ANTHROPIC,
    steps=_STEPS,
    stages=_STAGES,
    content=_WHOLE,
    raw_finish_reason="tool_use",
    usage=Usage(21, 17),
    opening_usage=Usage(21, 1),
    model="claude-sonnet-4-5-20250929",
    id="msg_s1",
)
