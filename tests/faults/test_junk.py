"""Events that are not what the format promises: passed over where they say nothing, told where they are broken."""

import json
from typing import Any

import pytest
from attrs import evolve

from tests.chat_hosts import ANTHROPIC, KEY, OPENAI
from tests.faults.scripts import (
    CHAT,
    COHERE,
    CONVERSE,
    GEMINI,
    GEMINI_ARRAY,
    INVOKE,
    MESSAGES,
    MISTRAL,
    OLLAMA,
    RESPONSES,
    SCRIPTS,
    Script,
    event,
    event_scripts,
)
from tests.faults.watch import Watch, assert_broken_off, both_ways, every_script, watched
from tests.faults.wires import ARRAY, named_frame
from tests.framing.aws_frames import frame
from triptych import Message
from triptych.events import ItemDone, ProviderEvent, TextDelta

JUNK = b": note\n\nrubbish\nid: 7\nretry: 10\nevent: nothing\n\ndata\n\n\r\n\ndata:\n\nfoo: bar\n\n<p>\n{}\n\n"


@event_scripts
@both_ways
def test_lines_that_are_no_data_are_passed_over(script: Script, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([b"".join([JUNK[:8], *(JUNK + piece for piece in script.sent())])]))
    assert (seen.response, seen.events, seen.kept) == (script.response(), script.yields(), 1)


@pytest.mark.parametrize("value", [5, "x", None, True, [1]], ids=repr)
@pytest.mark.parametrize("script", [CHAT, MESSAGES, GEMINI_ARRAY, INVOKE, OLLAMA], ids=lambda script: script.name)
@both_ways
def test_an_event_that_is_no_object_is_handed_on_as_it_is(script: Script, value: Any, watch: Watch) -> None:
    sent, place = script.sent(), script.stages["speaking"].steps
    seen = watched(watch, script.host, script.reply([*sent[:place], script.wire.frame(value), *sent[place:]]))
    strays = [stray for stray in seen.events if isinstance(stray, ProviderEvent)]
    assert strays == [ProviderEvent({"data": value})]
    seen.events.remove(strays[0])
    assert (seen.response, seen.events, seen.kept) == (script.response(), script.yields(), 1)


