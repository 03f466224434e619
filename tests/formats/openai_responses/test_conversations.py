"""What the Responses format keeps, whatever it is given; see `tests.formats.test_conversations` for more."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats import strategies
from tests.formats.openai_responses.recorded import CALLS, RESPONSES
from triptych import formats, jsontext
from triptych.content import ContentItem, Message, Opaque, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.request import LlmRequest

WIRE = formats.load(RESPONSES, strategies.PROVIDER)
RESULTS = tuple(f"{kind}_output" for kind in CALLS)
quick = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def input_of(contents: list[ContentItem]) -> list[Any]:
    """Return the wire items of a conversation; none where it was refused for having none."""
    try:
        return list(WIRE.build_request(Call(LlmRequest(contents=contents), "m")).body["input"])
    except LlmError as refused:
        if refused.kind == "invalid_request":
            return []
        raise


@quick
@given(strategies.torn_conversations(RESPONSES))
def test_every_call_and_every_result_goes_out_in_its_order(contents: list[ContentItem]) -> None:
    """B143."""
    sent = input_of(contents)
    calls = [item.name for item in contents if isinstance(item, ToolCall)]
    assert [item["name"] for item in sent if item.get("type") in CALLS] == calls
    results = [item.text for item in contents if isinstance(item, ToolResult)]
    assert len([item for item in sent if item.get("type") in RESULTS]) == len(results)
    own = [item.data for item in contents if isinstance(item, Opaque) and item.issuer == WIRE.issuer]
    assert [item for item in sent if item in own] == own


@quick
@given(strategies.conversations(RESPONSES))
def test_every_result_has_its_call_before_it_under_one_id(contents: list[ContentItem]) -> None:
    open_ids: list[str] = []
    for item in input_of(contents):
        if item.get("type") in CALLS:
            assert 0 < len(item["call_id"]) <= 64
            open_ids.append(item["call_id"])
        elif item.get("type") in RESULTS:
            open_ids.remove(item["call_id"])
    assert open_ids == []


@quick
@given(strategies.torn_conversations(RESPONSES))
def test_no_more_messages_go_out_than_were_said(contents: list[ContentItem]) -> None:
    """B144."""
    said = [item for item in contents if not isinstance(item, ToolCall | ToolResult | Reasoning)]
    assert len([item for item in input_of(contents) if "role" in item]) <= len(said)


@quick
@given(st.data())
def test_reading_back_gives_the_same_words_calls_and_results(data: st.DataObject) -> None:
    contents = data.draw(strategies.torn_conversations(RESPONSES))
    sent = input_of(contents)
    read = WIRE.read_request({"model": "m", "input": sent}).request.contents
    assert input_of(read) == sent
    given = [(item.name, item.arguments) for item in contents if isinstance(item, ToolCall)]
    calls = [(name, jsontext.decode(jsontext.encode(arguments))) for name, arguments in given]
    assert [(item.name, item.arguments) for item in read if isinstance(item, ToolCall)] == calls
    assistant = "".join(
        item.refusal if isinstance(item, Refusal) else item.text
        for item in contents
        if isinstance(item, Refusal) or (isinstance(item, Message) and item.role == "assistant")
    )
    assert set(assistant) <= set("".join(item.text for item in read if isinstance(item, Message)))
