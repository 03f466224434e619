"""How to send: LlmClient, which joins a wire format and a transport."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

from attrs import evolve

from triptych import formats, retry
from triptych.access import AwsCredentials, GivenKey, GoogleCredentials, Key
from triptych.access.find import bare_access, find_access
from triptych.answer_reader import AnswerReader
from triptych.checks import shown
from triptych.errors import LlmError, Notice, internal
from triptych.formats import Call
from triptych.headers import check_headers, secret_headers
from triptych.network import CONNECTIONS, Network, passwords, without_userinfo
from triptych.providers import ProviderError, resolve
from triptych.recorder import Recorder, current_recorder
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.retry import Policy
from triptych.secret import Secret
from triptych.sending import Sending, encoded, recorder_of
from triptych.settings import Limits, Retries, Settings, Timeout
from triptych.transport import Reply, Transport

if TYPE_CHECKING:
    from ssl import SSLContext

    from triptych.abort import Abort
    from triptych.attempt import Attempt
    from triptych.stream import LlmStream, Opening

# What a misspelt argument may have meant besides a setting.
_ARGUMENTS = (
    *("provider", "base_url", "api_key", "timeout", "retries", "on_attempt", "limits", "strict", "cassette", "headers"),
    *("verify", "cert", "proxy", "connections"),
)


class LlmClient:
    """A model at a provider, ready to be asked; shared by any number of threads.

    It may be used after a fork, copied and pickled; what was given as a secret (`api_key`, and headers such as
    Authorization) is not in the pickle, so a client that comes from one reads its key from the environment. Used as a
    context manager it closes its connections at the end.

    Args:
        model: "provider/model", or the bare name of a well-known model.
        provider: The provider, where the model's name does not say it.
        base_url: The provider's address, where it is another than usual.
        api_key: The key, a str or a `Secret`; by default it is read from the provider's environment variable, or asked
            of the function set by `register_key_source`. Or a function that gives the key or token of each call, or
            credentials of botocore or google-auth; without any, the clouds' hosts use what those packages find.
        timeout: Seconds for the whole call, or a `Timeout`; None is the default of `Timeout`.
        retries: How often to try again after an error that may pass, or `Retries`, which says how long to wait, too.
        on_attempt: Is told of each try, in the thread of the call; what it raises ends the call, and is raised.
        limits: How much of an answer is taken; None is the default of `Limits`.
        strict: Whether what the provider's API cannot express is an error before anything is sent, not a notice.
        cassette: A recording to play from: its path, or a `triptych.replay.Tape`. Nothing then reaches the network.
        headers: Further HTTP headers of every call.
        verify: Whether to check certificates, the path of those to trust, "system" for those of the operating system,
            or a TLS context; None is what the environment says: see `triptych.network`.
        cert: The path of a client certificate with its key, or the paths of both.
        proxy: The URL of a proxy; an empty text is none at all, and None is what the environment says.
        connections: Idle connections kept for reuse: as many as threads use the client at once.
        settings: The fields of `Settings`, such as temperature and max_tokens.

    Raises:
        TypeError: a wrong type or an unknown setting.
        ValueError: a value that cannot be meant, such as a header that HTTP does not take.
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
        retries: int | Retries = 2,
        on_attempt: Callable[[Attempt], None] | None = None,
        limits: Limits | None = None,
        strict: bool = False,
        cassette: str | os.PathLike[str] | Recorder | None = None,
        headers: Mapping[str, str] | None = None,
        verify: bool | str | SSLContext | None = None,
        cert: str | tuple[str, str] | None = None,
        proxy: str | None = None,
        connections: int = CONNECTIONS,
        **settings: Any,
    ) -> None:
        _check("model", model, str)
        _check("provider", provider, str, type(None))
        _check("base_url", base_url, str, type(None))
        _check_key(api_key)
        _check("retries", retries, int, Retries)
        _check("limits", limits, Limits, type(None))
        _check("strict", strict, bool)
        _check("cassette", cassette, str, os.PathLike, Recorder, type(None))
        _check("headers", headers, Mapping, type(None))
        check_headers(headers or {})
        _check_hook(on_attempt)
        self.settings = Settings.named(settings, _ARGUMENTS)
        self.timeout = Timeout.of(timeout)
        self.retries = Retries.of(retries)
        self.limits = limits or Limits()
        self.strict = strict
        self.model = model
        self._on_attempt = on_attempt
        self._host, self._model = resolve(model, provider)
        self._base_url = base_url
        if base_url is not None:
            self._host.endpoint(base_url)  # a wrong address shows where it is written
        self._key: Key | None = Secret(api_key) if isinstance(api_key, str) else api_key
        self._headers = dict(headers or {})
        self._network = Network(verify, cert, proxy, connections)
        self._cassette = cassette
        self._format = formats.load(self._host.format, self._host.name, self._host.quirks_for(self._model))
        self._reader = AnswerReader(self._format, self.limits)
        self._recorder = recorder_of(cassette)
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
        return self._ended(request, settings, None)

    def _ended(self, request: LlmRequest, settings: Mapping[str, Any], abort: Abort | None) -> LlmResponse:
        """Return what `generate` does, of a call that `abort` may end."""
        call = self._call(request, settings, stream=False)
        deadline = self._deadline()
        if request.output_type is None:
            response = self._answered(call, deadline, abort)
        else:
            from triptych import structured  # only for those who want a value

            quirks = self._host.quirks_for(self._model)
            response = structured.generate(
                lambda planned, notices: self._answered(planned, deadline, abort, notices),
                call,
                self._format.name,
                quirks,
            )
        response.provider = self.provider
        return response

    def _answered(
        self, call: Call, deadline: float | None, abort: Abort | None, notices: tuple[Notice, ...] = ()
    ) -> LlmResponse:
        """Return the answer to one call, or the error that it came to; the notices are those that it has already."""
        try:
            return self._generated(self._sending(call, deadline, abort, notices), call)
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

    def _sending(self, call: Call, deadline: float | None, abort: Abort | None, notices: tuple[Notice, ...]) -> Sending:
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
        return Sending(transport, encoded(built), recorder, deadline, notices, self._own_headers(), abort)

    def _own_headers(self) -> dict[str, str] | None:
        if not self._host.idempotency_header:
            return None
        from uuid import uuid4  # few providers take one

        return {self._host.idempotency_header: str(uuid4())}

    def _policy(self, sending: Sending) -> Policy:
        sleep = None if sending.abort is None else sending.abort.wait
        return Policy(self.retries, sending.deadline, sending.offline, sleep, self._on_attempt)

    def _generated(self, sending: Sending, call: Call) -> LlmResponse:
        def attempt() -> LlmResponse:
            try:
                return self._reader.read(sending.post(), call, sending.transport)
            except LlmError as error:
                return LlmResponse(error=error.evolve())

        response, attempts = retry.call(attempt, self._policy(sending))
        response.notices = sending.notices
        if response.usage is not None:
            response.usage = evolve(response.usage, attempts=attempts)
        return response

    def _opened(self, call: Call, abort: Abort, notices: tuple[Notice, ...] = ()) -> Opening:
        """Return the beginning of a stream: up to its first output, or the response of one that has none."""
        from triptych.stream import Opening

        try:
            sending = self._sending(call, self._deadline(), abort, notices)

            def attempt() -> Opening:
                opening = self._attempted(sending, call, abort)
                return Opening(response=LlmResponse(error=abort.error())) if abort.called else opening

            opening, _ = retry.call(attempt, self._policy(sending))
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
            incoming = sending.open()
            abort.by(incoming.close)

            def whole(body: bytes) -> LlmResponse:
                reply = Reply(incoming.status, incoming.headers, body)
                return self._reader.read(reply, call, sending.transport)

            if not 200 <= incoming.status < 300:
                body = incoming.rest(self.timeout.idle, sending.deadline)
                return Opening(response=whole(event_payload(body)))
            return begin(EventReader(incoming, framing, parser, whole, clock=clock, limits=self.limits))
        except LlmError as error:
            return Opening(response=LlmResponse(error=error.evolve()))

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
        hidden = (*secret_headers(self._headers).values(), *passwords(self._base_url or ""), *self._network.secrets)
        return Transport(url, headers, self.timeout, self._network, self.limits, access, hidden)

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
        copy.__setstate__(self._state())
        return copy

    def __deepcopy__(self, _: object) -> Self:
        """Return a copy; the parts of a client never change, so they are shared."""
        return self.__copy__()

    def __eq__(self, other: object) -> bool:
        """Return whether both ask the same model in the same way; what is secret is not compared."""
        return type(self) is type(other) and isinstance(other, LlmClient) and self._made_of() == other._made_of()

    def __hash__(self) -> int:
        return hash((type(self), self.model, self.provider))

    def _made_of(self) -> tuple[Any, ...]:
        base_url = None if self._base_url is None else without_userinfo(self._base_url)
        cassette = getattr(self._cassette, "path", self._cassette)
        recording = None if cassette is None else os.fspath(cassette) if isinstance(cassette, os.PathLike) else cassette
        network = self._network.without_secrets()
        how = (self.settings, self.timeout, self.retries, self.limits, self.strict, self._on_attempt)
        return (evolve(self._host, headers={}), self._model, base_url, network, recording, _public(self._headers), *how)

    def _state(self) -> dict[str, Any]:
        """Return all that it was made of, and nothing that belongs to this process."""
        return {**self.__dict__, "_transports": {}, "_recorder": None}

    def __getstate__(self) -> dict[str, Any]:
        headers = _public(self._headers)
        base_url = None if self._base_url is None else without_userinfo(self._base_url)
        host = evolve(self._host, headers=_public(self._host.headers))
        public = {"_key": None, "_headers": headers, "_base_url": base_url, "_host": host}
        return {**self._state(), **public, "_network": self._network.pickled()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._recorder = recorder_of(self._cassette)


def _public(headers: Mapping[str, str]) -> dict[str, str]:
    secret = secret_headers(headers)
    return {name: value for name, value in headers.items() if name not in secret}


def _check(name: str, value: object, *types: type) -> None:
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        expected = " or ".join("None" if kind is type(None) else kind.__name__ for kind in types)
        given = type(value).__name__ if name == "api_key" else shown(value)
        raise TypeError(f"LlmClient.{name}: expected {expected}, got {given}")


def _check_key(given: object) -> None:
    if not (callable(given) or isinstance(given, Secret | AwsCredentials | GoogleCredentials)):
        _check("api_key", given, str, type(None))


def _check_hook(given: object) -> None:
    if not (given is None or callable(given)):
        raise TypeError(f"LlmClient.on_attempt: expected a function, got {shown(given)}")
