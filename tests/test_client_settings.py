"""The arguments of a client and of a call: a mistake is raised where it is made, what is right reaches the wire."""

from typing import Any

import pytest

from tests.chat_hosts import ANTHROPIC, KEY, OPENAI, Ask, ChatHost, both_formats, both_ways
from tests.servers.echo import echo
from tests.servers.script import serve
from triptych import LlmClient, LlmRequest, Notice, ProviderError, Settings, Timeout, aio

QUESTION = LlmRequest(contents="q")
both_clients = pytest.mark.parametrize("client_type", [LlmClient, aio.LlmClient], ids=["sync", "async"])

WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "misspelt-setting": (
        {"temprature": 0},
        TypeError,
        "unknown setting 'temprature' = 0 (int) (did you mean 'temperature'?)",
    ),
    "unknown-setting": (
        {"zzz": "a"},
        TypeError,
        "unknown setting 'zzz' = 'a' (str); known settings: temperature, top_p",
    ),
    "temperature": (
        {"temperature": "0"},
        TypeError,
        "Settings.temperature: expected int or float or None, got '0' (str)",
    ),
    "max-tokens": ({"max_tokens": 1.5}, TypeError, "Settings.max_tokens: expected int or None, got 1.5 (float)"),
    "bool-as-number": ({"max_tokens": True}, TypeError, "Settings.max_tokens: expected int or None, got True (bool)"),
    "stop": ({"stop": [1]}, TypeError, "Settings.stop[0]: expected str, got 1 (int)"),
    "timeout-type": ({"timeout": "5"}, TypeError, "Timeout.total: expected int or float or None, got '5' (str)"),
    "timeout-zero": ({"timeout": 0}, ValueError, "Timeout.total: expected more than 0 seconds, got 0"),
    "timeout-nan": ({"timeout": float("nan")}, ValueError, "Timeout.total: expected more than 0 seconds, got nan"),
    "retries": ({"retries": "2"}, TypeError, "LlmClient.retries: expected int or Retries, got '2' (str)"),
    "strict": ({"strict": "yes"}, TypeError, "LlmClient.strict: expected bool, got 'yes' (str)"),
    "verify": ({"verify": 5}, TypeError, "LlmClient.verify: expected bool or str or SSLContext or None, got 5 (int)"),
    "cassette": (
        {"cassette": 5},
        TypeError,
        "LlmClient.cassette: expected str or PathLike or Recorder or None, got 5 (int)",
    ),
    "provider": ({"provider": 5}, TypeError, "LlmClient.provider: expected str or None, got 5 (int)"),
    "base-url-type": ({"base_url": 5}, TypeError, "LlmClient.base_url: expected str or None, got 5 (int)"),
    "base-url": ({"base_url": "localhost:80"}, ProviderError, "openai: expected a base URL such as 'https://host/v1'"),
    "unknown-provider": ({"provider": "opena"}, ProviderError, "unknown provider 'opena' (did you mean 'openai'?)"),
    "header-type": (
        {"headers": {"X-A": 5}},
        TypeError,
        "LlmClient.headers: expected names and values of type str, got str and int",
    ),
    "headers-type": (
        {"headers": ["X-A"]},
        TypeError,
        "LlmClient.headers: expected Mapping or None, got ['X-A'] (list)",
    ),
    "header-name": (
        {"headers": {"X A": "v"}},
        ValueError,
        "LlmClient.headers: expected a name of letters, digits and '-', got 'X A' (str)",
    ),
}


