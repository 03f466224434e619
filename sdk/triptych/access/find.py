"""Finds what lets calls in at a host: the key given, one of the environment, or the credentials of its cloud."""

from __future__ import annotations

import os

from triptych.access import Access, AwsCredentials, GoogleCredentials, Key, KeyOrigin
from triptych.access.key_source import key_from_source
from triptych.errors import LlmError
from triptych.provider import Provider
from triptych.secret import Secret


def bare_access(host: Provider) -> Access:
    """Return what a call that never leaves the house needs: what its address names, and no key."""
    if host.cloud != "google":
        return Access()
    from triptych.access.google import address_variables  # only for its hosts

    return Access(variables=address_variables())


def find_access(host: Provider, key: Key | None) -> Access:
    """Return what lets calls in at a host: the key, else one of the environment or the key source, else its cloud's.

    Args:
        host: The host.
        key: What was given as `api_key`.

    Raises:
        LlmError: there is no key, or one that cannot be sent.
    """
    origin = "api_key"
    for variable in host.key_variables if key is None else ():
        if os.environ.get(variable):
            key, origin = Secret(os.environ[variable]), variable
            break
    if key is None:
        key, origin = key_from_source(host.name), "the key source"
    bare = bare_access(host)
    if isinstance(key, Secret):
        said = {host.auth_header: _said(host.auth_scheme, key, origin)}
        return Access(said, (key.reveal(),), bare.variables, key_origin=KeyOrigin(origin, host.key_variables))
    if isinstance(key, AwsCredentials | GoogleCredentials) or (key is None and host.cloud is not None):
        return _of_cloud(host, key)
    if key is not None:
        from triptych.access.token import TokenAccess  # most calls have a key

        form = ("Authorization", "Bearer") if host.bearer_tokens else (host.auth_header, host.auth_scheme)
        return Access(variables=bare.variables, per_call=TokenAccess(key, *form))
    if host.key_optional:
        return bare
    names = " or ".join(host.key_variables)
    words = f"no API key for {host.name}: set the environment variable {names}, or give api_key="
    raise LlmError(words, "authentication", code="missing_key")


def _said(scheme: str, key: Secret, origin: str) -> str:
    fault = key.fault()
    if fault is not None:
        words = f"the API key in {origin} cannot be sent: {fault}"
        raise LlmError(words, "authentication", code="malformed_key")
    return f"{scheme} {key.reveal()}".strip()


def _of_cloud(host: Provider, credentials: AwsCredentials | GoogleCredentials | None) -> Access:
    wanted = {"aws": AwsCredentials, "google": GoogleCredentials}.get(host.cloud or "")
    if credentials is not None and (wanted is None or not isinstance(credentials, wanted)):
        words = f"{host.name} takes no credentials of the kind given as api_key: {type(credentials).__name__}"
        raise LlmError(words, "authentication", code="wrong_credentials")
    if host.cloud == "aws":
        from triptych.access.aws import aws_access

        return aws_access(credentials)
    from triptych.access.google import google_access

    return google_access(credentials)
