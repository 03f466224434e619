"""Who plays the model of a scene: a server on this machine, a real provider, or a cassette recorded from either."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml
from attrs import field, frozen

from tests.live.cassette_rules import header
from tests.live.environments import ROOT
from tests.live.scene import (
    ANTHROPIC_MESSAGES,
    BEDROCK_CONVERSE,
    COHERE_CHAT,
    GEMINI_GENERATE,
    MISTRAL_CHAT,
    OLLAMA_CHAT,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    Ask,
    AsyncPlayer,
    Player,
    Scene,
)
from triptych import LlmClient, LlmResponse, aio
from triptych.providers import resolve

CASSETTES = ROOT / "cassettes"
CALL_SECONDS = 120.0

# The provider whose API each wire format is.
VENDORS = {
    OPENAI_CHAT: "openai",
    OPENAI_RESPONSES: "openai-responses",
    ANTHROPIC_MESSAGES: "anthropic",
    GEMINI_GENERATE: "gemini",
    BEDROCK_CONVERSE: "bedrock",
    MISTRAL_CHAT: "mistral",
    COHERE_CHAT: "cohere",
    OLLAMA_CHAT: "ollama",
}

# Servers that give no counts of tokens, or zeros, by the first word of their name and the wire format; and whether they
# do so for streams alone.
_UNCOUNTED = {
    ("litellm", GEMINI_GENERATE): "streamed",
    ("llmock", MISTRAL_CHAT): "streamed",
    ("aimock", OLLAMA_CHAT): "always",
}


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
        real: True for a provider, False for a server on this machine.
        scenes: the names of the scenes that it plays; None for all of its format.
        rehearse: called with the name of a scene before the scene is played.
    """

    format: str
    client: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    server: str = ""
    model: str = ""
    real: bool = False
    scenes: tuple[str, ...] | None = None
    rehearse: Callable[[str], None] = field(default=lambda scene: None, eq=False, repr=False)

    def plays(self, scene: Scene) -> bool:
        """Return whether a scene is played to this target."""
        if self.format not in scene.formats or (scene.engine_only and self.real):
            return False
        return self.scenes is None or scene.name in self.scenes

    def counts(self, *, streamed: bool) -> bool:
        """Return whether the server counts tokens."""
        uncounted = _UNCOUNTED.get((self.server.partition(" ")[0], self.format))
        return uncounted is None or (uncounted == "streamed" and not streamed)

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


def require_network() -> None:
    """Exit with a message when the environment makes every client play from cassettes: then nothing would be live."""
    if os.environ.get("TRIPTYCH_CASSETTES"):
        sys.exit("TRIPTYCH_CASSETTES is set and makes every client play offline; unset it to talk to a server")


def cassette_path(target_format: str, scene: Scene, *, streamed: bool = False) -> Path:
    """Return where the cassette of a scene is kept, or that of the same scene with its answers streamed."""
    folder = CASSETTES / target_format
    return (folder / "stream" if streamed else folder) / f"{scene.name}.yaml"


def cassette_target(target_format: str, cassette: Path) -> Target:
    """Return the target that a cassette was recorded from, as the cassette itself tells it; it has no key."""
    text = cassette.read_text(encoding="utf-8")
    named = header(text)
    request = yaml.safe_load(text)["interactions"][0]["request"]
    vendor = VENDORS[target_format]
    base_url, model = _parted(str(request["uri"]), vendor)
    model = model or json.loads(request["body"])["model"]
    from_engine = target_format == OPENAI_CHAT and named["server"].startswith("llama.cpp")
    provider = "llamacpp" if from_engine else vendor
    real = urlsplit(base_url).hostname != "localhost"
    return Target(target_format, f"{provider}/{model}", base_url, None, named["server"], named["model"], real=real)


def _parted(url: str, provider: str) -> tuple[str, str]:
    """Return the base URL in the URL of a call, and the model's name where the URL has it."""
    host, _ = resolve(f"{provider}/model")
    address = url.partition("?")[0]
    for path in (host.path, host.stream_path):
        if path is not None:
            pattern = re.escape(path.partition("?")[0]).replace(r"\{model\}", "(?P<model>[^/]+)")
            found = re.fullmatch(f"(?P<base>.+)/{pattern}", address)
            if found:
                return found["base"], unquote(found.groupdict().get("model", ""))
    raise ValueError(f"{url!r} is no address of {provider}: its paths are {host.path!r} and {host.stream_path!r}")
