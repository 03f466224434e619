"""Who plays the model of a scene: the local engine, a real provider, or a cassette recorded from one of them."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from attrs import evolve, field, frozen

from tests.live.engine import ROOT, Engine
from tests.live.scenes import ANTHROPIC_MESSAGES, OPENAI_CHAT, Ask, AsyncPlayer, Player, Scene
from triptych import LlmClient, LlmResponse, aio

CASSETTES = ROOT / "cassettes"
CALL_SECONDS = 120.0


@frozen
class Target:
    """How to open a client on one server, and how a cassette names that server.

    Attributes:
        format: the wire format that it speaks.
        client: the model, as `LlmClient` is given it.
        base_url: where it listens; None for the provider's own address.
        api_key: the key; None where none is needed.
        server: the server and its version, in words.
        model: the model, in words.
        real: True for a provider, False for the local engine.
    """

    format: str
    client: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    server: str = ""
    model: str = ""
    real: bool = False

    def player(self, tape: Path | None = None, *, streamed: bool = False) -> Player:
        """Return what plays asks with the blocking client, offline from `tape` when it is given."""

        def answer(ask: Ask) -> LlmResponse:
            with LlmClient(self.client, **self._options(ask, tape)) as client:
                if streamed:
                    return client.stream(ask.request, **ask.settings).collect()
                return client.generate(ask.request, **ask.settings)

        return answer

    def async_player(self, tape: Path | None = None, *, streamed: bool = False) -> AsyncPlayer:
        """Return what plays asks with the async client, offline from `tape` when it is given."""

        async def answer(ask: Ask) -> LlmResponse:
            async with aio.LlmClient(self.client, **self._options(ask, tape)) as client:
                if streamed:
                    return await client.stream(ask.request, **ask.settings).collect()
                return await client.generate(ask.request, **ask.settings)

        return answer

    def _options(self, ask: Ask, tape: Path | None) -> dict[str, Any]:
        return {
            "base_url": self.base_url,
            "api_key": ask.api_key or self.api_key,
            "timeout": CALL_SECONDS,
            "cassette": tape,
            "temperature": 0,
        }


@frozen
class RealProvider:
    """A provider whose scenes are recorded when its key is in the environment."""

    name: str
    format: str
    key_variable: str
    model_variable: str
    default_model: str


# The models are ones that take temperature, stop and log probabilities, which the providers' reasoning models refuse.
REAL_PROVIDERS = (
    RealProvider("openai", OPENAI_CHAT, "OPENAI_API_KEY", "TRIPTYCH_RECORD_OPENAI", "gpt-4.1-mini"),
    RealProvider("anthropic", ANTHROPIC_MESSAGES, "ANTHROPIC_API_KEY", "TRIPTYCH_RECORD_ANTHROPIC", "claude-haiku-4-5"),
)

# The provider of ours that a recorded address belongs to; any other address is the local engine's.
_PROVIDER_OF_ADDRESS = {"https://api.openai.com": "openai", "https://api.anthropic.com": "anthropic"}
_PATHS = {OPENAI_CHAT: "/chat/completions", ANTHROPIC_MESSAGES: "/v1/messages"}
_ENGINE_PROVIDER = {OPENAI_CHAT: "llamacpp", ANTHROPIC_MESSAGES: "anthropic"}


def require_network() -> None:
    """Exit with a message when the environment makes every client play from cassettes: then nothing would be live."""
    if os.environ.get("TRIPTYCH_CASSETTES"):
        sys.exit("TRIPTYCH_CASSETTES is set and makes every client play offline; unset it to talk to a server")


def engine_targets(engine: Engine) -> list[Target]:
    """Return the targets of the local engine: one for each wire format, on the same server."""
    shared = Target(format="", client="", api_key=engine.api_key, server=engine.label, model=engine.model.label)
    base_urls = {OPENAI_CHAT: f"{engine.url}/v1", ANTHROPIC_MESSAGES: engine.url}
    return [
        evolve(shared, format=name, client=f"{provider}/{engine.model.alias}", base_url=base_urls[name])
        for name, provider in _ENGINE_PROVIDER.items()
    ]


def real_targets(environ: Mapping[str, str]) -> list[Target]:
    """Return the targets of the real providers whose keys the environment holds."""
    targets = []
    for provider in REAL_PROVIDERS:
        key = environ.get(provider.key_variable)
        if key:
            model = environ.get(provider.model_variable) or provider.default_model
            server = f"{provider.name} API"
            targets.append(Target(provider.format, f"{provider.name}/{model}", None, key, server, model, real=True))
    return targets


def cassette_path(target_format: str, scene: Scene, *, streamed: bool = False) -> Path:
    """Return where the cassette of a scene is kept, or that of the same scene with its answers streamed."""
    folder = CASSETTES / target_format
    return (folder / "stream" if streamed else folder) / f"{scene.name}.yaml"


def cassette_target(target_format: str, cassette: Path) -> Target:
    """Return the target that a cassette was recorded from, as the cassette itself tells it; it has no key."""
    recorded = yaml.safe_load(cassette.read_text(encoding="utf-8"))
    request = recorded["interactions"][0]["request"]
    model = json.loads(request["body"])["model"]
    base_url = str(request["uri"]).removesuffix(_PATHS[target_format])
    known = (name for address, name in _PROVIDER_OF_ADDRESS.items() if base_url.startswith(address))
    provider = next(known, None)
    client = f"{provider or _ENGINE_PROVIDER[target_format]}/{model}"
    return Target(target_format, client, base_url, real=provider is not None)
