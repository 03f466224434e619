"""What every wire format keeps, whatever conversation it is given."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats import strategies
from tests.formats.closed import faults
from tests.formats.plain import calls_in_body, results_in_body, texts_in_body
from triptych import formats, jsontext
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.provider import Quirks

# What only some hosts take has no place in the schema.
DIALECT = Quirks(unsupported_settings=("top_k",))

both = pytest.mark.parametrize("name", formats.names())
# Ollama and Gemini pair calls and results by the tool's name and by order.
by_order = ("ollama_chat", "gemini_generate")
# What Responses holds are items, not turns: parallel calls stand apart, and a result goes anywhere after its call.
by_items = ("openai_responses",)
with_ids = pytest.mark.parametrize("name", [name for name in formats.names() if name not in (*by_order, *by_items)])
quick = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)


def built(name: str, call: Call) -> Mapping[str, Any] | None:
    """Return the body as it is on the wire, or None where the call was refused with an error that says so."""
    try:
        body = formats.load(name, strategies.PROVIDER, DIALECT).build_request(call).body
    except LlmError as refused:
        if refused.kind == "invalid_request":
            return None
        raise
    decoded: Mapping[str, Any] = jsontext.decode(jsontext.encode(body))
    return decoded


def undivided(name: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a body with neighbouring turns of one role joined, where the API itself joins them.

    Anthropic does so for every role, Mistral for the assistant's, and there calls end a turn.
    """
    if name not in ("anthropic_messages", "mistral_chat"):
        return body
    turns: list[dict[str, Any]] = []
    for message in body["messages"]:
        content = message["content"]
        if name == "mistral_chat" and message["role"] != "assistant":
            turns.append(dict(message))
            continue
        blocks = [{"type": "text", "text": content}] * bool(content) if isinstance(content, str) else content
        if turns and turns[-1]["role"] == message["role"] and not turns[-1].get("tool_calls"):
            turns[-1] = {**turns[-1], **message, "content": [*turns[-1]["content"], *blocks]}
        else:
            turns.append({**message, "content": list(blocks)})
    return {**body, "messages": turns}


@both
@quick
@given(st.data())
def test_building_changes_nothing_that_it_was_given(name: str, data: st.DataObject) -> None:
    call = data.draw(strategies.calls_of(name, strategies.torn_conversations(name)))
    before = copy.deepcopy(call)
    built(name, call)
    assert call == before


@both
@quick
@given(st.data())
def test_a_body_has_the_form_of_its_schema_and_no_other_field(name: str, data: st.DataObject) -> None:
    call = data.draw(strategies.calls_of(name, strategies.torn_conversations(name)))
    body = built(name, call)
    assert body is None or faults(name, body) == []


@quick
@given(strategies.calls_of("anthropic_messages", strategies.torn_conversations("anthropic_messages")))
def test_no_text_and_no_turn_of_an_anthropic_body_is_empty(call: Call) -> None:
    body = built("anthropic_messages", call) or {"messages": []}
    assert "" not in texts_in_body(body)
    assert [message for message in body["messages"] if not message["content"]] == []


@both
@quick
@given(st.data())
def test_a_body_that_is_read_and_built_again_is_the_same(name: str, data: st.DataObject) -> None:
    call = data.draw(strategies.calls_of(name, strategies.torn_conversations(name)))
    body = built(name, call)
    if body is not None:
        wire = formats.load(name, strategies.PROVIDER, DIALECT)
        read = wire.read_request(copy.deepcopy(body))
        again = jsontext.decode(jsontext.encode(wire.build_request(read).body))
        assert undivided(name, again) == undivided(name, body)
        assert not (read.settings.extra_body or {}).keys() & {"messages", "system", "tools", "model"}


@with_ids
@quick
@given(st.data())
def test_every_call_of_a_whole_conversation_is_followed_by_its_result(name: str, data: st.DataObject) -> None:
    call = data.draw(strategies.calls_of(name, strategies.conversations(name)))
    body = built(name, call)
    if body is not None:
        waiting: list[str] = []
        for message in body["messages"]:
            answered = [tool_call_id for tool_call_id, _ in results_in_body({"messages": [message]})]
            if waiting:
                assert answered, "a call is followed by something that is no result"
            assert set(answered) <= set(waiting)
            waiting = [tool_call_id for tool_call_id in waiting if tool_call_id not in answered]
            waiting += [tool_call_id for tool_call_id, _, _ in calls_in_body({"messages": [message]})]
        assert waiting == []


@both
@quick
@given(st.data())
def test_a_body_built_after_one_of_another_format_is_the_same(name: str, data: st.DataObject) -> None:
    call = data.draw(strategies.calls_of(name, strategies.torn_conversations(name)))
    first = built(name, copy.deepcopy(call))
    for other in formats.names():
        built(other, call)
    assert built(name, call) == first
