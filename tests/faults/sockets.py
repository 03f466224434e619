"""The sockets of this process, counted where the operating system lists them."""

import contextlib
import os
import socket
import stat
import struct
from collections.abc import Iterator


def open_sockets() -> int:
    """Return how many sockets this process has open."""
    return sum(1 for _ in _sockets())


def connections_to(port: int) -> int:
    """Return how many connections to this port of the loopback the process holds, as the side that connected."""
    count = 0
    for descriptor in _sockets():
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as copy:  # a listener has no peer
            if copy.family == socket.AF_INET:
                count += copy.getpeername()[1] == port
    return count


def _sockets() -> Iterator[int]:
    for name in os.listdir("/dev/fd"):
        with contextlib.suppress(OSError):  # the listing's own descriptor is closed by now
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                yield int(name)


def reset(connection: socket.socket) -> None:
    """Let the close of a connection be a reset (RST) and not an orderly end (FIN)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
