"""Chunks as hosts of OpenAI Chat Completions send them: every odd form is put together as what it means."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.formats.bodies import OPENAI, issuer, messages, openai_answer, parsed
from tests.formats.openai_chat.chunks import chunk, piece, stream
from tests.formats.streams import CUT, DONE, played
from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta
from triptych.parts import Text
from triptych.provider import Quirks
from triptych.usage import Usage

NOVEL = {"object": "novel", "data": [1]}


def test_words_thoughts_and_refusals_are_told_as_they_come() -> None:
    told = stream(
        {"role": "assistant", "content": ""}, {"reasoning": "so"}, {"content": "a"}, {"content": "b"}, {"refusal": "no"}
    )
    whole: list[ContentItem] = [
        Reasoning("so", provider_data={"reasoning": "so"}, issuer=issuer(OPENAI)),
        Message("assistant", "ab"),
        Refusal("no"),
    ]
    assert told.response.content == whole
    assert told.events == (
        ReasoningDelta("so"),
        TextDelta("a"),
        TextDelta("b"),
        RefusalDelta("no"),
        *map(ItemDone, whole),
    )


def test_the_pieces_of_a_call_are_told_with_its_id_and_name() -> None:
    told = stream(
        {"tool_calls": [piece("", index=0, id="c", name="f")]},
        {"tool_calls": [piece('{"a":', index=0)]},
        {"tool_calls": [piece("1}", index=0)]},
        finish="tool_calls",
    )
    assert told.events == (
        ToolCallDelta("c", "f", ""),
        ToolCallDelta("c", "f", '{"a":'),
        ToolCallDelta("c", "f", "1}"),
        ItemDone(ToolCall("c", "f", {"a": 1})),
    )


def test_thinking_in_a_list_and_words_in_a_text_may_take_turns() -> None:
    """B093: Mistral thinks in lists of blocks and speaks in texts."""
    think: list[Any] = [{"type": "thinking", "thinking": [{"type": "text", "text": word}]} for word in ("Ok", "ay")]
    told = stream({"content": [think[0]]}, {"content": [think[1]]}, {"content": "Hi"}, {"content": " you"})
    assert told.events[:4] == (ReasoningDelta("Ok"), ReasoningDelta("ay"), TextDelta("Hi"), TextDelta(" you"))
    assert (told.response.reasoning, told.response.text) == ("Okay", "Hi you")


def test_words_before_a_list_of_blocks_stay_before_them() -> None:
    """B093."""
    told = stream({"content": "a"}, {"content": [{"type": "text", "text": "b"}]}, {"content": "c"})
    assert told.response.content == [Message("assistant", [Text("abc")])]


def test_a_thought_that_is_said_in_two_fields_is_told_once() -> None:
    both = {"reasoning": "so", "reasoning_details": [{"type": "reasoning.text", "text": "so", "index": 0}]}
    told = stream(both, both, {"content": "a"})
    assert told.words(ReasoningDelta) == told.response.reasoning == "soso"
    sent = messages(OPENAI, [Message("user", "hi"), *told.response.content])[1]
    assert sent["reasoning_details"] == [{"type": "reasoning.text", "text": "soso", "index": 0}]


@pytest.mark.parametrize(("field", "thought"), [("musings", "soso"), ("reasoning", "")])
def test_a_thought_is_what_the_host_says_in_its_own_field(field: str, thought: str) -> None:
    quirks = Quirks(reasoning_fields=("musings",))
    told = played(OPENAI, [*[chunk({field: "so"})] * 2, chunk({"content": "a"}, "stop"), DONE], quirks=quirks)
    assert told.response == parsed(OPENAI, openai_answer({field: "soso", "content": "a"}), quirks=quirks)
    assert told.words(ReasoningDelta) == told.response.reasoning == thought


def test_pictures_side_by_side_stay_two() -> None:
    """Only words are one block in several pieces."""
    block = {"type": "image_url", "image_url": {"url": "x:"}}
    answer = openai_answer({"content": [block, block]})
    assert stream({"content": [block]}, {"content": [block]}).response == parsed(OPENAI, answer)


USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@pytest.mark.parametrize(
    "tail",
    [
        [chunk({}, "stop"), {"id": "r1", "choices": [], "usage": USAGE}],
        [chunk({}, "stop", usage=USAGE)],
        [chunk({}, None, usage={"prompt_tokens": 10, "total_tokens": None}), chunk({}, "stop", usage=USAGE)],
        [chunk({}, "stop", usage=USAGE), chunk({}, None, usage=None)],
        [chunk({}, "stop", x_groq={"id": "q", "usage": USAGE})],
        [{"id": "r1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": USAGE}]}],
    ],
    ids=["without choices", "last chunk", "growing", "null after", "groq", "in the choice"],
)
def test_usage_is_read_wherever_it_comes(tail: list[Any]) -> None:
    """B102."""
    told = played(OPENAI, [chunk({"content": "a"}), *tail, DONE])
    assert told.response == parsed(OPENAI, openai_answer({"content": "a"}, usage=USAGE))
    assert told.response.usage == Usage(10, 5)
    assert [event for event in told.events if isinstance(event, ProviderEvent)] == []


@pytest.mark.parametrize("odd", ["x", 5, [], [1], {"a": 1}, True])
def test_odd_fields_of_a_chunk_never_cost_the_text(odd: Any) -> None:
    """B099."""
    rest = {"created": odd, "usage": odd, "provider": odd, "service_tier": odd}
    later = chunk({"content": "b"}, "stop", usage=USAGE, provider={"b": 2})
    response = played(OPENAI, [chunk({"content": "a"}, **rest), later, DONE]).response
    assert (response.error, response.text, response.usage) == (None, "ab", Usage(10, 5))


def test_id_and_model_are_the_first_that_say_something() -> None:
    """B103: Azure's first chunk has the filter's data and nothing else."""
    first = {"id": "", "model": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}
    response = played(OPENAI, [first, chunk({"content": "a"}), chunk({}, "stop", id="other"), DONE]).response
    assert (response.error, response.id, response.model, response.text) == (None, "r1", "m", "a")


@pytest.mark.parametrize("odd", [{}, {"delta": None}, {"delta": {}}])
def test_a_choice_without_a_delta_says_nothing(odd: Any) -> None:
    """B104: Azure's filter notes come in such chunks."""
    note = {
        "choices": [{"index": 0, "finish_reason": None, "content_filter_offsets": {"check_offset": 44}, **odd}],
        "usage": None,
    }
    told = played(OPENAI, [chunk({"content": "a"}), note, chunk({"content": "b"}), chunk({}, "stop"), DONE])
    assert told.response == parsed(OPENAI, openai_answer({"content": "ab"}))


