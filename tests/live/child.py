"""Server processes on the loopback address: started, waited for until they answer, and stopped by their process id."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from tests.live.environments import NotReady

READY_SECONDS = 60.0
LIFETIME_SECONDS = 900.0
_STOP_SECONDS = 10.0


@contextmanager
def running(
    command: Sequence[str], health_url: str, variables: Mapping[str, str] | None = None, *, lifetime: float
) -> Iterator[int]:
    """Run a server for the length of a with block.

    It gets no variable of our own environment but the few that a program needs to run: keys stay here.

    Args:
        command: The program and its arguments.
        health_url: Answers with a status of 200 when the server is ready.
        variables: Environment variables of the server.
        lifetime: Seconds after which it is ended, should nobody stop it.

    Yields:
        The process id.

    Raises:
        NotReady: it could not be started, ended by itself, or was not ready in time.
    """
    plain = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    bounded = [sys.executable, str(Path(__file__).with_name("bounded_process.py")), str(lifetime), *command]
    with tempfile.TemporaryDirectory() as home, started(bounded, {**plain, "HOME": home, **(variables or {})}) as child:
        wait_until_healthy(health_url, child)
        yield child.pid


@contextmanager
def started(
    command: Sequence[str], environment: Mapping[str, str] | None = None, *, answers: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """Run a process that ends when its standard input closes, for the length of a with block.

    Args:
        command: The program and its arguments.
        environment: All of its environment variables; by default, ours.
        answers: Whether its standard output is read by the caller, and is not one with its log.

    Yields:
        The process, with a pipe for its standard input, and for its output where it answers.

    Raises:
        NotReady: as raised in the block, with the last lines that the process has written to standard error.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if answers else log,
            stderr=log,
            text=True,
            env=environment,
            start_new_session=True,  # Ctrl+C reaches this process alone, which then stops the server in good order
        )
        try:
            yield process
        except NotReady as error:
            raise NotReady(f"{error}; its last lines were:\n{_tail(log)}") from None
        finally:
            _stop(process)


def wait_until_healthy(url: str, process: subprocess.Popen[str]) -> None:
    """Ask a server for its health until it is good.

    Raises:
        NotReady: the process has ended, or the time is up.
    """
    deadline = time.monotonic() + READY_SECONDS
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a loopback address is never proxied
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise NotReady(f"the server ended with exit status {process.returncode} before it was ready")
        try:
            with opener.open(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):  # refused before it listens; 503 while it loads
            time.sleep(0.1)
    raise NotReady(f"the server was not ready after {READY_SECONDS:.0f} s")


def free_port() -> int:
    """Return a loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def check_port_is_free(port: int) -> None:
    """Raise NotReady when somebody listens on a loopback port: their health would be taken for our server's."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise NotReady(f"port {port} is taken: another server listens there")


def _tail(log: IO[str]) -> str:
    log.seek(0)
    return log.read()[-2000:]


def _stop(process: subprocess.Popen[str]) -> None:
    """End a process: close its input, and kill it by its process id when it does not go by itself."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()
    try:
        process.wait(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
