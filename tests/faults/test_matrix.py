"""The fault matrix: every format × fault × way to ask, on real sockets, against the tables of what each is told as.

A cell is one call through all its tries, and then one more through the same client, which has to be none the worse.
"""

import functools
import sys
from collections.abc import Mapping

import pytest
from attrs import evolve, frozen

from tests.chat_hosts import KEY, ChatHost, all_formats
from tests.faults import doors
from tests.faults.doors import Certificates
from tests.faults.fault_table import (
    BROKEN_OFF,
    EXCEPTIONS_STREAMED,
    EXCEPTIONS_WHOLE,
    FAULTS,
    SHORT,
    TOO_LATE,
    Answer,
    Says,
)
from tests.faults.scripts import GEMINI_ARRAY, Script, all_scripts
from tests.faults.sockets import connections_to
from tests.faults.ways import QUESTION, STREAMS, WHOLE, Ask, Seen, Watch, Way
from tests.servers.script import Reply, Request, ScriptedServer, serve
from triptych import LlmResponse, Timeout
from triptych.events import ItemDone, TextDelta

RETRIES = 2
NO_OUTPUT = (None, "opened")  # stages before the first output, until which a stream is tried again
WINDOWS = (0.5, 1.0)  # seconds, the longest wait before each further try where the host asks for none


@pytest.mark.parametrize("name", FAULTS, ids=lambda name: name.replace(" ", "-"))
@all_scripts
def test_a_fault_is_told_alike_by_every_format_in_every_way(script: Script, name: str, waits: list[float]) -> None:
    """B156, B168, B169."""
    fault, healed = FAULTS[name], False

    def reply(_: Request) -> Reply:
        if healed:
            return script.reply() if way in STREAMS else script.host.reply("whole")
        return fault.reply(script, way in STREAMS)

    with serve(reply) as server:
        for way in (*(() if script is GEMINI_ARRAY or fault.whole is None else WHOLE), *STREAMS):
            options = script.host.options(server) | {"retries": RETRIES, **fault.options}
            healed = False
            with way(script.host.model, Watch(waits), options) as ask:
                _assert_told(way, script, name, _asked(ask, server), options["retries"])
                if not fault.options:  # with a limit or a clock so small it could not
                    healed = True
                    _assert_whole(way, script, ask())
        assert server.wait_until_closed()


Outcome = tuple[Seen, int, int]


def _asked(ask: Ask, server: ScriptedServer) -> Outcome:
    """Return what was seen of a call, how many requests it took, all alike, and how many connections are left."""
    before = len(server.requests)
    seen = ask()
    kept = connections_to(server.port)
    requests = server.requests[before:]
    assert len({(each.path, each.body, tuple(each.headers.items())) for each in requests}) == 1
    return seen, len(requests), kept


def _assert_told(way: Way, script: Script, name: str, asked: Outcome, retries: int) -> None:
    """Fail unless all that was seen of a call is what the tables say of its cell."""
    (seen, requests, kept), fault, stream = asked, FAULTS[name], way in STREAMS
    says = fault.streamed if stream else fault.whole
    says = (EXCEPTIONS_STREAMED if stream else EXCEPTIONS_WHOLE).get(name, {}).get(script.name, says)
    if isinstance(says, Says):
        stage = fault.stage if stream else None
        tries = 1 + retries if says.retryable and stage in NO_OUTPUT and not fault.once else 1
        _assert_error(seen, script, says, stage)
        _assert_tries(seen, says, stage, tries)
    elif says is Answer.OBJECT:
        tries = 1
        assert (seen.response, seen.events) == (
            whole := _object(script.host),
            [TextDelta("whole"), *map(ItemDone, whole.content)],
        )
    else:
        tries = 1
        _assert_whole(way, script, seen)
    assert (way, requests, kept) == (way, tries, fault.kept[stream])


def _assert_error(seen: Seen, script: Script, says: Says, stage: str | None) -> None:
    """Fail unless a call came to this error, with what a stream had come to by a stage."""
    error = seen.response.error
    assert error is not None
    assert Says(error.kind, error.code, error.status, error.retryable) == says
    assert error.retry_after is None
    if stage is None:
        assert (seen.events or [], error.partial) == ([], ())
        assert evolve(seen.response, finish_reason=None) == LlmResponse(error=error, provider=script.provider)
        return
    place = script.stages[stage]
    assert (seen.events, error.partial) == (script.yields(stage), place.partial)
    assert seen.response == LlmResponse(
        content=list(place.content),
        error=error,
        usage=script.opening_usage,
        finish_reason="unknown",
        model=script.model,
        id=script.id,
        provider=script.provider,
    )
    assert seen.response.usage is None or seen.response.usage.attempts == error.attempts