BROKEN: dict[str, bytes] = {
    "no JSON": b"rubbish",
    "half an object": b'{"choices": [',
    "no UTF-8": b'{"id": "\xff\xfe"}',
    "two objects": b"{} {}",
}
UNENDING = ("half an object", "two objects")  # in an array an element that is not closed is no element, and two are two
BROKEN_EVENTS = [
    pytest.param(script, script.wire.raw(data), id=f"{script.name}-{name}")
    for script in SCRIPTS
    for name, data in BROKEN.items()
    if script.wire is not ARRAY or name not in UNENDING
]
MISSHAPEN: dict[Script, list[object]] = {
    CHAT: [{"choices": 5}, {"choices": [5]}, {"choices": [{"index": 0, "delta": 5}]}],
    MESSAGES: [
        {"type": "content_block_delta", "index": 1, "delta": 5},
        {"type": "content_block_start", "index": 99},
        {"type": "message_delta", "delta": 5},
    ],
    RESPONSES: [
        {"type": "response.output_item.done", "output_index": 9},
        {"type": "response.completed", "response": 5},
        {"type": "response.output_item.added", "output_index": 9, "item": 5},
    ],
    GEMINI: [{"candidates": 5}, {"candidates": [5]}, {"candidates": [{"content": 5}]}],
    GEMINI_ARRAY: [{"candidates": 5}, {"candidates": [{"content": {"parts": [{"functionCall": 5}]}}]}],
    INVOKE: [{"type": "content_block_delta", "index": 1, "delta": 5}, {"type": "message_delta", "delta": 5}],
    MISTRAL: [{"choices": 5}, {"choices": [{"index": 0, "delta": 5}]}],
    OLLAMA: [{"message": 5, "done": False}, {"message": {"tool_calls": 5}, "done": False}],
    COHERE: [
        {"type": "content-delta", "index": 1, "delta": 5},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": 5}}},
    ],
}
NAMED: list[dict[str, Any]] = [
    {"contentBlockDelta": 5},
    {"contentBlockStop": {}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": 5}},
    {"messageStop": 5},
]
MISSHAPEN_EVENTS = [
    *((script, value, script.wire.frame(value)) for script, values in MISSHAPEN.items() for value in values),
    *((CONVERSE, value, named_frame(value)) for value in NAMED),
]


@pytest.mark.parametrize(("script", "broken"), BROKEN_EVENTS)
@pytest.mark.parametrize("stage", ["opened", "speaking", "calling"])
@both_ways
def test_an_event_that_cannot_be_read_ends_the_stream(script: Script, stage: str, broken: bytes, watch: Watch) -> None:
    pieces = [*script.sent(stage), broken, *script.sent()[script.stages[stage].steps :]]
    seen = watched(watch, script.host, script.reply(pieces), retries=2)
    assert seen.told == ("malformed_response", None, "bad_event", False, 1)
    assert seen.requests == 1
    assert_broken_off(seen, script, stage)


@both_ways
@pytest.mark.parametrize(("script", "value", "sent"), MISSHAPEN_EVENTS)
def test_an_event_of_another_shape_ends_the_stream(script: Script, value: object, sent: bytes, watch: Watch) -> None:
    pieces = [*script.sent("speaking"), sent, *script.sent()]
    seen = watched(watch, script.host, script.reply(pieces))
    assert seen.told == ("malformed_response", None, "bad_event", False, 1)
    assert json.loads(seen.error.body or "") == value
    assert_broken_off(seen, script, "speaking")


@pytest.mark.parametrize("pad", [40, 70, 470, 495])
@every_script
def test_no_part_of_a_key_is_left_where_a_broken_event_is_shortened(script: Script, pad: int, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([script.wire.opening + script.wire.raw(b"-" * pad + KEY.encode())]))
    assert seen.error.code == "bad_event"
    assert "planted" not in repr((seen.error, seen.error.message, seen.error.body, seen.error.cause))


@pytest.mark.parametrize("script", [CHAT, MESSAGES, GEMINI_ARRAY, OLLAMA], ids=lambda script: script.name)
@both_ways
def test_an_event_of_ten_megabytes_is_read(script: Script, watch: Watch) -> None:
    words = "wörter 字 " * 1_000_000
    old, new = json.dumps("Grüße ", ensure_ascii=False).encode(), json.dumps(words, ensure_ascii=False).encode()
    body = b"".join(script.sent()).replace(old, new)
    pieces = [body[start : start + 65_521] for start in range(0, len(body), 65_521)]
    assert len(body) > 10_000_000
    seen = watched(watch, script.host, script.reply(pieces))
    whole = script.response()
    whole.content[1] = Message("assistant", words + "aus 東京 🗼")
    assert seen.response == whole
    assert TextDelta(words) in seen.events
    assert seen.kept == 1


@both_ways
@pytest.mark.parametrize("apart", [False, True], ids=["at once", "apart"])
def test_an_end_marker_after_the_last_message_event_is_passed_over(apart: bool, watch: Watch) -> None:
    pieces = [*MESSAGES.sent(), b"data: [DONE]\n\n"]
    seen = watched(watch, ANTHROPIC, MESSAGES.reply(pieces if apart else [b"".join(pieces)]))
    assert (seen.response, seen.events, seen.kept) == (MESSAGES.response(), MESSAGES.yields(), 1)


@both_ways
def test_what_follows_the_end_marker_is_not_read(watch: Watch) -> None:
    late = event({"choices": [{"index": 0, "delta": {"content": "late"}}]})
    seen = watched(watch, OPENAI, CHAT.reply([b"".join([*CHAT.sent(), late])]))
    assert (seen.response, seen.events) == (CHAT.response(), CHAT.yields())


@both_ways
def test_an_end_marker_without_a_finish_reason_ends_an_answer(watch: Watch) -> None:
    seen = watched(watch, OPENAI, CHAT.reply([*CHAT.sent("after the last delta"), CHAT.sent()[-1]]))
    whole = evolve(CHAT.response(), usage=None, usage_metadata={}, finish_reason="unknown", raw_finish_reason=None)
    assert seen.response == whole
    assert [done for done in seen.events if isinstance(done, ItemDone)] == list(map(ItemDone, CHAT.content))
    assert seen.kept == 1


def payload_frame(payload: bytes) -> bytes:
    """Return a frame of InvokeModel with this payload."""
    return frame({":message-type": "event", ":event-type": "chunk"}, payload)


UNREADABLE = {"no JSON": b"rubbish", "no base64": b'{"bytes": "rubbish!"}'}


@both_ways
@pytest.mark.parametrize("payload", UNREADABLE.values(), ids=UNREADABLE)
def test_a_whole_frame_with_unreadable_data_leaves_what_came_before_it(payload: bytes, watch: Watch) -> None:
    pieces = [b"".join([*INVOKE.sent("speaking"), payload_frame(payload)])]
    seen = watched(watch, INVOKE.host, INVOKE.reply(pieces))
    assert seen.told == ("malformed_response", None, "bad_event", False, 1)
    assert_broken_off(seen, INVOKE, "speaking")


@both_ways
@pytest.mark.parametrize("payload", [b"", b'{"bytes": ""}'], ids=["nothing", "no bytes"])
def test_a_frame_that_holds_nothing_is_passed_over(payload: bytes, watch: Watch) -> None:
    sent, place = INVOKE.sent(), INVOKE.stages["speaking"].steps
    seen = watched(watch, INVOKE.host, INVOKE.reply([*sent[:place], payload_frame(payload), *sent[place:]]))
    assert [event for event in seen.events if event != ProviderEvent({})] == INVOKE.yields()
    assert seen.response == INVOKE.response()


@both_ways
@pytest.mark.parametrize("script", [CONVERSE, INVOKE], ids=lambda script: script.name)
def test_a_frame_with_a_wrong_checksum_is_a_cut(script: Script, watch: Watch) -> None:
    broken = script.sent()[script.stages["speaking"].steps]
    pieces = [b"".join([*script.sent("speaking"), broken[:-1] + bytes([broken[-1] ^ 1]), *script.sent()])]
    seen = watched(watch, script.host, script.reply(pieces))
    assert seen.told == ("stream_interrupted", None, "bad_framing", True, 1)
    assert_broken_off(seen, script, "speaking", kept=1)


@both_ways
@pytest.mark.parametrize("end", [b"]trailing", b"]<p>", b"]{}"], ids=["words", "a page", "an object"])
def test_what_follows_an_array_does_not_undo_a_whole_answer(end: bytes, watch: Watch) -> None:
    seen = watched(watch, GEMINI_ARRAY.host, GEMINI_ARRAY.reply([*GEMINI_ARRAY.sent()[:-1], end]))
    assert (seen.response, seen.events) == (GEMINI_ARRAY.response(), GEMINI_ARRAY.yields())


@both_ways
@pytest.mark.parametrize("script", [CONVERSE, INVOKE, OLLAMA, COHERE, RESPONSES], ids=lambda script: script.name)
def test_what_follows_the_last_event_is_not_read(script: Script, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([b"".join([*script.sent(), script.wire.begun, b"trailing"])]))
    assert (seen.response, seen.events) == (script.response(), script.yields())
