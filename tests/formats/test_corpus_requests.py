"""Every recorded request is read and built back as it was, but for the documented rewritings."""

from __future__ import annotations

import copy
from functools import cache
from urllib.parse import urlsplit

import pytest

from tests.formats import corpus
from tests.formats.closed import faults
from tests.formats.corpus import Exchange, each
from tests.formats.rewritings import canonical
from triptych import formats, providers
from triptych.errors import LlmError
from triptych.formats import Format
from triptych.provider import Provider, Quirks

# Its only message is empty: the API refused it with a 400, and it is refused here before it is sent.
EMPTY = "anthropic_98b78500"
BUILT = [exchange for exchange in corpus.requests() if exchange.id != EMPTY]
# Its client wrote the fields of one kind of part, null, into those of another; they go back as they came.
STRAY = "compat_b153cd66"
# What a provider refused need not be well-formed.
WELL_FORMED = [exchange for exchange in BUILT if exchange.status < 400 and exchange.id != STRAY]


@cache
def provider_at(host: str) -> Provider | None:
    """Return the known provider whose fixed address has this host, or None."""
    for name in providers.known():
        provider, _ = providers.resolve("m", provider=name)
        if urlsplit(provider.base_url).netloc == host:
            return provider
    return None


def dialect(exchange: Exchange) -> tuple[Format, Quirks]:
    """Return the wire format as the recorded host speaks it to the recorded model, and its quirks."""
    provider = provider_at(exchange.host)
    if provider is None or provider.format != exchange.format:
        return formats.load(exchange.format), Quirks()
    quirks = provider.quirks_for(exchange.request.get("model", ""))
    return formats.load(exchange.format, provider.name, quirks), quirks


@each(BUILT)
def test_a_request_is_built_back_as_it_was_recorded(exchange: Exchange) -> None:
    wire = formats.load(exchange.format)
    built = wire.build_request(wire.read_request(copy.deepcopy(exchange.request)))
    assert built.body == canonical(exchange.format, exchange.request)
    assert built.notices == ()


@each(BUILT)
def test_the_conversation_is_read_into_items_and_never_carried_verbatim(exchange: Exchange) -> None:
    extra = formats.load(exchange.format).read_request(exchange.request).settings.extra_body or {}
    assert extra.keys().isdisjoint({"messages", "system", "model", "stream"})
    assert not isinstance(extra.get("tools"), list)


@each(BUILT)
def test_reading_and_building_change_no_input(exchange: Exchange) -> None:
    body = copy.deepcopy(exchange.request)
    wire = formats.load(exchange.format)
    call = wire.read_request(body)
    before = copy.deepcopy(call)
    wire.build_request(call)
    assert body == exchange.request
    assert call == before


@each(WELL_FORMED)
def test_a_built_request_has_no_field_that_the_schema_does_not_know(exchange: Exchange) -> None:
    wire = formats.load(exchange.format)
    call = wire.read_request(exchange.request)
    verbatim = call.settings.extra_body or {}
    body = {key: value for key, value in wire.build_request(call).body.items() if key not in verbatim}
    assert faults(exchange.format, body) == []


@each(BUILT)
def test_the_dialect_of_the_recorded_host_changes_only_what_its_quirks_say(exchange: Exchange) -> None:
    wire, quirks = dialect(exchange)
    built = wire.build_request(wire.read_request(copy.deepcopy(exchange.request)))
    assert built.body == canonical(exchange.format, exchange.request, quirks)


@each([exchange for exchange in corpus.requests() if exchange.id == EMPTY])
def test_a_request_without_words_is_refused_before_it_is_sent(exchange: Exchange) -> None:
    wire = formats.load(exchange.format)
    with pytest.raises(LlmError) as caught:
        wire.build_request(wire.read_request(exchange.request))
    assert caught.value.kind == "invalid_request"
    assert exchange.status == 400
