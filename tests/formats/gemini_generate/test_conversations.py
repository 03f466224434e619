"""What Gemini's format keeps, whatever conversation it is given; see `tests.formats.test_conversations` for more."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats import strategies
from tests.formats.gemini_generate.recorded import GEMINI
from triptych import formats
from triptych.content import ContentItem, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.request import LlmRequest

WIRE = formats.load(GEMINI, strategies.PROVIDER)
quick = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def contents_of(items: list[ContentItem], model: str | None = "gemini-3-pro") -> list[Any]:
    """Return the turns of a conversation; none where it was refused for having none."""
    try:
        return list(WIRE.build_request(Call(LlmRequest(contents=items), model)).body["contents"])
    except LlmError as refused:
        if refused.kind == "invalid_request":
            return []
        raise


def parts_of(turn: Any, kind: str) -> list[Any]:
    return [part[kind] for part in turn["parts"] if kind in part]


def pairs_of(turns: list[Any]) -> list[tuple[Any, Any]]:
    """Return the arguments and the result of each call, paired as the API does: by place, in the turn after it."""
    pairs = []
    for turn, following in zip([{"parts": []}, *turns], [*turns, {"parts": []}], strict=True):
        calls, answers = parts_of(turn, "functionCall"), parts_of(following, "functionResponse")
        assert [call["name"] for call in calls] == [answer["name"] for answer in answers]
        assert not answers or len(answers) == len(following["parts"])
        pairs += [(call["args"], answer["response"]) for call, answer in zip(calls, answers, strict=True)]
    return pairs


@quick
@given(st.data())
def test_every_result_is_paired_with_its_own_call(data: st.DataObject) -> None:
    """B016, B017: in a turn that holds nothing else, in the order of the calls."""
    tags = iter(range(99))
    calls: dict[str, int] = {}
    tagged: list[ContentItem] = []
    expected = []
    for item in data.draw(strategies.conversations(GEMINI)):
        if isinstance(item, ToolCall):
            calls[item.tool_call_id] = next(tags)
            tagged.append(ToolCall(item.tool_call_id, item.name, {"tag": calls[item.tool_call_id]}))
        elif isinstance(item, ToolResult):
            tag = calls[item.tool_call_id]
            tagged.append(ToolResult(item.tool_call_id, item.name, content=[tag]))
            expected.append(({"tag": tag}, {"output": tag}))
        else:
            tagged.append(item)
    assert sorted(pairs_of(contents_of(tagged)), key=str) == sorted(expected, key=str)


@quick
@given(strategies.calls_of(GEMINI, strategies.torn_conversations(GEMINI)))
def test_every_call_is_answered_once_and_no_result_stands_alone(call: Call) -> None:
    """B002, B003, B015: arguments are an object, whatever text the model wrote."""
    for model in ("gemini-2.5-flash", None):
        for arguments, response in pairs_of(contents_of(list(call.request.contents), model)):
            assert isinstance(arguments, dict)
            assert isinstance(response, dict)


@quick
@given(strategies.calls_of(GEMINI, strategies.torn_conversations(GEMINI)))
def test_no_turn_is_empty_and_no_part_says_nothing(call: Call) -> None:
    for turn in contents_of(list(call.request.contents)):
        assert turn["parts"]
        assert {"text": ""} not in turn["parts"]


@quick
@given(strategies.calls_of(GEMINI, strategies.conversations(GEMINI)))
def test_a_body_that_was_read_pairs_the_same_results(call: Call) -> None:
    turns = contents_of(list(call.request.contents), None)
    read = WIRE.read_request({"contents": turns}).request.contents
    results = {item.tool_call_id for item in read if isinstance(item, ToolResult)}
    assert results == {item.tool_call_id for item in read if isinstance(item, ToolCall)}
    assert pairs_of(contents_of(list(read), None)) == pairs_of(turns)
