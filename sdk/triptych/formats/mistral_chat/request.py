"""Requests of Mistral's API: a call to a wire request, and back.

The frame is that of OpenAI Chat Completions; what differs in it is one dialect of that.
Reference: https://docs.mistral.ai/api/endpoint/chat
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from triptych.formats import Built, Call
from triptych.formats.mistral_chat.messages import MistralMessageBuilder
from triptych.formats.openai_chat import request as shared
from triptych.parts import Issuer
from triptych.provider import Quirks

_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def _dialect(quirks: Quirks) -> Quirks:
    """Return how this API departs from OpenAI's, and one host from this API. A field that it does not know is a 422."""
    return evolve(
        quirks,
        max_tokens_field="max_tokens",
        seed_field="random_seed",
        instruction_role="system",
        reasoning_replay="never" if quirks.reasoning_replay == "never" else "sent",
        reasoning_setting="reasoning_effort",
        reasoning_efforts=quirks.reasoning_efforts or _EFFORTS,
        message_name=False,
        tool_content_parts=True,
        stream_options=False,
        required_tool_choice="any",
        unsupported_settings=(*quirks.unsupported_settings, "user"),
    )


def build_request(call: Call, issuer: Issuer, quirks: Quirks) -> Built:
    """Return the wire request that says `call`; see `Format.build_request`."""
    return shared.build_request(call, issuer, _dialect(quirks), MistralMessageBuilder)


def read_request(body: Mapping[str, Any], issuer: Issuer, quirks: Quirks) -> Call:
    """Return the call that a wire request says; see `Format.read_request`."""
    from triptych.formats.mistral_chat.reading import MistralMessageReader  # only for those who read requests

    return shared.read_request(body, MistralMessageReader(issuer, _dialect(quirks)))
