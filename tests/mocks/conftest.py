"""The mocks, started once for all tests; where their environments are not there, the tests are skipped and say so."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import pytest

from tests.faults.conftest import nothing_is_left
from tests.live import mocks
from tests.live.environments import NotReady, is_installed
from tests.live.mocks import AIMOCK, LLMOCK, Mock
from tests.mocks.control import Aimock, Llmock

__all__ = ["nothing_is_left"]  # for every test here too

# Set by `make mocks`: then an environment that is not there is made, and one that cannot be made is a failure.
_REQUIRED = os.environ.get("TRIPTYCH_MOCKS") == "1"

# Small enough to be used up by two calls, or by one with many tokens; see test_llmock_limits.py.
REQUESTS_A_MINUTE = 2
TOKENS_A_MINUTE = 10_000
CONTEXT_WINDOW = 1_000


@contextmanager
def _started(package: str, start: Callable[[], AbstractContextManager[Mock]]) -> Iterator[Mock]:
    if not _REQUIRED and not is_installed(package):
        pytest.skip(f"{package} is not installed here: `make mocks` installs it")
    with ExitStack() as stack:
        try:
            mock = stack.enter_context(start())
        except NotReady as reason:
            if _REQUIRED:
                raise
            pytest.skip(f"{package} does not run here: {reason}")
        yield mock


@pytest.fixture(scope="session")
def llmock() -> Iterator[Llmock]:
    """A running llmock."""
    with _started(LLMOCK, mocks.llmock) as mock:
        yield Llmock(mock)


@pytest.fixture(scope="session")
def limited_llmock() -> Iterator[Llmock]:
    """A running llmock that takes few calls and tokens a minute, and short conversations only."""
    limits = {"--rpm": REQUESTS_A_MINUTE, "--tpm": TOKENS_A_MINUTE, "--context-window": CONTEXT_WINDOW}
    options = [word for name, value in limits.items() for word in (name, str(value))]
    with _started(LLMOCK, lambda: mocks.llmock(options=options)) as mock:
        yield Llmock(mock)


@pytest.fixture(scope="session")
def aimock() -> Iterator[Aimock]:
    """A running aimock."""
    with _started(AIMOCK, mocks.aimock) as mock:
        yield Aimock(mock)
