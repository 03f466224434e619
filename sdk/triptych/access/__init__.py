"""What lets a call in: a key, a token that is asked for anew each time, or a cloud's own credentials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from triptych.secret import Secret


@runtime_checkable
class AwsCredentials(Protocol):
    """Credentials as botocore and boto3 hold them."""

    def get_frozen_credentials(self) -> Any:
        """Return the access key, secret key and token of this moment."""
        ...


@runtime_checkable
class GoogleCredentials(Protocol):
    """Credentials as google-auth holds them."""

    def before_request(self, request: Any, method: str, url: str, headers: Any) -> None:
        """Put the token of this moment into the headers."""
        ...


KeyFunction: TypeAlias = Callable[[], str | Secret]
GivenKey: TypeAlias = str | Secret | KeyFunction | AwsCredentials | GoogleCredentials
Key: TypeAlias = Secret | KeyFunction | AwsCredentials | GoogleCredentials


class CallAccess(Protocol):
    """Makes the headers that let one call in."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be seen in a recording or an error: the tokens given out of late."""
        ...

    def headers(self, url: str, body: bytes) -> Mapping[str, str]:
        """Return the headers for one call.

        Args:
            url: The whole address.
            body: The body, as it is sent.

        Raises:
            LlmError: there is nothing that lets the call in.
        """
        ...


class KeyOrigin(NamedTuple):
    """Where a key comes from, for whoever has to be told that it is refused.

    Args:
        name: "api_key", the environment variable, or "the key source".
        variables: The environment variables that may hold it.
    """

    name: str
    variables: tuple[str, ...]


class Access(NamedTuple):
    """What lets the calls of one client in.

    Args:
        headers: Headers of every call.
        secrets: What in them must not be seen.
        variables: What the address may name and the environment lacks.
        per_call: Makes the headers of each call, where they are not always the same.
        key_origin: Where a key comes from that is always the same.
    """

    headers: Mapping[str, str] = MappingProxyType({})
    secrets: tuple[str, ...] = ()
    variables: Mapping[str, str] = MappingProxyType({})
    per_call: CallAccess | None = None
    key_origin: KeyOrigin | None = None

    def __repr__(self) -> str:
        return "Access(***)"
