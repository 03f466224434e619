"""The two wire formats as tests of the client meet them: a client's names for a host, and what that host answers."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from attrs import frozen

from tests.servers.script import Reply, ScriptedServer
from triptych import LlmClient, LlmRequest, LlmResponse, aio

KEY = "sk-planted-0123456789abcdef"


@frozen
class ChatHost:
    """A host that speaks one wire format.

    Args:
        name: The wire format.
        model: The name to give to a client; `wire_model` is the part that travels.
        root: What follows the server's address in the base URL.
        path: The path of a call.
        key_variable: Where the key is read from.
        key_header: The header that bears the key, in lower case.
        key_prefix: What stands before the key in it.
        answer: Makes the body of an answer from its text.
        error: Makes the body of an error from its message and its code or type.
    """

    name: str
    model: str
    root: str
    path: str
    key_variable: str
    key_header: str
    key_prefix: str
    answer: Callable[[str], dict[str, Any]]
    error: Callable[[str, str], dict[str, Any]]

    @property
    def wire_model(self) -> str:
        """The model's name as it travels."""
        return self.model.partition("/")[2]

    def base_url(self, server: ScriptedServer) -> str:
        """Return the base URL that makes a client call the server."""
        return server.url + self.root

    def client(self, server: ScriptedServer, **options: Any) -> LlmClient:
        """Return a client of the server with a key and without retries, unless the options say otherwise."""
        return LlmClient(self.model, **{**self.options(server), **options})

    def options(self, server: ScriptedServer) -> dict[str, Any]:
        """Return the arguments with which a client calls the server once and with a key."""
        return {"base_url": self.base_url(server), "api_key": KEY, "retries": 0}

    def reply(self, text: str) -> Reply:
        """Return the whole reply that holds an answer."""
        return Reply.of_json(self.answer(text))


def chat_completion(text: str) -> dict[str, Any]:
    """Return the body of an OpenAI answer."""
    message = {"role": "assistant", "content": text, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1764460800,
        "model": "gpt-4.1-mini-2025-04-14",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19},
    }


def anthropic_message(text: str) -> dict[str, Any]:
    """Return the body of an Anthropic answer."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 12, "output_tokens": 7},
    }


def _openai_error(message: str, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def _anthropic_error(message: str, code: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": code, "message": message}, "request_id": "req_1"}


OPENAI = ChatHost(
    name="openai_chat",
    model="openai/gpt-4.1-mini",
    root="/v1",
    path="/v1/chat/completions",
    key_variable="OPENAI_API_KEY",
    key_header="authorization",
    key_prefix="Bearer ",
    answer=chat_completion,
    error=_openai_error,
)
ANTHROPIC = ChatHost(
    name="anthropic_messages",
    model="anthropic/claude-sonnet-4-5",
    root="",
    path="/v1/messages",
    key_variable="ANTHROPIC_API_KEY",
    key_header="x-api-key",
    key_prefix="",
    answer=anthropic_message,
    error=_anthropic_error,
)

both_formats = pytest.mark.parametrize("host", [OPENAI, ANTHROPIC], ids=lambda host: host.name)

Ask = Callable[..., LlmResponse]


def ask_blocking(model: str, request: LlmRequest, **options: Any) -> LlmResponse:
    """Return the answer of a blocking client made for this one call."""
    with LlmClient(model, **options) as client:
        return client.generate(request)


def ask_awaiting(model: str, request: LlmRequest, **options: Any) -> LlmResponse:
    """Return the answer of an asyncio client made for this one call."""

    async def ask() -> LlmResponse:
        async with aio.LlmClient(model, **options) as client:
            return await client.generate(request)

    return asyncio.run(ask())


both_ways = pytest.mark.parametrize("ask", [ask_blocking, ask_awaiting], ids=["sync", "async"])
