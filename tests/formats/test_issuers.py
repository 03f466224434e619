"""What a provider sealed goes back to it byte for byte, and to nobody else: over sockets, drawn and recorded histories.

A seal is what no other provider may get: signatures, encrypted thoughts, ids of items on the server, and what is in
blocks and fields of the provider's own. The id of a tool call is none: it links the call with its result everywhere.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any

import pytest
from attrs import asdict, evolve
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.chat_hosts import ALL_HOSTS, ChatHost
from tests.formats.corpus import Exchange, each
from tests.formats.plain import blocks_in
from tests.formats.recordings import answer_to, answered, asked
from tests.formats.strategies import PRIVATE, names, objects
from tests.servers.echo import echo
from tests.servers.script import serve
from triptych import formats, jsontext
from triptych.content import ContentItem, Message, Opaque, ToolCall, ToolResult
from triptych.formats import Call
from triptych.parts import Issuer, Text
from triptych.request import LlmRequest

CONVERSATIONS = 200
ISSUING, OTHER = "issuing", "other"
# What a format lets its provider say beside a call.
BESIDE_CALLS: Mapping[str, Mapping[str, Any] | None] = {
    "openai_chat": {"extra_content": {"google": {"thought_signature": "seal"}}},
    "openai_responses": {"id": "fc_1", "status": "completed"},
    "anthropic_messages": {"caller": {"type": "code_execution_20250825", "tool_id": "seal"}},
    "mistral_chat": None,
    "ollama_chat": None,
    "gemini_generate": {"thoughtSignature": "c2VhbA=="},
    "cohere_chat": None,
    "bedrock_converse": None,
}
# Texts in a provider's own data that say what it is, and are no secret.
_PLAIN = frozenset({"type", "role", "status", "name", "language", "outcome", "annotations"})

each_format = pytest.mark.parametrize("name", formats.names())


def sealed(value: Any, seals: Iterator[str]) -> Any:
    """Return a provider's own data with a seal of its own, unlike any other, for each of its texts that is no label."""
    if isinstance(value, str):
        return next(seals)
    if isinstance(value, Mapping):
        return {key: inner if key in _PLAIN else sealed(inner, seals) for key, inner in value.items()}
    return [sealed(inner, seals) for inner in value] if isinstance(value, list) else value


def new_seals() -> Iterator[str]:
    """Yield seals: any API that decodes one finds it to be base64."""
    return (base64.b64encode(b"the seal numbered %06d" % number).decode() for number in count())


def sealed_item(item: Any, issuer: Issuer, seals: Iterator[str]) -> Any:
    """Return an item as its issuer might have sent it, with all that it keeps for itself under a new seal."""
    fields = [name for name in ("signature", "encrypted") if getattr(item, name, None)]
    changes: dict[str, Any] = {name: next(seals) for name in fields}
    if item.provider_data is not None:
        changes["provider_data"] = sealed(item.provider_data, seals)
    if isinstance(item, Opaque):
        changes["data"] = sealed(item.data, seals)
    return evolve(item, **changes, issuer=issuer)


@st.composite
def exchanges(draw: st.DrawFn, name: str) -> list[ContentItem]:
    """Draw a question and an answer with what is its provider's own, perhaps with calls and their results."""
    private = PRIVATE[name]
    question: list[Any] = [Text(draw(names)), *draw(st.lists(st.just(private.part), max_size=1))]
    said: list[ContentItem] = draw(
        st.lists(st.sampled_from([*private.items, Message("assistant", "words")]), max_size=3)
    )
    thought: list[ContentItem] = draw(st.lists(st.sampled_from(private.reasoning), max_size=1))
    beside = st.sampled_from([None, BESIDE_CALLS[name]])
    calls = [
        ToolCall(f"call_{number}", draw(names), draw(objects), provider_data=draw(beside))
        for number in range(draw(st.integers(0, 2)))
    ]
    results = [ToolResult(call.tool_call_id, call.name, content=["done"]) for call in calls]
    return [Message("user", question), *said, *thought, *calls, *results]


@cache
def drawn(name: str) -> Sequence[tuple[list[ContentItem], Counter[str]]]:
    """Return conversations as an issuer might have had them, each with its seals; the same in every run."""
    conversations = []

    @settings(
        max_examples=CONVERSATIONS,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(exchanges(name), min_size=1, max_size=3))
    def draw(turns: list[list[ContentItem]]) -> None:
        conversations.append(sealed_conversation([item for turn in turns for item in turn], Issuer(name, ISSUING)))

    draw()
    return conversations


def sealed_conversation(items: Iterable[ContentItem], issuer: Issuer) -> tuple[list[ContentItem], Counter[str]]:
    """Return a conversation with its issuer's seals, and the seals."""
    taken: Counter[str] = Counter()

    def seals() -> Iterator[str]:
        for seal in new_seals():
            taken[seal] += 1
            yield seal

    source = seals()
    whole = [sealed_message(item, issuer, source) for item in items]
    return [*whole, Message("user", "And then?")], taken


