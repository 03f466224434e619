"""Messages by the `anthropic` package.

A body is held against the types of the plain API first, and where they refuse it against those of the beta API, which
has everything of the plain one and more: what only these take is a body with fields of a beta.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from anthropic.types import Message, message_create_params
from anthropic.types.beta import message_create_params as beta

from tests.conformance.closing import Closed
from tests.conformance.official.openai_chat import of_answers
from tests.conformance.said import Said

# By way of a cloud the URL names the model, and the version is in the body.
_IN_A_CLOUD = "anthropic_version"


# The newest models take no such settings and the package has dropped them; the API has not, for the models before.
_SAMPLING = frozenset({"temperature", "top_p", "top_k"})


@cache
def _closed(module: Any, stream: bool) -> Closed:
    kind = "Streaming" if stream else "NonStreaming"
    return Closed(getattr(module, f"MessageCreateParams{kind}"), of_answers)


def faults(body: Mapping[str, Any], stream: bool) -> list[str]:
    """Return what the package's parameter types, of the plain API and of its betas, have against a body."""
    wrong = [f"{name}: no number" for name in _SAMPLING & body.keys() if not isinstance(body[name], (int, float))]
    body = {name: value for name, value in body.items() if name not in _SAMPLING}
    if _IN_A_CLOUD in body:
        body = {"model": "m", **{name: value for name, value in body.items() if name != _IN_A_CLOUD}}
        body = {**body, **({"stream": True} if stream else {})}
    plain, with_betas = _closed(message_create_params, stream), _closed(beta, stream)
    return wrong + (plain.faults(body) and with_betas.faults(body))


def read(answer: Any) -> Said:
    """Return what the package reads in an answer."""
    message = Message.construct(**answer)
    counts = message.usage
    cached = (counts.cache_read_input_tokens or 0) + (counts.cache_creation_input_tokens or 0)
    return Said(
        "".join(block.text for block in message.content if block.type == "text"),
        [(block.name, block.input) for block in message.content if block.type == "tool_use"],
        message.stop_reason,
        (counts.input_tokens + cached, counts.output_tokens),
    )
