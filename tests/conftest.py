"""What holds for every test: nothing of the machine's own surroundings reaches a client. And a clock to stop."""

import os
import re
import signal
import time
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from triptych.abort import Abort

# These need the providers' own packages, which are in the environment of `make conformance` alone.
collect_ignore = [] if find_spec("openai") else ["conformance"]

# Keys, proxies, certificates and recordings: with one of these set, a test would send or trust what it did not ask for.
_REACHES_CLIENTS = re.compile(
    r"_(API_KEY|API_TOKEN|TOKEN|ENDPOINT|PROXY)$|^(TRIPTYCH_|AWS_|GOOGLE_|CLOUD_ML_|OPENAI_API_VERSION$)"
    r"|^(NETRC$|REQUESTS_CA_BUNDLE$|CURL_CA_BUNDLE$|SSL_CERT_)",
    re.I,
)


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take from the environment, for the length of a test, what would change how a client calls."""
    for name in list(os.environ):
        if _REACHES_CLIENTS.search(name):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def interrupt_key() -> Iterator[None]:
    """Let the interrupt key do what it does in a program: a shell's background jobs, such as CI's, ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the process would have slept: while a test has this, sleeping takes no time."""
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    monkeypatch.setattr(Abort, "wait", lambda _, seconds: slept.append(seconds))
    return slept
