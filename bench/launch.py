"""Start the benchmark's server, ask it things, and stop it."""

import contextlib
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

ROOT = Path(__file__).resolve().parent.parent


@frozen
class Server:
    """A running server.

    Args:
        url: Its base URL, to be followed by a mode such as ``/fast``.
    """

    url: str

    def base_url(self, mode: str, format_name: str) -> str:
        """Return the base URL to give to a client of this format: Anthropic's has no version in it."""
        return f"{self.url}/{mode}" + {"openai_chat": "/v1", "anthropic_messages": ""}[format_name]

    def last_body(self) -> Any:
        """Return the JSON body of the last request that was not an echo."""
        return self._ask("last")

    def open_connections(self) -> int:
        """Return how many connections are open, this question's own not counted."""
        return int(self._ask("open"))

    def stream_carriers(self) -> int:
        """Return how many connections have carried a stream until now."""
        return int(self._ask("carriers"))

    def _ask(self, what: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/{what}", timeout=5) as response:
            return json.load(response)


@contextlib.contextmanager
def running_server() -> Iterator[Server]:
    """Run the server as a process of its own for the length of a ``with`` block.

    Yields:
        The server, ready to answer.

    Raises:
        RuntimeError: It ended before it had printed its port.
    """
    command = [sys.executable, "-m", "bench.server"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            if not port:
                raise RuntimeError(f"the benchmark's server did not start: exit status {process.wait(5)}")
            yield Server(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
