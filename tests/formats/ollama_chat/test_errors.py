"""Errors of Ollama: words alone, whose kind the status and the words tell."""

from __future__ import annotations

import json

import pytest

from tests.formats.ollama_chat.recorded import OLLAMA
from triptych import formats
from triptych.errors import LlmError


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "registry.ollama.ai/library/gemma3:1b does not support tools", "invalid_request"),
        (400, "the input length exceeds the context length", "context_length"),
        (401, "unauthorized", "authentication"),
        (404, "model 'm' not found", "not_found"),
        (429, "too many requests", "rate_limit"),
        (500, "llama runner process has terminated: exit status 2", "server"),
        (502, "upstream failed", "server"),
        (503, "server busy, please try again. maximum pending requests exceeded", "overloaded"),
    ],
)
def test_the_status_and_the_words_say_the_kind(status: int, message: str, kind: str) -> None:
    error = formats.load(OLLAMA).parse_error(status, {}, json.dumps({"error": message}).encode())
    assert error == LlmError(message, kind, status=status)  # type: ignore[arg-type]  # a kind


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (429, "you have reached your hourly usage limit", "rate_limit"),
        (500, "model requires more system memory (5.5 GiB) than is available (3.1 GiB)", "server"),
    ],
)
def test_what_does_not_pass_soon_is_not_tried_again(status: int, message: str, kind: str) -> None:
    error = formats.load(OLLAMA).parse_error(status, {}, json.dumps({"error": message}).encode())
    assert error == LlmError(message, kind, status=status, retryable=False)  # type: ignore[arg-type]  # a kind


def test_a_page_of_a_proxy_is_quoted() -> None:
    """B155."""
    error = formats.load(OLLAMA).parse_error(502, {"content-type": "text/html"}, b"<h1>Bad Gateway</h1>")
    assert (error.kind, error.body) == ("server", "<h1>Bad Gateway</h1>")
