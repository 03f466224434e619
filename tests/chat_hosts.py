"""The wire formats as tests of the client meet them: a client's names for a host, and what that host answers."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from attrs import frozen

from tests import host_bodies
from tests.host_bodies import anthropic_message, chat_completion
from tests.servers.script import Reply, ScriptedServer
from triptych import LlmClient, LlmRequest, LlmResponse, aio

__all__ = [
    "ALL_HOSTS",
    "ANTHROPIC",
    "BEDROCK",
    "BEDROCK_ANTHROPIC",
    "COHERE",
    "GEMINI",
    "KEY",
    "MISTRAL",
    "OLLAMA",
    "OPENAI",
    "RESPONSES",
    "Ask",
    "ChatHost",
    "all_formats",
    "anthropic_message",
    "ask_awaiting",
    "ask_blocking",
    "ask_streaming",
    "ask_streaming_awaiting",
    "both_formats",
    "both_ways",
    "chat_completion",
]

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
        passing: A code or type of an error that may pass, and the kind that it is told as.
        coded: Whether its errors have a code or a type at all.
        urls_apart: Whether streams have a URL of their own, and so connections of their own.
        lone: Whether a stream of its framing may be one JSON object alone, which is an event then.
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
    passing: tuple[str, str] = ("server_error", "server")
    coded: bool = True
    urls_apart: bool = False
    lone: bool = False

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self.model.partition("/")[0]

    def code(self, code: str) -> str | None:
        """Return the code that a client tells for an error of this one."""
        return code if self.coded else None

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


OPENAI = ChatHost(
    name="openai_chat",
    model="openai/gpt-4.1-mini",
    root="/v1",
    path="/v1/chat/completions",
    key_variable="OPENAI_API_KEY",
    key_header="authorization",
    key_prefix="Bearer ",
    answer=chat_completion,
    error=host_bodies.openai_error,
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
    error=host_bodies.anthropic_error,
    passing=("overloaded_error", "overloaded"),
)

RESPONSES = ChatHost(
    name="openai_responses",
    model="openai-responses/gpt-4.1-mini",
    root="/v1",
    path="/v1/responses",
    key_variable="OPENAI_API_KEY",
    key_header="authorization",
    key_prefix="Bearer ",
    answer=host_bodies.response_object,
    error=host_bodies.openai_error,
)
GEMINI = ChatHost(
    name="gemini_generate",
    model="gemini/gemini-3-flash-preview",
    root="/v1beta",
    path="/v1beta/models/gemini-3-flash-preview:generateContent",
    key_variable="GEMINI_API_KEY",
    key_header="x-goog-api-key",
    key_prefix="",
    answer=host_bodies.gemini_answer,
    error=host_bodies.gemini_error,
    passing=("UNAVAILABLE", "overloaded"),
    urls_apart=True,
    lone=True,
)
BEDROCK = ChatHost(
    name="bedrock_converse",
    model="bedrock/amazon.nova-lite-v1:0",
    root="",
    path="/model/amazon.nova-lite-v1%3A0/converse",
    key_variable="AWS_BEARER_TOKEN_BEDROCK",
    key_header="authorization",
    key_prefix="Bearer ",
    answer=host_bodies.converse_answer,
    error=host_bodies.aws_error,
    passing=("ThrottlingException", "rate_limit"),
    urls_apart=True,
)
BEDROCK_ANTHROPIC = ChatHost(
    name="anthropic_messages",
    model="bedrock-anthropic/anthropic.claude-sonnet-4-5-20250929-v1:0",
    root="",
    path="/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke",
    key_variable="AWS_BEARER_TOKEN_BEDROCK",
    key_header="authorization",
    key_prefix="Bearer ",
    answer=anthropic_message,
    error=host_bodies.aws_error,
    passing=("ThrottlingException", "rate_limit"),
    urls_apart=True,
)
MISTRAL = ChatHost(
    name="mistral_chat",
    model="mistral/mistral-medium-latest",
    root="/v1",
    path="/v1/chat/completions",
    key_variable="MISTRAL_API_KEY",
    key_header="authorization",
    key_prefix="Bearer ",
    answer=host_bodies.mistral_completion,
    error=host_bodies.mistral_error,
    passing=("service_tier_capacity_exceeded", "overloaded"),
)
OLLAMA = ChatHost(
    name="ollama_chat",
    model="ollama/qwen3:4b",
    root="",
    path="/api/chat",
    key_variable="OLLAMA_API_KEY",
    key_header="authorization",
    key_prefix="Bearer ",
    answer=host_bodies.ollama_answer,
    error=host_bodies.ollama_error,
    coded=False,
    lone=True,
)
COHERE = ChatHost(
    name="cohere_chat",
    model="cohere/command-a-03-2025",
    root="",
    path="/v2/chat",
    key_variable="CO_API_KEY",
    key_header="authorization",
    key_prefix="Bearer ",
    answer=host_bodies.cohere_answer,
    error=host_bodies.cohere_error,
    coded=False,
)
ALL_HOSTS = (OPENAI, ANTHROPIC, RESPONSES, GEMINI, BEDROCK, BEDROCK_ANTHROPIC, MISTRAL, OLLAMA, COHERE)

all_formats = pytest.mark.parametrize("host", ALL_HOSTS, ids=lambda host: host.provider)
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


def ask_streaming(model: str, request: LlmRequest, **options: Any) -> LlmResponse:
    """Return what a stream of a blocking client made for this one call comes to."""
    with LlmClient(model, **options) as client, client.stream(request) as stream:
        return stream.collect()


def ask_streaming_awaiting(model: str, request: LlmRequest, **options: Any) -> LlmResponse:
    """Return what a stream of an asyncio client made for this one call comes to."""

    async def ask() -> LlmResponse:
        async with aio.LlmClient(model, **options) as client, client.stream(request) as stream:
            return await stream.collect()

    return asyncio.run(ask())


both_ways = pytest.mark.parametrize("ask", [ask_blocking, ask_awaiting], ids=["sync", "async"])
