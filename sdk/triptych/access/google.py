"""Google Cloud: calls with the access token of credentials that google-auth finds, or was given.

Reference: https://cloud.google.com/docs/authentication/application-default-credentials
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from triptych.access import Access
from triptych.access.token import Recent
from triptych.errors import Kind, LlmError
from triptych.extras import missing_extra
from triptych.foreign import pass_interruption

_SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
_LOCATION_VARIABLES = ("GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION")
_PROJECT_VARIABLES = ("GOOGLE_CLOUD_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID")
# Where not every location has a host of its own: cloud.google.com/vertex-ai/generative-ai/docs/learn/locations
_HOSTS = {
    "global": "aiplatform.googleapis.com",
    "us": "aiplatform.us.rep.googleapis.com",
    "eu": "aiplatform.eu.rep.googleapis.com",
}
_SECONDS = 30.0


def address_variables() -> Mapping[str, str]:
    """Return what Vertex AI's address names: project (where set), location (by default "global") and its host."""
    location = _first(_LOCATION_VARIABLES) or "global"
    project = _first(_PROJECT_VARIABLES)
    host = _HOSTS.get(location, f"{location}-aiplatform.googleapis.com")
    variables = {"GOOGLE_CLOUD_LOCATION": location, "VERTEX_HOST": host}
    return variables if project is None else {**variables, "GOOGLE_CLOUD_PROJECT": project}


def _first(names: tuple[str, ...]) -> str | None:
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def google_access(credentials: Any) -> Access:
    """Return what lets calls to Google Cloud in.

    Args:
        credentials: google-auth's credentials, or None for the application's default ones. A project that the
            environment does not name is theirs.

    Raises:
        LlmError: google-auth is not installed, or there are no credentials.
    """
    try:
        import google.auth
        from google.auth.credentials import with_scopes_if_required
        from google.auth.exceptions import GoogleAuthError
    except ModuleNotFoundError:
        raise missing_extra("a call to Vertex AI without a key or token", "google-auth", "vertex") from None
    project = None
    if credentials is None:
        try:
            credentials, project = google.auth.default(scopes=_SCOPES)
        except GoogleAuthError as fault:
            words = f"no Google credentials: {fault}"
            raise LlmError(words, "authentication", code="missing_key") from None
    variables = dict(address_variables())
    project = project or getattr(credentials, "project_id", None)
    if project:
        variables.setdefault("GOOGLE_CLOUD_PROJECT", project)
    scoped = with_scopes_if_required(credentials, _SCOPES)  # type: ignore[no-untyped-call]  # google-auth types a part of itself
    return Access(variables=variables, per_call=GoogleAccess(scoped))


class GoogleAccess:
    """Lets each call in with an access token, fetched again before it expires.

    Args:
        credentials: google-auth's.
    """

    def __init__(self, credentials: Any) -> None:
        self._credentials = credentials
        self._lock = threading.Lock()
        self._recent = Recent()

    @property
    def secrets(self) -> tuple[str, ...]:
        """The tokens used of late."""
        return self._recent.texts()

    def headers(self, url: str, body: bytes) -> Mapping[str, str]:
        """Return the token of one call; see `CallAccess`."""
        headers: dict[str, str] = {}
        try:
            with self._lock:  # one thread fetches, the others use what it got
                self._credentials.before_request(_fetch, "POST", url, headers)
        except Exception as fault:  # google-auth's own errors and those of its transport
            pass_interruption(fault)
            words = f"no Google access token: {type(fault).__name__}: {fault}"
            kind: Kind = "connection" if getattr(fault, "retryable", False) else "authentication"
            raise LlmError(words, kind, code="token_failed") from None
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if token:
            self._recent.add(token)
        return headers


def _fetch(*args: Any, **options: Any) -> Any:
    """Fetch for google-auth: with a session made now, for tokens are fetched seldom and processes may have forked."""
    from google.auth.transport.requests import Request

    return Request()(*args, **{**options, "timeout": _SECONDS})
