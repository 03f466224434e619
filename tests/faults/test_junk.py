"""Events that are not what the format promises: passed over where they say nothing, told where they are broken."""

import json
from typing import Any

import pytest
from attrs import evolve

from tests.chat_hosts import ANTHROPIC, KEY, OPENAI
from tests.faults.scripts import CHAT, MESSAGES, Script, both_scripts, event
from tests.faults.watch import Watch, assert_broken_off, both_ways, watched
from triptych import Message
from triptych.events import ItemDone, ProviderEvent, TextDelta

JUNK = b": note\n\nrubbish\nid: 7\nretry: 10\nevent: nothing\n\ndata\n\n\r\n\ndata:\n\nfoo: bar\n\n<p>\n{}\n\n"


@both_ways
@both_scripts
def test_lines_that_are_no_data_are_passed_over(script: Script, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([b"".join([JUNK[:8], *(JUNK + piece for piece in script.sent())])]))
    assert (seen.response, seen.events, seen.kept) == (script.response(), script.yields(), 1)


@both_ways
@pytest.mark.parametrize("value", [5, "x", None, True, [1]], ids=repr)
@both_scripts
def test_an_event_that_is_no_object_is_handed_on_as_it_is(script: Script, value: Any, watch: Watch) -> None:
    sent, place = script.sent(), script.stages["speaking"].steps
    seen = watched(watch, script.host, script.reply([*sent[:place], event(value), *sent[place:]]))
    strays = [stray for stray in seen.events if isinstance(stray, ProviderEvent)]
    assert strays == [ProviderEvent({"data": value})]
    seen.events.remove(strays[0])
    assert (seen.response, seen.events, seen.kept) == (script.response(), script.yields(), 1)


BROKEN: dict[str, bytes] = {
    "no JSON": b"data: rubbish\n\n",
    "half an object": b'data: {"choices": [\n\n',
    "no UTF-8": b'data: {"id": "\xff\xfe"}\n\n',
    "two objects": b"data: {}\ndata: {}\n\n",
}
MISSHAPEN: dict[Script, list[object]] = {
    CHAT: [{"choices": 5}, {"choices": [5]}, {"choices": [{"index": 0, "delta": 5}]}],
    MESSAGES: [
        {"type": "content_block_delta", "index": 1, "delta": 5},
        {"type": "content_block_start", "index": 99},
        {"type": "message_delta", "delta": 5},
    ],
}


@both_ways
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("stage", ["opened", "speaking", "calling"])
@both_scripts
def test_an_event_that_cannot_be_read_ends_the_stream(script: Script, stage: str, broken: bytes, watch: Watch) -> None:
    pieces = [*script.sent(stage), broken, *script.sent()[script.stages[stage].steps :]]
    seen = watched(watch, script.host, script.reply(pieces), retries=2)
    assert seen.told == ("malformed_response", None, "bad_event", False, 1)
    assert seen.requests == 1
    assert_broken_off(seen, script, stage)


@both_ways
@pytest.mark.parametrize(
    ("script", "value"), [(script, value) for script, values in MISSHAPEN.items() for value in values]
)
def test_an_event_of_another_shape_ends_the_stream(script: Script, value: object, watch: Watch) -> None:
    pieces = [*script.sent("speaking"), event(value), *script.sent()]
    seen = watched(watch, script.host, script.reply(pieces))
    assert seen.told == ("malformed_response", None, "bad_event", False, 1)
    assert seen.error.body == json.dumps(value)
    assert_broken_off(seen, script, "speaking")


@both_ways
@pytest.mark.parametrize("pad", [40, 70, 470, 495])
@both_scripts
def test_no_part_of_a_key_is_left_where_a_broken_event_is_shortened(script: Script, pad: int, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([b"data: %b%b\n\n" % (b"-" * pad, KEY.encode())]))
    assert seen.error.code == "bad_event"
    assert "planted" not in repr((seen.error, seen.error.message, seen.error.body, seen.error.cause))


@both_ways
@both_scripts
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
