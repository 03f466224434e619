"""Recorded conversations that go on: what we read of an answer, sent back, is the request that was recorded next."""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from attrs import asdict, evolve, frozen

from tests.formats import corpus
from tests.formats.corpus import Exchange
from tests.formats.plain import blocks_in
from tests.formats.recordings import RECORDED, answer_to, answered, as_built, asked
from triptych import formats
from triptych.content import ContentItem, Message, Opaque, Reasoning, Refusal, ToolCall, ToolResult
from triptych.formats import Call

Body = dict[str, Any]


@frozen
class Said:
    """A recorded request, as we read it, and its answer.

    Args:
        exchange: The exchange.
        call: What was asked.
        items: What was answered; nothing where that is not looked at.
    """

    exchange: Exchange
    call: Call
    items: Sequence[ContentItem] = ()


Rewriting = Callable[[Body, Said, Said], Body]


def ids_of_another_run(body: Body, first: Said, then: Said) -> Body:
    """Take for each id the one that stands in its place in the answer: the program ran anew for the second recording.

    What was said, called and answered is the same in both runs; only the ids, which the API draws, are not.
    """
    start = len(first.call.request.contents)
    drawn = _ids(asdict(item) for item in then.call.request.contents[start : answer_end(then.call, start)])
    text = json.dumps(body)
    for ours, theirs in zip(_ids(map(asdict, first.items)), drawn, strict=True):
        text = text.replace(theirs, ours)
    rewritten: Body = json.loads(text)
    return rewritten


def _ids(values: Iterable[Any]) -> list[str]:
    return [block[name] for block in blocks_in(list(values)) for name in ("tool_call_id", "id") if name in block]


def ids_of_the_clients_own(body: Body, first: Said, then: Said) -> Body:
    """Drop `id` and `type` of a call: the client made them, the server's own were taken out of the recording.

    Ollama pairs a result with its call by the tool's name and by order, and reads neither field.
    """
    messages = []
    for message in body["messages"]:
        calls = [{"function": call["function"]} for call in message.get("tool_calls", ())]
        messages.append({**message, "tool_calls": calls} if calls else message)
    return {**body, "messages": messages}


def one_text_as_words(body: Body, first: Said, then: Said) -> Body:
    """Say the answer as a str, which is how the API had sent it: the client makes a list of every text."""
    message = body["messages"][len(first.call.request.contents)]
    [part] = message["content"]
    return _with_answer(body, "messages", first, {**message, "content": part["text"]})


def thought_with_its_end(body: Body, first: Said, then: Said) -> Body:
    """Keep `closed: true` of the thought, which the API had sent: the client has no field for it."""
    message = body["messages"][len(first.call.request.contents)]
    thought, *words = message["content"]
    return _with_answer(body, "messages", first, {**message, "content": [{**thought, "closed": True}, *words]})


def words_with_their_seal(body: Body, first: Said, then: Said) -> Body:
    """Keep the thoughtSignature of the answer's words, which the API wants back: the client dropped it."""
    return _with_answer(body, "contents", first, first.exchange.response["candidates"][0]["content"])


def _with_answer(body: Body, name: str, first: Said, answer: Any) -> Body:
    """Return a body whose answer, in a format where each item so far is a message, is another."""
    messages = list(body[name])
    messages[len(first.call.request.contents)] = answer
    return {**body, name: messages}


def call_with_its_caller(body: Body, first: Said, then: Said) -> Body:
    """Keep `caller` of the answer's call, which the API had sent: the client has no field for it."""
    caller = first.exchange.response["content"][-1]["caller"]
    turn = next(message for message in body["messages"] if message["role"] == "assistant")
    *blocks, call = turn["content"]
    place = body["messages"].index(turn)
    messages = list(body["messages"])
    messages[place] = {**turn, "content": [*blocks, {**call, "caller": caller}]}
    return {**body, "messages": messages}


