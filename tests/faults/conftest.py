"""What holds for every call, whatever became of it: when its client is closed, nothing of it is left."""

import threading
from collections.abc import Iterator

import pytest

from tests.faults.sockets import open_sockets
from tests.test_transport_tls import certificates

__all__ = ["certificates", "nothing_is_left"]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Count sockets and threads before and after a test: there must be no more than before."""
    sockets, threads = open_sockets(), set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - threads:
        thread.join(5)  # a pool that was shut down lets its threads end by themselves
    assert set(threading.enumerate()) <= threads
    assert open_sockets() <= sockets