def test_a_message_beside_the_deltas_is_not_said_again() -> None:
    """Perplexity repeats the whole message in each chunk, others in the last one."""
    last = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "pong"}, "finish_reason": "stop"}]}
    told = played(OPENAI, [chunk({"content": "po"}), chunk({"content": "ng"}), last, DONE])
    assert told.response.text == told.words(TextDelta) == "pong"


def test_a_message_that_comes_whole_is_said() -> None:
    """Some gateways answer a stream with one chunk that is a whole answer."""
    told = played(OPENAI, [openai_answer({"content": "pong"}, usage=USAGE), DONE])
    assert told.response == parsed(OPENAI, openai_answer({"content": "pong"}, usage=USAGE))
    assert told.words(TextDelta) == "pong"


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        ({"message": "Internal", "code": 500}, LlmError("Internal", "server", status=500, code="500")),
        ({"message": "Slow down", "code": 429}, LlmError("Slow down", "rate_limit", status=429, code="429")),
        ({"message": "No", "status_code": 400}, LlmError("No", "invalid_request", status=400)),
        ("text", LlmError("text", "server")),
    ],
)
def test_an_error_in_the_middle_is_an_error_with_what_came(wire: Any, expected: LlmError) -> None:
    """B107."""
    told = played(OPENAI, [chunk({"content": "Hel"}), {"error": wire}, chunk({"content": "lo"}), DONE])
    assert told.response.error == expected.evolve(partial=(Message("assistant", "Hel"),))
    assert told.response.content == []
    assert told.words(TextDelta) == "Hel"


TEXT = [chunk({"content": "a"})]


@pytest.mark.parametrize(
    ("wire", "error", "reason"),
    [
        (TEXT, CUT, "unknown"),
        ([*TEXT, DONE], None, "unknown"),
        ([*TEXT, chunk({}, None), DONE], None, "unknown"),
        ([*TEXT, {"choices": []}, DONE], None, "unknown"),
        ([*TEXT, chunk({}, "stop"), DONE], None, "stop"),
        ([*TEXT, chunk({}, "stop")], None, "stop"),
        ([*TEXT, chunk({}, "length"), DONE], None, "length"),
        ([*TEXT, chunk({}, "error"), DONE], None, "error"),
        ([*TEXT, chunk({}, "stop"), chunk({"content": "b"}, None, 1)], CUT, "stop"),
        ([], CUT, "unknown"),
    ],
    ids=[
        "eof",
        "done",
        "null then done",
        "no choices then done",
        "normal",
        "no marker",
        "limit",
        "failed",
        "one of two",
        "empty",
    ],
)
def test_what_is_a_whole_stream(wire: list[Any], error: LlmError | None, reason: str) -> None:
    """B122, B124."""
    response = played(OPENAI, wire).response
    assert (response.error and response.error.evolve(partial=()), response.finish_reason) == (error, reason)


def test_a_call_that_was_cut_is_no_call_of_the_answer() -> None:
    """B123."""
    wire = [
        chunk({"content": "Look:"}),
        chunk({"tool_calls": [piece('{"a":1}', index=0, id="c1", name="f")]}),
        chunk({"tool_calls": [piece('{"path":"/etc', index=1, id="c2", name="rm")]}),
    ]
    response = played(OPENAI, wire).response
    assert response.content == [Message("assistant", "Look:"), ToolCall("c1", "f", {"a": 1})]
    assert response.error is not None
    [cut] = response.error.partial
    assert (cut.tool_call_id, cut.raw_arguments, cut.malformed) == ("c2", '{"path":"/etc', True)