def _assert_tries(seen: Seen, says: Says, stage: str | None, tries: int) -> None:
    """Fail unless each try was told, and what was waited between them is what was told, in windows that double."""
    told = [(each.number, each.error and each.error.kind, each.error and each.error.attempts) for each in seen.tries]
    assert seen.response.error is not None
    assert seen.response.error.attempts == tries
    if stage in NO_OUTPUT:
        assert told == [(number, says.kind, number) for number in range(1, tries + 1)]
    else:
        assert told == [(1, None, None)]  # the first of an answer came
    assert [each.wait for each in seen.tries] == [*seen.waits, None]
    assert len(seen.waits) == tries - 1
    assert all(0 <= wait <= window for wait, window in zip(seen.waits, WINDOWS, strict=False))


def _assert_whole(way: Way, script: Script, seen: Seen) -> None:
    """Fail unless a call came to the whole answer at its first try."""
    if way in STREAMS:
        assert (seen.response, seen.events) == (script.response(), script.yields())
    else:
        assert seen.response == _object(script.host)
    assert [(each.number, each.error, each.wait) for each in seen.tries] == [(1, None, None)]
    assert seen.response.usage is not None
    assert (seen.response.usage.attempts, seen.waits) == (1, [])


@functools.cache
def _object(host: ChatHost) -> LlmResponse:
    """Return the answer of a host that is no stream."""
    with serve(host.reply("whole")) as server, host.client(server) as client:
        response = client.generate(QUESTION)
    assert (response.error, response.text, response.finish_reason) == (None, "whole", "stop")
    return response


@frozen
class Closed:
    """A place where no HTTP answer comes.

    Args:
        door: Gives the place.
        says: What a call is told, whatever was asked for.
        mark: For the test of it.
    """

    door: doors.Door
    says: Says
    mark: tuple[pytest.MarkDecorator, ...] = ()


_NO_TRUST = Says("connection", "tls", None, False)
_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems answer when the queue of a listener is full")
CLOSED: Mapping[str, Closed] = {
    "nobody listens": Closed(doors.refusing, Says("connection", None, None, True)),
    "nobody accepts": Closed(doors.full, Says("timeout", "connect_timeout", None, True), (_LINUX,)),
    "nobody speaks": Closed(doors.silent, TOO_LATE),
    "a certificate that nobody trusts": Closed(doors.untrusted, _NO_TRUST),
    "HTTP where TLS is spoken": Closed(doors.plain, _NO_TRUST),
    "TLS where HTTP is spoken": Closed(doors.secret, BROKEN_OFF),
    "a handshake that nobody answers": Closed(doors.silent_tls, TOO_LATE),
    "a handshake that is cut": Closed(doors.cut_tls, Says("connection", "tls", None, True)),
    "a handshake that is reset": Closed(doors.reset_tls, BROKEN_OFF),
}


@pytest.mark.parametrize(
    "closed", [pytest.param(each, id=name.replace(" ", "-"), marks=each.mark) for name, each in CLOSED.items()]
)
@all_formats
def test_a_closed_door_is_told_alike_in_every_way(
    host: ChatHost, closed: Closed, certificates: Certificates, waits: list[float]
) -> None:
    says, retries = closed.says, 1 if closed.says.kind == "timeout" else RETRIES
    tries = 1 + retries if says.retryable else 1
    with closed.door(certificates) as place:
        options = {"base_url": place.url + host.root, "api_key": KEY, "retries": retries}
        for way in (*WHOLE, *STREAMS):
            before = place.accepted()
            with way(host.model, Watch(waits), options | {"timeout": _PATIENCE}) as ask:
                seen, kept = ask(), connections_to(place.port)
            error = seen.response.error
            assert error is not None
            assert (Says(error.kind, error.code, error.status, error.retryable), error.retry_after) == (says, None)
            assert (seen.events or [], kept) == ([], place.others)
            assert seen.response == LlmResponse(error=error, provider=host.provider)
            _assert_tries(seen, says, None, tries)
            if before is not None:
                assert place.accepted() == before + tries


_PATIENCE = Timeout(connect=SHORT, first_event=SHORT)
