"""What the user can do about an error: one line, by what the words say, else by the kind."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from triptych import formats
from triptych.errors import Kind, LlmError
from triptych.hints import hint_for, key_hint

HINTED = {
    "authentication",
    "permission",
    "billing",
    "not_found",
    "context_length",
    "content_filter",
    "rate_limit",
    "overloaded",
}


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_kind_has_a_hint_where_the_user_can_do_something(kind: Kind) -> None:
    hint = hint_for(LlmError("no", kind), "no", "openai_chat")
    assert (hint is not None) is (kind in HINTED)
    assert hint is None or (len(hint) < 100 and "\n" not in hint)


CASES: list[tuple[str, str | None, int, Any, str]] = [
    ("ollama_chat", None, 404, {"error": "model 'llama9' not found"}, "ollama pull llama9"),
    ("openai_chat", "ollama", 404, {"error": 'model "a/b:c" not found, try pulling it first'}, "ollama pull a/b:c"),
    ("ollama_chat", None, 401, {"error": "unauthorized"}, "ollama signin, or set OLLAMA_API_KEY"),
    ("cohere_chat", "cohere", 404, {"message": "model 'm' not found, look"}, "check the model's name, and base_url"),
    ("openai_chat", "lmstudio", 400, {"error": "No models loaded."}, "load one: lms load <model>"),
    (
        "openai_chat",
        "azure",
        404,
        {"error": {"code": "DeploymentNotFound", "message": "no"}},
        "the model is the deployment's name; a new one takes some minutes",
    ),
    ("openai_chat", "azure", 404, {"error": {"message": "Resource not found"}}, "check base_url and api-version"),
    (
        "bedrock_converse",
        "bedrock",
        403,
        {"message": "You don't have access to the model with the specified model ID."},
        "enable the model in the Bedrock console, in this region",
    ),
    (
        "bedrock_converse",
        "bedrock",
        400,
        {"message": "Invocation of model ID m with on-demand throughput isn't supported."},
        "ask an inference profile: its id has a prefix such as us. or eu.",
    ),
    (
        "bedrock_converse",
        "bedrock",
        403,
        {"__type": "ExpiredTokenException", "message": "The security token included in the request is expired"},
        "refresh the credentials",
    ),
    (
        "bedrock_converse",
        "bedrock",
        403,
        {"__type": "UnrecognizedClientException", "message": "The security token is invalid."},
        "check the AWS credentials, or the key, and the region",
    ),
    (
        "cohere_chat",
        "cohere",
        429,
        {"message": "You are using a Trial key, which is limited to 1000 API calls / month."},
        "use a production key: a trial key's calls of this month are used up",
    ),
    ("openai_chat", "llamacpp", 500, {"error": "tools param requires --jinja flag"}, "start the server with --jinja"),
    (
        "anthropic_messages",
        "anthropic",
        400,
        {"error": {"type": "invalid_request_error", "message": "prompt is too long: 3 tokens > 2 maximum"}},
        "shorten the conversation (triptych.compress), or lower max_tokens",
    ),
]


@pytest.mark.parametrize(("name", "host", "status", "body", "hint"), CASES, ids=lambda value: str(value)[:50])
def test_the_words_say_what_to_do(name: str, host: str | None, status: int, body: Any, hint: str) -> None:
    error = formats.load(name, host).parse_error(status, {}, json.dumps(body).encode())
    assert error.hint == hint
    assert str(error) == f"{error.kind} ({status}): {error.message} (hint: {hint})"


def test_an_error_in_a_body_of_status_200_has_its_hint_too() -> None:
    error = formats.load("openai_chat").parse_response({"error": {"message": "no", "code": "insufficient_quota"}}).error
    assert error is not None
    assert (error.kind, error.hint) == ("billing", "add credit at the provider, or raise the spending limit there")


def test_words_with_braces_make_no_trouble() -> None:
    error = LlmError("model '{0}{x.y}' not found", "not_found")
    assert hint_for(error, error.message, "ollama_chat") == "ollama pull {0}{x.y}"


def test_a_refused_key_is_told_by_where_it_came_from() -> None:
    check = "check that it is one for the host that is asked"
    assert key_hint("A", ["A", "B"]) == f"the key was read from the environment variable A: {check}"
    assert key_hint("api_key", ["A", "B"]) == f"the key was given as api_key: {check}, or leave it out and set A or B"
    assert key_hint("api_key", []) == f"the key was given as api_key: {check}"
    assert key_hint("the key source", ["A"]) == f"the key comes from the key source: {check}"
