"""Efforts by name, on the APIs that know a closed list of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import body, notices
from triptych import formats
from triptych.errors import Notice
from triptych.provider import Quirks
from triptych.providers import resolve

EFFORTS = "none, minimal, low, medium, high, xhigh, max"
KNOWN = {
    "openai_responses": EFFORTS,
    "mistral_chat": EFFORTS,
    "gemini_generate": "minimal, low, medium, high, xhigh",
    "ollama_chat": "none, low, medium, high, max",
    "anthropic_messages": "minimal, low, medium, high, xhigh, max, and none",
}


@pytest.mark.parametrize("name", KNOWN)
def test_an_effort_that_the_api_does_not_know_is_left_out_and_those_that_it_knows_are_named(name: str) -> None:
    given: dict[str, Any] = {"settings": {"reasoning": "default"}}
    assert body(name, **given) == body(name)
    assert notices(name, **given) == [
        Notice("settings.reasoning", "'default' left out", f"this API knows {KNOWN[name]}")
    ]


def test_an_effort_goes_out_as_it_is_to_hosts_of_which_no_list_is_known() -> None:
    assert body("openai_chat", settings={"reasoning": "default"}, known=False)["reasoning_effort"] == "default"


@pytest.mark.parametrize("name", ["openai_chat", "openai_responses", "mistral_chat"])
def test_a_host_may_have_a_list_of_its_own(name: str) -> None:
    given: dict[str, Any] = {"quirks": Quirks(reasoning_efforts=("default",)), "known": False}
    assert body(name, settings={"reasoning": "default"}, **given) != body(name, **given)
    assert notices(name, settings={"reasoning": "low"}, **given) == [
        Notice("settings.reasoning", "'low' left out", "this API knows default")
    ]


def test_openai_and_azure_have_the_list_of_their_reference() -> None:
    for model in ("openai/gpt-5.1", "openai-responses/gpt-5.1", "azure/m"):
        assert ", ".join(resolve(model)[0].quirks.reasoning_efforts) == EFFORTS


BODIES: list[tuple[str, dict[str, Any]]] = [
    ("openai_responses", {"input": "hi", "reasoning": {"effort": "novel"}}),
    ("mistral_chat", {"messages": [{"role": "user", "content": "hi"}], "reasoning_effort": "novel"}),
    ("ollama_chat", {"messages": [{"role": "user", "content": "hi"}], "think": "novel", "stream": True}),
    (
        "gemini_generate",
        {
            "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
            "generationConfig": {"thinkingConfig": {"thinkingLevel": "THINKING_LEVEL_UNSPECIFIED"}},
        },
    ),
    (
        "anthropic_messages",
        {
            "max_tokens": 9,
            "messages": [{"role": "user", "content": "hi"}],
            "thinking": {"type": "adaptive"},
            "output_config": {"effort": "novel"},
        },
    ),
]


@pytest.mark.parametrize(("name", "given"), BODIES)
def test_an_unknown_effort_of_a_request_goes_back_as_it_came_and_without_a_notice(name: str, given: Any) -> None:
    wire = formats.load(name, "here")
    call = wire.read_request({"model": "m", **given} if name != "gemini_generate" else given)
    assert call.settings.reasoning is None
    built = wire.build_request(call)
    assert ({key: built.body[key] for key in given if key != "input"}, built.notices) == (
        {key: value for key, value in given.items() if key != "input"},
        (),
    )
