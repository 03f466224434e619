"""Keys and tokens: from an argument, from the environment, or from a function that is asked at each call."""

from __future__ import annotations

import itertools
import os
import pickle
from typing import Any

import pytest

from tests.chat_hosts import KEY, Ask, both_ways, chat_completion
from tests.servers.script import Reply, Request, serve
from triptych import LlmClient, LlmRequest

QUESTION = LlmRequest(contents="q")
ANSWER = Reply.of_json(chat_completion("a"))


def answer(request: Request) -> Reply:
    return ANSWER


def bearing(request: Request) -> dict[str, str]:
    """Return the headers of a request that may bear a key."""
    return {
        name: request.headers[name]
        for name in ("authorization", "api-key", "x-goog-api-key")
        if name in request.headers
    }


@both_ways
def test_a_function_is_asked_for_the_key_of_each_call(ask: Ask) -> None:
    with serve(answer) as server:
        count = itertools.count()
        options: dict[str, Any] = {"base_url": server.url, "api_key": lambda: f"key-{next(count)}"}
        assert [ask("openai/gpt-5-mini", QUESTION, **options).text for _ in range(2)] == ["a", "a"]
        assert [bearing(request) for request in server.requests] == [
            {"authorization": "Bearer key-0"},
            {"authorization": "Bearer key-1"},
        ]


def test_one_client_asks_for_a_key_at_each_of_its_calls_and_each_of_its_tries() -> None:
    count = itertools.count()
    replies = iter([Reply(status=503, headers={"Retry-After": "0"}), ANSWER, ANSWER])
    with (
        serve(lambda request: next(replies)) as server,
        LlmClient("openai/m", base_url=server.url, api_key=lambda: f"key-{next(count)}") as client,
    ):
        assert [client.generate(QUESTION).text, client.generate(QUESTION).text] == ["a", "a"]
        assert [request.headers["authorization"] for request in server.requests] == [
            "Bearer key-0",
            "Bearer key-1",
            "Bearer key-2",
        ]


@pytest.mark.parametrize(
    ("give", "code", "words"),
    [
        (lambda: None, "token_failed", "api_key, when it was called, gave <class 'NoneType'> (type); expected a str"),
        (lambda: "", "malformed_key", "what api_key gave, when it was called, cannot be sent: it is empty"),
        (lambda: os.environ["NOT_SET"], "token_failed", "api_key, when it was called, failed: KeyError: 'NOT_SET'"),
    ],
)
def test_a_function_that_gives_no_key_is_an_error_and_nothing_is_sent(give: Any, code: str, words: str) -> None:
    with serve(answer) as server, LlmClient("openai/m", base_url=server.url, api_key=give) as client:
        for error in (client.generate(QUESTION).error, client.stream(QUESTION).response.error):
            assert error is not None
            assert (error.kind, error.code, error.message, error.retryable) == ("authentication", code, words, False)
        assert server.requests == []


def test_the_token_of_a_function_is_in_no_error_and_no_pickle() -> None:
    def quoting(request: Request) -> Reply:
        words = f"the key {request.headers['authorization']} is wrong"
        return Reply.of_json({"error": {"message": words, "type": "invalid_request_error", "code": None}}, 401)

    with serve(quoting) as server, LlmClient("openai/m", base_url=server.url, api_key=lambda: KEY) as client:
        error = client.generate(QUESTION).error
        assert error is not None
        assert error.message == "the key Bearer *** is wrong"
        assert KEY not in repr(client)
        assert pickle.loads(pickle.dumps(client))._key is None


@pytest.mark.parametrize(
    ("provider", "given", "expected"),
    [
        ("azure", KEY, {"api-key": KEY}),
        ("azure", lambda: "token", {"authorization": "Bearer token"}),
        ("azure-deployments", KEY, {"api-key": KEY}),
        ("azure-deployments", lambda: "token", {"authorization": "Bearer token"}),
    ],
)
def test_azure_takes_a_key_or_a_token(provider: str, given: Any, expected: dict[str, str]) -> None:
    with (
        serve(answer) as server,
        LlmClient("m", provider=provider, base_url=f"{server.url}?api-version=1", api_key=given) as client,
    ):
        assert client.generate(QUESTION).text == "a"
        assert [bearing(request) for request in server.requests] == [expected]


@pytest.mark.parametrize(
    "root", ["", "/openai/deployments/my-gpt%204", "/openai/deployments/my-gpt%204/chat/completions"]
)
def test_a_deployment_of_azure_is_called_at_its_own_url_with_the_dated_version(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    with (
        serve(answer) as server,
        LlmClient("azure-deployments/my-gpt 4", base_url=server.url + root, api_key=KEY) as client,
    ):
        assert (client.generate(QUESTION).text, client.stream(QUESTION).collect().text) == ("a", "a")
        path = "/openai/deployments/my-gpt%204/chat/completions?api-version=2024-10-21"
        assert [request.path for request in server.requests] == [path, path]


def test_the_version_in_a_base_url_wins_over_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    with (
        serve(answer) as server,
        LlmClient("azure-deployments/m", base_url=f"{server.url}?api-version=2025-01-01", api_key=KEY) as client,
    ):
        assert client.generate(QUESTION).text == "a"
        assert server.requests[0].path == "/openai/deployments/m/chat/completions?api-version=2025-01-01"


def test_a_deployment_without_a_version_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://house.openai.azure.com")
    error = LlmClient("azure-deployments/m", api_key=KEY).generate(QUESTION).error
    assert error is not None
    assert (error.kind, error.message) == (
        "invalid_request",
        "azure-deployments: the environment variable OPENAI_API_VERSION is not set, and the address "
        "'{AZURE_OPENAI_ENDPOINT}' needs it; set it, or give base_url=",
    )
