"""Every recorded answer says the same, whether the provider's own package reads it or we do."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import pytest

from tests.conformance import official, recorded
from tests.conformance.conftest import Listed
from tests.conformance.said import Said, by_us
from tests.formats.corpus import Exchange, each
from triptych import formats

# Answers of which the two say different things, by name: which things, and why ours are the right ones.
DIFFERENT: Mapping[str, tuple[tuple[str, ...], str]] = {
    "oaichat_c6901884": (("finish",), "the first vision model has `finish_details` in place of the field"),
    "compat_04c6d5b9": (("calls",), "a call without a name is none"),
    "compat_5d30f73b": (("text",), "the host sends structured output parsed, and not as text"),
    "compat_f4589e4b": (("text",), "the host sends structured output parsed, and not as text"),
    "compat_8e2a6888": (("calls",), "a call without a name is none"),
    "compat_2b462abd": (("usage",), "the host counts reasoning beside the output, and in the total alone"),
    "compat_bf15742d": (("usage",), "the host counts reasoning beside the output, and in the total alone"),
    "cohere_b5ffff7a": (("usage",), "the tokens of images are counted beside the input"),
    "gemini_0586ff88": (("calls",), "the model made up a tool, and its finish reason says that this is no call"),
    "gemini_88219f64": (("finish", "usage"), "a prompt is blocked: its reason is the finish, and nothing is counted"),
    "mistral_5893762a": (("usage",), "the tokens of audio are in the total alone"),
    "mistral_6b631f91": (("usage",), "the tokens of audio are in the total alone"),
    "mistral_7bfa1517": (("usage",), "the tokens of audio are in the total alone"),
}
# Answers that the package cannot read.
UNREAD: Mapping[str, str] = {
    "gemini_426161a7": "enums as integers",
    "gemini_7a1a7ea2": "enums as integers",
}
READ = [exchange for exchange in recorded.answers() if exchange.id not in UNREAD]


def ours(exchange: Exchange) -> Said:
    """Return what we read in a recorded answer."""
    return by_us(formats.load(exchange.format).parse_response(copy.deepcopy(exchange.response)))


@each(READ)
def test_text_calls_finish_and_usage_are_those_that_the_package_reads(exchange: Exchange, listed: Listed) -> None:
    theirs, own = official.of(exchange.format).read(copy.deepcopy(exchange.response)), ours(exchange)
    names, reason = DIFFERENT.get(exchange.id, ((), ""))
    assert tuple(name for name in Said.names() if getattr(theirs, name) != getattr(own, name)) == names
    if names:
        listed("answers of which the package says another thing", f"{exchange.id}: {', '.join(names)}: {reason}")


@each(exchange for exchange in recorded.answers() if exchange.id in UNREAD)
def test_an_answer_that_the_package_cannot_read_is_read_here(exchange: Exchange, listed: Listed) -> None:
    with pytest.raises(AttributeError):
        official.of(exchange.format).read(copy.deepcopy(exchange.response))
    assert ours(exchange).finish is not None
    listed("answers that the package cannot read", f"{exchange.id}: {UNREAD[exchange.id]}")
