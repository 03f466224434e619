"""The answer as Anthropic Messages streams it, and as Bedrock's InvokeModel does, each event in a frame."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.chat_hosts import ANTHROPIC, BEDROCK_ANTHROPIC, ChatHost
from tests.faults.script import Script, Stage, Step, Told
from tests.faults.wires import CHUNK_FRAMES, chunk_frame, event, exception_frame
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.events import ItemDone, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.parts import Issuer

Event = dict[str, Any]


def _named(type_: str, **fields: Any) -> Event:
    return {"type": type_, **fields}


def _delta(index: int, type_: str, **fields: Any) -> Event:
    return _named("content_block_delta", index=index, delta={"type": type_, **fields})


_SPEAKS = Message("assistant", "Grüße aus 東京 🗼")
_PARIS = ToolCall("toolu_1", "get_weather", {"city": "Paris"})
_OSLO = ToolCall("toolu_2", "get_weather", {"city": "Oslo"})
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


def _input(index: int, piece: str) -> Event:
    return _delta(index, "input_json_delta", partial_json=piece)


def _start(index: int, block: Mapping[str, Any]) -> Event:
    return _named("content_block_start", index=index, content_block=block)


def _stop(index: int) -> Event:
    return _named("content_block_stop", index=index)


def _events(thought: Reasoning) -> list[tuple[Event, tuple[StreamEvent, ...]]]:
    """Return the events of the answer, each with what it yields."""
    return [
        (_named("message_start", message=_OPENING), ()),
        (_named("ping"), ()),
        (_start(0, {"type": "thinking", "thinking": "", "signature": ""}), ()),
        (_delta(0, "thinking_delta", thinking="Let me"), (ReasoningDelta("Let me"),)),
        (_delta(0, "thinking_delta", thinking=" see."), (ReasoningDelta(" see."),)),
        (_delta(0, "signature_delta", signature="c2VhbA=="), ()),
        (_stop(0), (ItemDone(thought),)),
        (_start(1, {"type": "text", "text": ""}), ()),
        (_delta(1, "text_delta", text="Grüße "), (TextDelta("Grüße "),)),
        (_delta(1, "text_delta", text="aus 東京 🗼"), (TextDelta("aus 東京 🗼"),)),
        (_stop(1), ()),
        (_start(2, _tool("toolu_1")), (ToolCallDelta("toolu_1", "get_weather", ""),)),
        (_input(2, '{"city":'), (ToolCallDelta("toolu_1", "get_weather", '{"city":'),)),
        (_input(2, ' "Paris"}'), (ToolCallDelta("toolu_1", "get_weather", ' "Paris"}'),)),
        (_stop(2), (ItemDone(_SPEAKS), ItemDone(_PARIS))),
        (_start(3, _tool("toolu_2")), (ToolCallDelta("toolu_2", "get_weather", "", 1),)),
        (_input(3, '{"city": "Oslo"}'), (ToolCallDelta("toolu_2", "get_weather", '{"city": "Oslo"}', 1),)),
        (_stop(3), (ItemDone(_OSLO),)),
        (_named("message_delta", delta=_ENDING, usage={"output_tokens": 17}), ()),
        (_named("message_stop"), ()),
    ]


def _stages(thought: Reasoning) -> dict[str, Stage]:
    whole = (thought, _SPEAKS, _PARIS, _OSLO)
    begun = Reasoning("Let me", signature="", issuer=thought.issuer)
    return {
        "opened": Stage(2),
        "thinking": Stage(4, partial=(begun,)),
        "speaking": Stage(9, (thought,), (Message("assistant", "Grüße "),)),
        "calling": Stage(13, (thought, _SPEAKS), (ToolCall("toolu_1", "get_weather", raw_arguments='{"city":'),)),
        "calling again": Stage(16, (thought, _SPEAKS, _PARIS), (ToolCall("toolu_2", "get_weather"),)),
        "after the last delta": Stage(17, (thought, _SPEAKS, _PARIS), (_OSLO,)),
        "finished": Stage(19, whole),
    }


def _script(host: ChatHost, frame: Callable[[Event], bytes], **options: Any) -> Script:
    thought = Reasoning("Let me see.", signature="c2VhbA==", issuer=Issuer(host.name, host.provider))
    return Script(
        host=host,
        steps=tuple(Step(frame(event), yields) for event, yields in _events(thought)),
        stages=_stages(thought),
        content=(thought, _SPEAKS, _PARIS, _OSLO),
        raw_finish_reason="tool_use",
        usage=Usage(21, 17),
        opening_usage=Usage(21, 1),
        model="claude-sonnet-4-5-20250929",
        id="msg_s1",
        **options,
    )


def _fault(type_: str, message: str) -> bytes:
    return event({"type": "error", "error": {"type": type_, "message": message}}, "error")


MESSAGES = _script(
    ANTHROPIC,
    lambda said: event(said, said["type"]),
    fault=_fault,
    passing=Told("overloaded_error", "overloaded"),
    refusing=Told("invalid_request_error", "invalid_request"),
)
INVOKE = _script(
    BEDROCK_ANTHROPIC,
    chunk_frame,
    fault=exception_frame,
    passing=Told("throttlingException", "rate_limit", 429),
    refusing=Told("validationException", "invalid_request", 400),
    wire=CHUNK_FRAMES,
)
