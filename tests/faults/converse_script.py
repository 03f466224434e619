"""The answer as Bedrock Converse streams it."""

from typing import Any

from tests.chat_hosts import BEDROCK
from tests.faults.script import Script, Stage, Step, Told
from tests.faults.wires import NAMED_FRAMES, exception_frame, named_frame
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.events import ItemDone, ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Issuer

_ISSUER = Issuer("bedrock_converse", "bedrock")


def _event(name: str, **fields: Any) -> bytes:
    return named_frame({name: {**fields, "p": "abcd"}})


def _delta(index: int, **said: Any) -> bytes:
    return _event("contentBlockDelta", contentBlockIndex=index, delta=said)


def _use(index: int, number: int) -> bytes:
    start = {"toolUse": {"toolUseId": f"tooluse_{number}", "name": "get_weather"}}
    return _event("contentBlockStart", contentBlockIndex=index, start=start)


def _stop(index: int) -> bytes:
    return _event("contentBlockStop", contentBlockIndex=index)


_THINKS = Reasoning("Let me see.", signature="c2VhbA==", issuer=_ISSUER)
_SPEAKS = Message("assistant", "Grüße aus 東京 🗼")
_PARIS = ToolCall("tooluse_1", "get_weather", {"city": "Paris"})
_OSLO = ToolCall("tooluse_2", "get_weather", {"city": "Oslo"})
_WHOLE = (_THINKS, _SPEAKS, _PARIS, _OSLO)
_STEPS = (
    Step(_event("messageStart", role="assistant")),
    Step(_delta(0, reasoningContent={"text": "Let me"}), (ReasoningDelta("Let me"),)),
    Step(_delta(0, reasoningContent={"text": " see."}), (ReasoningDelta(" see."),)),
    Step(_delta(0, reasoningContent={"signature": "c2VhbA=="})),
    Step(_stop(0), (ItemDone(_THINKS),)),
    Step(_delta(1, text="Grüße "), (TextDelta("Grüße "),)),
    Step(_delta(1, text="aus 東京 🗼"), (TextDelta("aus 東京 🗼"),)),
    Step(_stop(1)),
    Step(_use(2, 1), (ToolCallDelta("tooluse_1", "get_weather", ""),)),
    Step(_delta(2, toolUse={"input": '{"city":'}), (ToolCallDelta("tooluse_1", "get_weather", '{"city":'),)),
    Step(_delta(2, toolUse={"input": ' "Paris"}'}), (ToolCallDelta("tooluse_1", "get_weather", ' "Paris"}'),)),
    Step(_stop(2), (ItemDone(_SPEAKS), ItemDone(_PARIS))),
    Step(_use(3, 2), (ToolCallDelta("tooluse_2", "get_weather", "", 1),)),
    Step(
        _delta(3, toolUse={"input": '{"city": "Oslo"}'}),
        (ToolCallDelta("tooluse_2", "get_weather", '{"city": "Oslo"}', 1),),
    ),
    Step(_stop(3), (ItemDone(_OSLO),)),
    Step(_event("messageStop", stopReason="tool_use")),
    Step(
        _event("metadata", usage={"inputTokens": 21, "outputTokens": 17, "totalTokens": 38}, metrics={"latencyMs": 5})
    ),
)
_STAGES = {
    "opened": Stage(1),
    "thinking": Stage(2, partial=(Reasoning("Let me", issuer=_ISSUER),)),
    "speaking": Stage(6, (_THINKS,), (Message("assistant", "Grüße "),)),
    "calling": Stage(10, (_THINKS, _SPEAKS), (ToolCall("tooluse_1", "get_weather", raw_arguments='{"city":'),)),
    "calling again": Stage(13, (_THINKS, _SPEAKS, _PARIS), (ToolCall("tooluse_2", "get_weather"),)),
    "after the last delta": Stage(14, (_THINKS, _SPEAKS, _PARIS), (_OSLO,)),
    "finished": Stage(16, _WHOLE),
    "counted": Stage(17, _WHOLE),
}
CONVERSE = Script(
    host=BEDROCK,
    steps=_STEPS,
    stages=_STAGES,
    content=_WHOLE,
    raw_finish_reason="tool_use",
    usage=Usage(21, 17),
    opening_usage=None,
    model=None,
    id=None,
    fault=exception_frame,
    passing=Told("throttlingException", "rate_limit", code="ThrottlingException"),
    refusing=Told("validationException", "invalid_request", code="ValidationException"),
    whole_at={"finished": None, "counted": Usage(21, 17)},
    wire=NAMED_FRAMES,
)
