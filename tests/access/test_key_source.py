"""Keys of a function that the program has set: asked once a client, after argument and environment, before clouds."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.chat_hosts import KEY, Ask, ChatHost, all_formats, both_ways
from tests.servers.echo import answer_to, echo
from tests.servers.script import serve
from triptych import LlmClient, LlmRequest, Secret, register_key_source

QUESTION = LlmRequest(contents="q")


@pytest.fixture(autouse=True)
def no_source_is_left() -> Iterator[None]:
    """Take the key source of a test away."""
    yield
    register_key_source(None)


@pytest.mark.parametrize("wrap", [str, Secret], ids=["text", "secret"])
@all_formats
@both_ways
def test_the_source_is_asked_by_the_providers_name_where_there_is_no_other_key(
    host: ChatHost, ask: Ask, wrap: Any
) -> None:
    asked: list[str] = []

    def find(provider: str) -> Any:
        asked.append(provider)
        return wrap(KEY)

    register_key_source(find)
    with serve(echo()) as server:
        assert ask(host.model, QUESTION, base_url=host.base_url(server)).text == answer_to("q")
        assert server.requests[0].headers[host.key_header] == host.key_prefix + KEY
    assert asked == [host.provider]


def test_a_client_asks_once() -> None:
    asked: list[str] = []
    register_key_source(lambda provider: asked.append(provider) or KEY)  # type: ignore[func-returns-value]  # None is false
    with serve(echo()) as server, LlmClient("openai/m", base_url=server.url) as client:
        for _ in range(3):
            assert client.generate(QUESTION).error is None
    assert asked == ["openai"]


@pytest.mark.parametrize("given", ["argument", "environment"])
def test_a_key_given_or_in_the_environment_comes_first(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    register_key_source(lambda _: "sk-of-the-source")
    if given == "environment":
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serve(echo()) as server:
        with LlmClient("openai/m", base_url=server.url, api_key=KEY if given == "argument" else None) as client:
            assert client.generate(QUESTION).error is None
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def failing(_: str) -> str:
    """Fail, as a keyring that is locked."""
    raise RuntimeError("the keyring is locked")


SOURCES: dict[str, tuple[Any, str, str]] = {
    "none": (lambda _: None, "missing_key", "no API key for openai: set the environment variable OPENAI_API_KEY"),
    "empty": (lambda _: "", "missing_key", "no API key for openai"),
    "failing": (failing, "token_failed", "the key source failed for openai: RuntimeError: the keyring is locked"),
    "number": (lambda _: 5, "token_failed", "the key source gave int for openai; expected str, Secret or None"),
    "line-break": (
        lambda _: "k\n",
        "malformed_key",
        "the API key in the key source cannot be sent: it has white space",
    ),
}


@pytest.mark.parametrize(("find", "code", "words"), SOURCES.values(), ids=SOURCES)
def test_a_source_without_a_usable_key_is_told(find: Any, code: str, words: str) -> None:
    register_key_source(find)
    error = LlmClient("openai/m", base_url="http://127.0.0.1:1").generate(QUESTION).error
    assert error is not None
    assert (error.kind, error.code, error.attempts) == ("authentication", code, 0)
    assert words in error.message


def test_no_source_is_asked_where_no_key_is_needed(tmp_path: Any) -> None:
    register_key_source(failing)
    client = LlmClient("llamacpp/smollm2-135m-instruct", temperature=0, cassette="cassettes/openai_chat/chat.yaml")
    request = LlmRequest(instructions=["You are a helpful assistant."], contents="What is 2 + 2?")
    assert client.generate(request).error is None


def test_a_source_that_is_no_function_is_raised() -> None:
    with pytest.raises(TypeError, match="register_key_source: expected a function or None, got str"):
        register_key_source("sk")  # type: ignore[arg-type]  # the mistake of a caller
