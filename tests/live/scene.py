"""A scene: a short conversation with a model, and what must hold of it whoever plays the model.

A scene is written once. The same one is recorded from a server, replayed offline by the blocking and by the async
client, and played live; so its steps are a generator that asks and is told, and knows of no client.
"""

from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any

from attrs import asdict, field, frozen

from triptych import LlmRequest, LlmResponse

OPENAI_CHAT = "openai_chat"
OPENAI_RESPONSES = "openai_responses"
ANTHROPIC_MESSAGES = "anthropic_messages"
GEMINI_GENERATE = "gemini_generate"
BEDROCK_CONVERSE = "bedrock_converse"
MISTRAL_CHAT = "mistral_chat"
COHERE_CHAT = "cohere_chat"
OLLAMA_CHAT = "ollama_chat"
ALL_FORMATS = (
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    ANTHROPIC_MESSAGES,
    GEMINI_GENERATE,
    BEDROCK_CONVERSE,
    MISTRAL_CHAT,
    COHERE_CHAT,
    OLLAMA_CHAT,
)


def check_counts(responses: list[LlmResponse]) -> None:
    """Check that the tokens of every answer were counted."""
    for response in responses:
        if response.error is None:
            assert response.usage is not None
            assert response.usage.input_tokens > 0
            assert response.usage.output_tokens > 0


@frozen
class Ask:
    """One call of a scene: the request, the settings of this call, and a key when it is not to be the right one."""

    request: LlmRequest
    settings: Mapping[str, Any] = field(factory=dict)
    api_key: str | None = field(default=None, repr=False)


Steps = Generator[Ask, LlmResponse, None]
Player = Callable[[Ask], LlmResponse]
AsyncPlayer = Callable[[Ask], Awaitable[LlmResponse]]


@frozen
class Scene:
    """A named conversation.

    Attributes:
        name: the stem of its cassette.
        steps: starts the conversation: yields what to ask and is sent the answer.
        check: raises AssertionError when the answers are not what they must be.
        check_counts: raises AssertionError when the counted tokens are not what they must be.
        formats: the wire formats that can play it.
        engine_only: True when it leans on a limit of the local engine and is not played to a provider.
    """

    name: str
    steps: Callable[[], Steps]
    check: Callable[[list[LlmResponse]], None]
    check_counts: Callable[[list[LlmResponse]], None] = check_counts
    formats: tuple[str, ...] = ALL_FORMATS
    engine_only: bool = False

    def verify(self, responses: list[LlmResponse], *, counted: bool = True) -> None:
        """Raise AssertionError when the answers are not what they must be.

        Args:
            responses: the answers.
            counted: whether the server that gave them counts tokens.
        """
        self.check(responses)
        if counted:
            self.check_counts(responses)


def play(scene: Scene, player: Player) -> list[LlmResponse]:
    """Play a scene to its end and return the answers in order."""
    steps, responses = scene.steps(), []
    ask = next(steps, None)
    while ask is not None:
        responses.append(player(ask))
        ask = _next_ask(steps, responses[-1])
    return responses


async def play_async(scene: Scene, player: AsyncPlayer) -> list[LlmResponse]:
    """Play a scene to its end through an async client and return the answers in order."""
    steps, responses = scene.steps(), []
    ask = next(steps, None)
    while ask is not None:
        responses.append(await player(ask))
        ask = _next_ask(steps, responses[-1])
    return responses


def values(responses: list[LlmResponse]) -> list[dict[str, Any]]:
    """Return answers as plain data that compares by value, errors included: those are exceptions."""
    return [asdict(response) for response in responses]


def _next_ask(steps: Steps, response: LlmResponse) -> Ask | None:
    """Tell a scene the answer; return what it asks next, or None when it is over."""
    try:
        return steps.send(response)
    except StopIteration:
        return None