def sealed_message(item: ContentItem, issuer: Issuer, seals: Iterator[str]) -> ContentItem:
    """Return an item, and each part in it, with the issuer's seals."""
    if isinstance(item, Message) and not isinstance(item.content, str):
        return evolve(item, content=[sealed_item(part, issuer, seals) for part in item.content])
    whole: ContentItem = sealed_item(item, issuer, seals)
    return whole


def body_of(name: str, provider: str, contents: list[ContentItem]) -> str:
    """Return the request that a provider would get, as it is on the wire."""
    call = Call(LlmRequest(contents=contents), "m")
    return jsontext.encode_text(formats.load(name, provider).build_request(call).body)


def found(seals: Iterable[str], text: str) -> Counter[str]:
    """Return how often each seal is in a text; those that are not there are left out."""
    return +Counter({seal: text.count(seal) for seal in seals})


@each_format
def test_the_issuer_gets_every_seal_back_as_it_came_and_once(name: str) -> None:
    for contents, seals in drawn(name):
        assert found(seals, body_of(name, ISSUING, contents)) == seals


@each_format
def test_another_provider_of_the_same_format_gets_none(name: str) -> None:
    for contents, seals in drawn(name):
        assert found(seals, body_of(name, OTHER, contents)) == {}


@pytest.mark.parametrize("target", formats.names())
@each_format
def test_another_format_gets_none_even_of_the_same_provider(name: str, target: str) -> None:
    for contents, seals in drawn(name) if target != name else []:
        assert found(seals, body_of(target, ISSUING, contents)) == {}


def history_of(host: ChatHost) -> tuple[list[ContentItem], Counter[str]]:
    """Return a conversation with all that a host may keep for itself, and its seals."""
    private, issuer = PRIVATE[host.name], Issuer(host.name, host.provider)
    items: list[ContentItem] = [Message("user", [Text("Hello."), private.part])]
    for number, thought in enumerate(private.reasoning):
        call = ToolCall(f"call_{number}", "look", {"at": number}, provider_data=BESIDE_CALLS[host.name])
        items += [thought, call, ToolResult(call.tool_call_id, "look", content=["seen"]), Message("user", "Go on.")]
    return sealed_conversation([*items, *private.items, Message("assistant", "Done.")], issuer)


@pytest.mark.parametrize("host", ALL_HOSTS, ids=lambda host: host.provider)
def test_over_sockets_the_issuer_gets_all_again_after_its_answer_and_no_other_host_anything(host: ChatHost) -> None:
    contents, seals = history_of(host)
    with serve(echo()) as server:
        with host.client(server) as client:
            answer = client.generate(LlmRequest(contents=contents))
            assert answer.error is None
            follow = [*contents, *answer.content, Message("user", "Go on.")]
            assert client.generate(LlmRequest(contents=follow)).error is None
        for request in server.requests:
            assert found(seals, request.body.decode()) == seals
        for other in ALL_HOSTS:
            if other.provider != host.provider:
                with other.client(server) as client:
                    assert client.generate(LlmRequest(contents=follow)).error is None
                assert found(seals, server.requests[-1].body.decode()) == {}


# Names of fields whose texts are seals in what the providers send and in our items.
_SEALING = frozenset(
    ("signature", "thoughtSignature", "thought_signature", "encrypted", "encrypted_content", "encrypted_index")
)
_SEALED_KINDS = frozenset({"redacted_thinking", "reasoning.encrypted"})


def seals_in(value: Any, ids: bool) -> set[str]:
    """Return the seals in a recorded answer, at any depth.

    Args:
        value: The answer as it was sent, or our items where it was streamed.
        ids: Whether the field `id` is that of an item on the server.
    """
    seals = set()
    for block in blocks_in(value):
        fields = [*_SEALING, *(["id"] if ids else []), *(["data"] if block.get("type") in _SEALED_KINDS else [])]
        seals |= {block[field] for field in fields if isinstance(block.get(field), str) and block[field]}
    return seals


def sealed_answer(exchange: Exchange) -> tuple[list[ContentItem], set[str]]:
    """Return the conversation that goes on from a recorded answer, and the seals of that answer."""
    call = asked(exchange, ISSUING)
    response = answer_to(exchange, call, ISSUING)
    results = [ToolResult(item.tool_call_id, item.name, content=["done"]) for item in response.tool_calls]
    contents = [*call.request.contents, *response.content, *results, Message("user", "And then?")]
    own = [asdict(item) for item in response.content]
    whole = not exchange.stream and response.error is None  # of a failed answer not all is content
    sent = exchange.response.get("output", exchange.response) if whole else own
    seals = seals_in(sent, ids=exchange.format == "openai_responses")
    return contents, seals - {item.tool_call_id for item in response.tool_calls}


@each(answered())
def test_a_recorded_seal_goes_back_to_its_issuer_and_to_nobody_else(exchange: Exchange) -> None:
    contents, seals = sealed_answer(exchange)
    assert found(seals, body_of(exchange.format, ISSUING, contents)).keys() == seals
    assert found(seals, body_of(exchange.format, OTHER, contents)) == {}
    for name in formats.names():
        assert name == exchange.format or found(seals, body_of(name, ISSUING, contents)) == {}