# First request, next request, and what is rewritten of the recorded next one beside the rewritings of its format.
PAIRS: Mapping[tuple[str, str], Sequence[Rewriting]] = {
    ("anthropic_00753a0b", "anthropic_dfbdceca"): (ids_of_another_run, call_with_its_caller),
    ("compat_e06ed8f9", "compat_f058dd6e"): (ids_of_another_run,),
    ("compat_f4589e4b", "compat_5d30f73b"): (one_text_as_words,),
    ("gemini_a9c0ee9a", "gemini_b851b8b1"): (words_with_their_seal,),
    ("mistral_ba7b2fe3", "mistral_d3c6ae34"): (thought_with_its_end,),
    ("oaichat_02c7d841", "oaichat_5f605eb0"): (),
    ("oaichat_f849ce71", "oaichat_e3fcad15"): (ids_of_another_run,),
    ("ollama_211d0b83", "ollama_dc1cd04a"): (ids_of_the_clients_own,),
}
# Pairs in which the next request holds another answer than the recorded one, and how it differs.
OTHERS: Mapping[tuple[str, str], str] = {
    ("compat_5295a48a", "compat_61f05a86"): "the program ran anew, and its thought came sealed instead of shown",
}


@cache
def said() -> Mapping[str, Said]:
    """Return all answers by name."""
    read = ((exchange, asked(exchange)) for exchange in answered())
    return {one.id: Said(one, call, answer_to(one, call).content) for one, call in read}


def facts(items: Sequence[ContentItem]) -> list[str]:
    """Return the words and the calls that items say, whatever else is beside them; no thoughts."""
    told = []
    for item in items:
        if isinstance(item, ToolCall):
            told.append(json.dumps([item.name, item.arguments], sort_keys=True))
        elif isinstance(item, Message) and item.text:
            told.append(item.text)
    return told


def answer_end(call: Call, start: int) -> int:
    """Return where the items end that a model may have said, from a place of a conversation on."""
    contents = call.request.contents
    end = start
    while end < len(contents) and _by_model(contents[end]):
        end += 1
    return end


def _by_model(item: ContentItem) -> bool:
    if isinstance(item, Message):
        return item.role == "assistant"
    return isinstance(item, Reasoning | Refusal | ToolCall | Opaque)


def found() -> set[tuple[str, str]]:
    """Return the pairs of the corpus: the next request goes on from the first one and its answer, at the same host."""
    pairs = set()
    by_host = defaultdict(list)
    for exchange in corpus.all_exchanges():
        by_host[exchange.format, exchange.host].append((exchange.id, asked(exchange)))
    for name, first in said().items():
        before, told = first.call.request.contents, facts(first.items)
        for other, call in by_host[first.exchange.format, first.exchange.host]:
            contents = call.request.contents
            goes_on = other != name and contents[: len(before)] == before
            if told and goes_on and facts(contents[len(before) : answer_end(call, len(before))]) == told:
                pairs.add((name, other))
    return pairs


def answering(first: Said, call: Call, start: int) -> list[ContentItem]:
    """Return what follows an answer that starts at a place of a conversation, its results those of the calls we read.

    An API that pairs by name and order need not send the ids back.
    """
    end = answer_end(call, start)
    calls = [item for item in call.request.contents[start:end] if isinstance(item, ToolCall)]
    ours = [item for item in first.items if isinstance(item, ToolCall)]
    names = {recorded.tool_call_id: own.tool_call_id for recorded, own in zip(calls, ours, strict=True)}
    return [
        evolve(item, tool_call_id=names.get(item.tool_call_id, item.tool_call_id))
        if isinstance(item, ToolResult)
        else item
        for item in call.request.contents[end:]
    ]


pytestmark = pytest.mark.skipif(not answered(), reason=f"no recorded exchanges in {corpus.FOLDER}")


def test_every_recorded_conversation_that_goes_on_is_compared() -> None:
    assert found() == PAIRS.keys() | OTHERS.keys()


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_the_next_request_is_the_recorded_one(pair: tuple[str, str]) -> None:
    first, then = said()[pair[0]], said()[pair[1]]
    body = copy.deepcopy(then.exchange.request)
    for rewriting in PAIRS[pair]:
        body = rewriting(body, first, then)
    recorded = evolve(then.exchange, request=body)
    call, start = asked(recorded), len(first.call.request.contents)
    contents = [*first.call.request.contents, *first.items, *answering(first, call, start)]
    built = formats.load(recorded.format, RECORDED).build_request(
        evolve(call, request=evolve(call.request, contents=contents))
    )
    assert built.body == as_built(recorded)
    assert built.notices == ()
