"""Wire formats: the one place that knows the shapes of providers' APIs. Each is pure: no I/O, no clock, no state."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from attrs import field, frozen

from triptych.checks import did_you_mean, is_a
from triptych.errors import LlmError, Notice
from triptych.events import StreamEvent
from triptych.framing import Framing
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.settings import Settings

# What a JSON object of a provider is before a format gives it a type; each format names its own TypedDict.
WireBody = Any


@frozen
class Call:
    """One call, whole: what a format builds a body from, and reads one back to.

    Args:
        request: What to send.
        model: The provider's name of the model; None where the URL names it.
        settings: How to generate.
        stream: Whether the answer shall come in pieces.
    """

    request: LlmRequest
    model: str | None = field(default=None, validator=is_a(str, optional=True))
    settings: Settings = field(factory=Settings)
    stream: bool = False


@frozen
class Built:
    """A request in a provider's form.

    Args:
        body: The wire request.
        notices: What this API cannot express of the call.
    """

    body: Mapping[str, Any]
    notices: tuple[Notice, ...] = ()


class StreamParser(Protocol):
    """Turns the wire events of one stream into events, and at the end into the response."""

    @property
    def error(self) -> LlmError | None:
        """What the provider says has failed, once it has said so."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the answer is whole, even if nothing more comes."""
        ...

    @property
    def closed(self) -> bool:
        """Whether the end of the answer has come: then nothing more is read."""
        ...

    def end_marker(self) -> None:
        """Take the `[DONE]` that many APIs send last."""
        ...

    def feed(self, event: WireBody) -> list[StreamEvent]:
        """Return the events that a wire event makes.

        Raises:
            One of `wrong_form.WRONG_FORM`: it is no event of this API; what came before it stays for `finish`.
        """
        ...

    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response: for a whole answer what `parse_response` gives for it.

        Args:
            error: Why the stream broke off, or None; then content is what is whole, and the error has the rest.
        """
        ...


class Format(Protocol):
    """One wire format, spoken as one provider speaks it."""

    @property
    def name(self) -> str:
        """The format's name: the stem of its schema."""
        ...

    @property
    def issuer(self) -> Issuer:
        """Whose data this is the form of: what goes back to its issuer alone may come here."""
        ...

    def build_request(self, call: Call) -> Built:
        """Return the wire request that says `call`.

        Raises:
            LlmError: the call cannot be said at all; nothing must be sent.
        """
        ...

    def read_request(self, body: WireBody) -> Call:
        """Return the call that a wire request says: `build_request` gives the body back.

        Raises:
            One of `wrong_form.WRONG_FORM`: it is no request of this API.
        """
        ...

    def parse_response(self, body: WireBody, call: Call | None = None) -> LlmResponse:
        """Return the answer that a wire response holds, or the error where it holds one or has a wrong shape."""
        ...

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes."""
        ...

    def stream_parser(self, call: Call | None = None) -> StreamParser:
        """Return a parser for the events of one stream."""
        ...

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says: any status, any body."""
        ...


_FORMATS = {
    "openai_chat": "OpenAIChat",
    "openai_responses": "OpenAIResponses",
    "anthropic_messages": "AnthropicMessages",
    "mistral_chat": "MistralChat",
    "ollama_chat": "OllamaChat",
    "gemini_generate": "GeminiGenerate",
    "cohere_chat": "CohereChat",
    "bedrock_converse": "BedrockConverse",
}


def names() -> tuple[str, ...]:
    """Return the names of all wire formats."""
    return tuple(_FORMATS)


def load(name: str, provider: str | None = None, quirks: Quirks | None = None) -> Format:
    """Return a wire format; its module is imported on first use.

    Args:
        name: The stem of its schema, such as "openai_chat".
        provider: Whose API it is; provider-private data goes back only to it. None is the format in general.
        quirks: How that provider departs from the format's reference.

    Raises:
        ValueError: an unknown name; the message has the nearest one.
    """
    if name not in _FORMATS:
        raise ValueError(
            f"unknown wire format {name!r}{did_you_mean(name, _FORMATS)}; known formats: {', '.join(_FORMATS)}"
        )
    module = import_module(f"triptych.formats.{name}")
    built: Format = getattr(module, _FORMATS[name])(provider=provider, quirks=quirks or Quirks())
    return built
