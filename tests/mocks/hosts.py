"""The wire formats as the two mocks speak them: where, whose error body they send there, and in which pieces."""

from typing import Any

import pytest
from attrs import frozen

from tests.live.mocks import Mock


@frozen
class MockHost:
    """One provider's API as a mock plays it.

    Args:
        model: The name to give to a client.
        path: What follows the mock's address in the base URL.
        envelope: Whose form of errors the mock sends there: the key of the tables of what is expected.
        lead: How many events of a stream come before the first that has words.
        called: The test's name for it, where that is not the provider's.
    """

    model: str
    path: str
    envelope: str
    lead: int
    called: str | None = None

    @property
    def lone(self) -> bool:
        """Whether a stream of its framing may be one JSON object alone, which is an event then."""
        return self.envelope in ("gemini", "ollama")

    @property
    def name(self) -> str:
        """The test's name for it."""
        return self.called or self.provider

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self.model.partition("/")[0]

    def options(self, mock: Mock) -> dict[str, Any]:
        """Return the arguments, besides the model, with which a client calls the mock."""
        return {"base_url": f"{mock.url}{self.path}", "api_key": mock.api_key}


# One of each format.
LLMOCK_FORMATS = (
    MockHost("openai/gpt-4.1-mini", "/v1", "openai", 1),
    MockHost("openai-responses/gpt-4.1-mini", "/v1", "openai", 4),
    MockHost("anthropic/claude-sonnet-4-5", "/anthropic", "anthropic", 3),
    MockHost("gemini/gemini-3-flash-preview", "/gemini/v1beta", "gemini", 0),
    MockHost("mistral/mistral-medium-latest", "/mistral/v1", "mistral", 1),
    MockHost("cohere/command-a-03-2025", "/cohere", "cohere", 2),
)
LLMOCK_HOSTS = (
    *LLMOCK_FORMATS,
    # These speak OpenAI's format, and llmock sends OpenAI's errors for them.
    MockHost("groq/llama-3.3-70b-versatile", "/groq/openai/v1", "openai", 1),
    MockHost("together/meta-llama/Llama-3.3-70B-Instruct-Turbo", "/together/v1", "openai", 1),
    MockHost("perplexity/sonar", "/perplexity/v1", "openai", 1),
    MockHost("xai/grok-4", "/xai/v1", "openai", 1),
    MockHost("openai/jamba-large", "/ai21/v1", "openai", 1, called="ai21"),
)
AIMOCK_HOSTS = (
    MockHost("openai/gpt-4.1-mini", "/v1", "openai", 1),
    MockHost("openai-responses/gpt-4.1-mini", "/v1", "openai", 4),
    MockHost("azure/gpt-4.1-mini", "/openai/v1", "openai", 1),
    MockHost("azure-deployments/gpt-4.1-mini", "/?api-version=2024-10-21", "openai", 1),
    MockHost("openrouter/openai/gpt-4.1-mini", "/api/v1", "openrouter", 1),
    MockHost("anthropic/claude-sonnet-4-5", "", "anthropic", 2),
    MockHost("gemini/gemini-3-flash-preview", "/v1beta", "gemini", 0),
    MockHost("vertex/gemini-2.5-flash", "/v1/projects/p/locations/l/publishers/google", "gemini", 0),
    MockHost("bedrock/amazon.nova-lite-v1:0", "", "bedrock", 2),
    MockHost("bedrock-anthropic/anthropic.claude-sonnet-4-5-20250929-v1:0", "", "bedrock-anthropic", 2),
    MockHost("ollama/qwen3:4b", "", "ollama", 0),
    MockHost("cohere/command-a-03-2025", "", "cohere", 2),
)

every_llmock_format = pytest.mark.parametrize("host", LLMOCK_FORMATS, ids=lambda host: host.name)
every_llmock_host = pytest.mark.parametrize("host", LLMOCK_HOSTS, ids=lambda host: host.name)
every_aimock_host = pytest.mark.parametrize("host", AIMOCK_HOSTS, ids=lambda host: host.name)