def test_a_call_that_goes_on_beside_others_is_not_whole_before_its_end() -> None:
    """B123."""
    wire = [
        chunk({"tool_calls": [piece('{"a":', index=0, id="c1", name="f"), piece("", index=1, id="c2", name="g")]}),
        chunk({"content": "meanwhile"}),
    ]
    response = played(OPENAI, wire).response
    assert response.tool_calls == []
    assert response.error is not None
    assert [getattr(item, "tool_call_id", None) for item in response.error.partial] == [None, "c1", "c2"]


def test_a_choice_that_finished_is_whole_although_another_was_cut() -> None:
    response = played(OPENAI, [chunk({"content": "a"}, "stop"), chunk({"content": "b"}, None, 1)]).response
    assert response.content == [Message("assistant", "a")]
    assert response.error == CUT.evolve(partial=(Message("assistant", "b"),))


@pytest.mark.parametrize("pieces", [("<thi", "nk>a</th", "ink>b"), ("a</think>b",), ("<think>a</think>b",)])
def test_think_tags_in_the_words_are_words(pieces: tuple[str, ...]) -> None:
    """B131."""
    told = stream(*({"content": words} for words in pieces))
    assert told.response == parsed(OPENAI, openai_answer({"content": "".join(pieces)}))
    assert (told.words(TextDelta), told.response.reasoning) == ("".join(pieces), "")


def test_the_items_of_a_stream_build_a_valid_next_request() -> None:
    """B132, B133."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    told = stream(
        {"reasoning_content": "r"},
        {"content": ""},
        {"tool_calls": [piece("", index=0, type="function", id="c", name="f")]},
        {"tool_calls": [piece('{"a"', index=0)]},
        {"tool_calls": [piece(":1}", index=0)]},
        finish="tool_calls",
    )
    sent = messages(OPENAI, [Message("user", "go"), *told.response.content, ToolResult("c", "f", content=["1"])])
    assert sent[1] == {"role": "assistant", "content": None, "reasoning_content": "r", "tool_calls": [call]}


def test_the_seals_of_reasoning_details_go_back_as_they_came() -> None:
    """B136."""
    kind = {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1"}
    hidden = {"type": "reasoning.encrypted", "index": 1, "data": "AAAA"}
    told = stream(
        {"reasoning_details": [{**kind, "text": "so"}]},
        {"reasoning_details": [{**kind, "text": " be it"}]},
        {"reasoning_details": [{**kind, "signature": "seal"}]},
        {"reasoning_details": [hidden]},
        {"content": "a"},
    )
    [_, sent] = messages(OPENAI, [Message("user", "go"), *told.response.content])
    assert sent["reasoning_details"] == [{**kind, "text": "so be it", "signature": "seal"}, hidden]


def test_sealed_details_without_a_number_stay_apart() -> None:
    """B138."""
    details = [{"type": "reasoning.encrypted", "data": data} for data in ("AAAA", "BBBB")]
    told = stream(*({"reasoning_details": [detail]} for detail in details), {"content": "a"})
    assert told.response == parsed(OPENAI, openai_answer({"content": "a", "reasoning_details": details}))


def test_logprobs_are_kept_in_the_raw_answer() -> None:
    chunks = [chunk({"content": word}) for word in "ab"]
    for word, made in zip("ab", chunks, strict=True):
        made["choices"][0]["logprobs"] = {"content": [{"token": word, "logprob": -0.1}], "refusal": None}
    raw: Any = played(OPENAI, [*chunks, chunk({}, "stop"), DONE]).response.raw
    assert [token["token"] for token in raw["choices"][0]["logprobs"]["content"]] == ["a", "b"]


def test_a_chunk_of_another_kind_is_passed_on() -> None:
    told = played(OPENAI, [NOVEL, chunk({"content": "a"}, "stop"), NOVEL, DONE])
    assert told.events == (
        ProviderEvent(NOVEL),
        TextDelta("a"),
        ProviderEvent(NOVEL),
        ItemDone(Message("assistant", "a")),
    )


def test_the_chunks_are_not_changed() -> None:
    """Formats are pure: a chunk may be fed to several parsers."""
    wire = [
        chunk({"reasoning_details": [{"type": "reasoning.text", "text": "s", "index": 0}], "annotations": [{"a": 1}]}),
        chunk(
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}], "annotations": [{"a": 2}]}
        ),
        chunk(
            {"audio": {"id": "x", "data": "AA==", "more": {"b": 1}}}, usage={"prompt_tokens": 1, "details": {"c": 1}}
        ),
        chunk({"audio": {"data": "AA==", "more": {"b": 2}}}, "stop", usage={"prompt_tokens": 2, "details": {"c": 2}}),
    ]
    before = deepcopy(wire)
    assert played(OPENAI, wire) == played(OPENAI, wire)
    assert wire == before