@pytest.mark.parametrize(("arguments", "error", "words"), WRONG.values(), ids=WRONG)
@both_clients
def test_a_wrong_argument_is_raised_at_construction_with_what_was_expected(
    client_type: type[LlmClient], arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as raised:
        client_type("gpt-5-mini", **arguments)
    assert words in str(raised.value)


@both_clients
def test_a_model_that_nobody_knows_is_raised_with_the_nearest_name(client_type: type[LlmClient]) -> None:
    with pytest.raises(ProviderError, match=r"no provider is known for model 'cluade-4'.*did you mean 'claude-"):
        client_type("cluade-4")
    with pytest.raises(TypeError, match=r"LlmClient.model: expected str, got None \(NoneType\)"):
        client_type(None)  # type: ignore[arg-type]  # the mistake of a caller without a type checker


@pytest.mark.parametrize("value", ["sk-planted\n", "a\r\nX-Injected: 1", "a\x00b", " padded", "padded ", "ключ", "\n"])
def test_a_header_that_would_break_the_request_is_refused_and_not_quoted(value: str) -> None:
    with pytest.raises(ValueError, match=r"^LlmClient.headers\['X-Team'\]: expected one line of printable") as raised:
        LlmClient("gpt-5-mini", api_key=KEY, headers={"X-Team": value})
    assert value not in str(raised.value)


def test_a_wrong_key_type_is_raised_without_the_key() -> None:
    with pytest.raises(TypeError) as raised:
        LlmClient("gpt-5-mini", api_key=KEY.encode())  # type: ignore[arg-type]  # the mistake of a caller
    assert str(raised.value) == "LlmClient.api_key: expected str or None, got bytes"


@both_formats
@both_ways
def test_a_misspelt_setting_of_a_call_is_raised_and_nothing_is_sent(host: ChatHost, ask: Ask) -> None:
    with serve(echo()) as server:
        with host.client(server) as client, pytest.raises(TypeError, match="did you mean 'temperature'"):
            client.generate(QUESTION, temprature=0)
        with pytest.raises(TypeError, match="did you mean 'temperature'"):
            ask(host.model, QUESTION, **host.options(server), temprature=0)
        assert server.accepted == 0


@both_formats
def test_the_settings_of_a_call_replace_those_of_the_client_for_that_call(host: ChatHost) -> None:
    with serve(echo()) as server, host.client(server, temperature=0.1, top_p=0.5) as client:
        client.generate(QUESTION, temperature=0.9)
        client.generate(QUESTION, temperature=None)
        client.generate(QUESTION)
        bodies = [request.json() for request in server.requests]
    assert [(body.get("temperature"), body["top_p"]) for body in bodies] == [(0.9, 0.5), (None, 0.5), (0.1, 0.5)]
    assert client.settings == Settings(temperature=0.1, top_p=0.5)


SETTINGS = {
    "temperature": 0.2,
    "top_p": 0.9,
    "max_tokens": 100,
    "stop": "END",
    "seed": 7,
    "user": "u1",
    "service_tier": "auto",
    "extra_body": {"x_own": {"a": 1}},
}
MESSAGES = [{"role": "user", "content": "q"}]


@both_ways
def test_every_setting_is_on_the_openai_wire_under_its_name_there(ask: Ask) -> None:
    with serve(echo()) as server:
        ask(OPENAI.model, QUESTION, **OPENAI.options(server), **SETTINGS)
        assert server.requests[0].json() == {
            "model": "gpt-4.1-mini",
            "messages": MESSAGES,
            "temperature": 0.2,
            "top_p": 0.9,
            "max_completion_tokens": 100,
            "stop": ["END"],
            "seed": 7,
            "user": "u1",
            "service_tier": "auto",
            "x_own": {"a": 1},
        }


@both_ways
def test_every_setting_is_on_the_anthropic_wire_or_in_the_notices(ask: Ask) -> None:
    with serve(echo()) as server:
        response = ask(ANTHROPIC.model, QUESTION, **ANTHROPIC.options(server), **SETTINGS)
        assert server.requests[0].json() == {
            "model": "claude-sonnet-4-5",
            "messages": MESSAGES,
            "temperature": 0.2,
            "top_p": 0.9,
            "max_tokens": 100,
            "stop_sequences": ["END"],
            "metadata": {"user_id": "u1"},
            "service_tier": "auto",
            "x_own": {"a": 1},
        }
    assert response.notices == (Notice("settings.seed", "left out", "this API has no such setting"),)


@both_ways
def test_strict_turns_a_notice_into_an_error_before_anything_is_sent(ask: Ask) -> None:
    with serve(echo()) as server:
        options = ANTHROPIC.options(server) | {"strict": True}
        error = ask(ANTHROPIC.model, QUESTION, **options, seed=7).error
        assert server.accepted == 0
        assert ask(ANTHROPIC.model, QUESTION, **options).error is None
    assert error is not None
    assert (error.kind, error.retryable, error.attempts) == ("unsupported", False, 0)
    assert error.message == (
        "anthropic cannot express this request: settings.seed: left out: this API has no such setting"
    )


def test_a_timeout_is_seconds_in_total_or_a_timeout() -> None:
    assert LlmClient("gpt-5-mini").timeout == Timeout(connect=10.0, first_event=600.0, idle=120.0, total=None)
    assert LlmClient("gpt-5-mini", timeout=3).timeout == Timeout(total=3)
    assert LlmClient("gpt-5-mini", timeout=Timeout(idle=2)).timeout == Timeout(idle=2)


def test_a_provider_may_be_named_apart_from_the_model() -> None:
    with serve(echo()) as server:
        options = OPENAI.options(server)
        with LlmClient("meta-llama/Llama-4", provider="groq", **options) as client:
            client.generate(QUESTION)
        assert (client.provider, server.requests[0].json()["model"]) == ("groq", "meta-llama/Llama-4")


def test_a_local_host_needs_no_key() -> None:
    with serve(echo()) as server, LlmClient("llamacpp/any", base_url=f"{server.url}/v1", retries=0) as client:
        assert client.generate(QUESTION).error is None
        assert "authorization" not in server.requests[0].headers
