"""AWS: calls signed with the credentials that botocore finds, or was given.

Reference: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from triptych.access import Access
from triptych.access.token import Recent
from triptych.errors import LlmError
from triptych.extras import missing_extra
from triptych.foreign import pass_interruption

_SERVICE = "bedrock"
_REGION = re.compile(r"\.([a-z]{2,}(?:-[a-z]+)+-\d+)\.")
_REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")


def aws_access(credentials: Any) -> Access:
    """Return what signs calls to Bedrock.

    Args:
        credentials: botocore's credentials, or None for those that it finds: environment, shared files, profile,
            container, instance. A region that the environment does not name is that of the profile.

    Raises:
        LlmError: botocore is not installed, or there are no credentials.
    """
    try:
        import botocore.session  # type: ignore[import-untyped]  # botocore publishes no types
        from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]  # as above
    except ModuleNotFoundError:
        raise missing_extra("a call to Bedrock without a bearer key", "botocore", "bedrock") from None
    try:
        session = botocore.session.Session()
        found = session.get_credentials() if credentials is None else credentials
        set_here = (os.environ[name] for name in _REGION_VARIABLES if os.environ.get(name))
        region = next(set_here, None) or session.get_config_variable("region")
    except BotoCoreError as fault:
        raise LlmError(f"AWS credentials cannot be read: {fault}", "authentication", code="missing_key") from None
    if found is None:
        words = (
            "no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a bearer key in "
            "AWS_BEARER_TOKEN_BEDROCK, or give api_key="
        )
        raise LlmError(words, "authentication", code="missing_key")
    return Access(variables={"AWS_REGION": region} if region else {}, per_call=SignedAccess(found, region))


class SignedAccess:
    """Signs each call (Signature Version 4).

    Args:
        credentials: botocore's, which refresh themselves.
        region: The region where the address does not name one.
    """

    def __init__(self, credentials: Any, region: str | None) -> None:
        self._credentials = credentials
        self._region = region
        self._recent = Recent()

    @property
    def secrets(self) -> tuple[str, ...]:
        """The session tokens and key ids used of late; the secret key itself is never sent."""
        return self._recent.texts()

    def headers(self, url: str, body: bytes) -> Mapping[str, str]:
        """Return the signature of one call and what belongs to it; see `CallAccess`."""
        from botocore.auth import SigV4Auth  # type: ignore[import-untyped]  # as above
        from botocore.awsrequest import AWSRequest  # type: ignore[import-untyped]  # as above

        named = _REGION.search(f".{urlsplit(url).hostname}.")
        region = named[1] if named else self._region
        if not region:
            words = "no AWS region: the address names none; set AWS_REGION"
            raise LlmError(words, "invalid_request", code="missing_region")
        request = AWSRequest(method="POST", url=url, data=body, headers={"Content-Type": "application/json"})
        try:
            frozen = self._credentials.get_frozen_credentials()
            SigV4Auth(frozen, _SERVICE, region).add_auth(request)
        except Exception as fault:  # botocore's own errors and those of whatever fetches the credentials
            pass_interruption(fault)
            words = f"the call cannot be signed: {type(fault).__name__}: {fault}"
            raise LlmError(words, "authentication", code="token_failed") from None
        for secret in (frozen.token, frozen.access_key):
            if secret:
                self._recent.add(secret)
        return {name: value for name, value in request.headers.items() if name != "Content-Type"}
