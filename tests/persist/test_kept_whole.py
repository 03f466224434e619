"""A history that was saved is as good as it was: what goes to a provider, what is pickled, what the caller holds."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.strategies import PROVIDER, calls_of, conversations
from tests.persist.values import events, histories, is_finite, others, requests, responses
from triptych import formats
from triptych.content import ContentItem, Message, Reasoning, ToolCall
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.parts import Issuer, Opaque, Text
from triptych.persist import dumps, loads, unstructure
from triptych.request import LlmRequest

some = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", formats.names())
@pytest.mark.parametrize("provider", [PROVIDER, "elsewhere", None])
def test_what_was_saved_is_sent_as_what_was_not(name: str, provider: str | None) -> None:
    target = formats.load(name, provider)

    @settings(some, max_examples=15)
    @given(calls_of(name, conversations(name)).filter(lambda call: is_finite(call.request)))
    def check(call: Call) -> None:
        saved = evolve(call, request=loads(dumps(call.request)), settings=loads(dumps(call.settings)))
        assert _sent(target, saved) == _sent(target, call)

    check()


def _sent(target: formats.Format, call: Call) -> Any:
    try:
        return target.build_request(call)
    except LlmError as refused:
        return refused


def test_a_seal_goes_back_to_its_issuer_alone_after_it_was_saved() -> None:
    """B146."""
    history: list[ContentItem] = [
        Message("user", "hi"),
        Reasoning("so", signature="seal", issuer=Issuer("anthropic_messages", "bedrock")),
        Message("assistant", "hello"),
        Message("user", "and now?"),
    ]
    call = Call(LlmRequest(contents=loads(dumps(history))), "m")
    sent = {
        provider: "seal" in repr(formats.load("anthropic_messages", provider).build_request(call).body)
        for provider in ("bedrock", "anthropic")
    }
    assert sent == {"bedrock": True, "anthropic": False}


def test_an_unknown_part_is_sent_nowhere() -> None:
    part = Opaque({"content_type": "smell"}, issuer=Issuer("unknown"))
    read = loads(dumps(Message("user", [Text("hello"), part])))
    assert read.content == [Text("hello"), part]
    for name in formats.names():
        assert "smell" not in repr(formats.load(name).build_request(Call(LlmRequest(contents=[read]), "m")).body)


@pytest.mark.parametrize("values", [histories(), requests.map(lambda call: call.request), responses, events, others])
def test_what_was_read_can_be_pickled_and_copied(values: st.SearchStrategy[Any]) -> None:
    """B191, B192."""

    @some
    @given(values)
    def check(value: Any) -> None:
        read = loads(dumps(value))
        assert pickle.loads(pickle.dumps(read)) == copy.deepcopy(read) == value

    check()


@some
@given(histories())
def test_saving_changes_nothing_of_what_the_caller_holds(history: list[ContentItem]) -> None:
    """B056, B057."""
    before = copy.deepcopy(history)
    dumps(history)
    assert history == before


def test_plain_values_share_nothing_with_the_items() -> None:
    call = ToolCall("a", "f", {"list": [1]}, provider_data={"deep": {"b": []}})
    plain = unstructure(call)
    plain["arguments"]["list"].append(2)
    plain["provider_data"]["deep"]["b"].append(3)
    assert call == ToolCall("a", "f", {"list": [1]}, provider_data={"deep": {"b": []}})
