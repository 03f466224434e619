"""The answer as Cohere streams it."""

from typing import Any

from tests.chat_hosts import COHERE as HOST
from tests.faults.script import Script, Stage, Step, Told
from tests.faults.wires import event
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.events import ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Issuer

_ISSUER = Issuer("cohere_chat", "cohere")


def _event(type_: str, index: int | None = None, **message: Any) -> bytes:
    place = {} if index is None else {"index": index}
    delta = {"delta": {"message": message}} if message else {}
    return event({"type": type_, **place, **delta}, type_)


def _call(number: int) -> dict[str, Any]:
    return {"id": f"call_{number}", "type": "function", "function": {"name": "get_weather", "arguments": ""}}


def _arguments(text: str) -> dict[str, Any]:
    return {"function": {"arguments": text}}


def _fault(type_: str, message: str) -> bytes:
    return event({"id": "e1", "message": message, **({"error_type": type_} if type_ else {})})


_THINKS, _SPEAKS = Reasoning("Let me see.", issuer=_ISSUER), Message("assistant", "Grüße aus 東京 🗼")
_PARIS = ToolCall("call_1", "get_weather", {"city": "Paris"})
_OSLO = ToolCall("call_2", "get_weather", {"city": "Oslo"})
_WHOLE = (_THINKS, _SPEAKS, _PARIS, _OSLO)
_OPENING = {"type": "message-start", "id": "s1", "delta": {"message": {"role": "assistant", "content": []}}}
_COUNTS = {
    "billed_units": {"input_tokens": 2, "output_tokens": 17},
    "tokens": {"input_tokens": 21, "output_tokens": 17},
}
_END = {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": _COUNTS}}
_STEPS = (
    Step(event(_OPENING, "message-start")),
    Step(_event("content-start", 0, content={"type": "thinking", "thinking": ""})),
    Step(_event("content-delta", 0, content={"thinking": "Let me"}), (ReasoningDelta("Let me"),)),
    Step(_event("content-delta", 0, content={"thinking": " see."}), (ReasoningDelta(" see."),)),
    Step(_event("content-end", 0)),
    Step(_event("content-start", 1, content={"type": "text", "text": ""})),
    Step(_event("content-delta", 1, content={"text": "Grüße "}), (TextDelta("Grüße "),)),
    Step(_event("content-delta", 1, content={"text": "aus 東京 🗼"}), (TextDelta("aus 東京 🗼"),)),
    Step(_event("content-end", 1)),
    Step(_event("tool-call-start", 0, tool_calls=_call(1)), (ToolCallDelta("call_1", "get_weather", ""),)),
    Step(
        _event("tool-call-delta", 0, tool_calls=_arguments('{"city":')),
        (ToolCallDelta("call_1", "get_weather", '{"city":'),),
    ),
    Step(
        _event("tool-call-delta", 0, tool_calls=_arguments(' "Paris"}')),
        (ToolCallDelta("call_1", "get_weather", ' "Paris"}'),),
    ),
    Step(_event("tool-call-end", 0)),
    Step(_event("tool-call-start", 1, tool_calls=_call(2)), (ToolCallDelta("call_2", "get_weather", "", 1),)),
    Step(
        _event("tool-call-delta", 1, tool_calls=_arguments('{"city": "Oslo"}')),
        (ToolCallDelta("call_2", "get_weather", '{"city": "Oslo"}', 1),),
    ),
    Step(_event("tool-call-end", 1)),
    Step(event(_END, "message-end")),
    Step(b"data: [DONE]\n\n"),
)
_STAGES = {
    "opened": Stage(1),
    "thinking": Stage(3, partial=(Reasoning("Let me", issuer=_ISSUER),)),
    "speaking": Stage(7, (_THINKS,), (Message("assistant", "Grüße "),)),
    "calling": Stage(11, (_THINKS, _SPEAKS), (ToolCall("call_1", "get_weather", raw_arguments='{"city":'),)),
    "calling again": Stage(14, (_THINKS, _SPEAKS, _PARIS), (ToolCall("call_2", "get_weather"),)),
    "after the last delta": Stage(15, (_THINKS, _SPEAKS, _PARIS), (_OSLO,)),
    "finished": Stage(16, _WHOLE),
    "counted": Stage(17, _WHOLE),
}
COHERE = Script(
    host=HOST,
    steps=_STEPS,
    stages=_STAGES,
    content=_WHOLE,
    raw_finish_reason="TOOL_CALL",
    usage=Usage(21, 17),
    opening_usage=None,
    model=None,
    id="s1",
    fault=_fault,
    passing=Told("", "server", code=None),
    refusing=Told("TOO_MANY_TOKENS", "context_length"),
    whole_at={"counted": Usage(21, 17)},
)
