"""Tests of one provider: the address that it composes, and the quirks that a model of its has."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from attrs import evolve

from triptych import providers
from triptych.providers import Provider, ProviderError, register_provider, resolve


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test the providers as a new process has them."""
    monkeypatch.delenv(providers.FILE_VARIABLE, raising=False)
    monkeypatch.setattr(providers, "_registry", providers._Registry())


def provider(name: str) -> Provider:
    return resolve("m", provider=name)[0]


def message_of(action: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(ProviderError) as caught:
        action(*args, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("https://h/v1", "https://h/v1/chat/completions"),
        ("https://h/v1/", "https://h/v1/chat/completions"),
        ("https://h/v1//", "https://h/v1/chat/completions"),
        ("https://h/prefix/v1?x=1", "https://h/prefix/v1/chat/completions?x=1"),
        ("https://h/prefix/v1/?x=1&y=", "https://h/prefix/v1/chat/completions?x=1&y="),
        ("https://gw.example/api/llm", "https://gw.example/api/llm/chat/completions"),
        ("https://h", "https://h/chat/completions"),
        ("http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1/chat/completions"),
        ("https://h/v1/chat/completions/?x=1", "https://h/v1/chat/completions?x=1"),
        ("https://h/chat", "https://h/chat/chat/completions"),
        (" https://h/v1\n", "https://h/v1/chat/completions"),
        ("https://[::1]:8080/v1#part", "https://[::1]:8080/v1/chat/completions"),
        (
            "https://r.openai.azure.com/openai/deployments/d?api-version=2024-12-01-preview",
            "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-12-01-preview",
        ),
    ],
)
def test_a_base_url_keeps_its_prefix_and_query_and_gets_the_path_once(base_url: str, expected: str) -> None:
    """B058, B059."""
    assert provider("openai").endpoint(base_url) == expected


@pytest.mark.parametrize("base_url", ["https://h/p", "https://h/p/v1", "https://h/p/v1/", "https://h/p/v1/messages"])
def test_a_version_that_the_base_url_has_already_is_not_said_twice(base_url: str) -> None:
    assert provider("anthropic").endpoint(base_url) == "https://h/p/v1/messages"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("https://r.openai.azure.com", "https://r.openai.azure.com/openai/v1/chat/completions"),
        ("https://r.openai.azure.com/", "https://r.openai.azure.com/openai/v1/chat/completions"),
        ("https://r.openai.azure.com/openai/v1/", "https://r.openai.azure.com/openai/v1/chat/completions"),
        ("r.openai.azure.com", "https://r.openai.azure.com/openai/v1/chat/completions"),
    ],
)
def test_a_host_from_the_environment_may_be_written_in_any_usual_way(value: str, expected: str) -> None:
    assert provider("azure").endpoint(environ={"AZURE_OPENAI_ENDPOINT": value}) == expected


@pytest.mark.parametrize("environ", [{}, {"CLOUDFLARE_ACCOUNT_ID": " "}])
def test_a_missing_variable_of_an_address_is_named(environ: dict[str, str]) -> None:
    assert message_of(provider("cloudflare").endpoint, environ=environ) == (
        "cloudflare: the environment variable CLOUDFLARE_ACCOUNT_ID is not set, and the address "
        "'https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1' needs it; set it, or "
        "give base_url="
    )


@pytest.mark.parametrize(
    ("base_url", "shown"),
    [
        ("h/v1", "'h/v1'"),
        ("ftp://h/v1", "'ftp://h/v1'"),
        ("https://", "'https://'"),
        ("https://[::1/v1", "'https://[::1/v1'"),
        ("https://h:99999/v1", "'https://h:99999/v1'"),
        ("ftp://me:hidden@h/v1?key=hidden", "'h/v1'"),
        ("", "''"),
        (7, "a int"),
    ],
)
def test_an_address_that_is_none_is_refused_without_showing_a_secret(base_url: Any, shown: str) -> None:
    expected = f"openai: expected a base URL such as 'https://host/v1', got {shown}"
    assert message_of(provider("openai").endpoint, base_url) == expected


def test_a_providers_query_joins_that_of_the_base_url_which_wins() -> None:
    host = register_provider("house", base_url="https://h/v1?b=2", query={"a": "1 1", "b": "1"})
    assert host.endpoint() == "https://h/v1/chat/completions?b=2&a=1+1"


REASONING_MODEL = ("top_k", "temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs")


