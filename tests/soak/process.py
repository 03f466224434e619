"""The server's process: started, asked and stopped."""

import contextlib
import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from tests.soak.fates import Plan

_ROOT = Path(__file__).resolve().parents[2]


@frozen
class ServerProcess:
    """A running server.

    Args:
        port: Its port on the loopback interface.
    """

    port: int

    @property
    def base_url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def asked(self) -> dict[str, int]:
        """Return how many requests have asked each question, by its name."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request("GET", "/")
            counts: dict[str, int] = json.load(connection.getresponse())
        return counts


@contextlib.contextmanager
def running_server(plan: Plan) -> Iterator[ServerProcess]:
    """Run a server for the length of a `with` block.

    Args:
        plan: What becomes of each request.

    Raises:
        RuntimeError: it ended before it had printed its port.
    """
    command = [sys.executable, "-m", "tests.soak.server", str(plan.seed), str(plan.faults)]
    with subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            if not port:
                raise RuntimeError(f"the server of the soak did not start: exit status {process.wait(5)}")
            yield ServerProcess(int(port))
        finally:
            process.terminate()
