"""The answer as OpenAI Responses streams it."""

from collections.abc import Mapping
from typing import Any

from tests.chat_hosts import RESPONSES as HOST
from tests.faults.script import Script, Stage, Step, Told
from tests.faults.wires import event
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.events import ItemDone, ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Issuer

_ISSUER = Issuer("openai_responses", "openai-responses")


def _named(name: str, **fields: Any) -> bytes:
    return event({"type": f"response.{name}", **fields}, f"response.{name}")


def _of(index: int, name: str, **fields: Any) -> bytes:
    return _named(name, output_index=index, item_id=_ITEMS[index]["id"], **fields)


def _call(number: int, city: str) -> dict[str, Any]:
    arguments = f'{{"city": "{city}"}}'
    head = {"id": f"fc_{number}", "type": "function_call", "call_id": f"call_{number}", "name": "get_weather"}
    return {**head, "arguments": arguments, "status": "completed"}


_THOUGHT = {"type": "summary_text", "text": "Let me see."}
_WORDS: dict[str, Any] = {"type": "output_text", "text": "Grüße aus 東京 🗼", "annotations": [], "logprobs": []}
_MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
_ITEMS: tuple[Mapping[str, Any], ...] = (
    {"id": "rs_1", "type": "reasoning", "summary": [_THOUGHT], "encrypted_content": "c2VhbA=="},
    {**_MESSAGE, "content": [_WORDS]},
    _call(1, "Paris"),
    _call(2, "Oslo"),
)


def _added(index: int, **empty: Any) -> bytes:
    item = {**_ITEMS[index], **empty}
    begun = {**item, "status": "in_progress"}
    if index == 0:
        begun = {name: value for name, value in item.items() if name != "encrypted_content"}
    return _named("output_item.added", output_index=index, item=begun)


def _done(index: int) -> bytes:
    return _named("output_item.done", output_index=index, item=_ITEMS[index])


def _thought(piece: str) -> bytes:
    return _of(0, "reasoning_summary_text.delta", summary_index=0, delta=piece)


def _words(piece: str) -> bytes:
    return _of(1, "output_text.delta", content_index=0, delta=piece, logprobs=[])


def _arguments(index: int, piece: str) -> bytes:
    return _of(index, "function_call_arguments.delta", delta=piece)


def _fault(type_: str, message: str) -> bytes:
    return event({"type": "error", "code": type_, "message": message, "param": None}, "error")


def _called(number: int, arguments: dict[str, Any], status: str = "completed", raw: str | None = None) -> ToolCall:
    data = {"id": f"fc_{number}", "status": status}
    return ToolCall(f"call_{number}", "get_weather", arguments, raw, provider_data=data, issuer=_ISSUER)


def _said(text: str, status: str = "completed") -> Message:
    return Message(
        "assistant", text, provider_data={"type": "message", "id": "msg_1", "status": status}, issuer=_ISSUER
    )


def _thinks(text: str, encrypted: str | None = None) -> Reasoning:
    return Reasoning(summary=[text], encrypted=encrypted, provider_data={"id": "rs_1"}, issuer=_ISSUER)


_THINKS, _SPEAKS = _thinks("Let me see.", "c2VhbA=="), _said("Grüße aus 東京 🗼")
_PARIS, _OSLO = _called(1, {"city": "Paris"}), _called(2, {"city": "Oslo"})
_WHOLE = (_THINKS, _SPEAKS, _PARIS, _OSLO)
_BEGUN: dict[str, Any] = {
    "id": "resp_s1",
    "object": "response",
    "created_at": 1764460800,
    "model": "gpt-4.1-mini-2025-04-14",
    "status": "in_progress",
    "output": [],
    "error": None,
    "incomplete_details": None,
    "usage": None,
}
_COUNTS = {
    "input_tokens": 21,
    "output_tokens": 17,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 38,
}
_ENDED = {**_BEGUN, "status": "completed", "output": list(_ITEMS), "usage": _COUNTS}
_STEPS = (
    Step(_named("created", response=_BEGUN)),
    Step(_added(0, summary=[])),
    Step(_of(0, "reasoning_summary_part.added", summary_index=0, part={**_THOUGHT, "text": ""})),
    Step(_thought("Let me"), (ReasoningDelta("Let me"),)),
    Step(_thought(" see."), (ReasoningDelta(" see."),)),
    Step(_of(0, "reasoning_summary_text.done", summary_index=0, text="Let me see.")),
    Step(_done(0), (ItemDone(_THINKS),)),
    Step(_added(1, content=[])),
    Step(_of(1, "content_part.added", content_index=0, part={**_WORDS, "text": ""})),
    Step(_words("Grüße "), (TextDelta("Grüße "),)),
    Step(_words("aus 東京 🗼"), (TextDelta("aus 東京 🗼"),)),
    Step(_of(1, "output_text.done", content_index=0, text=_WORDS["text"], logprobs=[])),
    Step(_of(1, "content_part.done", content_index=0, part=_WORDS)),
    Step(_done(1), (ItemDone(_SPEAKS),)),
    Step(_added(2, arguments=""), (ToolCallDelta("call_1", "get_weather", ""),)),
    Step(_arguments(2, '{"city":'), (ToolCallDelta("call_1", "get_weather", '{"city":'),)),
    Step(_arguments(2, ' "Paris"}'), (ToolCallDelta("call_1", "get_weather", ' "Paris"}'),)),
    Step(_of(2, "function_call_arguments.done", arguments='{"city": "Paris"}')),
    Step(_done(2), (ItemDone(_PARIS),)),
    Step(_added(3, arguments=""), (ToolCallDelta("call_2", "get_weather", "", 1),)),
    Step(_arguments(3, '{"city": "Oslo"}'), (ToolCallDelta("call_2", "get_weather", '{"city": "Oslo"}', 1),)),
    Step(_done(3), (ItemDone(_OSLO),)),
    Step(_named("completed", response=_ENDED)),
)
_STAGES = {
    "opened": Stage(1),
    "thinking": Stage(4, partial=(_thinks("Let me"),)),
    "speaking": Stage(10, (_THINKS,), (_said("Grüße ", "in_progress"),)),
    "calling": Stage(16, (_THINKS, _SPEAKS), (_called(1, {}, "in_progress", '{"city":'),)),
    "calling again": Stage(20, (_THINKS, _SPEAKS, _PARIS), (_called(2, {}, "in_progress", ""),)),
    "after the last delta": Stage(21, (_THINKS, _SPEAKS, _PARIS), (_called(2, {"city": "Oslo"}, "in_progress"),)),
    "finished": Stage(22, _WHOLE),
}
RESPONSES = Script(
    host=HOST,
    steps=_STEPS,
    stages=_STAGES,
    content=_WHOLE,
    raw_finish_reason="completed",
    usage=Usage(21, 17, reasoning_tokens=5),
    opening_usage=None,
    model="gpt-4.1-mini-2025-04-14",
    id="resp_s1",
    fault=_fault,
    passing=Told("server_error", "server"),
    refusing=Told("invalid_prompt", "invalid_request"),
)