@pytest.mark.parametrize(
    ("model", "refused"),
    [
        ("openai/gpt-4o", ("top_k",)),
        ("openai/gpt-4.1-mini", ("top_k",)),
        ("openai/gpt-5", REASONING_MODEL),
        ("openai/gpt-5-mini-2025-08-07", REASONING_MODEL),
        ("openai/gpt-5-chat-latest", ("top_k",)),
        ("openai/gpt-5.4", ("top_k",)),
        ("openai/o4-mini", REASONING_MODEL),
        ("azure/o4-mini", REASONING_MODEL),
        ("xai/grok-3", ()),
        ("xai/grok-4.3", ("presence_penalty", "frequency_penalty", "stop")),
        ("xai/grok-4-fast-non-reasoning", ()),
    ],
)
def test_a_model_may_refuse_settings_that_its_host_takes(model: str, refused: tuple[str, ...]) -> None:
    host, name = resolve(model)
    assert host.quirks_for(name).unsupported_settings == refused


def test_the_quirks_of_a_model_keep_what_they_do_not_change() -> None:
    assert provider("azure").quirks_for("Mistral-Large-3") == evolve(
        provider("azure").quirks, max_tokens_field="max_tokens"
    )
    assert provider("azure").quirks_for("my-deployment") == provider("openai").quirks


def test_of_two_patterns_that_fit_the_later_wins_and_both_count() -> None:
    host = provider("moonshot")
    assert host.quirks_for("kimi-k2.6").reasoning_setting == "thinking"
    assert host.quirks_for("kimi-k3").reasoning_setting == "reasoning_effort"
    assert host.quirks_for("kimi-k3").unsupported_settings == host.quirks_for("kimi-k2.6").unsupported_settings


def test_a_provider_survives_pickling_and_shows_no_header() -> None:
    host = register_provider("house", base_url="https://h", headers={"x-token": "hidden"}, query={"key": "hidden"})
    assert pickle.loads(pickle.dumps(host)) == host
    assert "hidden" not in repr(host)


@pytest.mark.parametrize(
    ("model", "segment"),
    [
        ("vendor.model-v1:0", "vendor.model-v1%3A0"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.m:0",
            "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.m%3A0",
        ),
        ("m@2025", "m@2025"),
        ("a b?c#d%e", "a%20b%3Fc%23d%25e"),
        ("models/m", "m"),
    ],
)
def test_a_models_name_in_a_path_is_one_segment_whatever_is_in_it(model: str, segment: str) -> None:
    host = register_provider(
        "house", base_url="https://h/v1", path="models/{model}:ask", stream_path="models/{model}:pour?alt=sse"
    )
    assert host.endpoint(model=model) == f"https://h/v1/models/{segment}:ask"
    assert host.endpoint(model=model, stream=True) == f"https://h/v1/models/{segment}:pour?alt=sse"


@pytest.mark.parametrize(
    "base_url", ["https://h/v1", "https://h/v1/models/m:pour", "https://h/v1/models/m:pour?alt=sse"]
)
def test_a_base_url_may_hold_the_whole_path_with_the_models_name(base_url: str) -> None:
    host = register_provider(
        "house", base_url="https://h", path="models/{model}:ask", stream_path="models/{model}:pour?alt=sse"
    )
    assert host.endpoint(base_url, model="m", stream=True) == "https://h/v1/models/m:pour?alt=sse"


def test_without_a_stream_path_streams_are_asked_for_at_the_one_path() -> None:
    host = register_provider("house", base_url="https://h", path="ask", format="gemini_generate")
    assert (host.endpoint(stream=True), host.stream_path) == ("https://h/ask", None)


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({"A_REGION": "one", "B_REGION": "two"}, "https://h.one/chat/completions"),
        ({"A_REGION": " ", "B_REGION": "two"}, "https://h.two/chat/completions"),
        ({"B_REGION": "two"}, "https://h.two/chat/completions"),
    ],
)
def test_of_several_variables_the_first_that_is_set_counts(environ: dict[str, str], url: str) -> None:
    host = register_provider("house", base_url="https://h.{A_REGION|B_REGION}")
    assert host.endpoint(environ=environ) == url


def test_a_missing_variable_is_named_with_all_that_would_do() -> None:
    host = register_provider("house", base_url="https://h.{A_REGION|B_REGION}")
    assert message_of(host.endpoint, environ={}) == (
        "house: the environment variable A_REGION or B_REGION is not set, and the address "
        "'https://h.{A_REGION|B_REGION}' needs it; set it, or give base_url="
    )


def test_some_models_of_a_host_may_be_another_providers() -> None:
    assert [resolve(name)[0].name for name in ("vertex/gemini-2.5-pro", "vertex/claude-opus-4-1@20250805")] == [
        "vertex",
        "vertex-anthropic",
    ]


def test_a_provider_that_takes_over_models_must_be_known() -> None:
    words = message_of(register_provider, "house", base_url="https://h", models_provider={"a*": "vertx"})
    assert words == "register_provider: house.models_provider.'a*': unknown provider 'vertx' (did you mean 'vertex'?)"
