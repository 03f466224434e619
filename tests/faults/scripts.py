"""One answer of each format as a stream: its wire events, what each of them yields, and what it has come to by then.

The answer thinks, speaks, calls two tools and counts its tokens. `STAGES` are the places at which it is broken off.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from attrs import frozen

from tests.chat_hosts import ANTHROPIC, OPENAI, ChatHost
from tests.servers.script import Reply
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.content import ContentItem
from triptych.events import ItemDone, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.parts import Issuer
from triptych.response import LlmResponse

EVENT_STREAM = {"Content-Type": "text/event-stream"}


@frozen
class Step:
    """One event on the wire.

    Args:
        sent: Its bytes, with the blank line that ends it.
        yields: The events that it makes of itself alone.
    """

    sent: bytes
    yields: tuple[StreamEvent, ...] = ()


@frozen
class Stage:
    """A place in the middle of the stream.

    Args:
        steps: How many events were sent until here.
        content: The items that are whole here.
        partial: What was unfinished.
    """

    steps: int
    content: tuple[ContentItem, ...] = ()
    partial: tuple[ContentItem, ...] = ()


@frozen(eq=False)
class Script:
    """The answer of one format.

    Args:
        host: Who speaks the format.
        steps: Its events in order.
        stages: The places to break off at, by name.
        content: What the answer says.
        end: The event that says that nothing follows.
        raw_finish_reason: Why the model stopped, in the format's own word.
        usage: What it cost.
        opening_usage: What is known of that from the first event on.
        model: The model that the host names.
        id: The answer's id.
    """

    host: ChatHost
    steps: tuple[Step, ...]
    stages: Mapping[str, Stage]
    content: tuple[ContentItem, ...]
    raw_finish_reason: str
    usage: Usage
    opening_usage: Usage | None
    model: str
    id: str

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self.host.model.partition("/")[0]

    def sent(self, stage: str | None = None) -> list[bytes]:
        """Return the bytes of each event until a stage; until the end without one."""
        return [step.sent for step in self._until(stage)]

    def yields(self, stage: str | None = None) -> list[StreamEvent]:
        """Return the events that a client yields for what was sent until a stage; at the end items that are whole."""
        events = [event for step in self._until(stage) for event in step.yields]
        told = sum(isinstance(event, ItemDone) for event in events)
        content = self.content if stage is None else self.stages[stage].content
        return [*events, *map(ItemDone, content[told:])]

    def reply(self, pieces: Iterable[bytes] | None = None, **options: Any) -> Reply:
        """Return a reply of status 200 that sends these pieces, by default all, one by one."""
        return Reply(headers=EVENT_STREAM, body=self.sent() if pieces is None else pieces, **options)

    def response(self) -> LlmResponse:
        """Return what the whole answer comes to."""
        return LlmResponse(
            content=list(self.content),
            usage=self.usage,
            finish_reason="tool_calls",
            raw_finish_reason=self.raw_finish_reason,
            model=self.model,
            id=self.id,
            provider=self.provider,
        )

    def _until(self, stage: str | None) -> tuple[Step, ...]:
        return self.steps if stage is None else self.steps[: self.stages[stage].steps]


def event(data: object, name: str | None = None) -> bytes:
    """Return the bytes of one event whose data is this value as JSON."""
    head = "" if name is None else f"event: {name}\n"
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


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


def _chat() -> Script:
    issuer = Issuer("openai_chat", "openai")

    def thought(text: str) -> Reasoning:
        return Reasoning(text, provider_data={"reasoning_content": text}, issuer=issuer)

    thinks, speaks = thought("Let me see."), Message("assistant", "Grüße aus 東京 🗼")
    paris = ToolCall("call_1", "get_weather", {"city": "Paris"})
    oslo = ToolCall("call_2", "get_weather", {"city": "Oslo"})
    counts = {
        "prompt_tokens": 21,
        "completion_tokens": 17,
        "total_tokens": 38,
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    whole = (thinks, speaks, paris, oslo)
    steps = (
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
        Step(_chunk(None, usage=counts)),
        Step(b"data: [DONE]\n\n"),
    )
    stages = {
        "opened": Stage(1),
        "thinking": Stage(2, partial=(thought("Let me"),)),
        "speaking": Stage(4, (thinks,), (Message("assistant", "Grüße "),)),
        "calling": Stage(7, (thinks, speaks), (ToolCall("call_1", "get_weather", raw_arguments='{"city":'),)),
        "calling again": Stage(9, (thinks, speaks, paris), (ToolCall("call_2", "get_weather"),)),
        "after the last delta": Stage(10, (thinks, speaks, paris), (oslo,)),
        "finished": Stage(11, whole),
        "counted": Stage(12, whole),
    }
    return Script(
        host=OPENAI,
        steps=steps,
        stages=stages,
        content=whole,
        raw_finish_reason="tool_calls",
        usage=Usage(21, 17, reasoning_tokens=5),
        opening_usage=None,
        model="gpt-4.1-mini-2025-04-14",
        id="chatcmpl-s1",
    )


def _named(type_: str, **fields: Any) -> bytes:
    return event({"type": type_, **fields}, type_)


def _delta(index: int, type_: str, **fields: Any) -> bytes:
    return _named("content_block_delta", index=index, delta={"type": type_, **fields})


def _messages() -> Script:
    issuer = Issuer("anthropic_messages", "anthropic")
    thinks = Reasoning("Let me see.", signature="c2VhbA==", issuer=issuer)
    speaks = Message("assistant", "Grüße aus 東京 🗼")
    paris = ToolCall("toolu_1", "get_weather", {"city": "Paris"})
    oslo = ToolCall("toolu_2", "get_weather", {"city": "Oslo"})
    whole = (thinks, speaks, paris, oslo)
    opening: dict[str, Any] = {
        "id": "msg_s1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 21, "output_tokens": 1},
    }
    ending = {"stop_reason": "tool_use", "stop_sequence": None}

    def tool(id_: str) -> dict[str, Any]:
        return {"type": "tool_use", "id": id_, "name": "get_weather", "input": {}}

    def start(index: int, block: Mapping[str, Any]) -> bytes:
        return _named("content_block_start", index=index, content_block=block)

    def stop(index: int) -> bytes:
        return _named("content_block_stop", index=index)

    steps = (
        Step(_named("message_start", message=opening)),
        Step(_named("ping")),
        Step(start(0, {"type": "thinking", "thinking": "", "signature": ""})),
        Step(_delta(0, "thinking_delta", thinking="Let me"), (ReasoningDelta("Let me"),)),
        Step(_delta(0, "thinking_delta", thinking=" see."), (ReasoningDelta(" see."),)),
        Step(_delta(0, "signature_delta", signature="c2VhbA==")),
        Step(stop(0), (ItemDone(thinks),)),
        Step(start(1, {"type": "text", "text": ""})),
        Step(_delta(1, "text_delta", text="Grüße "), (TextDelta("Grüße "),)),
        Step(_delta(1, "text_delta", text="aus 東京 🗼"), (TextDelta("aus 東京 🗼"),)),
        Step(stop(1)),
        Step(start(2, tool("toolu_1")), (ToolCallDelta("toolu_1", "get_weather", ""),)),
        Step(
            _delta(2, "input_json_delta", partial_json='{"city":'),
            (ToolCallDelta("toolu_1", "get_weather", '{"city":'),),
        ),
        Step(
            _delta(2, "input_json_delta", partial_json=' "Paris"}'),
            (ToolCallDelta("toolu_1", "get_weather", ' "Paris"}'),),
        ),
        Step(stop(2), (ItemDone(speaks), ItemDone(paris))),
        Step(start(3, tool("toolu_2")), (ToolCallDelta("toolu_2", "get_weather", "", 1),)),
        Step(
            _delta(3, "input_json_delta", partial_json='{"city": "Oslo"}'),
            (ToolCallDelta("toolu_2", "get_weather", '{"city": "Oslo"}', 1),),
        ),
        Step(stop(3), (ItemDone(oslo),)),
        Step(_named("message_delta", delta=ending, usage={"output_tokens": 17})),
        Step(_named("message_stop")),
    )
    stages = {
        "opened": Stage(2),
        "thinking": Stage(4, partial=(Reasoning("Let me", signature="", issuer=issuer),)),
        "speaking": Stage(9, (thinks,), (Message("assistant", "Grüße "),)),
        "calling": Stage(13, (thinks, speaks), (ToolCall("toolu_1", "get_weather", raw_arguments='{"city":'),)),
        "calling again": Stage(16, (thinks, speaks, paris), (ToolCall("toolu_2", "get_weather"),)),
        "after the last delta": Stage(17, (thinks, speaks, paris), (oslo,)),
        "finished": Stage(19, whole),
        "counted": Stage(19, whole),
    }
    return Script(
        host=ANTHROPIC,
        steps=steps,
        stages=stages,
        content=whole,
        raw_finish_reason="tool_use",
        usage=Usage(21, 17),
        opening_usage=Usage(21, 1),
        model="claude-sonnet-4-5-20250929",
        id="msg_s1",
    )


CHAT, MESSAGES = _chat(), _messages()
both_scripts = pytest.mark.parametrize("script", [CHAT, MESSAGES], ids=lambda script: script.host.name)
