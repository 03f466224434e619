"""The fault matrix, statuses: every format × status × advice on waiting × body × way to ask, on real sockets."""

import json
from collections.abc import Callable

import pytest
from attrs import frozen

from tests.chat_hosts import ANTHROPIC, ChatHost, all_formats
from tests.faults.status_table import KINDS, MAY_PASS, MISSING, kind_of
from tests.faults.ways import STREAMS, WHOLE, Seen, Watch, Way
from tests.servers.script import Reply, ScriptedServer, serve
from triptych import LlmError, LlmResponse, Retries

CODE = "MADE_UP"
PAGE = b"<html><head><title>Out of order</title></head></html>"
NOON, LATER = "Mon, 30 Nov 2026 12:00:00 GMT", "Mon, 30 Nov 2026 12:00:07 GMT"
RETRIES = Retries(1, first_wait=0.5, longest_wait=60)


@frozen
class Refusal:
    """How a status is answered.

    Args:
        headers: What else is said about waiting.
        retry_after: The seconds that the error tells of it.
        body: Makes the body; None is the host's own error object, with words and a code.
        words: The error's words, where the body has none of its own; `{}` is the status.
        shown: What the error shows of the body.
        tries: How often an error that may pass is met.
    """

    headers: dict[str, str]
    retry_after: float | None
    body: bytes | None = None
    words: str = "no"
    shown: str | None = None
    tries: int = 2


REFUSALS = {
    "its own words": Refusal({}, None),
    "its own words, seconds": Refusal({"Retry-After": "7"}, 7.0),
    "half an object, a wait too long": Refusal(
        {"Retry-After": "90"},
        90.0,
        b'{"error":',
        'HTTP {} with a body that is no error object (application/json): {{"error":',
        '{"error":',
        tries=1,
    ),
    "a page, milliseconds": Refusal(
        {"retry-after-ms": "250", "Retry-After": "9"},
        0.25,
        PAGE,
        "HTTP {} with an HTML page: Out of order",
        PAGE.decode(),
    ),
    "nothing, a date": Refusal({"Retry-After": LATER, "Date": NOON}, 7.0, b"", "HTTP {} with an empty body"),
}


def test_every_registered_status_is_in_the_table() -> None:
    assert set() == MISSING


@pytest.mark.parametrize("status", sorted(KINDS))
@all_formats
def test_a_status_is_told_alike_however_it_is_asked_and_answered(
    host: ChatHost, status: int, waits: list[float]
) -> None:
    """B155."""
    answering: list[Reply] = []
    with serve(lambda _: answering[-1]) as server:
        for way in (*WHOLE, *STREAMS):
            options = host.options(server) | {"retries": RETRIES}
            with way(host.model, watch := Watch(waits), options) as ask:
                for name, refusal in REFUSALS.items():
                    answering.append(_reply(host, status, refusal))
                    _assert_told(ask, server, (host, status, refusal), (way, name))
        assert server.accepted == len((*WHOLE, *STREAMS))  # one connection serves all the refusals of a client
        assert server.wait_until_closed()
    assert watch.tries == []


def _reply(host: ChatHost, status: int, refusal: Refusal) -> Reply:
    own = json.dumps(host.error("no", CODE)).encode()
    headers = {"Content-Type": "text/html" if refusal.body == PAGE else "application/json", **refusal.headers}
    return Reply(status, headers, own if refusal.body is None else refusal.body)


def _expected(host: ChatHost, status: int, refusal: Refusal) -> LlmError:
    kind = kind_of(host.provider, status)
    said = refusal.body is None
    return LlmError(
        refusal.words.format(status),
        kind,
        status=status,
        code=host.code(CODE) if said else None,
        request_id="req_1" if said and host is ANTHROPIC else None,
        retry_after=refusal.retry_after,
        retryable=kind in MAY_PASS,
        attempts=refusal.tries if kind in MAY_PASS else 1,
        body=refusal.shown,
    )


def _assert_told(
    ask: Callable[[], Seen], server: ScriptedServer, case: tuple[ChatHost, int, Refusal], cell: tuple[Way, str]
) -> None:
    before = len(server.requests)
    seen, error = ask(), _expected(*case)
    assert (cell, seen.response) == (cell, LlmResponse(error=error, provider=case[0].provider))
    assert (cell, seen.events or []) == (cell, [])
    told = [(each.number, each.error, each.wait) for each in seen.tries]
    last = (error.attempts, error, None)
    first = (1, error.evolve(attempts=1), seen.waits[0]) if error.attempts == 2 else None
    assert (cell, told) == (cell, [first, last] if first else [last])
    assert (cell, len(seen.waits)) == (cell, error.attempts - 1)
    for wait in seen.waits:
        assert (cell, wait == error.retry_after or (error.retry_after is None and 0 <= wait <= 0.5)) == (cell, True)
    requests = server.requests[before:]
    assert (cell, len(requests), len({(each.path, each.body) for each in requests})) == (cell, error.attempts, 1)
