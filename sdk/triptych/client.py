"""How to send: LlmClient, which joins a wire format and a transport."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from triptych import formats, jsontext, retry
from triptych.access import AwsCredentials, GivenKey, GoogleCredentials, Key
from triptych.access.find import bare_access, find_access
from triptych.checks import shown
from triptych.errors import LlmError, Notice, internal
from triptych.formats import Built, Call
from triptych.headers import check_headers, secret_headers
from triptych.providers import ProviderError, resolve
from triptych.recorder import Recorder, current_recorder
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.secret import Secret
from triptych.sending import Sending
from triptych.settings import Settings, Timeout
from triptych.transport import Reply, Transport

if TYPE_CHECKING:
    from triptych.abort import Abort
    from triptych.stream import LlmStream, Opening

CASSETTES_VARIABLE = "TRIPTYCH_CASSETTES"
# What a misspelt argument may have meant besides a setting.
_ARGUMENTS = ("provider", "base_url", "api_key", "timeout", "retries", "strict", "cassette", "headers", "verify")


class LlmClient:
    """A model at a provider, ready to be asked; shared by any number of threads.

    It may be used after a fork, copied and pickled; what was given as a secret (`api_key`, and headers such as
    Authorization) is not in the pickle, so a client that comes from one reads its key from the environment. Used as a
    context manager it closes its connections at the end.

    Args:
        model: "provider/model", or the bare name of a well-known model.
        provider: The provider, where the model's name does not say it.
        base_url: The provider's address, where it is another than usual.
        api_key: The key; by default it is read from the provider's environment variable. Or a function that gives the
            key or token of each call, or credentials of botocore or google-auth; without any, the clouds' hosts use
            what those packages find.
        timeout: Seconds for the whole call, or a `Timeout`; None is the default of `Timeout`.
        retries: How often to try again after an error that may pass.
        strict: Whether what the provider's API cannot express is an error before anything is sent, not a notice.
        cassette: A recording to play from: its path, or a `triptych.replay.Tape`. Nothing then reaches the network.
        headers: Further HTTP headers of every call.
        verify: Whether to check certificates, or the path of those to trust; None is what the environment says.
        settings: The fields of `Settings`, such as temperature and max_tokens.

    Raises:
        TypeError: a wrong type or an unknown setting.
        ValueError: a header that HTTP does not take.
        ProviderError: an unknown provider or model; the message has the nearest one.
    """

    def __init__(
        self,
        model: str,
        *,
        provider: str | None = None,
        base_url: str | None = None,
        api_key: GivenKey | None = None,
        timeout: float | Timeout | None = None,
        retries: int = 2,
        strict: bool = False,
        cassette: str | os.PathLike[str] | Recorder | None = None,
        headers: Mapping[str, str] | None = None,
        verify: bool | str | None = None,
        **settings: Any,
    ) -> None:
        _check("model", model, str)
        _check("provider", provider, str, type(None))
        _check("base_url", base_url, str, type(None))
        if not (callable(api_key) or isinstance(api_key, AwsCredentials | GoogleCredentials)):
            _check("api_key", api_key, str, type(None))
        _check("retries", retries, int)
        _check("strict", strict, bool)
        _check("cassette", cassette, str, os.PathLike, Recorder, type(None))
        _check("headers", headers, Mapping, type(None))
        check_headers(headers or {})
        _check("verify", verify, bool, str, type(None))
        self.settings = Settings.named(settings, _ARGUMENTS)
        self.timeout = Timeout.of(timeout)
        self.retries = retries
        self.strict = strict
        self.model = model
        self._host, self._model = resolve(model, provider)
        self._base_url = base_url
        if base_url is not None:
            self._host.endpoint(base_url)  # a wrong address shows where it is written
        self._key: Key | None = Secret(api_key) if isinstance(api_key, str) else api_key
        self._headers = dict(headers or {})
        self._verify = verify
        self._cassette = cassette
        self._format = formats.load(self._host.format, self._host.name, self._host.quirks_for(self._model))
        self._recorder = _recorder(cassette)
        self._transports: dict[tuple[bool, bool], Transport] = {}

    @property
    def provider(self) -> str:
        """The name of the provider."""
        return self._host.name

    def __repr__(self) -> str:
        return f"LlmClient({self.model!r}, provider={self.provider!r})"

    def generate(self, request: LlmRequest, **settings: Any) -> LlmResponse:
        """Return the model's answer, or a response whose `error` says why there is none.

        Args:
            request: What to send.
            settings: Settings that differ from the client's for this call.

        Raises:
            TypeError: `request` is no LlmRequest, or a setting is unknown or of a wrong type. Failures of the call
                itself are never raised.
        """
        call = self._call(request, settings, stream=False)
        deadline = self._deadline()
        if request.output_type is None:
            response = self._answered(call, deadline)
        else:
            from triptych import structured  # only for those who want a value

            quirks = self._host.quirks_for(self._model)
            response = structured.generate(
                lambda planned, notices: self._answered(planned, deadline, notices), call, self._format.name, quirks
            )
        response.provider = self.provider
        return response

    def _answered(self, call: Call, deadline: float | None, notices: tuple[Notice, ...] = ()) -> LlmResponse:
        """Return the answer to one call, or the error that it came to; the notices are those that it has already."""
        try:
            return self._generated(self._sending(call, deadline, notices), call)
        except LlmError as error:
            return LlmResponse(error=error.evolve())  # without the traceback, which would keep the call's frames
        except Exception as fault:
            return LlmResponse(error=internal(fault))

    def stream(self, request: LlmRequest, **settings: Any) -> LlmStream:
        """Return the model's answer piece by piece; nothing is sent before the stream is first asked for something.

        Args:
            request: What to send.
            settings: Settings that differ from the client's for this call.

        Raises:
            TypeError: `request` is no LlmRequest, or a setting is unknown or of a wrong type. Failures of the call
                itself are never raised: the stream ends, and its response has the error.
        """
        from triptych.stream import LlmStream  # only for those who stream

        call = self._call(request, settings, stream=True)
        if request.output_type is None:
            return LlmStream(lambda abort: self._opened(call, abort), self.provider)
        from triptych.output_plan import make_plan  # only for those who want a value
        from triptych.stream import Opening
        from triptych.structured import GrowingOutput

        try:
            plan = make_plan(call, self._format.name, self._host.quirks_for(self._model))
        except LlmError as error:
            failed = error.evolve()
            return LlmStream(lambda _: Opening(response=LlmResponse(error=failed)), self.provider)
        return LlmStream(lambda abort: self._opened(plan.call, abort, plan.notices), self.provider, GrowingOutput(plan))

    def _call(self, request: LlmRequest, settings: Mapping[str, Any], *, stream: bool) -> Call:
        if not isinstance(request, LlmRequest):
            name = "stream" if stream else "generate"
            raise TypeError(f"LlmClient.{name}: expected an LlmRequest, got {shown(request)}")
        return Call(request, self._model, self.settings.with_(settings) if settings else self.settings, stream)

    def _deadline(self) -> float | None:
        """Return the moment (`time.monotonic`) to give up at, for a call that begins now; None is never."""
        total = self.timeout.total
        return None if total is None else time.monotonic() + total

    def _sending(self, call: Call, deadline: float | None, notices: tuple[Notice, ...] = ()) -> Sending:
        """Return a call ready to be sent before a deadline; the notices are those that it has already.

        Raises:
            LlmError: it cannot be said, or there is no key for it.
        """
        built = self._format.build_request(call)
        notices = notices + built.notices
        if self.strict and notices:
            words = "; ".join(str(notice) for notice in notices)
            raise LlmError(f"{self.provider} cannot express this request: {words}", "unsupported")
        recorder = self._recorder or current_recorder()
        transport = self._transport(recorder is not None and recorder.offline, call.stream)
        return Sending(transport, _encoded(built), recorder, deadline, notices)

    def _generated(self, sending: Sending, call: Call) -> LlmResponse:
        def attempt() -> LlmResponse:
            try:
                return self._parsed(sending, sending.post(), call)
            except LlmError as error:
                return LlmResponse(error=error.evolve())

        response = retry.call(attempt, self.retries, sending.deadline, replayed=sending.offline)
        response.notices = sending.notices
        return response

    def _opened(self, call: Call, abort: Abort, notices: tuple[Notice, ...] = ()) -> Opening:
        """Return the beginning of a stream: up to its first output, or the response of one that has none."""
        from triptych.stream import Opening

        try:
            sending = self._sending(call, self._deadline(), notices)

            def attempt() -> Opening:
                opening = self._attempted(sending, call, abort)
                return Opening(response=LlmResponse(error=abort.error())) if abort.called else opening

            opening = retry.call(attempt, self.retries, sending.deadline, replayed=sending.offline)
        except LlmError as error:
            return Opening(response=LlmResponse(error=error.evolve()))
        except Exception as fault:
            return Opening(response=LlmResponse(error=internal(fault)))
        opening.secrets, opening.notices = sending.transport.secrets, sending.notices
        return opening

    def _attempted(self, sending: Sending, call: Call, abort: Abort) -> Opening:
        from triptych.event_reader import Clock, EventReader
        from triptych.stream import Opening, begin, event_payload

        try:
            abort.begin()
            framing, parser = self._format.framing(), self._format.stream_parser(call)
            clock = Clock(self.timeout, sending.deadline)
            incoming = sending.open(abort)
            abort.by(incoming.close)

            def whole(body: bytes) -> LlmResponse:
                return self._parsed(sending, Reply(incoming.status, incoming.headers, body), call)

            if not 200 <= incoming.status < 300:
                body = incoming.rest(self.timeout.idle, sending.deadline)
                return Opening(response=whole(event_payload(body)))
            return begin(EventReader(incoming, framing, parser, whole, clock))
        except LlmError as error:
            return Opening(response=LlmResponse(error=error.evolve()))

    def _parsed(self, sending: Sending, reply: Reply, call: Call) -> LlmResponse:
        """Return the answer or the error that a reply holds."""
        response = self._read(reply, call)
        for secret in sending.transport.secrets:
            if response.error is not None and reply.shows(secret):  # providers quote the key that they refuse
                reply = reply.without(secret)
                response = self._read(reply, call)
        if response.error is not None:
            response.error = retry.advised(response.error, reply.headers)
        return response

    def _read(self, reply: Reply, call: Call) -> LlmResponse:
        if not 200 <= reply.status < 300:
            return LlmResponse(error=self._refused(reply))
        try:
            body = jsontext.decode(reply.body)
        except ValueError as fault:
            error = self._format.parse_error(reply.status, reply.headers, reply.body)
            return LlmResponse(error=error.evolve(kind="malformed_response", retryable=False, cause=str(fault)))
        response = self._format.parse_response(body, call)
        if response.error is not None and response.error.status is None:
            response.error = response.error.evolve(status=reply.status)
        return response

    def _refused(self, reply: Reply) -> LlmError:
        if reply.status < 400:
            where = reply.headers.get("location", "nowhere").partition("?")[0]
            words = f"the host answered {reply.status} with a redirect to {where}: redirects are refused, set base_url"
            return LlmError(words, "connection", status=reply.status, code="redirect", retryable=False)
        return self._format.parse_error(reply.status, reply.headers, reply.body)

    def _transport(self, offline: bool, stream: bool) -> Transport:
        """Return the transport for calls that are let in, or for those that never leave the house."""
        kind = (offline, stream and self._host.stream_path is not None)
        transport = self._transports.get(kind)
        if transport is None:
            transport = self._transports.setdefault(kind, self._connect(*kind))
        return transport

    def _connect(self, offline: bool, stream: bool) -> Transport:
        host = self._host
        access = bare_access(host) if offline else find_access(host, self._key)
        headers = {"Content-Type": "application/json", "Accept": "application/json", **host.headers, **self._headers}
        variables = {**os.environ, **access.variables}
        try:
            url = host.endpoint(self._base_url, variables, model=self._model, stream=stream)
        except ProviderError as error:
            raise LlmError(str(error), "invalid_request") from None
        hidden = tuple(secret_headers(self._headers).values())
        return Transport(url, headers, self.timeout, self._verify, access, hidden)

    def close(self) -> None:
        """Close all connections; a later call opens new ones."""
        for transport in self._transports.values():
            transport.close()
        close: Callable[[], None] | None = getattr(self._recorder, "close", None)
        if close is not None and isinstance(self._cassette, str | os.PathLike):
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __copy__(self) -> Self:
        """Return a client of its own connections, with the same key."""
        copy = object.__new__(type(self))
        copy.__setstate__({**self.__getstate__(), "_key": self._key, "_headers": self._headers})
        return copy

    def __deepcopy__(self, _: object) -> Self:
        """Return a copy; the parts of a client never change, so they are shared."""
        return self.__copy__()

    def __getstate__(self) -> dict[str, Any]:
        shown = {name: value for name, value in self._headers.items() if name not in secret_headers(self._headers)}
        return {**self.__dict__, "_key": None, "_headers": shown, "_transports": {}, "_recorder": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._recorder = _recorder(self._cassette)


def _check(name: str, value: object, *types: type) -> None:
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        expected = " or ".join("None" if kind is type(None) else kind.__name__ for kind in types)
        given = type(value).__name__ if name == "api_key" else shown(value)
        raise TypeError(f"LlmClient.{name}: expected {expected}, got {given}")


def _recorder(cassette: str | os.PathLike[str] | Recorder | None) -> Recorder | None:
    if cassette is None:
        folder = os.environ.get(CASSETTES_VARIABLE)
        if not folder:
            return None
        from triptych.replay import directory  # only for those who replay: it loads vcrpy

        return directory(Path(folder))
    if isinstance(cassette, str | os.PathLike):
        from triptych.replay import Tape

        return Tape(cassette)
    return cassette


def _encoded(built: Built) -> bytes:
    try:
        return jsontext.encode(built.body)
    except (TypeError, ValueError, RecursionError) as fault:
        words = f"the request has a value that JSON cannot hold: {fault}"
        raise LlmError(words, "invalid_request", cause=repr(fault)) from None
