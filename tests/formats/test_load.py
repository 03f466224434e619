"""Wire formats by name."""

from __future__ import annotations

import pytest

from tests.formats.bodies import issuer
from triptych import formats
from triptych.provider import Quirks

ALL = (
    "openai_chat",
    "openai_responses",
    "anthropic_messages",
    "mistral_chat",
    "ollama_chat",
    "gemini_generate",
    "cohere_chat",
    "bedrock_converse",
)


def test_all_wire_formats_are_listed() -> None:
    assert formats.names() == ALL


@pytest.mark.parametrize("name", ALL)
def test_a_wire_format_knows_its_name_and_speaks_as_its_provider(name: str) -> None:
    quirks = Quirks(max_tokens_field="max_completion_tokens")
    wire = formats.load(name, "here", quirks)
    assert wire.name == name
    assert wire == formats.load(name, "here", quirks)
    assert getattr(wire, "issuer", None) == issuer(name)
    assert getattr(wire, "quirks", None) == quirks


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r"unknown wire format 'openai_chats' \(did you mean 'openai_chat'\?\); known"):
        formats.load("openai_chats")
