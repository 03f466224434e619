"""What this version does not know is kept, and written again as it was."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from attrs import evolve

from triptych import formats
from triptych.content import Message
from triptych.parts import Issuer, Opaque, Text
from triptych.persist import CONTENT_TYPES, dumps, loads, unknown_fields
from triptych.persist.registry import check_complete
from triptych.request import LlmRequest
from triptych.tools import ProviderTool

KEPT = {
    "a field of an item": {"content_type": "refusal", "refusal": "no", "mood": {"a": [1, None]}},
    "a field between known ones": {"content_type": "message", "later": 1, "role": "user", "new": None, "content": "a"},
    "a field of a part": {
        "content_type": "message",
        "role": "user",
        "content": [{"content_type": "text", "text": "a", "z": 1}],
    },
    "a field of an issuer": {
        "content_type": "text",
        "text": "a",
        "provider_data": {"own": 1},
        "issuer": {"format": "openai_chat", "region": "x"},
    },
    "an item": {"content_type": "hologram", "beams": [1, 2], "content": "a"},
    "a part": {"content_type": "message", "role": "user", "content": [{"content_type": "smell", "rose": True}]},
    "a part of a tool's result": {
        "content_type": "tool_result",
        "tool_call_id": "a",
        "content": [{"content_type": "smell"}],
    },
    "a value in a payload": {"content_type": "tool_result", "tool_call_id": "a", "payload": {"content_type": "smell"}},
    "a tool": {"content_type": "llm_request", "tools": [{"content_type": "robot", "arms": 2}]},
    "a field of a request": {"content_type": "llm_request", "instructions": ["a"], "weather": "fine"},
    "fields of a response": {
        "content_type": "llm_response",
        "usage": {"input_tokens": 1, "dreamt_tokens": 2},
        "usage_metadata": {"input_tokens": 1, "output_tokens": 0},
        "price": 0.5,
    },
    "a field of an error": {"content_type": "llm_error", "message": "a", "retryable": False, "shard": 3},
    "a field of settings": {"content_type": "settings", "temperature": 0.5, "mood": "calm"},
    "a field of an event": {"content_type": "text_delta", "text": "a", "pitch": 440},
    "what is code here": {"content_type": "tool", "name": "f", "call": "os.remove"},
}


@pytest.mark.parametrize("plain", KEPT.values(), ids=KEPT)
def test_what_is_not_known_is_written_as_it_was(plain: dict[str, Any]) -> None:
    text = json.dumps(plain, separators=(",", ":"))
    assert dumps(loads(text)) == text
    assert dumps(loads(dumps([loads(text)]))) == f"[{text}]"


def test_unknown_fields_can_be_seen_beside_their_value() -> None:
    item = loads('{"content_type":"refusal","refusal":"no","mood":"sad"}')
    assert dict(unknown_fields(item)) == {"mood": "sad"}
    assert dict(unknown_fields(Message("user", "a"))) == {}


def test_unknown_fields_belong_to_the_value_that_was_read_and_to_no_copy() -> None:
    item = loads('{"content_type":"text","text":"a","mood":"sad"}')
    assert dumps(evolve(item, text="b")) == '{"content_type":"text","text":"b"}'
    del item
    gc.collect()
    assert [dumps(Text("a")) for _ in range(50)] == ['{"content_type":"text","text":"a"}'] * 50


def test_an_unknown_item_is_opaque_and_sent_nowhere() -> None:
    item = loads('{"content_type":"hologram","role":"user"}')
    assert item == Opaque({"content_type": "hologram", "role": "user"}, issuer=Issuer("unknown"))
    for name in formats.names():
        call = formats.Call(LlmRequest(contents=[Message("user", "hello"), item]), "m")
        built = formats.load(name).build_request(call)
        assert "hologram" not in json.dumps(built.body)


def test_an_unknown_tool_is_a_providers_of_no_api() -> None:
    [tool] = loads('{"content_type":"llm_request","tools":[{"content_type":"robot"}]}').tools
    assert tool == ProviderTool({"content_type": "robot"}, Issuer("unknown"))


def test_a_class_without_an_entry_is_refused() -> None:
    class Hologram:
        """A class that the table does not have."""

    check_complete(CONTENT_TYPES.values())
    with pytest.raises(TypeError, match="expected an entry for every class, none for Hologram"):
        check_complete([Message, Hologram])
    with pytest.raises(TypeError, match=r"expected one of Message, ToolCall, .*, got <.*Hologram"):
        dumps(Hologram())
