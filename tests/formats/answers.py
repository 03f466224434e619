"""Whole answers of both wire formats, of every kind that a stream can bring in pieces."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.formats.strategies import names

Answer = dict[str, Any]

_texts = st.one_of(st.text(max_size=8), st.sampled_from(["a\u2028b", "\x85", "😀", "<think>so</think>", " \n"]))
_words = _texts.filter(bool)
_ids = names.map("call_".__add__)
_json = st.dictionaries(
    _texts, st.one_of(st.none(), st.booleans(), st.integers(0, 9), _texts, st.lists(_texts)), max_size=2
)


def optional(values: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """Return the values, or None."""
    return st.one_of(st.none(), values)


def _fields(required: Answer, others: Answer) -> SearchStrategy[Answer]:
    return st.fixed_dictionaries(required, optional=others)


def _encoded() -> SearchStrategy[Any]:
    return st.one_of(
        st.sampled_from(["", "{}", '{"a": 1}', '{"a":"\\u00e9"}', "null", "[1]", "{cut", '"{\\"a\\":1}"']),
        _json.map(lambda value: {"a": value}),
        st.none(),
    )


def _function_calls(ids: SearchStrategy[Any]) -> SearchStrategy[Answer]:
    function = st.fixed_dictionaries({"name": names, "arguments": _encoded()})
    return _fields({"id": ids, "type": st.just("function"), "function": function}, {"extra_content": _json})


_custom_calls = st.fixed_dictionaries(
    {
        "id": _ids,
        "type": st.just("custom"),
        "custom": st.fixed_dictionaries({"name": names, "input": _texts}),
    }
)
# Ids as they should be, and as hosts send them: none, empty, the same twice.
_calls = st.one_of(
    st.lists(st.one_of(_function_calls(_ids), _custom_calls), max_size=3, unique_by=lambda call: str(call["id"])),
    st.lists(_function_calls(st.sampled_from([None, "", "same", "other"])), max_size=3),
)
_details = st.lists(
    st.one_of(
        st.fixed_dictionaries({"type": st.just("reasoning.text"), "text": _words, "signature": st.just("seal")}),
        st.fixed_dictionaries({"type": st.just("reasoning.summary"), "summary": _words}),
        st.fixed_dictionaries({"type": st.just("reasoning.encrypted"), "data": _words}),
    ),
    min_size=1,
    max_size=3,
).map(lambda details: [{**detail, "index": index} for index, detail in enumerate(details)])
_thinking = st.fixed_dictionaries(
    {"type": st.just("thinking"), "thinking": _words.map(lambda words: [{"type": "text", "text": words}])}
)
_text_block = st.fixed_dictionaries({"type": st.just("text"), "text": _words})
_novel_block = st.sampled_from([{"type": "reference", "reference_ids": [1]}, {"type": "image_url", "image_url": "x:"}])


def _apart(blocks: list[Answer]) -> bool:
    """Whether no two neighbours are pieces of text of one type: in a stream those are one block."""
    kinds = [block["type"] for block in blocks]
    return all(one != other or one in ("reference", "image_url") for one, other in pairwise(kinds))


_blocks: SearchStrategy[Answer] = st.one_of(_thinking, _text_block, _novel_block)
_content = st.one_of(st.none(), _texts, st.lists(_blocks, max_size=4).filter(_apart))
_audio = st.fixed_dictionaries(
    {"id": _ids, "data": st.just("UklGRgAAAAA="), "transcript": _texts, "expires_at": st.just(7)}
)
_messages = _fields(
    {"role": st.just("assistant"), "content": _content},
    {
        "tool_calls": _calls,
        "refusal": optional(_texts),
        "reasoning_content": optional(_texts),
        "annotations": st.lists(st.builds(lambda url: {"type": "url_citation", "url": url}, names), max_size=2),
        "audio": optional(_audio),
        "provider_data": _json,
    },
)
_thoughtful = st.builds(
    lambda message, more: {**message, **more},
    _messages,
    st.one_of(
        st.builds(lambda details: {"reasoning_details": details}, _details),
        st.builds(lambda text: {"reasoning": text}, _texts),
    ),
)
_old_calls = st.builds(
    lambda name: {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": '{"a": 1}'}},
    names,
)
_chat_usage = st.sampled_from(
    [
        None,
        {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
        {
            "prompt_tokens": 5,
            "completion_tokens": 7,
            "total_tokens": 15,
            "prompt_tokens_details": {"cached_tokens": 2},
            "completion_tokens_details": {"reasoning_tokens": 3},
        },
    ]
)


def _choice(message: Answer, reason: Any, index: int = 0) -> Answer:
    return {"index": index, "message": message, "finish_reason": reason}


def openai_answers() -> SearchStrategy[Answer]:
    """Return answers of OpenAI Chat Completions."""
    reasons = st.sampled_from(["stop", "length", "tool_calls", "content_filter", "novel", None])
    choices = st.lists(st.builds(_choice, st.one_of(_messages, _thoughtful, _old_calls), reasons), max_size=3)
    return _fields(
        {
            "id": st.sampled_from(["r1", ""]),
            "object": st.just("chat.completion"),
            "model": names,
            "choices": choices.map(lambda some: [{**choice, "index": at} for at, choice in enumerate(some)]),
        },
        {"usage": _chat_usage, "citations": st.just(["https://h.example"]), "service_tier": st.just("default")},
    )


_sources = st.builds(lambda cited: {"type": "char_location", "cited_text": cited, "document_index": 0}, _words)
_message_blocks = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": _texts}),
    st.fixed_dictionaries(
        {"type": st.just("text"), "text": _words, "citations": st.lists(_sources, min_size=1, max_size=2)}
    ),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": _texts, "signature": _words}),
    st.fixed_dictionaries({"type": st.just("redacted_thinking"), "data": _words}),
    _fields(
        {"type": st.just("tool_use"), "id": st.sampled_from(["toolu_1", "toolu_2", ""]), "name": names, "input": _json},
        {"caller": st.just({"type": "direct"})},
    ),
    st.fixed_dictionaries(
        {"type": st.just("server_tool_use"), "id": st.just("srvtoolu_1"), "name": names, "input": _json}
    ),
    st.fixed_dictionaries({"type": st.just("web_search_tool_result"), "tool_use_id": st.just("s"), "content": _json}),
    st.fixed_dictionaries({"type": st.just("novel"), "data": _json}),
)
_messages_usage = st.sampled_from(
    [
        {"input_tokens": 5, "output_tokens": 7},
        {"input_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "output_tokens": 7},
    ]
)


def anthropic_answers() -> SearchStrategy[Answer]:
    """Return answers of Anthropic Messages."""
    reasons = st.sampled_from(["end_turn", "max_tokens", "tool_use", "stop_sequence", "pause_turn", "refusal", "novel"])
    return _fields(
        {
            "id": names,
            "type": st.just("message"),
            "role": st.just("assistant"),
            "model": names,
            "content": st.lists(_message_blocks, max_size=4),
            "stop_reason": reasons,
            "stop_sequence": optional(names),
            "usage": _messages_usage,
        },
        {"container": st.none()},
    )
