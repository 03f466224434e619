"""A handler that answers chat requests of every format with a text that names the question."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from tests import host_bodies
from tests.servers.script import Reply, Request

COOKIE = "visit"


def answer_to(question: str) -> str:
    """Return the text with which ``echo`` answers this question."""
    return f"You asked: {question}"


def question_of(body: Mapping[str, Any]) -> str:
    """Return the text of the last user message in a request body of any format; empty when there is none."""
    messages = next(body[name] for name in ("messages", "contents", "input") if name in body)
    for message in reversed(messages):
        if message["role"] == "user":
            content = message["parts"] if "parts" in message else message["content"]
            if isinstance(content, str):
                return content
            return "".join(part["text"] for part in content if "text" in part)
    return ""


def echo() -> Callable[[Request], Reply]:
    """Return a handler for ``serve``: a valid answer per chat request, with a cookie that is new each time.

    A path that no format ends in gives 404 and an error in OpenAI's envelope.
    """
    visits = itertools.count()

    def answer(request: Request) -> Reply:
        build = next((build for end, build in _ANSWERS.items() if request.path.endswith(end)), None)
        if build is None:
            error = {"message": f"no such path: {request.path}", "type": "invalid_request_error", "code": None}
            return Reply.of_json({"error": error}, 404)
        number = next(visits)
        body = request.json()
        answered = build(body.get("model"), answer_to(question_of(body)), number)
        return Reply.of_json(answered, headers={"Set-Cookie": f"{COOKIE}={number}; Path=/"})

    return answer


def _told_by(body: Callable[[str], dict[str, Any]]) -> Callable[[Any, str, int], dict[str, Any]]:
    """Return a builder for the formats whose answers need not name the model that was asked for."""
    return lambda model, text, number: body(text)


def _chat_completion(model: str, text: str, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1764460800,
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19},
        "service_tier": "default",
        "system_fingerprint": "fp_echo",
    }


def _anthropic_message(model: str, text: str, number: int) -> dict[str, Any]:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text, "citations": None}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 12,
            "output_tokens": 7,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
        },
    }


_ANSWERS = {
    "/chat/completions": _chat_completion,
    "/messages": _anthropic_message,
    "/responses": _told_by(host_bodies.response_object),
    ":generateContent": _told_by(host_bodies.gemini_answer),
    "/converse": _told_by(host_bodies.converse_answer),
    "/invoke": _told_by(host_bodies.anthropic_message),
    "/api/chat": _told_by(host_bodies.ollama_answer),
    "/v2/chat": _told_by(host_bodies.cohere_answer),
}
