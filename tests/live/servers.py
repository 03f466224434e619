"""Which server plays which scenes: targets of the servers on this machine, started where needed, and of providers."""

import sys
from collections.abc import Collection, Mapping
from contextlib import ExitStack

from attrs import evolve, frozen

from tests.live import engine
from tests.live.environments import ProgramMissing
from tests.live.gateway import Gateway, gateway
from tests.live.mocks import Mock, aimock, llmock
from tests.live.scene import (
    ANTHROPIC_MESSAGES,
    BEDROCK_CONVERSE,
    COHERE_CHAT,
    GEMINI_GENERATE,
    MISTRAL_CHAT,
    OLLAMA_CHAT,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
)
from tests.live.scenes import OF_THE_ENGINE, SCENES
from tests.live.targets import VENDORS, Target


@frozen
class Ports:
    """The loopback ports that the servers listen on; 0 takes a free one."""

    engine: int = 0
    gateway: int = 0
    llmock: int = 0
    aimock: int = 0


@frozen
class RealProvider:
    """A provider whose scenes are recorded when its key is in the environment."""

    format: str
    key_variable: str
    model_variable: str
    default_model: str
    base_url: str | None = None


# The models are ones that take temperature, stop and log probabilities, which the providers' reasoning models refuse.
REAL_PROVIDERS = (
    RealProvider(OPENAI_CHAT, "OPENAI_API_KEY", "TRIPTYCH_RECORD_OPENAI", "gpt-4.1-mini"),
    RealProvider(OPENAI_RESPONSES, "OPENAI_API_KEY", "TRIPTYCH_RECORD_OPENAI", "gpt-4.1-mini"),
    RealProvider(ANTHROPIC_MESSAGES, "ANTHROPIC_API_KEY", "TRIPTYCH_RECORD_ANTHROPIC", "claude-haiku-4-5"),
    RealProvider(GEMINI_GENERATE, "GEMINI_API_KEY", "TRIPTYCH_RECORD_GEMINI", "gemini-2.5-flash-lite"),
    RealProvider(BEDROCK_CONVERSE, "AWS_BEARER_TOKEN_BEDROCK", "TRIPTYCH_RECORD_BEDROCK", "amazon.nova-lite-v1:0"),
    RealProvider(MISTRAL_CHAT, "MISTRAL_API_KEY", "TRIPTYCH_RECORD_MISTRAL", "mistral-small-latest"),
    RealProvider(COHERE_CHAT, "CO_API_KEY", "TRIPTYCH_RECORD_COHERE", "command-a-03-2025"),
    RealProvider(OLLAMA_CHAT, "OLLAMA_API_KEY", "TRIPTYCH_RECORD_OLLAMA", "gpt-oss:20b", "https://ollama.com"),
)

_TOOLS = ("tool_call", "parallel_tool_calls")

# What the engine cannot show, which llmock plays in its place: its small model calls no tools; its Responses API takes
# no notice of a schema, and ends at a token limit as if it were done; behind the gateway the model heeds one of two
# instructions, and the gateway's errors are neither in Google's envelope nor of the status that Google would give.
LEFT_TO_LLMOCK = {
    OPENAI_CHAT: _TOOLS,
    OPENAI_RESPONSES: (*_TOOLS, "json_schema", "max_tokens"),
    ANTHROPIC_MESSAGES: _TOOLS,
    GEMINI_GENERATE: (*_TOOLS, "system_text", "error_400", "error_401"),
}
_LLMOCK_PATHS = {
    OPENAI_CHAT: "/v1",
    OPENAI_RESPONSES: "/v1",
    ANTHROPIC_MESSAGES: "/anthropic",
    GEMINI_GENERATE: "/gemini/v1beta",
    MISTRAL_CHAT: "/mistral/v1",
    COHERE_CHAT: "/cohere",
}
_ENGINE_PATHS = {OPENAI_CHAT: "/v1", OPENAI_RESPONSES: "/v1", ANTHROPIC_MESSAGES: ""}
_AIMOCK_FORMATS = (BEDROCK_CONVERSE, OLLAMA_CHAT)
_MOCK_MODELS = {provider.format: provider.default_model for provider in REAL_PROVIDERS}


