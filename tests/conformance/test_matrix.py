"""The translation matrix: what was said to one API, said to another, passes that one's own package."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping

import pytest

from tests.conformance import drawn, official, recorded
from tests.conformance.conftest import Listed
from tests.conformance.translation import Body, converted, said
from tests.formats import strategies
from tests.formats.corpus import Exchange
from triptych import formats
from triptych.errors import LlmError

PAIRS = [(source, target) for source in formats.names() for target in formats.names() if source != target]
pairs = pytest.mark.parametrize(("source", "target"), PAIRS, ids=[f"{source}-{target}" for source, target in PAIRS])

TIER = "the name of one provider's service tier is sent to another"
EFFORT = "an effort that one host alone has is sent to another"
VIDEO = "a video is sent to OpenAI, whose chat takes none"
TEXT = "a document that is no PDF is sent as if Anthropic took any media type"
# Faults of ours: by target the recorded requests that its package refuses once they are translated, and why.
FAULTS: Mapping[str, Mapping[str, str]] = {
    "openai_chat": dict.fromkeys(("gemini_365fdcda", "gemini_78d096d9", "gemini_70458f9b", "bedrock_35cc472a"), VIDEO),
    "openai_responses": {"compat_3d26e385": EFFORT, "compat_956b01e5": TIER},
    "anthropic_messages": {
        "compat_3d26e385": TIER,
        "compat_956b01e5": TIER,
        "oairesp_5dbe9116": TIER,
        "bedrock_86b1abb0": TIER,
        "oairesp_8316c078": TEXT,
        "oairesp_f74af817": TEXT,
    },
    "mistral_chat": {
        "compat_3d26e385": EFFORT,
        "compat_956b01e5": TIER,
        "oairesp_5dbe9116": TIER,
        "bedrock_86b1abb0": TIER,
    },
    "gemini_generate": {"compat_3d26e385": EFFORT},
}
# The same faults in conversations that are drawn, where they have no name: by target a pattern, and why.
DRAWN_FAULTS: Mapping[str, tuple[str, str]] = {"openai_chat": (r".* Input tag 'video_url' .*", VIDEO)}
KNOWN = [
    pytest.param(target, name, id=f"{name}-{target}", marks=pytest.mark.xfail(reason=reason, strict=True))
    for target, faults in FAULTS.items()
    for name, reason in faults.items()
    if target in formats.names()
]


def faults_of(
    bodies: Iterable[tuple[str, Body | LlmError, bool]], source: str, target: str, listed: Listed
) -> list[str]:
    """Return what the target's package has against translated bodies; list those that cannot be said there.

    Args:
        bodies: Each with its name, and whether a stream is asked for.
        source: The wire format that they are from.
        target: The wire format that they are in.
        listed: Takes what is refused before it is sent.
    """
    faults = []
    for name, body, stream in bodies:
        if isinstance(body, LlmError):
            listed(f"{source} cannot be said to {target}", f"{name}: {body.kind}: {body.message[:100]}")
        else:
            faults += [f"{name}: {fault}" for fault in official.of(target).faults(body, stream)]
    return faults


def translated(exchange: Exchange, target: str) -> tuple[str, Body | LlmError, bool]:
    """Return a recorded request in the form of another API, with its name and whether it asks for a stream."""
    request = copy.deepcopy(exchange.request)
    stream = formats.load(exchange.format).read_request(request).stream
    return exchange.id, converted(request, exchange.format, target), stream


@pairs
def test_every_recorded_request_is_accepted_by_the_target(source: str, target: str, listed: Listed) -> None:
    chosen = [exchange for exchange in recorded.exchanges() if exchange.format == source]
    if not chosen:
        pytest.skip("no recorded exchanges")
    bodies = (translated(exchange, target) for exchange in chosen if exchange.id not in FAULTS.get(target, {}))
    assert faults_of(bodies, source, target, listed) == []


@pytest.mark.skipif(not recorded.exchanges(), reason="no recorded exchanges")
@pytest.mark.parametrize(("target", "name"), KNOWN)
def test_a_known_fault_is_gone(target: str, name: str, listed: Listed) -> None:
    [exchange] = [exchange for exchange in recorded.exchanges() if exchange.id == name]
    assert faults_of([translated(exchange, target)], exchange.format, target, listed) == []


@pairs
def test_every_drawn_conversation_is_accepted_by_the_target(source: str, target: str, listed: Listed) -> None:
    if source not in strategies.PRIVATE:
        pytest.skip(f"no conversations are drawn for {source} yet")
    calls = [drawn.without_inventions(call, target) for call in drawn.conversations(source)]
    bodies = ((f"drawn {index}", said(call, target), call.stream) for index, call in enumerate(calls))
    pattern, reason = DRAWN_FAULTS.get(target, (r"(?!)", ""))
    faults = faults_of(bodies, source, target, listed)
    known = [fault for fault in faults if re.fullmatch(pattern, fault)]
    for fault in known:
        listed(f"{target}: {reason}", f"{source}: {fault[:80]}")
    assert [fault for fault in faults if fault not in known] == []