def real_targets(environ: Mapping[str, str]) -> list[Target]:
    """Return the targets of the real providers whose keys the environment holds."""
    targets = []
    for provider in REAL_PROVIDERS:
        key = environ.get(provider.key_variable)
        if key:
            vendor = VENDORS[provider.format]
            model = environ.get(provider.model_variable) or provider.default_model
            client, server = f"{vendor}/{model}", f"{vendor} API"
            targets.append(Target(provider.format, client, provider.base_url, key, server, model, real=True))
    return targets


def local_targets(stack: ExitStack, formats: Collection[str], ports: Ports) -> list[Target]:
    """Start the servers that play some wire formats, and return their targets.

    A server that needs a program which this machine has not is left out, and that is said.

    Args:
        stack: Stops them when it is closed.
        formats: The wire formats that are wanted.
        ports: Where the servers listen.

    Raises:
        NotReady: a server could not be installed or started.
    """
    targets = []
    if not {*OF_THE_ENGINE, GEMINI_GENERATE}.isdisjoint(formats):
        running = stack.enter_context(engine.running(port=ports.engine))
        targets += engine_targets(running)
        if GEMINI_GENERATE in formats:
            targets.append(gateway_target(stack.enter_context(gateway(running, ports.gateway))))
    if not _LLMOCK_PATHS.keys().isdisjoint(formats):
        targets += llmock_targets(stack.enter_context(llmock(ports.llmock)))
    if not set(_AIMOCK_FORMATS).isdisjoint(formats):
        try:
            targets += aimock_targets(stack.enter_context(aimock(ports.aimock)))
        except ProgramMissing as missing:
            without = " and ".join(name for name in _AIMOCK_FORMATS if name in formats)
            print(f"{without}: left out, the cassettes stay as they are: {missing}", file=sys.stderr)
    return [target for target in targets if target.format in formats]


def engine_targets(running: engine.Engine) -> list[Target]:
    """Return the targets of the local engine: one for each wire format that it speaks itself."""
    return [
        _of_the_engine(running, name, f"{running.url}{path}", running.api_key, running.label)
        for name, path in _ENGINE_PATHS.items()
    ]


def gateway_target(running: Gateway) -> Target:
    """Return the target of the gateway in front of the local engine."""
    return _of_the_engine(running.engine, GEMINI_GENERATE, f"{running.url}/v1beta", running.api_key, running.label)


def llmock_targets(running: Mock) -> list[Target]:
    """Return the targets of llmock: the formats that are its own, and what the engine leaves to it."""
    return [
        evolve(_of_a_mock(running, name, path), scenes=LEFT_TO_LLMOCK.get(name)) for name, path in _LLMOCK_PATHS.items()
    ]


def aimock_targets(running: Mock) -> list[Target]:
    """Return the targets of aimock."""
    return [_of_a_mock(running, name, "") for name in _AIMOCK_FORMATS]


def _of_the_engine(running: engine.Engine, name: str, base_url: str, key: str, server: str) -> Target:
    # Under its own name the engine is found where it listens by default.
    provider = "llamacpp" if name == OPENAI_CHAT else VENDORS[name]
    scenes = tuple(scene.name for scene in SCENES if scene.name not in LEFT_TO_LLMOCK[name])
    model = running.model
    return Target(name, f"{provider}/{model.alias}", base_url, key, server, model.label, scenes=scenes)


def _of_a_mock(running: Mock, name: str, path: str) -> Target:
    client = f"{VENDORS[name]}/{_MOCK_MODELS[name]}"
    base_url, key = f"{running.url}{path}", running.api_key
    return Target(name, client, base_url, key, running.label, running.model, rehearse=running.rehearse)
